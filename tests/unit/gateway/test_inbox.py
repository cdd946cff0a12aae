"""The durable inbox: what counts as answered, with everything done that comes after a turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.composition.rooms import core_rooms
from appliance.database import Database
from appliance.gateway.inbox import Inbox
from appliance.messages import Inbound, Person, Reply, Role, SessionKey
from appliance.testing.manual_clock import ManualClock

MAIN = SessionKey.main()


@pytest.mark.parametrize(("state", "settled"), [("answered", True), ("unsettled", False)])
async def test_only_rows_after_which_all_was_done_are_settled(tmp_path: Path, state: str, settled: bool) -> None:
    database = Database(tmp_path / "core.db", core_rooms())
    database.open()
    try:
        inbox = Inbox(database, ManualClock(0.0))
        said = Inbound("telegram", "", "1", "message", "7", "I prefer tea", Person("9", "Sam", Role.OWNER), MAIN, 1.0)
        _, received = await inbox.accept(said)
        assert not inbox.settled([received.row])
        await inbox.answer(Reply(received.turn, MAIN, "Noted.", (received.row,)), state=state)
        assert inbox.settled([received.row]) == settled
        assert not inbox.settled([received.row, received.row + 1])
        assert not inbox.settled([])  # of what no row tells, nobody knows whether it was captured
    finally:
        database.close()
