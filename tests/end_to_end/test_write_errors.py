"""The short form of the write-error suite; the long one runs by command (tests/faults/write_error.py)."""

from __future__ import annotations

import shutil

import pytest

from tests.faults import write_error


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("pattern", "call", "error"), write_error.TARGETS[1:3])
async def test_a_write_that_fails_loses_and_repeats_nothing(pattern: str, call: str, error: str) -> None:
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    outcome = await write_error.one_run(pattern, call, error, 1)
    assert outcome.injected > 0
    assert not outcome.bad, str(outcome)
