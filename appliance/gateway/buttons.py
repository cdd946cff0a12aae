"""Buttons under a message: opaque ids bound to one person, used once, gone when their time is over.

The id says nothing: what it does is a row in core.db, written before the button is shown, so a press after a restart
still works and a forged or copied one does not.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from appliance.clock import Clock
from appliance.database import Database, Migration
from appliance.messages import Person

MIGRATIONS: list[Migration] = [
    (
        "buttons",
        """CREATE TABLE buttons(
            id TEXT PRIMARY KEY, row TEXT NOT NULL, action TEXT NOT NULL, payload TEXT NOT NULL,
            channel TEXT NOT NULL, person TEXT NOT NULL, expires_at REAL NOT NULL, used_at REAL,
            used_by TEXT NOT NULL DEFAULT ''
        ) WITHOUT ROWID;
        CREATE INDEX buttons_row ON buttons(row);
        CREATE INDEX buttons_expires ON buttons(expires_at);""",
    )
]
DEFAULT_TTL = 30 * 60.0
_KEEP = 7 * 86_400.0  # how long an old press can still be told why it is refused


@dataclass(frozen=True, slots=True)
class Press:
    """A press that counts: what was to be done, with what."""

    action: str
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A press that does not count, and why. `texts.say("button_" + reason, ...)` tells the person."""

    reason: Literal["unknown", "other", "used", "expired"]


class Buttons:
    """Give it core.db and a clock."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def create(
        self,
        action: str,
        payload: dict[str, Any],
        person: Person,
        ttl: float = DEFAULT_TTL,
        *,
        channel: str = "telegram",
        row: str = "",
    ) -> str:
        """Store one choice for `person` on `channel`, valid for `ttl` seconds; return its id (22 characters).

        Choices with the same `row` are alternatives: the first press uses up all of them.
        """
        identity = secrets.token_urlsafe(16)
        now = self._clock.now()

        def work(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM buttons WHERE expires_at < ?", (now - _KEEP,))
            connection.execute(
                "INSERT INTO buttons VALUES (?, ?, ?, ?, ?, ?, ?, NULL, '')",
                (identity, row or identity, action, json.dumps(payload), channel, person.id, now + ttl),
            )

        await self._database.write(work)
        return identity

    async def take(
        self, identity: str, person: Person, *, channel: str = "telegram", claim: str = ""
    ) -> Press | Refusal:
        """Use up a button, if it is this person's, unused and in time. A wrong presser does not use it up.

        `claim` names the press (its inbox row): the same press tried again after a kill still counts.
        """
        now = self._clock.now()

        def work(connection: apsw.Connection) -> Press | Refusal:
            found = connection.execute(
                "SELECT row, action, payload, channel, person, expires_at, used_at, used_by FROM buttons WHERE id = ?",
                (identity,),
            ).fetchone()
            if found is None:
                return Refusal("unknown")
            row, action, payload, of_channel, of_person, expires_at, used_at, used_by = found
            if (of_channel, of_person) != (channel, person.id):
                return Refusal("other")
            if used_at is not None:
                again = bool(claim) and used_by == f"{claim}:{identity}"
                return Press(action, json.loads(payload)) if again else Refusal("used")
            if now >= expires_at:
                return Refusal("expired")
            connection.execute(
                "UPDATE buttons SET used_at = ?, used_by = ? WHERE row = ? AND used_at IS NULL",
                (now, f"{claim}:{identity}", row),
            )
            return Press(action, json.loads(payload))

        return await self._database.write(work)
