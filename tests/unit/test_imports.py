"""The gateway is ready before any library of a model, a channel or a tool is loaded."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = ["aiogram", "aiohttp", "anthropic", "discord", "docker", "genai_prices", "icalendar", "llama_cpp", "mcp", "PIL",
         "playwright", "telegramify_markdown", "trafilatura"]  # fmt: skip


def test_none_of_the_heavy_libraries_comes_with_the_program() -> None:
    script = (
        f"import json, sys, appliance.app, appliance.cli; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == []
