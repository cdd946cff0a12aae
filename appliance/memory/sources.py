"""Which files are indexed, and what becomes of each. Reads files; writes nothing.

MEMORY.md, USER.md, day notes and transcripts of each agent, and Markdown under team/. The work folder is not memory:
what commands and downloads left there is found with commands.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Literal

from appliance.memory.chunks import Chunk, markdown_chunks, read_transcript, turn_chunks
from appliance.memory.items import OWNER, TIDY, Item, Items, Mark, forgotten
from appliance.memory.scopes import Label, label_of
from appliance.memory.store import Placed
from appliance.memory.workspace import PRIVATE, Workspace
from appliance.messages import Source

_MOST_BYTES = 20_000_000  # of a Markdown file; larger ones are somebody's data, not memory


@dataclass(frozen=True, slots=True)
class Look:
    """One file as it is now. `name` identifies it in the index, `shown` is its path in search results."""

    name: str
    path: Path
    shown: str
    kind: Literal["markdown", "transcript"]
    agent: str
    label: Label
    stamp: str
    size: int
    note: bool = False  # a day note: its items belong to the list of items


@dataclass(frozen=True, slots=True)
class Known:
    """What the index holds of a file."""

    stamp: str = ""
    offset: int = 0
    lines: int = 0
    session: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A transcript from some place on, ready to be written."""

    placed: list[Placed]
    session: str
    offset: int
    lines: int
    more: bool  # the file goes on after it


def looks(workspaces: Mapping[str, Workspace], team: Path) -> Iterator[Look]:
    """Every file that is indexed, as it is now; symbolic links are left out."""
    for workspace in workspaces.values():
        paths = [workspace.folder / name for name in sorted(PRIVATE)]
        paths += [*sorted(workspace.notes.glob("*.md")), *sorted(workspace.sessions.glob("*.jsonl"))]
        for path in paths:
            look = look_at(path, workspaces, team)
            if look is not None and look.stamp:
                yield look
    for path in sorted(team.rglob("*.md")) if team.is_dir() else ():
        look = look_at(path, workspaces, team)
        if look is not None and look.stamp:
            yield look


def look_at(path: Path, workspaces: Mapping[str, Workspace], team: Path) -> Look | None:
    """One file as it is now, with an empty stamp when it is gone or not to be read; None for what is no memory."""
    folder, name = path.parent, path.name
    for agent, workspace in workspaces.items():
        private = Label("private", agent)
        if folder == workspace.folder and name in PRIVATE:
            return _look(path, f"{agent}/{name}", name, "markdown", agent, private)
        if folder == workspace.notes and path.suffix == ".md":
            return _look(path, f"{agent}/memory/{name}", f"memory/{name}", "markdown", agent, private, note=True)
        if folder == workspace.sessions and path.suffix == ".jsonl":
            label = Label("session", agent)
            return _look(path, f"{agent}/sessions/{name}", f"sessions/{name}", "transcript", agent, label)
    if path.suffix == ".md" and path.is_relative_to(team):
        shown = f"team/{path.relative_to(team).as_posix()}"
        return _look(path, shown, shown, "markdown", "", Label("team"))
    return None


def _look(
    path: Path, name: str, shown: str, kind: Literal["markdown", "transcript"], agent: str, label: Label,
    *, note: bool = False,
) -> Look:  # fmt: skip
    try:
        status = path.lstat()
    except OSError:
        return Look(name, path, shown, kind, agent, label, "", 0, note)
    read = stat.S_ISREG(status.st_mode) and (kind == "transcript" or status.st_size <= _MOST_BYTES)
    stamp = f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}" if read else ""
    return Look(name, path, shown, kind, agent, label, stamp, status.st_size, note)


def read_markdown(look: Look, workspace: Workspace | None) -> list[Placed]:
    """The chunks of a Markdown file. Raises OSError."""
    text = look.path.read_text(encoding="utf-8", errors="replace")
    at = _note_time(look.path, workspace) if look.note else 0.0
    return [Placed(chunk, look.shown, look.label) for chunk in markdown_chunks(text, look.shown, at=at)]


def _note_time(path: Path, workspace: Workspace | None) -> float:
    """Noon of a day note's day, 0 for a file of another name."""
    try:
        day = date.fromisoformat(path.stem)
    except ValueError:
        return 0.0
    return datetime.combine(day, time(12), workspace.zone if workspace else None).timestamp()


def start_of(look: Look, known: Known) -> Known:
    """From where a transcript is to be read: its beginning, unless it is the old one with something added."""
    inode, _, rest = known.stamp.partition(".")
    grown = bool(known.session) and look.stamp.startswith(f"{inode}.") and look.size > int(rest.split(".")[0] or 0)
    return known if grown and known.offset <= look.size else Known()


def read_part(look: Look, start: Known, previous: tuple[str, int]) -> Part:
    """The next few megabytes of a transcript; `previous` is what the turn before them said, and its sitting. Raises
    OSError."""
    reading = read_transcript(look.path, offset=start.offset, lines=start.lines)
    session = start.session or reading.session
    label = Label("session", look.agent, session)
    chunks = [*turn_chunks(reading.turns, *previous), *reading.summaries]
    placed = [Placed(chunk, look.shown, label) for chunk in chunks]
    return Part(placed, session, reading.offset, reading.lines, reading.more)


def read_items(agent: str, workspace: Workspace) -> tuple[list[Placed], set[tuple[str, str]]]:
    """The captured items that hold now, each on its line of a day note, and the (session, message) pairs whose item
    was taken back; one that a newer wording took the place of was not."""
    found = Items(workspace).all()
    gone = forgotten(one.entry for one in found)
    taken_back = forgotten(e for one in found if not (isinstance(e := one.entry, Mark) and e.by == TIDY))
    placed, hidden = [], set()
    for one in found:
        if not isinstance(one.entry, Item):
            continue
        if one.entry.id in taken_back:
            hidden.add((one.entry.session, one.entry.message))
        if one.entry.id in gone:
            continue
        chunk = Chunk(
            key=one.entry.id,
            kind="item",
            units=((one.line, one.entry.text),),
            at=one.entry.at,
            source=Source.OWN if one.entry.person == OWNER else Source.OUTSIDE,
            messages=(one.entry.message,),
        )
        placed.append(Placed(chunk, one.path, label_of(one.entry, agent)))
    return placed, hidden
