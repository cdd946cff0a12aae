"""The short form of a lock that somebody else holds; the long one runs by command (tests/faults/locked.py)."""

import pytest

from tests.faults import locked


@pytest.mark.timeout(180)
async def test_what_comes_while_another_process_holds_the_books_is_answered_once() -> None:
    outcome = await locked.one_run(6.0, count=3)
    assert not outcome.bad, str(outcome)
