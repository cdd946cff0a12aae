"""How what runs by itself reaches people: at once, or after quiet hours in one digest.

Everything here adds rows to the outbox inside the caller's transaction, so that a run is closed and its words are on
their way in one step, or neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import apsw
import msgspec
import structlog

from appliance.automation.jobs import OWNER
from appliance.automation.quiet import Quiet, parse_window, quiet_of, quiet_until
from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.database import Database
from appliance.gateway import outbox
from appliance.memory.items import Item
from appliance.messages import Attachment, Outbound
from appliance.texts import say

log = structlog.get_logger(__name__)
Place = tuple[str, dict[str, Any]]
_LONGEST_IN_DIGEST = 1_500


@dataclass(frozen=True, slots=True)
class Words:
    """Something to tell a person. `places` is empty for the owner, who is found where they wrote last."""

    text: str
    name: str = ""
    person: str = OWNER
    places: Sequence[Place] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(slots=True)
class Outlet:
    """Given where people read and when they want quiet, put words on their way.

    `owner_places`: channels that go through the outbox. `items`: what is known of people (boundaries among it).
    `windows`: quiet hours of the settings. `announce`: shows a text to whoever watches right now.
    """

    database: Database
    clock: Clock
    zone: Callable[[], ZoneInfo]
    owner_places: Callable[[], Sequence[Place]]
    items: Callable[[], Iterable[Item]]
    windows: Callable[[], Sequence[str]]
    committed: Callable[[int], None]
    announce: Callable[[str], None]
    language: Callable[[], str]

    def quiet(self, person: str, at: float) -> float | None:
        """When this person's quiet hours end (Unix seconds), or None when it may speak now."""
        found = [parse_window(text) for text in self.windows()]
        found += [window for item in self.items() if (window := _window_of(item, person)) is not None]
        return quiet_until(found, at, self.zone())

    async def tell(self, words: Words) -> None:
        """Say something outside of any other transaction."""
        quiet = self.quiet(words.person, self.clock.now())
        ids = await self.database.write(lambda c: self.put(c, words, quiet))
        self.carry(words, ids, quiet)

    def put(self, connection: apsw.Connection, words: Words, quiet: float | None) -> list[int]:
        """Part of a transaction: outbox rows for these words, or a held row when it is `quiet`; returns outbox ids."""
        now = self.clock.now()
        if quiet is not None:
            places = msgspec.json.encode(list(words.places)).decode()
            connection.execute(
                "INSERT INTO cron_held(person, places, name, text, at) VALUES (?,?,?,?,?)",
                (words.person, places, words.name, words.text, now),
            )
            return []
        return [
            outbox.insert(
                connection,
                Outbound(channel, place, words.text, attachments=words.attachments, kind="notice"),
                None,
                "ready",
                now,
            )
            for channel, place in words.places or self._places_of(words.person)
        ]

    def carry(self, words: Words, ids: Sequence[int], quiet: float | None) -> None:
        """After that transaction: let delivery take the rows."""
        for identity in ids:
            self.committed(identity)
        if words.text and quiet is None and words.person == OWNER:
            self.announce(words.text)

    async def digest(self) -> int:
        """Say in one message what was held back, to everybody whose quiet hours are over; return how many messages."""
        rows = self.database.read("SELECT id, person, places, name, text, at FROM cron_held ORDER BY id")
        by_person: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
        for row in rows:
            by_person[row[1], row[2]].append(row)
        sent = 0
        for (person, places), held in by_person.items():
            if self.quiet(person, self.clock.now()) is not None:
                continue
            where = tuple((str(c), dict(p)) for c, p in msgspec.json.decode(places))
            words = Words(self._digest_text(held), person=person, places=where)
            await self._release(words, [int(row[0]) for row in held])
            sent += 1
        return sent

    async def _release(self, words: Words, held: Sequence[int]) -> None:
        def work(connection: apsw.Connection) -> list[int]:
            ids = self.put(connection, words, None)
            connection.executemany("DELETE FROM cron_held WHERE id=?", [(one,) for one in held])
            return ids

        crash_point("cron.before_digest")
        ids = await self.database.write(work)
        crash_point("cron.after_digest")
        self.carry(words, ids, None)

    def _digest_text(self, held: Sequence[tuple[Any, ...]]) -> str:
        if len(held) == 1:
            return str(held[0][4])
        lines = [say("cron_digest", self.language(), count=len(held))]
        for _, _, _, name, text, at in held:
            when = datetime.fromtimestamp(at, self.zone()).strftime("%H:%M")
            short = text if len(text) <= _LONGEST_IN_DIGEST else text[:_LONGEST_IN_DIGEST] + " …"
            lines.append(f"**{when} {name}**\n{short}".replace(" **\n", "**\n"))
        return "\n\n".join(lines)

    def _places_of(self, person: str) -> Sequence[Place]:
        return self.owner_places() if person == OWNER else ()


def _window_of(item: Item, person: str) -> Quiet | None:
    """Quiet hours that an item asks for: a boundary of this very person, not one that is only guessed."""
    if item.tag != "B" or item.person != person or item.inferred:
        return None
    return quiet_of(item.text)
