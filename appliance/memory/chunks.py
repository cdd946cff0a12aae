"""From files to what is indexed: Markdown in pieces that respect headings, transcripts by turns, items by lines.

A chunk is made of units (line number, text): a snippet is later grown unit by unit around the one that was hit. `own`
is what the chunk says itself, `near` what helps to find it (headings, the reply, the turn before). A chunk's key does
not depend on where it stands, so that an edit elsewhere in a file leaves its vector alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from appliance.memory.items import parse_line
from appliance.memory.languages import fold
from appliance.messages import Source

Kind = Literal["turn", "chunk", "item", "summary"]
Unit = tuple[int, str]

CHUNK_TOKENS = 400
OVERLAP_TOKENS = 80
UNIT_CHARS = 600  # a longer paragraph is cut into sentences first, so that a snippet of 700 can show a whole unit
_ENTRY_CHARS = 1_600  # of one turn; a longer one makes several entries
_NEAR_CHARS = 600
PART_BYTES = 4_000_000  # of a transcript read at once: one of 100 MB must not stand in memory whole
_SENTENCE_END = re.compile(r"(?<=[.!?。！？；\n])\s*")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
# Comments are for whoever edits a file (a template's hints); one over several lines is blanked, its lines stay counted.
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^\s*(```|~~~)")
_decode = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True)
class Chunk:
    """One row of the index. `at` is Unix seconds (0: unknown); `messages` are ids that a captured item may name;
    `sitting` is the line of the `/new` that a turn was said after, 0 before the first."""

    key: str
    kind: Kind
    units: tuple[Unit, ...]
    near: str = ""
    at: float = 0.0
    source: Source = Source.OWN
    messages: tuple[str, ...] = ()
    own: str = ""
    sitting: int = 0

    @property
    def text(self) -> str:
        """What is found by: the chunk itself unless `own` is only a part of its units (a turn without its reply)."""
        return self.own or "\n".join(text for _, text in self.units)

    @property
    def speaker(self) -> str:
        """Who said a turn, in the form of a question's words; "" for files and nameless people."""
        name, colon, _ = self.units[0][1][:60].partition(": ") if self.kind == "turn" else ("", "", "")
        first = fold(name).split()[:1] if colon else []
        return first[0] if first and first[0] not in ("user", "agent") else ""

    @property
    def embedded(self) -> str:
        """What is embedded: what helps first, so that a cut at a model's limit takes from the end."""
        return f"{self.near}\n{self.text}".strip() if self.kind != "turn" else f"{self.text}\n{self.near}".strip()


@dataclass(slots=True)
class Turn:
    """A user message of a transcript with its reply, "" while there is none. `begins` is the line of the `/new` that it
    is the first message after, 0 for every other."""

    id: str
    line: int
    speaker: str
    text: str
    at: float
    source: Source
    messages: tuple[str, ...]
    reply: str = ""
    reply_line: int = 0
    begins: int = 0


@dataclass(slots=True)
class Reading:
    """What a look into a transcript found. `offset` and `lines` are where the next look starts: at the last user
    message, whose reply may still come, or the `/new` before it. `more`: there is, as the part that was to be read ends
    here. `new`: offset and line of a `/new` after which nothing was said yet."""

    session: str = ""
    turns: list[Turn] = field(default_factory=list)
    summaries: list[Chunk] = field(default_factory=list)
    offset: int = 0
    lines: int = 0
    more: bool = False
    new: tuple[int, int] | None = None


def tokens_of(text: str) -> int:
    """A quick estimate: four Latin letters or one and a quarter characters of other scripts make a token."""
    ascii_chars = sum(character.isascii() for character in text)
    return (ascii_chars + 3) // 4 + ((len(text) - ascii_chars) * 4 + 4) // 5


def pieces(text: str, limit: int = UNIT_CHARS) -> list[str]:
    """Cut a text at line and sentence ends into pieces of at most `limit` characters."""
    found: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        rest = sentence.strip()
        while rest:
            head, rest = rest[:limit], rest[limit:]
            if found and len(found[-1]) + len(head) < limit:
                found[-1] = f"{found[-1]} {head}" if head[0].isascii() else f"{found[-1]}{head}"
            else:
                found.append(head)
    return found


# ---- Markdown ----


def markdown_chunks(text: str, name: str, *, at: float = 0.0, source: Source = Source.OWN) -> list[Chunk]:
    """The chunks of a Markdown file: never across a heading of level 1 or 2, about 400 tokens, 80 of them repeated.

    Lines that hold captured items or marks are left to the list of items.
    """
    chunks: list[Chunk] = []
    seen: dict[str, int] = {}
    for headings, units in _sections(text):
        near = " > ".join([name, *headings])
        for part in _packed(units):
            body = "\n".join(unit for _, unit in part)
            digest = hashlib.sha256(f"{near}\0{body}".encode(errors="replace")).hexdigest()[:24]
            seen[digest] = seen.get(digest, 0) + 1
            key = f"{digest}.{seen[digest]}"
            chunks.append(Chunk(key, "chunk", part, near=near, at=at, source=source))
    return chunks


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], list[Unit]]]:
    """(headings above, units) of each section; a `#` inside a code fence is no heading. A heading with nothing under it
    is a section of itself, unless it is the file's title."""
    path: list[str] = []
    above: tuple[str, ...] = ()
    units: list[Unit] = []
    lonely: tuple[int, list[Unit]] = (0, [])  # the last heading while it has nothing under it: its level, its line
    fenced = False
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n") if "\n" in found[0] else found[0], text)
    for number, line in enumerate(text.splitlines(), start=1):
        if _FENCE.match(line):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(line)
        if heading is not None:
            if units and len(heading[1]) <= 2:
                yield above, units
                units = []
            elif lonely[1] and len(heading[1]) <= lonely[0]:
                yield above, lonely[1]
            title = number == 1 and len(heading[1]) == 1
            lonely = (len(heading[1]), [] if title or len(heading[1]) > 2 else [(number, line)])
            del path[len(heading[1]) - 1 :]
            path.append(heading[2])
            above = above if units else tuple(path)
            if len(heading[1]) > 2:
                units.append((number, line))
            continue
        if parse_line(line) is not None:
            continue
        line = _COMMENT.sub("", line)
        if line.strip():
            units.extend((number, piece) for piece in ([line] if len(line) <= UNIT_CHARS else pieces(line)))
            lonely = (0, [])
    if units or lonely[1]:
        yield above, units or lonely[1]


def _packed(units: list[Unit]) -> Iterator[tuple[Unit, ...]]:
    start, size = 0, 0
    sizes = [tokens_of(text) + 1 for _, text in units]
    for index, tokens in enumerate(sizes):
        if size + tokens > CHUNK_TOKENS and index > start:
            yield tuple(units[start:index])
            start, size = index, 0
            while start > 0 and size + sizes[start - 1] <= OVERLAP_TOKENS:
                start -= 1
                size += sizes[start]
        size += tokens
    if start < len(units):
        yield tuple(units[start:])


# ---- transcripts ----


def read_transcript(path: Path, *, offset: int = 0, lines: int = 0) -> Reading:
    """Read turns and summaries from `offset` (bytes; `lines` came before it), about 4 MB of them. Lines that are not
    records are skipped; a last line without its newline is left for the next look. Raises OSError."""
    reading = Reading(offset=offset, lines=lines)
    with path.open("rb") as file:
        file.seek(offset)
        position, number = offset, lines
        for raw in file:
            if not raw.endswith(b"\n"):
                break
            number += 1
            _take(reading, raw, number, position)
            position += len(raw)
            if reading.offset - offset >= PART_BYTES and len(reading.turns) > 1:
                reading.turns.pop()  # the next part begins with it
                reading.more = True
                return reading
    if not reading.turns:
        reading.offset, reading.lines = position, number
    return reading


def readings(path: Path) -> Iterator[Reading]:
    """A whole transcript in parts, each with the session's key. Raises OSError."""
    reading = read_transcript(path)
    yield reading
    while reading.more:
        session = reading.session
        reading = read_transcript(path, offset=reading.offset, lines=reading.lines)
        reading.session = session
        yield reading


def _take(reading: Reading, raw: bytes, number: int, position: int) -> None:
    try:
        record = _decode(raw)
    except msgspec.DecodeError:
        return
    if record.get("type") == "session":
        reading.session = str(record.get("key", ""))
        return
    if record.get("type") == "marker":
        summary = record.get("summary")
        if isinstance(summary, str) and summary.strip():
            digest = hashlib.sha256(summary.encode(errors="replace")).hexdigest()[:24]
            units = tuple((number, piece) for piece in pieces(summary))
            reading.summaries.append(Chunk(f"summary.{digest}", "summary", units, at=_seconds(record.get("at"))))
        if record.get("kind") == "new":
            reading.new = (position, number)
        return
    text = _said(record)
    if record.get("role") == "user" and record.get("kind") != "tool" and text:
        begun, begins = reading.new or (position, 0)
        reading.turns.append(_turn(record, text, number, begins))
        reading.offset, reading.lines, reading.new = begun, (begins or number) - 1, None
    elif record.get("role") == "assistant" and record.get("final") and text and reading.turns:
        last = reading.turns[-1]
        last.reply = f"{last.reply}\n{text}" if last.reply else text
        last.reply_line = number


def _turn(record: dict[str, Any], text: str, number: int, begins: int) -> Turn:
    person = record.get("person")
    name = person.get("name") or person.get("id") if isinstance(person, dict) else person
    identity = str(record.get("id", number))
    ids = [str(value) for key in ("ids", "rows") for value in record.get(key) or ()]
    return Turn(
        id=identity,
        line=number,
        speaker=str(name or "user"),
        text=text,
        at=_seconds(record.get("at")),
        source=_source(record.get("source")),
        messages=(identity, *ids),
        begins=begins,
    )


def turn_chunks(turns: Iterable[Turn], previous: str = "", sitting: int = 0, agent: str = "agent") -> list[Chunk]:
    """One entry a turn: the user's words, with the reply, or with the turn before while there is no reply, unless
    `/new` stands between the two.

    `previous` is what the turn before the first one said ("Sam: ..."), "" when there is none, `sitting` where it
    belongs.
    """
    chunks: list[Chunk] = []
    for turn in turns:
        if turn.begins:
            previous, sitting = "", turn.begins
        said = [(turn.line, piece) for piece in pieces(f"{turn.speaker}: {turn.text}")]
        answer = [(turn.reply_line, piece) for piece in pieces(f"{agent}: {turn.reply}")] if turn.reply else []
        near = turn.reply or previous
        for number, part in enumerate(_entries(said, answer)):
            own = "\n".join(text for line, text in part if line == turn.line)
            head = near if number == 0 else turn.text
            chunks.append(
                Chunk(
                    key=turn.id if number == 0 else f"{turn.id}#{number}",
                    kind="turn",
                    units=part,
                    own=own if number == 0 else "",
                    near=head[:_NEAR_CHARS],
                    at=turn.at,
                    source=turn.source,
                    messages=turn.messages,
                    sitting=sitting,
                )
            )
        previous = f"{turn.speaker}: {turn.text}"
    return chunks


def _entries(said: list[Unit], answer: list[Unit]) -> Iterator[tuple[Unit, ...]]:
    """The units of a turn in entries of at most 1,600 characters; nearly always one."""
    part: list[Unit] = []
    size = 0
    for unit in [*said, *answer]:
        if part and size + len(unit[1]) > _ENTRY_CHARS:
            yield tuple(part)
            part, size = [], 0
        part.append(unit)
        size += len(unit[1])
    if part:
        yield tuple(part)


def _said(record: dict[str, Any]) -> str:
    text = record.get("text")
    if isinstance(text, str) and text.strip():
        return text.strip()
    content = record.get("content")
    blocks = content if isinstance(content, list) else []
    found = [
        b["text"] for b in blocks if isinstance(b, dict) and b.get("type") == "text" and isinstance(b.get("text"), str)
    ]
    return "\n".join(found).strip()


def _source(value: Any) -> Source:
    """An unknown source is the least trusted one."""
    try:
        return Source(value) if value is not None else Source.OWN
    except ValueError:
        return Source.OUTSIDE


def _seconds(value: Any) -> float:
    """A record's time: Unix seconds or ISO 8601; 0 when it cannot be read."""
    if isinstance(value, (int, float)):
        return float(value)
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except ValueError:
        return 0.0
