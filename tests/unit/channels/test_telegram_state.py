"""What the channel remembers in core.db."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.channels.known import known_messages
from appliance.channels.telegram import state
from appliance.database import Database
from appliance.gateway import outbox

NOW = 1_800_000_000.0
DAY = 86_400.0


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "core.db", {"outbox": outbox.MIGRATIONS, "telegram": state.MIGRATIONS})
    database.open()
    yield database
    database.close()


async def test_the_offset_moves_forward_and_never_back(core: Database) -> None:
    for update in (10, 12, 11):
        await core.write(lambda c, u=update: state.put_offset(c, "1", u, NOW))
    assert state.get_offset(core, "1", NOW) == 13
    assert state.get_offset(core, "2", NOW) is None


async def test_an_offset_of_last_week_is_not_used_because_numbers_may_have_begun_anew(core: Database) -> None:
    await core.write(lambda c: state.put_offset(c, "1", 900_000, NOW))
    assert state.get_offset(core, "1", NOW + 5 * DAY) == 900_001
    assert state.get_offset(core, "1", NOW + 7 * DAY) is None
    await core.write(lambda c: state.put_offset(c, "1", 17, NOW + 7 * DAY))
    assert state.get_offset(core, "1", NOW + 7 * DAY) == 18


async def test_messages_that_the_outbox_knows_are_found_by_chat(core: Database) -> None:
    insert = (
        "INSERT INTO outbox(channel, place, session, kind, state, text, parts, created_at) "
        "VALUES (?, ?, '', 'reply', 'sent', '', ?, 0)"
    )
    rows = [
        (
            "telegram",
            '{"chat": 5}',
            '[{"message": "7", "placing": false, "done": true}, {"message": "", "placing": true}]',
        ),
        ("telegram", '{"chat": 6}', '[{"message": "8"}]'),
        ("discord", '{"chat": 5}', '[{"message": "9"}]'),
    ]
    await core.write(lambda c: c.executemany(insert, rows))
    assert known_messages(core, "telegram", 5) == {"7"}
