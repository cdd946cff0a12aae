"""The durable outbox: rows of what is to be said, and how far each has come.

States: draft (its turn still runs), ready, sent, dead. Each part of a row remembers the platform's message id, so that
after a kill an edit is repeated and a placeholder is reused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import apsw
import msgspec

from appliance.clock import Clock
from appliance.database import Database, Migration
from appliance.messages import Attachment, Button, Outbound

MIGRATIONS: list[Migration] = [
    (
        "outbox",
        """CREATE TABLE outbox(
            id INTEGER PRIMARY KEY AUTOINCREMENT, turn TEXT, channel TEXT NOT NULL, place TEXT NOT NULL,
            session TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, text TEXT NOT NULL,
            buttons TEXT NOT NULL DEFAULT '[]', attachments TEXT NOT NULL DEFAULT '[]',
            parts TEXT NOT NULL DEFAULT '[]', attempts INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0,
            created_at REAL NOT NULL, sent_at REAL, error TEXT NOT NULL DEFAULT '') STRICT;
        CREATE INDEX outbox_open ON outbox(id) WHERE state IN ('draft', 'ready');
        CREATE UNIQUE INDEX outbox_turn ON outbox(turn) WHERE turn IS NOT NULL""",
    ),
]


class Step(msgspec.Struct):
    """One part of a row. `message`: the platform's id once known. `placing`: a send whose outcome is not known yet."""

    message: str = ""
    placing: bool = False
    done: bool = False


@dataclass(slots=True)
class Row:
    """One thing to say, as stored."""

    id: int
    turn: str | None
    channel: str
    place: dict[str, Any]
    session: str
    kind: str
    state: str
    text: str
    buttons: tuple[Button, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    steps: list[Step] = field(default_factory=list)
    attempts: int = 0
    not_before: float = 0.0

    @property
    def chain(self) -> tuple[str, str, str]:
        """Rows of one chain are delivered in order; a notice does not wait for a running turn."""
        place = msgspec.json.encode({k: v for k, v in self.place.items() if k in ("chat", "topic", "to")}).decode()
        return (self.channel, place, "notice" if self.kind == "notice" else self.session)


_COLUMNS = "id, turn, channel, place, session, kind, state, text, buttons, attachments, parts, attempts, not_before"
_buttons = msgspec.json.Decoder(tuple[Button, ...]).decode
_attachments = msgspec.json.Decoder(tuple[Attachment, ...]).decode
_steps = msgspec.json.Decoder(list[Step]).decode


def _row(values: tuple[Any, ...]) -> Row:
    identity, turn, channel, place, session, kind, state, text, buttons, attachments, steps, attempts, later = values
    return Row(
        identity, turn, channel, msgspec.json.decode(place), session, kind, state, text,
        _buttons(buttons), _attachments(attachments), _steps(steps), attempts, later,
    )  # fmt: skip


def insert(connection: apsw.Connection, outbound: Outbound, turn: str | None, state: str, now: float) -> int:
    """Add a row; part of whatever transaction decides that it is to be said."""
    connection.execute(
        "INSERT INTO outbox(turn, channel, place, session, kind, state, text, buttons, attachments, created_at)"
        " VALUES (?,?,?,?,?,?,?,?,?,?)",
        (
            turn, outbound.channel, _json(outbound.place), outbound.session.value if outbound.session else "",
            outbound.kind, state, outbound.text, _json(outbound.buttons), _json(outbound.attachments), now,
        ),
    )  # fmt: skip
    return connection.last_insert_rowid()


def finish(connection: apsw.Connection, outbound: Outbound, turn: str, now: float) -> int:
    """Give a turn's draft its final text, or add the row when there was no draft. Returns the row's id."""
    connection.execute(
        "UPDATE outbox SET state='ready', text=?, kind=?, buttons=?, attachments=? WHERE turn=? AND state='draft'",
        (outbound.text, outbound.kind, _json(outbound.buttons), _json(outbound.attachments), turn),
    )
    found = connection.execute("SELECT id FROM outbox WHERE turn=?", (turn,)).fetchone()
    return int(found[0]) if found else insert(connection, outbound, turn, "ready", now)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class Outbox:
    """Given core.db, read and move outbox rows."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, outbound: Outbound) -> int:
        """Store something to say outside any turn (a notice)."""
        now = self._clock.now()
        return await self._database.write(lambda c: insert(c, outbound, None, "ready", now))

    async def open_draft(self, outbound: Outbound, turn: str) -> Row:
        """The draft row of a turn, made or found again after a kill."""
        now = self._clock.now()

        def work(connection: apsw.Connection) -> int:
            found = connection.execute("SELECT id FROM outbox WHERE turn=?", (turn,)).fetchone()
            return int(found[0]) if found else insert(connection, outbound, turn, "draft", now)

        return self.get(await self._database.write(work))

    def get(self, identity: int) -> Row:
        return _row(self._database.read(f"SELECT {_COLUMNS} FROM outbox WHERE id=?", (identity,))[0])  # noqa: S608

    def open_rows(self) -> list[Row]:
        """What is not said yet, oldest first."""
        query = f"SELECT {_COLUMNS} FROM outbox WHERE state IN ('draft','ready') ORDER BY id"  # noqa: S608
        return [_row(values) for values in self._database.read(query)]

    async def save_steps(self, row: Row) -> None:
        """Write how far a row has come."""
        steps, identity = _json(row.steps), row.id
        await self._database.write(lambda c: c.execute("UPDATE outbox SET parts=? WHERE id=?", (steps, identity)))

    async def sent(self, row: Row) -> None:
        steps, identity, now = _json(row.steps), row.id, self._clock.now()
        await self._database.write(
            lambda c: c.execute("UPDATE outbox SET state='sent', parts=?, sent_at=? WHERE id=?", (steps, now, identity))
        )

    async def later(self, row: Row, seconds: float, error: str) -> None:
        """Try again after `seconds`; the row keeps its place in the chain."""
        row.attempts += 1
        row.not_before = self._clock.now() + seconds
        values = (row.attempts, row.not_before, error[:500], _json(row.steps), row.id)
        await self._database.write(
            lambda c: c.execute("UPDATE outbox SET attempts=?, not_before=?, error=?, parts=? WHERE id=?", values)
        )

    async def dead(self, row: Row, error: str) -> None:
        """Give a row up; it stays in the table with its reason."""
        values = (error[:500], _json(row.steps), row.id)
        await self._database.write(
            lambda c: c.execute("UPDATE outbox SET state='dead', error=?, parts=? WHERE id=?", values)
        )

    def counts(self) -> dict[str, int]:
        return dict(self._database.read("SELECT state, count(*) FROM outbox GROUP BY state"))
