"""The short form of the full-disk suite; the long one runs by command (tests/faults/disk_full.py)."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.faults import disk_full


def mountable() -> bool:
    """Whether a small disk can be mounted here: root, with the right to mount."""
    if os.getuid() != 0:
        return False
    try:
        with tempfile.TemporaryDirectory() as folder, disk_full.small_disk(Path(folder)):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


@pytest.mark.timeout(300)
@pytest.mark.parametrize("inodes", [False, True], ids=["space", "inodes"])
async def test_what_was_accepted_is_answered_once_when_there_is_room_again(inodes: bool) -> None:
    if not mountable():
        pytest.skip("a disk can be mounted by root only")
    outcome = await disk_full.one_run(1, 12, 0.6, inodes=inodes)
    assert not outcome.bad, str(outcome)
    assert inodes or outcome.refused > 0
