"""Telling the owner something once, whoever notices it first and however often.

A notice is written down before it is told. A kill between the two tells it at the next start; a kill right after the
telling may tell it a second time, never not at all.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence

import apsw

from appliance.clock import Clock
from appliance.database import Database, Migration

MIGRATIONS: list[Migration] = [
    (
        "notices",
        """CREATE TABLE notices(
            key TEXT PRIMARY KEY, text TEXT NOT NULL, choices TEXT NOT NULL, at REAL NOT NULL,
            told INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;""",
    )
]
_KEEP_SECONDS = 90 * 86_400.0
Choices = Sequence[tuple[str, str]]  # label of a button, the command that it runs


# Say something to the owner in every channel they use; returns once it is sure to be sent (the outbox has it).
Tell = Callable[[str, Choices], Awaitable[None]]


class Notices:
    """Given core.db, a clock and a way to the owner, tell each key once."""

    def __init__(self, database: Database, clock: Clock, tell: Tell) -> None:
        self._database = database
        self._clock = clock
        self._tell = tell

    async def once(self, key: str, text: str, choices: Choices = ()) -> bool:
        """Tell it, unless this key was told before; return whether it was new."""
        now = self._clock.now()

        def work(connection: apsw.Connection) -> bool:
            connection.execute("DELETE FROM notices WHERE told = 1 AND at < ?", (now - _KEEP_SECONDS,))
            connection.execute(
                "INSERT OR IGNORE INTO notices(key, text, choices, at) VALUES (?, ?, ?, ?)",
                (key, text, json.dumps([list(choice) for choice in choices], ensure_ascii=False), now),
            )
            return connection.changes() > 0

        new = await self._database.write(work)
        if new:
            await self._tell_row(key, text, choices)
        return new

    def known(self, key: str) -> bool:
        """Whether this key was told, or is being told."""
        return bool(self._database.read("SELECT 1 FROM notices WHERE key = ?", (key,)))

    async def resume(self) -> int:
        """At start: tell what a kill kept from being told; return how many that were."""
        rows = self._database.read("SELECT key, text, choices FROM notices WHERE told = 0 ORDER BY at")
        for key, text, choices in rows:
            await self._tell_row(key, text, [(label, command) for label, command in json.loads(choices)])
        return len(rows)

    async def _tell_row(self, key: str, text: str, choices: Choices) -> None:
        await self._tell(text, choices)
        await self._database.write(_told(key))


def _told(key: str) -> Callable[[apsw.Connection], None]:
    def work(connection: apsw.Connection) -> None:
        connection.execute("UPDATE notices SET told = 1 WHERE key = ?", (key,))

    return work
