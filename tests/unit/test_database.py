"""Group commit, migrations by room, and refusal of a newer schema."""

import asyncio
import threading
from pathlib import Path

import apsw
import pytest

from appliance.database import Database
from appliance.errors import StateError

ONE = [("first", "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT UNIQUE)")]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(tmp_path / "core.db", {"notes": ONE})
    opened.open()
    return opened


def add(text: str):  # type: ignore[no-untyped-def]
    return lambda c: c.execute("INSERT INTO notes(text) VALUES (?)", (text,)) and c.last_insert_rowid()


async def test_a_write_is_readable_when_it_returns(database: Database) -> None:
    await database.write(add("a"))
    assert database.read("SELECT text FROM notes") == [("a",)]
    database.close()


async def test_a_failing_write_undoes_only_itself(database: Database) -> None:
    await database.write(add("a"))
    results = await asyncio.gather(
        database.write(add("b")), database.write(add("a")), database.write(add("c")), return_exceptions=True
    )
    assert isinstance(results[1], apsw.ConstraintError)
    assert [text for (text,) in database.read("SELECT text FROM notes ORDER BY id")] == ["a", "b", "c"]
    database.close()


async def test_writes_that_wait_together_share_commits(database: Database) -> None:
    await asyncio.gather(*(database.write(add(str(n))) for n in range(500)))
    assert database.read("SELECT count(*) FROM notes") == [(500,)]
    database.close()


async def test_a_cancelled_caller_does_not_undo_what_was_queued(database: Database) -> None:
    task = asyncio.create_task(database.write(add("a")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await database.write(add("b"))
    assert database.read("SELECT count(*) FROM notes") == [(2,)]
    database.close()


def test_rooms_migrate_on_their_own_and_only_once(tmp_path: Path) -> None:
    path = tmp_path / "core.db"
    for rooms in (
        {"notes": ONE},
        {"notes": [*ONE, ("more", "ALTER TABLE notes ADD COLUMN at REAL")], "other": ONE[:0]},
    ):
        database = Database(path, rooms)
        database.open()
        database.close()
    database = Database(path, {"notes": [*ONE, ("more", "ALTER TABLE notes ADD COLUMN at REAL")]})
    database.open()
    assert database.read("SELECT at FROM notes") == []
    database.close()


@pytest.mark.parametrize("rooms", [{"notes": []}, {}])
def test_a_newer_schema_is_refused_with_the_way_back(tmp_path: Path, rooms: dict[str, list[tuple[str, str]]]) -> None:
    path = tmp_path / "core.db"
    newer = Database(path, {"notes": ONE})
    newer.open()
    newer.close()
    with pytest.raises(StateError, match="newer release") as caught:
        Database(path, rooms).open()
    assert "backup" in caught.value.fix


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "core.db"
    path.write_bytes(b"this is not a database at all, not even a little" * 50)
    with pytest.raises(StateError, match="damaged"):
        Database(path, {"notes": ONE}).open()


def test_a_failed_migration_leaves_the_old_version(tmp_path: Path) -> None:
    path = tmp_path / "core.db"
    first = Database(path, {"notes": ONE})
    first.open()
    first.close()
    with pytest.raises(apsw.SQLError):
        Database(
            path, {"notes": [*ONE, ("bad", "ALTER TABLE notes ADD COLUMN a; SELECT nonsense FROM nowhere")]}
        ).open()
    again = Database(path, {"notes": ONE})
    again.open()
    assert again.read("SELECT version FROM schema_versions") == [(1,)]
    again.close()


def test_the_writer_outlives_a_caller_whose_loop_is_gone(database: Database) -> None:
    hold, held = threading.Event(), threading.Event()

    def slowly(connection: apsw.Connection) -> None:
        held.set()
        hold.wait(5)
        add("a")(connection)

    async def leave() -> None:
        asyncio.create_task(database.write(slowly))  # noqa: RUF006 - cut off with its loop
        await asyncio.to_thread(held.wait, 5)

    asyncio.run(leave())
    hold.set()
    database.write_now(add("b"))
    assert database.read("SELECT text FROM notes ORDER BY id") == [("a",), ("b",)]
    database.close()


async def test_a_write_that_comes_while_it_closes_is_refused_and_does_not_wait_for_ever(database: Database) -> None:
    begun, end = threading.Event(), threading.Event()

    def slow(connection: apsw.Connection) -> bool:
        begun.set()
        return end.wait(10)

    writing = asyncio.create_task(database.write(slow))
    await asyncio.to_thread(begun.wait, 10)
    closing = asyncio.create_task(asyncio.to_thread(database.close))

    async def refused() -> bool:
        try:
            async with asyncio.timeout(0.05):
                await database.write(add("late"))
        except (StateError, TimeoutError) as error:
            return isinstance(error, StateError)
        return False

    try:
        async with asyncio.timeout(5):
            while not await refused():
                pass
    finally:
        end.set()
    assert await writing
    await closing
