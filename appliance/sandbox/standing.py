"""`python -m appliance.sandbox.standing`: the runner as a service of its own, as in compose; `--check` is its health.

Unlike a runner that a gateway starts, it stays in the foreground and never ends by itself.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

from appliance.errors import ApplianceError
from appliance.sandbox.client import SandboxClient, runner_config
from appliance.settings import Settings, load_settings


def stand(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT; return the exit code: 1 when another runner has this STATE."""
    from appliance.sandbox.runner import serve  # the Docker SDK, which a check does not need

    return asyncio.run(serve(replace(runner_config(settings), linger_seconds=0)))


def check(settings: Settings) -> str:
    """Ask the runner that stands whether commands can run; return why not, or nothing."""
    health = asyncio.run(SandboxClient(runner_config(settings), start_runner=False).health())
    return "" if health.ok else f"{health.reason} {health.fix}".strip()


def main(arguments: list[str]) -> int:
    """Return the exit code; problems are named on standard error."""
    try:
        settings = load_settings()
        if arguments == ["--check"]:
            problem = check(settings)
        elif arguments:
            problem = "usage: python -m appliance.sandbox.standing [--check]"
        else:
            return stand(settings)
    except ApplianceError as error:
        problem = f"{error.what} {error.fix}".strip()
    if problem:
        sys.stderr.write(f"{problem}\n")
    return 1 if problem else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
