"""Which skills the owner said yes to: place, name and the hash of every byte of it."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from appliance.clock import Clock
from appliance.database import Database, Migration
from appliance.observability import audit

MIGRATIONS: list[Migration] = [
    (
        "skills",
        """CREATE TABLE skill_pins(
            skill TEXT PRIMARY KEY, digest TEXT NOT NULL, text TEXT NOT NULL, at REAL NOT NULL
            ) STRICT, WITHOUT ROWID;""",
    )
]
OFF = "off"  # stands for a hash where the owner took the yes back


@dataclass(frozen=True, slots=True)
class Pin:
    """`text` is the SKILL.md that was approved, to show what changed since."""

    digest: str
    text: str


class Pins:
    """Given core.db and a clock, keep the owner's word on each skill (`place/name`)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._held: dict[str, Pin] | None = None

    def all(self) -> dict[str, Pin]:
        """Every pin by the skill's id; read once, then held."""
        if self._held is None:
            rows = self._database.read("SELECT skill, digest, text FROM skill_pins")
            self._held = {skill: Pin(digest, text) for skill, digest, text in rows}
        return self._held

    async def put(self, skill: str, pin: Pin) -> None:
        """Remember a word; on disk and in the audit log when this returns."""
        now = self._clock.now()

        def work(connection: apsw.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO skill_pins VALUES (?, ?, ?, ?)", (skill, pin.digest, pin.text, now)
            )
            decision = "revoked" if pin.digest == OFF else "approved"
            audit.append(connection, now, "skill", {"skill": skill, "decision": decision, "digest": pin.digest})

        await self._database.write(work)
        self._held = {**self.all(), skill: pin}
