"""Calls of a platform that are on disk and not taken yet: a hook answers once a call is held, and takes it from here.

So a turn of any length holds nothing up, and a call that the platform repeats is one.
"""

from __future__ import annotations

import asyncio

import apsw

from appliance.database import Database, Migration

MIGRATIONS: list[Migration] = [
    (
        "held calls",
        """CREATE TABLE held_calls(
            number INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, key TEXT NOT NULL, rank INTEGER NOT NULL,
            body TEXT NOT NULL, UNIQUE (channel, key)
        ) STRICT;""",
    ),
]


class HeldCalls:
    """Give it core.db and the channel's name."""

    def __init__(self, database: Database, channel: str) -> None:
        self._database = database
        self._channel = channel
        self._news = asyncio.Event()

    async def hold(self, key: str, body: str, rank: int = 0) -> None:
        """Keep a call; return once it is on disk. One that is held already under this key stays as it is."""

        def work(connection: apsw.Connection) -> None:
            connection.execute(
                "INSERT OR IGNORE INTO held_calls(channel, key, rank, body) VALUES (?, ?, ?, ?)",
                (self._channel, key, rank, body),
            )

        await self._database.write(work)
        self._news.set()

    async def next(self) -> tuple[int, str]:
        """Wait for the call to take next (lowest rank, then oldest): its number and body."""
        while True:
            self._news.clear()
            rows = self._database.read(
                "SELECT number, body FROM held_calls WHERE channel = ? ORDER BY rank, number LIMIT 1", (self._channel,)
            )
            if rows:
                return int(rows[0][0]), str(rows[0][1])
            await self._news.wait()

    async def drop(self, number: int) -> None:
        """The call was taken, or can never be."""
        await self._database.write(lambda c: c.execute("DELETE FROM held_calls WHERE number = ?", (number,)))
