"""Capture at work: what people said becomes items of the day note; what is taken back or over is marked there.

Runs at the end of each turn, and before a compaction on what was left out there; on people's own messages only. The
same message twice adds nothing, and neither does the same thing said again by the same person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from appliance.memory.capture import capture
from appliance.memory.house import Memory
from appliance.memory.items import OWNER, Item, Items, Mark, Tag, line_of, normalised, whose
from appliance.memory.over import ended, stated
from appliance.memory.taking_back import named, takes_back
from appliance.messages import Received, Role, Source


@dataclass(frozen=True, slots=True)
class Statement:
    """One message of one person, as capture reads it. `at` is Unix seconds; `edited` is the id of the message whose
    words these replace, if any; `late` where it is read after what was said later."""

    text: str
    agent: str
    session: str
    message: str
    person: str
    at: float
    edited: str = ""
    late: bool = False


@dataclass(slots=True)
class Taken:
    """What came of some statements."""

    stored: list[Item]
    forgotten: list[Item]


class Capturing:
    """Given memory, keep what people say. `counted` is told each stored item's tag; `quiet_hours` knows a boundary that
    asks for some."""

    def __init__(
        self,
        memory: Memory,
        counted: Callable[[str], None] = lambda tag: None,
        quiet_hours: Callable[[str], bool] = lambda text: False,
    ) -> None:
        self._memory = memory
        self._counted = counted
        self._quiet_hours = quiet_hours

    async def take(self, statements: Sequence[Statement]) -> Taken:
        """Store what is new, mark what is taken back; on disk when this returns. Raises OSError (disk full)."""
        taken = Taken([], [])
        for statement in statements:
            found = capture(statement.text)
            if statement.edited:
                taken.forgotten += await self._replace(statement, {normalised(item.span) for item in found})
            if takes_back(statement.text):
                taken.forgotten += await self._forget(statement, [item.span for item in found])
            said = stated(statement.text, [item.span for item in found])
            theirs = self._theirs(statement) if said or found else []
            taken.forgotten += await self._mark(statement, ended(said, [i for i in theirs if i.at < statement.at]))
            if found:
                taken.stored += await self._store(statement, found, theirs)
        return taken

    async def _store(
        self, statement: Statement, found: Iterable[tuple[str, Tag]], theirs: Iterable[Item]
    ) -> list[Item]:
        """Keep what is found but for what is known: `theirs` is what holds of this person."""
        workspace = self._memory.workspaces[statement.agent]
        said = {item.normalised for item in theirs}
        if statement.late:
            said |= _taken_back_since(Items(workspace), statement)
        fresh: list[Item] = []
        for span, tag in found:
            if normalised(span) in said:
                continue
            said.add(normalised(span))
            fresh.append(Item(tag, span, statement.at, statement.session, statement.message, statement.person))
        if fresh:
            path = await workspace.append_day_async("\n".join(line_of(item) for item in fresh), statement.at)
            await self._memory.touched(path)
            for item in fresh:
                self._counted(item.tag)
        return fresh

    async def _replace(self, statement: Statement, said: set[str]) -> list[Item]:
        """Mark what an edited message said before and says no more."""
        first, where = statement.edited, (statement.person, statement.session)
        gone = [
            item
            for item in Items(self._memory.workspaces[statement.agent]).active()
            if (item.person, item.session) == where
            and (item.message == first or item.message.startswith(f"{first}:"))
            and item.normalised not in said
        ]
        return await self._mark(statement, gone)

    async def _forget(self, statement: Statement, beside: Iterable[str]) -> list[Item]:
        """Mark the items of this person that a take-back names; what it says `beside` is kept and names nothing."""
        text = statement.text
        for span in beside:
            text = text.replace(span, " ")
        return await self._mark(statement, named(text, self._theirs(statement), self._quiet_hours))

    def _theirs(self, statement: Statement) -> list[Item]:
        """What holds now of what this person said."""
        active = Items(self._memory.workspaces[statement.agent]).active()
        return [item for item in active if item.person == statement.person]

    async def _mark(self, statement: Statement, chosen: Iterable[Item]) -> list[Item]:
        forgotten: list[Item] = []
        for item in chosen:
            forgotten += await self._memory.forget(item.id, agent=statement.agent, by=statement.person)
        return forgotten


def _taken_back_since(items: Items, statement: Statement) -> set[str]:
    """What the person said, in normalised form, that was taken back after this statement."""
    entries = [one.entry for one in items.all()]
    gone = {m.of for m in entries if isinstance(m, Mark) and m.kind != "undo" and m.at >= statement.at}
    return {i.normalised for i in entries if isinstance(i, Item) and i.id in gone and i.person == statement.person}


def statements_of(received: Sequence[Received]) -> list[Statement]:
    """The messages of a turn that capture may read: typed by the owner or a member, for their own conversation."""
    return [
        Statement(
            text=one.inbound.text,
            agent=one.inbound.session.agent,
            session=one.inbound.session.value,
            message=one.inbound.id,
            person=whose(one.inbound.person),
            at=one.inbound.at,
            edited=one.inbound.id.partition(":")[0] if one.inbound.kind == "edit" else "",
        )
        for one in received
        if one.inbound.kind in ("message", "edit")
        and one.inbound.person.role is not Role.GUEST
        and not one.inbound.session.is_group
        and (one.inbound.source is Source.OWNER or one.inbound.own_words)  # nothing passed on, and nothing scheduled
        and not one.inbound.text.lstrip().startswith("/")
    ]


def statements_of_records(records: Sequence[dict[str, Any]], agent: str, session: str) -> list[Statement]:
    """The owner's messages in transcript records, for the pass before a compaction."""
    return [
        Statement(
            str(r.get("text", "")),
            agent,
            session,
            str(r["ids"][0]),
            OWNER,
            datetime.fromisoformat(r["at"]).timestamp(),
            late=True,
        )
        for r in records
        if r.get("role") == "user" and r.get("ids") and r.get("source") not in (Source.OUTSIDE, Source.OWN)
    ]
