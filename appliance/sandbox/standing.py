"""`python -m appliance.sandbox.standing`: the runner as a service of its own, as in compose.

Unlike a runner that a gateway starts, it stays in the foreground and never ends by itself.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

from appliance.errors import ApplianceError
from appliance.sandbox.client import runner_config
from appliance.sandbox.runner import serve
from appliance.settings import Settings
from appliance.settings.load import load_settings


def stand(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT; return the exit code: 1 when another runner has this STATE."""
    return asyncio.run(serve(replace(runner_config(settings), linger_seconds=0)))


def main() -> int:
    """Return the exit code; problems are named on standard error."""
    try:
        return stand(load_settings())
    except ApplianceError as error:
        sys.stderr.write(f"{error.what} {error.fix}\n")
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
