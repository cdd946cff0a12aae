"""`python -m appliance.sandbox CONFIG`: the runner as the gateway starts it; CONFIG is a RunnerConfig as JSON."""

from __future__ import annotations

import asyncio
import sys

from appliance.sandbox.runner import serve
from appliance.sandbox.template import RunnerConfig

if __name__ == "__main__":
    raise SystemExit(asyncio.run(serve(RunnerConfig.from_json(sys.argv[1]))))
