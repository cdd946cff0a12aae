"""The durable inbox: accepted means answered once.

States of a row: new (also while its turn runs), answered, unsettled (answered, but what comes after a turn failed) and
dead. The key (channel, account, chat, kind, id) is unique, so a platform that tells us twice is heard once. What a turn
has done stands in the transcript; recovery compares the two at start and completes the later one.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import msgspec

from appliance.agent import sessions
from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.database import Database, Migration
from appliance.messages import Inbound, Received, Reply, Role

MIGRATIONS: list[Migration] = [
    (
        "inbox",
        """CREATE TABLE inbox(
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            channel TEXT NOT NULL, account TEXT NOT NULL, chat TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
            session TEXT NOT NULL, turn TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'new',
            failures INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0,
            received_at REAL NOT NULL, body TEXT NOT NULL, reply TEXT,
            UNIQUE(channel, account, chat, kind, id)) STRICT;
        CREATE INDEX inbox_open ON inbox(row) WHERE state = 'new';
        CREATE TABLE replies(
            turn TEXT PRIMARY KEY, session TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL) STRICT;
        CREATE TABLE places(
            person TEXT NOT NULL, channel TEXT NOT NULL, place TEXT NOT NULL, at REAL NOT NULL,
            PRIMARY KEY(person, channel)) STRICT""",
    ),
]
MAX_FAILURES = 3
MAX_DEATHS = 10
_decode_inbound = msgspec.json.Decoder(Inbound).decode
_decode_reply = msgspec.json.Decoder(Reply).decode


@dataclass(frozen=True, slots=True)
class Receipt:
    """`row` names the inbox row; `new` is False for a repeated message; `answered` when its reply is stored."""

    row: int
    new: bool
    answered: bool


Extra = Callable[[apsw.Connection], object]


class Inbox:
    """Given core.db, accept messages and note what became of them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def accept(self, inbound: Inbound, extra: Extra | None = None) -> tuple[Receipt, Received]:
        """Store a message; return once it is on disk. `extra` runs in the same transaction (a platform's offset)."""
        crash_point("after_receive")
        body = msgspec.json.encode(inbound).decode()
        turn = secrets.token_hex(8)
        now = self._clock.now()

        def work(connection: apsw.Connection) -> tuple[Receipt, Received]:
            if extra is not None:
                extra(connection)
            return _store(connection, inbound, body, turn, now)

        stored = await self._database.write(work)
        crash_point("after_inbox_commit")
        return stored

    def reply(self, row: int) -> Reply | None:
        """The stored answer of a row, or None while it is open."""
        found = self._database.read(
            "SELECT replies.body FROM inbox JOIN replies ON replies.turn = inbox.reply WHERE inbox.row = ?", (row,)
        )
        return _decode_reply(found[0][0]) if found else None

    def settled(self, rows: Sequence[int]) -> bool:
        """Whether these are rows and all answered, with everything done that comes after a turn."""
        marks = ",".join("?" * len(rows))
        found = self._database.read(
            f"SELECT count(*) FROM inbox WHERE state = 'answered' AND row IN ({marks})",  # noqa: S608
            tuple(rows),
        )
        return bool(rows) and bool(found[0][0] == len(rows))

    def answer_to(self, key: tuple[str, str, str, str, str]) -> Reply | None:
        """The stored answer of a message by its (channel, account, chat, kind, id), or None."""
        found = self._database.read(
            "SELECT replies.body FROM inbox JOIN replies ON replies.turn = inbox.reply"
            " WHERE channel=? AND account=? AND chat=? AND inbox.kind=? AND inbox.id=?",
            key,
        )
        return _decode_reply(found[0][0]) if found else None

    def last_heard(self, apart_from: Sequence[str]) -> float | None:
        """When the newest message came in (Unix seconds), those of some channels left out; None when there is none."""
        marks = ",".join("?" * len(apart_from))
        found = self._database.read(
            f"SELECT received_at FROM inbox WHERE channel NOT IN ({marks}) ORDER BY row DESC LIMIT 1",  # noqa: S608
            tuple(apart_from),
        )
        return float(found[0][0]) if found else None

    async def answer(self, reply: Reply, extra: Extra | None = None, *, state: str = "answered") -> None:
        """Store a reply and mark the rows it answers, in one transaction; `extra` adds the outbox row."""
        body = msgspec.json.encode(reply).decode()
        now = self._clock.now()

        def work(connection: apsw.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO replies(turn, session, at, body) VALUES (?,?,?,?)",
                (reply.turn, reply.session.value, now, body),
            )
            connection.executemany(
                "UPDATE inbox SET state=?, reply=? WHERE row=?", [(state, reply.turn, row) for row in reply.rows]
            )
            if extra is not None:
                extra(connection)

        crash_point("before_answer_commit")
        await self._database.write(work)
        crash_point("after_answer_commit")

    async def failed(self, rows: Sequence[int]) -> int:
        """Count a handled failure of these rows; return how many the worst of them has now."""

        def work(connection: apsw.Connection) -> int:
            connection.executemany("UPDATE inbox SET failures = failures + 1 WHERE row=?", [(r,) for r in rows])
            marks = ",".join("?" * len(rows))
            found = connection.execute(f"SELECT max(failures) FROM inbox WHERE row IN ({marks})", tuple(rows))  # noqa: S608
            return int(found.fetchall()[0][0] or 0)

        return await self._database.write(work)

    async def step_done(self, rows: Sequence[int]) -> None:
        """A finished step resets the count of deaths: the process died of something else."""
        await self._database.write(
            lambda c: c.executemany("UPDATE inbox SET deaths = 0 WHERE row=? AND deaths > 0", [(r,) for r in rows])
        )

    async def died(self, rows: Sequence[int]) -> None:
        """Count a death of the process while these rows ran."""
        await self._database.write(
            lambda c: c.executemany("UPDATE inbox SET deaths = deaths + 1 WHERE row=?", [(r,) for r in rows])
        )

    def open_rows(self) -> list[Received]:
        """What was accepted and is not answered, oldest first."""
        rows = self._database.read("SELECT row, turn, failures, deaths, body FROM inbox WHERE state='new' ORDER BY row")
        return [Received(row, turn, _decode_inbound(body), f, d) for row, turn, f, d, body in rows]

    def owner_places(self) -> list[tuple[str, str, dict[str, Any]]]:
        """(channel, person id, place) of each channel on which an owner last spoke in private, for notices."""
        rows = self._database.read("SELECT channel, person, place FROM places ORDER BY at DESC")
        return [(channel, person, msgspec.json.decode(place)) for channel, person, place in rows]

    async def forget_place(self, channel: str, person: str) -> None:
        """Send this person no notices any more: they are not an owner now."""
        sql = "DELETE FROM places WHERE channel = ? AND person = ?"
        await self._database.write(lambda c: c.execute(sql, (channel, person)))

    def counts(self) -> dict[str, int]:
        """Rows by state."""
        return dict(self._database.read("SELECT state, count(*) FROM inbox GROUP BY state"))


def _store(connection: apsw.Connection, inbound: Inbound, body: str, turn: str, now: float) -> tuple[Receipt, Received]:
    try:
        connection.execute(
            "INSERT INTO inbox(channel, account, chat, kind, id, session, turn, received_at, body)"
            " VALUES (?,?,?,?,?,?,?,?,?)",
            (*inbound.key, inbound.session.value, turn, now, body),
        )
    except apsw.ConstraintError:
        found: list[Any] = connection.execute(
            "SELECT row, turn, state, body FROM inbox WHERE channel=? AND account=? AND chat=? AND kind=? AND id=?",
            inbound.key,
        ).fetchall()
        row, turn, state, first = found[0]
        return Receipt(row, False, state != "new"), Received(row, turn, _decode_inbound(first))
    row = connection.last_insert_rowid()
    sessions.register(connection, inbound.session, now)
    if inbound.person.role is Role.OWNER and inbound.place and inbound.session.is_main:
        connection.execute(
            "INSERT OR REPLACE INTO places(person, channel, place, at) VALUES (?,?,?,?)",
            (inbound.person.id, inbound.channel, msgspec.json.encode(inbound.place).decode(), now),
        )
    return Receipt(row, True, False), Received(row, turn, inbound)
