"""A child process that must not outlive the one that started it, nor have it ended in its place."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_OOM_SCORE = 500


def die_with_parent(parent: int) -> None:
    """End this process when `parent` ends, whatever it dies of; at once when it is gone already."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def first_to_go(pid: int) -> None:
    """When memory runs out, have the kernel end that process before one of the house's own."""
    with contextlib.suppress(OSError):  # it is over already, or this is no Linux
        Path(f"/proc/{pid}/oom_score_adj").write_text(str(_OOM_SCORE), encoding="ascii")
