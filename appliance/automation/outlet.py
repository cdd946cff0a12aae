"""How what runs by itself reaches people: at once, or after quiet hours in one digest.

Everything here adds rows to the outbox inside the caller's transaction, so that a run is closed and its words are on
their way in one step, or neither.
"""

from __future__ import annotations

import secrets
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
from appliance.automation.quiet import parse_window, quiet_of, quiet_until
from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.database import Database
from appliance.gateway import outbox
from appliance.gateway.delivery import silently
from appliance.memory.boundaries import no_pushes
from appliance.messages import MAIN, Attachment, Outbound
from appliance.texts import say

log = structlog.get_logger(__name__)
Place = tuple[str, dict[str, Any]]
_LONGEST_IN_DIGEST = 1_500
_attachments = msgspec.json.Decoder(tuple[Attachment, ...]).decode


@dataclass(frozen=True, slots=True)
class Words:
    """Something to tell a person. `places` is empty for the owner, who is found where they wrote last.

    `outside`: it may come from text of others. `shown`: it stands in the owner's conversation already. `urgent`: it
    neither waits for the end of quiet hours nor comes silently. `agent`: whose words they are.
    """

    text: str
    name: str = ""
    person: str = OWNER
    places: Sequence[Place] = ()
    attachments: tuple[Attachment, ...] = ()
    outside: bool = False
    shown: bool = False
    urgent: bool = False
    agent: str = MAIN


@dataclass(frozen=True, slots=True)
class Parcel:
    """Words with where they go now; `held` instead while the person wants quiet."""

    words: Words
    to: tuple[Place, ...]
    held: bool


@dataclass(slots=True)
class Outlet:
    """Given where people read and when they want quiet, put words on their way.

    `owner_places`: where the owner reads an agent, on channels that go through the outbox. `limits`: what a person set
    as a boundary. `windows`: quiet hours of the settings. `announce`: shows a text to whoever watches an
    agent right now. `post`: writes a text under an id into the owner's conversation, for an owner who reads nowhere
    else; True once it stands there.
    """

    database: Database
    clock: Clock
    zone: Callable[[], ZoneInfo]
    owner_places: Callable[[str], Sequence[Place]]
    limits: Callable[[str], Iterable[str]]
    windows: Callable[[], Sequence[str]]
    committed: Callable[[int], None]
    announce: Callable[[str, str], None]
    post: Callable[[str, Words], bool]
    language: Callable[[], str]

    def quiet(self, person: str, at: float) -> float | None:
        """When this person's quiet hours end (Unix seconds), or None when it may speak now."""
        found = [parse_window(text) for text in self.windows()]
        found += [window for text in self.limits(person) if (window := quiet_of(text)) is not None]
        return quiet_until(found, at, self.zone())

    async def tell(self, words: Words) -> None:
        """Say something outside of any other transaction."""
        parcel = self._addressed(words)
        if self._only_page(parcel):
            self.post(f"notice-{secrets.token_hex(6)}", words)
        self.carry(parcel, await self.database.write(lambda c: self.put(c, parcel)))

    def pack(self, said: Sequence[Words], identity: str) -> list[Parcel] | None:
        """Address some words before the transaction that sends them off.

        None: an owner who reads on the page only has them not yet in their conversation, where they are written under
        ids made of `identity`; ask again.
        """
        parcels = [self._addressed(words) for words in said]
        ready = [
            self.post(f"{identity}-{number}", parcel.words)
            for number, parcel in enumerate(parcels)
            if self._only_page(parcel)
        ]
        return parcels if all(ready) else None

    def put(self, connection: apsw.Connection, parcel: Parcel) -> list[int]:
        """Part of a transaction: outbox rows, or a held row when it is quiet; returns the ids of outbox rows."""
        now, words = self.clock.now(), parcel.words
        if parcel.held:
            connection.execute(
                "INSERT INTO cron_held(person, places, agent, name, text, at, attachments) VALUES (?,?,?,?,?,?,?)",
                (
                    words.person,
                    _json(words.places),
                    words.agent,
                    words.name,
                    words.text,
                    now,
                    _json(words.attachments),
                ),
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
            for channel, place in parcel.to
        ]

    def carry(self, parcel: Parcel, ids: Sequence[int]) -> None:
        """After that transaction: let delivery take the rows."""
        for identity in ids:
            self.committed(identity)
        if not parcel.held and parcel.words.person == OWNER:
            self.announce(parcel.words.text, parcel.words.agent)

    async def digest(self) -> int:
        """Say in one message what was held back, to everybody whose quiet hours are over; return how many messages."""
        rows = self.database.read(
            "SELECT id, person, places, agent, name, text, at, attachments FROM cron_held ORDER BY id"
        )
        by_person: dict[tuple[str, str, str], list[tuple[Any, ...]]] = defaultdict(list)
        for identity, person, places, agent, *held in rows:
            by_person[person, places, agent].append((identity, *held))
        sent = 0
        for (person, places, agent), waiting in by_person.items():
            if self.quiet(person, self.clock.now()) is None:
                sent += await self._release(person, places, agent, waiting)
        return sent

    async def _release(self, person: str, places: str, agent: str, held: Sequence[tuple[Any, ...]]) -> bool:
        where = tuple((str(c), dict(p)) for c, p in msgspec.json.decode(places))
        files = tuple(one for row in held for one in _attachments(row[4]))
        words = Words(
            self._digest_text(held), person=person, places=where, attachments=files, outside=True, agent=agent
        )
        parcels = self.pack([words], f"digest-{held[0][0]}-{held[-1][0]}")
        if parcels is None:
            return False

        def work(connection: apsw.Connection) -> list[int]:
            ids = self.put(connection, parcels[0])
            connection.executemany("DELETE FROM cron_held WHERE id=?", [(row[0],) for row in held])
            return ids

        crash_point("cron.before_digest")
        ids = await self.database.write(work)
        crash_point("cron.after_digest")
        self.carry(parcels[0], ids)
        return True

    def _digest_text(self, held: Sequence[tuple[Any, ...]]) -> str:
        if len(held) == 1:
            return str(held[0][2])
        lines = [say("cron_digest", self.language(), count=len(held))]
        for _, name, text, at, _ in held:
            when = datetime.fromtimestamp(at, self.zone()).strftime("%H:%M")
            short = text if len(text) <= _LONGEST_IN_DIGEST else text[:_LONGEST_IN_DIGEST] + " …"
            lines.append(f"**{f'{when} {name}'.strip()}**\n{short}")
        return "\n\n".join(lines)

    def _addressed(self, words: Words) -> Parcel:
        quiet = not words.urgent and self.quiet(words.person, self.clock.now()) is not None
        to = words.places or (self.owner_places(words.agent) if words.person == OWNER else ())
        if not words.urgent and any(map(no_pushes, self.limits(words.person))):
            to = [(channel, silently(place)) for channel, place in to]
        return Parcel(words, tuple(to), quiet)

    @staticmethod
    def _only_page(parcel: Parcel) -> bool:
        """Whether the owner would find these words nowhere: no channel but the page, and not said there yet."""
        words = parcel.words
        return words.person == OWNER and not parcel.to and not parcel.held and not words.shown


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
