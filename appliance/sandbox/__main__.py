"""`python -m appliance.sandbox CONFIG`: the runner as the gateway starts it; CONFIG is a RunnerConfig as JSON.

It leaves its parent at once, so that it is nobody's child and outlives whoever started it.
"""

from __future__ import annotations

import asyncio
import os
import sys


def main() -> int:
    """Become a process of its own, then serve; return the exit code."""
    if os.fork():
        os._exit(0)
    os.setsid()
    # Behind the fork: the parent has nothing to wait for but its own start.
    from appliance.sandbox.runner import serve
    from appliance.sandbox.template import RunnerConfig

    return asyncio.run(serve(RunnerConfig.from_json(sys.argv[1])))


if __name__ == "__main__":
    raise SystemExit(main())
