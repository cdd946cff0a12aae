"""The short form of the caps on memory; the long one runs by command (tests/faults/memory_cap.py)."""

import pytest

from tests.faults import memory_cap


@pytest.fixture(autouse=True)
def cgroups() -> None:
    if not memory_cap.usable():
        pytest.skip("a cap on memory needs root, and a cgroup to make one in")


@pytest.mark.timeout(180)
async def test_a_picture_too_large_for_the_cap_ends_its_reader_and_not_the_gateway() -> None:
    outcome = await memory_cap.under_load(rounds=1, limit=400 * memory_cap.MEBIBYTE)
    assert not outcome.bad, str(outcome)
    assert outcome.ended > 0


@pytest.mark.timeout(300)
async def test_a_gateway_that_is_ended_for_its_memory_loses_and_repeats_nothing() -> None:
    outcome = await memory_cap.too_low(2)
    assert not outcome.bad, str(outcome)
    assert outcome.ended == outcome.deaths == 2
