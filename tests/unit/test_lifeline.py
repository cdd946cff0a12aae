"""What the kernel is told about the children of the house."""

from __future__ import annotations

import subprocess
from pathlib import Path

from appliance.lifeline import first_to_go


def test_a_child_is_ended_for_memory_before_the_house_is() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            first_to_go(child.pid)
            told = Path(f"/proc/{child.pid}/oom_score_adj").read_text()
        finally:
            child.kill()
    assert int(told) > int(Path("/proc/self/oom_score_adj").read_text())
    first_to_go(child.pid)  # one that is over is no error
