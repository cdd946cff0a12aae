"""Servers in the settings cost nothing before one is needed: the library is not even loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from appliance.app import Appliance
from appliance.settings.load import load_settings
house = Appliance(load_settings())
house.open_offline()
print(house.mcp.listed()["servers"][0]["state"], "mcp" in house.tools, [name for name in sys.modules if name == "mcp"])
house.close_offline()
"""


def test_the_protocols_library_is_not_loaded_by_a_house_that_has_servers(tmp_path: Path) -> None:
    section = {"notes": {"url": "http://127.0.0.1:9/mcp"}}
    environ = {
        **os.environ, "APPLIANCE_STATE_DIR": str(tmp_path), "APPLIANCE_MCP": json.dumps(section),
        "APPLIANCE_LOCAL__ENABLED": "false",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environ, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout.strip() == "idle True []", done.stderr
