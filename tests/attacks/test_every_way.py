"""Every string of the list by every way of a page: with a real Chromium and a name server that changes its answers, no
packet leaves for a blocked address and nobody on this side is reached.

Some of the list here; all of it by command, in ten minutes: unshare --net --mount --fork python -m tests.attacks.town 1
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from appliance.browser import chromium

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(420)]
EVERY = 30
PUBLIC = {f"{address}:{port}/6" for address in ("93.184.216.34", "93.184.216.35", "1.1.1.1") for port in (80, 443)}


def test_no_packet_reaches_a_blocked_address() -> None:
    if why := chromium.missing(""):
        pytest.skip(why)
    if os.getuid() != 0:
        pytest.skip("networks of a test's own want root")
    done = subprocess.run(
        ["unshare", "--net", "--mount", "--fork", sys.executable, "-m", "tests.attacks.town", str(EVERY)],
        capture_output=True, text=True, timeout=400, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["heard"], "the listeners would have heard nothing"
    assert found["left"] == []
    assert found["tried"] >= 4
    assert found["reached"] == []
    assert {"93.184.216.34:80/6", "93.184.216.35:80/6"} <= set(found["crossed"]) <= PUBLIC
    assert found["asked"]["rebind0.example"] > 2, "the name had no chance to change its answer"
