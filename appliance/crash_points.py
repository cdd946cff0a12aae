"""Named places where a test may kill the process, as a power cut would.

Set APPLIANCE_CRASH_AT to `name` or `name:3` (the third time). Without it the call is one comparison.
"""

from __future__ import annotations

import os
import signal

_target, _, _count = os.environ.get("APPLIANCE_CRASH_AT", "").partition(":")
_left = int(_count or 1)


def crash_point(name: str) -> None:
    """Kill this process with SIGKILL when the environment asked for it at this place."""
    global _left
    if name != _target:
        return
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
