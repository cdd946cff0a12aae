"""Tidying: older day notes, conversations and all of it together in few lines; the same thing said twice, once.

Everything here is rules. Day notes stay on disk as they are; what is made lies under memory/tiers/ and is replaced
whole (old or new, never half). A piece is made anew only when what it was made from changed.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from appliance.crash_points import crash_point
from appliance.memory.chunks import Turn, readings
from appliance.memory.items import TIDY, Item, Items, Mark, line_of, parse_line
from appliance.memory.languages import analyse
from appliance.memory.workspace import Workspace
from appliance.messages import Source
from appliance.storage import atomic_write

KEPT_DAYS = 7
LARGE_BYTES = 5_000
_LINE = 160
_LINES_A_DAY = 12
_TALKS = 20
_NEAR = 0.8  # share of their terms that two items have in common to be the same thing; none of the older may be lost
_PARTS = re.compile(r"^<!-- (?P<key>\S+) of=(?P<of>\S+) -->$", re.MULTILINE)
_NOT = re.compile(r"不|别|別|没|沒|勿|禁|\b(?:not|no|never|don'?t|without|stop|isn'?t|can'?t)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+|[一二三四五六七八九十]+(?=[点點月日号號个個])")


@dataclass(frozen=True, slots=True)
class Tidied:
    """What one look did."""

    merged: int = 0
    days: int = 0
    talks: int = 0
    overview: bool = False


# ---- near duplicates ----


def near_duplicates(items: Sequence[Item]) -> list[tuple[Item, Item]]:
    """(older, newer) pairs of one person where the newer says all of the older in nearly the same words."""
    found: list[tuple[Item, Item]] = []
    gone: set[str] = set()
    known = [(item, _words(item.text)) for item in sorted(items, key=lambda item: item.at)]
    for index, (newer, words) in enumerate(known):
        for older, others in known[:index]:
            if older.id in gone or (older.person, older.tag, older.see) != (newer.person, newer.tag, newer.see):
                continue
            shared = len(words & others) / max(1, len(words | others))
            if words >= others and shared >= _NEAR and _same_sense(older.text, newer.text):
                found.append((older, newer))
                gone.add(older.id)
    return found


def _words(text: str) -> frozenset[str]:
    """Words, and Chinese by single characters: a word put in between must not part two that stood together."""
    return frozenset(term for term in analyse(text).terms if term.isascii() or len(term) == 1)


def _same_sense(one: str, other: str) -> bool:
    return _NUMBER.findall(one) == _NUMBER.findall(other) and len(_NOT.findall(one)) == len(_NOT.findall(other))


def merge(workspace: Workspace, now: float) -> int:
    """Mark older wordings of what was said again; return how many. The lines stay. Raises OSError."""
    pairs = near_duplicates([item for item in Items(workspace).active() if not item.inferred])
    if pairs:
        marks = [
            Mark("forget", older.id, f"{older.text} (said again: {newer.id})", now, TIDY) for older, newer in pairs
        ]
        workspace.append_day("\n".join(map(line_of, marks)), now)
    return len(pairs)


# ---- older days, by month ----


def digest_days(workspace: Workspace, now: float) -> int:
    """Digest day notes older than a week into one file a month; return how many days changed. Raises OSError."""
    last = workspace.day(now) - timedelta(days=KEPT_DAYS)
    items = Items(workspace)
    gone = items.holding()[1]
    months: dict[str, list[date]] = {}
    for day in workspace.days():
        if day < last:
            months.setdefault(f"{day:%Y-%m}", []).append(day)
    changed = 0
    for month, days in months.items():
        notes = {day: items.visible(workspace.read_day(day), gone) for day in days}
        stamps = {f"day={day.isoformat()}": _hash(note) for day, note in notes.items()}
        name = f"{month}.md"
        fresh = _stale(workspace, name, stamps)
        if fresh:
            parts = [f"# {month}"]
            for day, note in notes.items():
                key = f"day={day.isoformat()}"
                parts += ["", f"## {day.isoformat()}", f"<!-- {key} of={stamps[key]} -->", *_day_lines(note)]
            _write(workspace, name, parts)
            changed += fresh
    return changed


def _day_lines(note: str) -> list[str]:
    lines = [line.strip() for line in note.splitlines() if line.strip() and not line.startswith("#")]
    shown = [line if len(line) <= _LINE else f"{line[:_LINE]}…" for line in dict.fromkeys(lines)]
    more = [f"- ({len(shown) - _LINES_A_DAY} more lines in the day note)"] if len(shown) > _LINES_A_DAY else []
    return [*shown[:_LINES_A_DAY], *more]


# ---- conversations ----


def digest_talks(workspace: Workspace) -> int:
    """One line for each of the owner's conversations, the newest first; return how many changed. Raises OSError.

    Made of the owner's own words alone: what came from outside must not come back as memory.
    """
    stamps: dict[str, str] = {}
    paths: dict[str, Path] = {}
    for path in sorted(workspace.sessions.glob("*.jsonl"), key=lambda one: one.stat().st_mtime, reverse=True)[:_TALKS]:
        status = path.stat()
        stamps[f"file={path.name}"] = f"{status.st_size}.{status.st_mtime_ns}"
        paths[f"file={path.name}"] = path
    fresh = _stale(workspace, "sessions.md", stamps)
    if not fresh:
        return 0
    parts = ["## Conversations"]
    for key, path in paths.items():
        line = _talk_line(path, workspace)
        parts += [f"<!-- {key} of={stamps[key]} -->", *([line] if line else [])]
    _write(workspace, "sessions.md", parts)
    return fresh


def _talk_line(path: Path, workspace: Workspace) -> str:
    count, name = 0, ""
    first = last = ""
    texts: deque[str] = deque(maxlen=3)
    for reading in readings(path):
        if not _owners(reading.session):
            return ""
        name = reading.session.rpartition(":")[2]
        for turn in reading.turns:
            if turn.source is Source.OWNER and turn.text.strip():
                count, last = count + 1, _day(turn, workspace)
                first = first or last
                if not turn.text.startswith("/"):
                    texts.append(" ".join(turn.text.split())[:80])
    if not count:
        return ""
    span = last if first == last else f"{first} to {last}"
    return f"- {name} ({span}, {count} messages): {' · '.join(texts)}"


def _owners(session: str) -> bool:
    """The owner's main and web conversations; not groups, direct messages of others, schedules."""
    parts = session.split(":")
    return len(parts) in (3, 4) and parts[0] == "agent" and parts[2] in ("main", "web")


def _day(turn: Turn, workspace: Workspace) -> str:
    return datetime.fromtimestamp(turn.at, workspace.zone).strftime("%Y-%m-%d") if turn.at else "?"


# ---- everything together ----


def overview_input(workspace: Workspace) -> tuple[str, str]:
    """What an overview is made from, and its hash."""
    items = [item for item in Items(workspace).active() if item.person == "owner" and not item.inferred]
    lines = [f"- [{item.tag}] {item.text}" for item in sorted(items, key=lambda item: -item.at)[:120]]
    months = [workspace.read_tier(path.name) for path in sorted(workspace.tiers.glob("????-??.md"))[-6:]]
    text = "\n".join(["## Items", *lines, workspace.read_tier("sessions.md"), *(month[-6_000:] for month in months)])
    text = _PARTS.sub("", text)
    return text, _hash(text)


def overview_by_rules(workspace: Workspace) -> str:
    """The overview without a model: what holds, by kind, the conversations, and the days that have notes."""
    items = [item for item in Items(workspace).active() if item.person == "owner" and not item.inferred]
    parts: list[str] = []
    for tag, head in (("O", "People, places, things"), ("W", "Wishes"), ("B", "Limits")):
        newest = sorted((item for item in items if item.tag == tag), key=lambda item: -item.at)[:20]
        if newest:
            parts += [f"## {head}", *(f"- {item.text[:_LINE]}" for item in newest)]
    talks = _PARTS.sub("", workspace.read_tier("sessions.md")).strip()
    if talks:
        parts += [line for line in talks.splitlines() if line.strip()]
    for path in sorted(workspace.tiers.glob("????-??.md"), reverse=True)[:6]:
        lines = [line for line in workspace.read_tier(path.name).splitlines() if line.startswith("- ")]
        plain = [line for line in lines if not re.match(r"- \[[WBO]\]", line)]
        parts += [f"## {path.stem}", *plain[:8], f"(all of it: memory/{workspace.tiers.name}/{path.name})"]
    return "\n".join(parts)


def write_overview(workspace: Workspace, text: str, stamp: str) -> None:
    """Replace the overview. Raises OSError."""
    _write(workspace, "overview.md", [f"<!-- all of={stamp} -->", text])


def overview_stamp(workspace: Workspace) -> str:
    """The hash of what the overview on disk was made from, "" when there is none."""
    return next((found["of"] for found in _PARTS.finditer(workspace.read_tier("overview.md"))), "")


# ---- large files ----


def large_files(workspace: Workspace) -> list[tuple[str, int]]:
    """(name, bytes) of the agent's Markdown files over 5 KB that a prompt reads, the largest first."""
    found = [(path.name, path.stat().st_size) for path in workspace.folder.glob("*.md") if path.is_file()]
    return sorted(((name, size) for name, size in found if size > LARGE_BYTES), key=lambda one: -one[1])


def without_repeats(text: str) -> str:
    """A Markdown file with each list line once (the first time it stands); headings, code and prose stay."""
    seen: set[str] = set()
    kept: list[str] = []
    fenced = False
    for line in text.splitlines(keepends=True):
        fenced = fenced != line.lstrip().startswith(("```", "~~~"))
        plain = " ".join(line.split()).casefold()
        if not fenced and line.lstrip().startswith(("- ", "* ")) and parse_line(line) is None:
            if plain in seen:
                continue
            seen.add(plain)
        kept.append(line)
    return "".join(kept)


def shorten(workspace: Workspace, now: float) -> dict[str, int]:
    """Take repeated lines out of the large files; return how many bytes each became shorter. Raises OSError.

    The file as it was is kept under before-tidy/ first.
    """
    saved: dict[str, int] = {}
    for name, size in large_files(workspace):
        text = (workspace.folder / name).read_text(encoding="utf-8", errors="strict")
        shorter = without_repeats(text)
        if shorter != text:
            workspace.before_tidy.mkdir(exist_ok=True)
            atomic_write(workspace.before_tidy / f"{Path(name).stem}-{int(now)}.md", text)
            crash_point("tidy-kept")
            atomic_write(workspace.folder / name, shorter)
            saved[name] = size - len(shorter.encode())
    return saved


# ---- files ----


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]


def _stale(workspace: Workspace, name: str, stamps: dict[str, str]) -> int:
    """How many parts of a tier differ from what is on disk."""
    held = {found["key"]: found["of"] for found in _PARTS.finditer(workspace.read_tier(name))}
    changed = [key for key, of in stamps.items() if held.get(key) != of]
    return len(changed) + len(held.keys() - stamps.keys())


def _write(workspace: Workspace, name: str, parts: Sequence[str]) -> None:
    workspace.tiers.mkdir(parents=True, exist_ok=True)
    crash_point("tier-before")
    atomic_write(workspace.tiers / name, "\n".join(parts).rstrip("\n") + "\n")
    crash_point("tier-written")
