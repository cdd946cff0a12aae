"""Captured items as lines of the day notes, and the marks that take them back.

    - [B] no voice <!-- item=4f1c0a9e22 at=1775000000.0 session=agent:main:main message=7 person=owner see=private -->
    - [forget] no voice <!-- forget=9a0b1c2d3e of=4f1c0a9e22 at=1775000100.000 by=owner -->
    - [undo] no voice <!-- undo=77aa00ff12 of=9a0b1c2d3e at=1775000200.000 by=owner -->

Notes are only ever appended to: forgetting adds a mark, and the item's line stays. What a line says is for people; the
comment after it is for us. Layers: the file is the truth, everything here is read from it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from appliance.errors import NotFoundError
from appliance.memory.languages import fold
from appliance.memory.workspace import Workspace
from appliance.messages import Person, Role

Tag = Literal["W", "B", "O"]
See = Literal["private", "household", "team"]
MarkKind = Literal["forget", "undo", "erase"]
OWNER = "owner"
TIDY = "tidy"  # who marks a wording that a newer one says as well
_MARKS: dict[str, MarkKind] = {"forget": "forget", "undo": "undo", "erase": "erase"}
TAGS: dict[str, Tag] = {"W": "W", "B": "B", "O": "O"}
# An unknown word means nobody else: never wider than what is written.
_SEES: dict[str, See] = {"household": "household", "team": "team"}

_LINE = re.compile(r"^- \[(?P<tag>[WBO]|forget|undo|erase)\] (?P<text>.*?) ?<!-- (?P<fields>[^<>]*) -->\s*$")
_FIELD = re.compile(r"(\w+)=(\S+)")
_COMMENT = re.compile(r" ?<!-- [^<>]* -->")
_UNSAFE = re.compile(r"[\s<>%]|-(?=-)")
_PUNCTUATION = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Item:
    """One captured thing. `at` is Unix seconds; `person` is whose it is; `inferred` until the person agreed."""

    tag: Tag
    text: str
    at: float
    session: str
    message: str
    person: str = OWNER
    see: See = "private"
    inferred: bool = False
    id: str = field(default_factory=lambda: secrets.token_hex(5))

    @property
    def normalised(self) -> str:
        """Equal for texts that say the same in other letters: folded, without punctuation."""
        return normalised(self.text)


@dataclass(frozen=True, slots=True)
class Mark:
    """`of` is an item's id (forget, erase) or a forget mark's id (undo)."""

    kind: MarkKind
    of: str
    text: str
    at: float
    by: str = OWNER
    id: str = field(default_factory=lambda: secrets.token_hex(5))


@dataclass(frozen=True, slots=True)
class Placed:
    """An item or mark with where it stands: `path` as search shows it, `line` counted from 1."""

    entry: Item | Mark
    path: str
    line: int


def normalised(text: str) -> str:
    return _PUNCTUATION.sub(" ", fold(text)).strip()


def line_of(entry: Item | Mark) -> str:
    """The Markdown line of an item or a mark."""
    text = _plain(entry.text)
    if isinstance(entry, Mark):
        fields = f"{entry.kind}={entry.id} of={entry.of} at={entry.at:.3f} by={_safe(entry.by)}"
        return f"- [{entry.kind}] {text} <!-- {fields} -->"
    fields = f"item={entry.id} at={entry.at:.3f} session={_safe(entry.session)} message={_safe(entry.message)}"
    fields += f" person={_safe(entry.person)} see={entry.see}" + (" inferred=1" if entry.inferred else "")
    return f"- [{entry.tag}] {text} <!-- {fields} -->"


def note_line(text: str) -> str:
    """A line for any other text (a flush, a summary): it can never pass for an item or a mark."""
    return f"- {_plain(text.lstrip('- '))}"


def parse_line(line: str, owners: Collection[str] = ()) -> Item | Mark | None:
    """The item or mark of a line, or None for every other line. A line that the owner edited counts as edited.

    What somebody said before they became one of the `owners` is the owner's now.
    """
    found = _LINE.match(line)
    if found is None:
        return None
    fields = {name: unquote(value) for name, value in _FIELD.findall(found["fields"])}
    try:
        at = float(fields.get("at", "0"))
    except ValueError:
        at = 0.0
    tag, person = found["tag"], fields.get("person", OWNER)
    kind = _MARKS.get(tag)
    if kind is not None:
        if kind not in fields or "of" not in fields:
            return None
        return Mark(kind, fields["of"], found["text"], at, fields.get("by", OWNER), fields[kind])
    if "item" not in fields:
        return None
    return Item(
        tag=TAGS[tag],
        text=found["text"],
        at=at,
        session=fields.get("session", ""),
        message=fields.get("message", ""),
        person=OWNER if person in owners else person,
        see=_SEES.get(fields.get("see", ""), "private"),
        inferred=fields.get("inferred") == "1",
        id=fields["item"],
    )


def whose(person: Person) -> str:
    """Under which name a person's items are kept: the owner is one, wherever they write."""
    return OWNER if person.role is Role.OWNER else person.id


def may_see(item: Item, person: str, *, household: bool) -> bool:
    """Whether `person` may be shown an item; `household` is True for the owner and members."""
    return item.person == person or (household and item.see in ("household", "team"))


class Items:
    """All captured items of one agent, with what was taken back."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def all(self) -> list[Placed]:
        """Every item and mark of every day note, oldest day first."""
        found: list[Placed] = []
        for day in self._workspace.days():
            lines = enumerate(self._workspace.read_day(day).splitlines(), start=1)
            entries = ((number, parse_line(line, self._workspace.owners)) for number, line in lines)
            path = f"memory/{day.isoformat()}.md"
            found.extend(Placed(entry, path, number) for number, entry in entries if entry is not None)
        return found

    def visible(self, note: str, gone: frozenset[str] | None = None) -> str:
        """A note, or lines of one, as the owner may see it: other people's private items and what was taken back
        (`gone`, where that is known already) left out, marks and comments removed."""
        gone = forgotten(placed.entry for placed in self.all()) if gone is None else gone
        kept = []
        for line in note.splitlines():
            entry = parse_line(line, self._workspace.owners)
            if isinstance(entry, Mark) or (isinstance(entry, Item) and entry.id in gone):
                continue
            if isinstance(entry, Item) and not may_see(entry, OWNER, household=True):
                continue
            kept.append(_COMMENT.sub("", line) if entry else line)
        return "\n".join(kept)

    def active(self) -> list[Item]:
        """Items that hold now."""
        return self.holding()[0]

    def holding(self) -> tuple[list[Item], frozenset[str]]:
        """Items that hold now, and the ids of those that were taken back; every note is read once."""
        placed = self.all()
        gone = forgotten(p.entry for p in placed)
        return [p.entry for p in placed if isinstance(p.entry, Item) and p.entry.id not in gone], gone

    def forget(self, what: str, *, at: float, by: str = OWNER) -> list[Item]:
        """Mark every active item that `what` names (an item's id, or words of one that `by` may see); return those.

        Raises NotFoundError when nothing matches.
        """
        chosen = self.matching(what, by)
        if not chosen:
            raise NotFoundError(
                f"Nothing that I remember matches {what!r}.", fix="`appliance memory history` lists it."
            )
        lines = [line_of(Mark("forget", item.id, item.text, at, by)) for item in chosen]
        self._workspace.append_day("\n".join(lines), at)
        return chosen

    def matching(self, what: str, person: str) -> list[Item]:
        """Active items with this id, else those that a person may see whose normalised text holds `what` or stands in
        it."""
        active = self.active()
        by_id = [item for item in active if item.id == what]
        wanted = normalised(what)
        if by_id or not wanted:
            return by_id
        seen = [item for item in active if may_see(item, person, household=True)]
        return [i for i in seen if wanted in i.normalised or (len(i.normalised) > 3 and i.normalised in wanted)]

    def told(self) -> list[Item]:
        """Items that hold now and that the owner may be shown."""
        return [item for item in self.active() if may_see(item, OWNER, household=True)]

    def undo(self, *, at: float, by: str = OWNER) -> list[Item]:
        """Take back the newest forgetting that still holds; return the items that hold again.

        Raises NotFoundError when there is none. What was erased cannot come back.
        """
        placed = self.all()
        undone = {p.entry.of for p in placed if isinstance(p.entry, Mark) and p.entry.kind == "undo"}
        marks = [
            p.entry
            for p in placed
            if isinstance(p.entry, Mark) and p.entry.kind == "forget" and p.entry.id not in undone and p.entry.by == by
        ]
        if not marks:
            raise NotFoundError("There is nothing to undo: no forgetting is in force.")
        newest = max(mark.at for mark in marks)
        chosen = [mark for mark in marks if mark.at == newest]
        self._workspace.append_day("\n".join(line_of(Mark("undo", m.id, m.text, at, by)) for m in chosen), at)
        again = {mark.of for mark in chosen}
        return [p.entry for p in placed if isinstance(p.entry, Item) and p.entry.id in again]

    def history(self, what: str = "") -> list[Placed]:
        """Items and marks in the order of time, those about `what` when given (an id or words)."""
        placed = sorted(self.all(), key=lambda p: p.entry.at)
        wanted = normalised(what)
        if not what:
            return placed
        return [p for p in placed if p.entry.id == what or (wanted and wanted in normalised(p.entry.text))]


def forgotten(entries: Iterable[Item | Mark]) -> frozenset[str]:
    """Ids of items that do not hold now, from all items and marks in order."""
    marks = [entry for entry in entries if isinstance(entry, Mark)]
    undone = {mark.of for mark in marks if mark.kind == "undo"}
    return frozenset(mark.of for mark in marks if mark.kind != "undo" and mark.id not in undone)


def _plain(text: str) -> str:
    return " ".join(text.replace("<!--", "<! --").replace("-->", "-- >").split())


def _safe(value: str) -> str:
    """A field value cannot hold blanks or the end of the comment: those are written as in a URL."""
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found.group().encode()), value) or "-"
