"""Marks of what was taken: per channel and chat, never going back."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from appliance.channels import marks
from appliance.channels.discord import state as discord_state
from appliance.database import Database, migrate, open_connection


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [("99", "100", "100"), ("100", "99", "100"), ("1700000000.000200", "1700000000.000100", "1700000000.000200")],
)
async def test_a_mark_never_goes_back(core: Database, first: str, then: str, kept: str) -> None:
    for message in (first, then):
        await core.write(lambda c, m=message: marks.put_mark(c, "slack", "me", "C1", m, private=False))
    assert marks.marks(core, "slack", "me", private=False) == {"C1": kept}
    assert marks.marks(core, "discord", "me", private=False) == {}


async def test_a_chat_that_is_gone_is_forgotten(core: Database) -> None:
    await core.write(lambda c: marks.put_mark(c, "slack", "me", "D1", "1", private=True))
    await core.write(lambda c: marks.forget(c, "slack", "me", "D1"))
    assert marks.marks(core, "slack", "me", private=True) == {}


def test_marks_that_an_earlier_release_kept_are_carried_over(tmp_path: Path) -> None:
    earlier = {"discord": discord_state.MIGRATIONS[:2]}
    connection: apsw.Connection = open_connection(tmp_path / "core.db")
    migrate(connection, earlier, "core.db")
    connection.execute("INSERT INTO discord_marks VALUES ('9', 1234567890123456789, 99, 1)")
    migrate(connection, {"marks": marks.MIGRATIONS, "discord": discord_state.MIGRATIONS}, "core.db")
    assert connection.execute("SELECT * FROM channel_marks").fetchall() == [
        ("discord", "9", "1234567890123456789", "99", 1)
    ]
    connection.close()
