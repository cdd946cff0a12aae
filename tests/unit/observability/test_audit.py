"""The audit chain: what was written stays, and any change shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from appliance.database import Database
from appliance.observability import audit
from appliance.observability.audit import Audit
from appliance.observability.redaction import add_secrets


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path / "core.db", {"audit": audit.MIGRATIONS})
    made.open()
    yield made
    made.close()


async def written(database: Database) -> Audit:
    chain = Audit(database)
    for number in range(5):
        chain.record("login.ok", login=f"l{number}", address="127.0.0.1")
    await chain.flush()
    return chain


def tamper(path: Path, *statements: str) -> None:
    """As somebody with the file would: without the triggers."""
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER audit_keeps; DROP TRIGGER audit_stays")
    for statement in statements:
        connection.execute(statement)
    connection.close()


async def test_a_whole_chain_verifies_and_keeps_its_order(database: Database) -> None:
    chain = await written(database)
    report = chain.verify()
    assert (report["ok"], report["rows"], report["problems"]) == (True, 5, [])
    assert [json.loads(line)["fields"]["login"] for line in chain.export()] == ["l0", "l1", "l2", "l3", "l4"]


def test_it_can_be_written_without_an_event_loop(database: Database) -> None:
    chain = Audit(database)
    chain.record("start", version="1")
    assert chain.verify()["rows"] == 1


def test_an_empty_chain_is_whole(database: Database) -> None:
    assert Audit(database).verify() == {"ok": True, "rows": 0, "head": "0" * 64, "problems": []}


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit SET fields='{}' WHERE seq=3",
        "UPDATE audit SET kind='login.no' WHERE seq=3",
        "UPDATE audit SET at='2020-01-01T00:00:00.000Z' WHERE seq=3",
        "UPDATE audit SET hash='x' WHERE seq=3",
        "DELETE FROM audit WHERE seq=3",
        "DELETE FROM audit WHERE seq=1",
        "DELETE FROM audit WHERE seq>=4",
        "DELETE FROM audit",
        "UPDATE audit SET seq=99 WHERE seq=5",
    ],
)
async def test_every_kind_of_tampering_shows(database: Database, sql: str) -> None:
    chain = await written(database)
    tamper(database.path, sql)
    assert not chain.verify()["ok"]


async def test_rows_that_changed_places_show(database: Database) -> None:
    chain = await written(database)
    tamper(
        database.path,
        "UPDATE audit SET seq = -2 WHERE seq = 2",
        "UPDATE audit SET seq = 2 WHERE seq = 3",
        "UPDATE audit SET seq = 3 WHERE seq = -2",
    )
    report = chain.verify()
    assert [problem["seq"] for problem in report["problems"]] == [2, 3, 4]


async def test_an_export_verifies_by_itself_and_shows_what_was_done_to_it(database: Database) -> None:
    chain = await written(database)
    chain.record("tool", text="牛奶 🥛", cost=0.1, nothing=None, many=["b", {"z": 1, "a": 2}])
    await chain.flush()
    lines = list(chain.export())
    assert audit.check(audit.exported(lines)) == chain.verify()

    def problems(changed: list[str]) -> list[tuple[int, str]]:
        found = audit.check(audit.exported(changed), last=6)["problems"]
        return [(problem["seq"], problem["what"]) for problem in found]

    changed = "the row or one before it was changed"
    assert problems([lines[0], lines[1].replace("l1", "l9"), *lines[2:]]) == [(2, changed)]
    assert problems([lines[0], *lines[2:]]) == [(2, "rows 2 to 2 are missing"), (3, changed)]
    assert problems(lines[:4]) == [(5, "rows 5 to 6 are missing at the end")]
    assert (2, "the row is not in its place") in problems([lines[0], lines[2], lines[1], *lines[3:]])
    with pytest.raises(ValueError, match="Line 2"):
        list(audit.exported([lines[0], "{}"]))


async def test_the_table_itself_refuses_changes(database: Database) -> None:
    await written(database)
    for sql in ("UPDATE audit SET kind='x'", "DELETE FROM audit"):
        with pytest.raises(apsw.ConstraintError, match="only grows"):
            await database.write(lambda c, sql=sql: c.execute(sql).fetchall())  # type: ignore[misc]


async def test_a_row_belongs_to_the_transaction_of_its_change(database: Database) -> None:
    chain = await written(database)

    def fails(connection: apsw.Connection) -> None:
        audit.append(connection, 0.0, "never", {})
        raise ValueError

    with pytest.raises(ValueError):
        await database.write(fails)
    await database.write(lambda c: audit.append(c, 0.0, "approval", {"id": 1}))
    report = chain.verify()
    assert (report["ok"], report["rows"]) == (True, 6)


async def test_secrets_and_endless_texts_are_not_kept(database: Database) -> None:
    add_secrets(["audit-canary-123456"])
    chain = Audit(database)
    chain.record("tool", arguments={"x": ["audit-canary-123456"]}, output="y" * 10_000, odd="a\ud800", path=Path("/x"))
    await chain.flush()
    text = "".join(chain.export())
    assert "audit-canary" not in text
    assert "(10000 characters)" in text
    assert len(text) < 5_000
    assert chain.verify()["ok"]


async def test_a_chain_goes_on_after_a_restart(database: Database, tmp_path: Path) -> None:
    await written(database)
    again = Database(tmp_path / "core.db", {"audit": audit.MIGRATIONS})
    again.open()
    chain = Audit(again)
    chain.record("start")
    await chain.flush()
    assert chain.verify()["rows"] == 6
    assert chain.verify()["ok"]
    again.close()
