"""The short form of the clock suite on the real process; the long one runs by command (tests/faults/clock.py)."""

import os

import pytest

from tests.faults import clock


@pytest.mark.timeout(180)
@pytest.mark.skipif(not clock.LIBRARY.exists() and "CI" not in os.environ, reason="libfaketime is not installed")
async def test_a_sleep_of_six_hours_is_one_late_run_a_job() -> None:
    scenario = next(one for one in clock.SCENARIOS if one.suspended)
    told = await clock.one_run(scenario)
    assert told.wrong == []
