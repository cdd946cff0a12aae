"""The short form of the look-ups that fail; the long one runs by command (tests/faults/names.py)."""

import pytest

from tests.faults import name_server, names


@pytest.mark.timeout(180)
async def test_a_name_server_that_fails_loses_and_repeats_nothing() -> None:
    if not name_server.usable():
        pytest.skip("a name server of its own needs root")
    outcome = await names.one_run(1, "fails")
    assert not outcome.bad, str(outcome)
    assert outcome.by_spare > 0
