"""`forget --erase`: a text that must not stand on the disk any more (a pasted password).

Every place that holds it is overwritten where it stands, byte for byte: files keep their size, so a transcript that is
open elsewhere goes on being appended to, and no old copy is left in freed blocks as a rewritten file would leave one.
Running it again after a kill finishes the work.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from appliance.crash_points import crash_point
from appliance.errors import InputError
from appliance.memory.items import parse_line

# Keys of transcripts, stored messages and jobs whose values are ours, but for what a tool was given.
_OURS = frozenset(
    "account agent at channel chat deliver id ids in_reply_to kept key kind language media_type message_id mode model"
    " origin person place places plan reason reply_to role rows session source tag tool_use_id turn type zone".split()
)
_SAID = frozenset({"input"})
_Whose = Literal["ours", "said", "mixed"]  # mixed: the names in it tell
_ESCAPE = rb"\\(?:u[0-9a-fA-F]{4}|.)"
_UNCUT = re.compile(rb"(?:[^\\]|%s)*" % _ESCAPE, re.DOTALL)  # no half of an escape at the end
_TOKEN = re.compile(rb'"(?P<words>[^"\\]*(?:\\.[^"\\]*)*)"(?P<name>\s*:)?|[{}\[\],]', re.DOTALL)
SHORTEST = 4  # characters; a shorter text would take half of everything with it


def forms(text: str) -> list[bytes]:
    """How a text may stand in a file: as it is or in one line, and each as JSON writes it (with and without escapes for
    other scripts)."""
    found: list[bytes] = []
    for form in (text, " ".join(text.split())):
        found += [form.encode(), msgspec.json.encode(form)[1:-1], json.dumps(form).encode()[1:-1]]
    return list(dict.fromkeys(found))


def erase(text: str, files: Iterable[Path]) -> dict[Path, int]:
    """Overwrite `text` with asterisks in every file that holds it; return how often in each.

    Raises InputError for a text that is too short, OSError when a file cannot be written.
    """
    wanted = text.strip()
    if len(wanted) < SHORTEST:
        raise InputError(f"Erasing needs at least {SHORTEST} characters, or half of everything would go.")
    patterns = forms(wanted)
    found: dict[Path, int] = {}
    for path in files:
        if path.is_symlink() or not path.is_file():
            continue
        count = _overwrite(path, patterns)
        if count:
            found[path] = count
    return found


def erased(body: str, wanted: Sequence[str], mark: str) -> str:
    """JSON as text, with `mark` wherever somebody said one of the `wanted`; ids, times and the like stay."""
    return msgspec.json.encode(_replaced(msgspec.json.decode(body), wanted, mark)).decode()


def _replaced(value: Any, wanted: Sequence[str], mark: str, *, ours: bool = True) -> Any:
    if isinstance(value, dict):
        return {
            name: one if ours and name in _OURS else _replaced(one, wanted, mark, ours=ours and name not in _SAID)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_replaced(one, wanted, mark, ours=ours) for one in value]
    if isinstance(value, str):
        for text in wanted:
            value = value.replace(text, mark)
    return value


def _overwrite(path: Path, patterns: list[bytes]) -> int:
    count = 0
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)  # a day note may be appended to just now
        with os.fdopen(os.dup(fd), "rb") as file:
            raw = bytearray(file.read())
        for pattern in patterns:
            place = raw.find(pattern)
            while place >= 0:
                start, end = raw.rfind(b"\n", 0, place) + 1, raw.find(b"\n", place + len(pattern))
                end = end if end >= 0 else len(raw)
                starred, times = _starred(bytes(raw[start:end]), pattern)
                if times:
                    raw[start:end] = starred
                    os.pwrite(fd, starred, start)
                    crash_point("erase")
                    count += times
                place = raw.find(pattern, end)
        if count:
            os.fsync(fd)
    finally:
        os.close(fd)
    return count


def _starred(line: bytes, pattern: bytes) -> tuple[bytes, int]:
    """A line with asterisks where somebody said it, and how often. It stays where it is a part of an id, a time or the
    like: a short number stands in those as well, and a line without them is lost."""
    said, found = _said(line), re.compile(re.escape(pattern))
    if said is None:
        if not _UNCUT.fullmatch(pattern):
            return line, 0
        said, found = _said_in_record(line), re.compile(re.escape(pattern) + b"|" + _ESCAPE)
    starred, times = bytearray(line), 0
    for first, end in said:
        for one in found.finditer(line, first, end):
            if one[0] == pattern:  # and no escape that was passed over
                starred[one.start() : one.end()] = b"*" * len(pattern)
                times += 1
    return bytes(starred), times


def _said(line: bytes) -> Iterable[tuple[int, int]] | None:
    """Where in a line of a note or an output somebody's words stand, None for a record in JSON."""
    if line.startswith(b"{"):
        try:
            msgspec.json.decode(line)
        except msgspec.DecodeError:
            return [(0, len(line))]
        return None
    if parse_line(line.decode(errors="replace")) is None:
        return [(0, len(line))]
    return [(line.index(b"]") + 1, line.rindex(b"<!--"))]


def _said_in_record(line: bytes) -> Iterator[tuple[int, int]]:
    """Where somebody's words stand in a record, between the quotes of its strings; one walk over it."""
    inside: list[_Whose] = ["mixed"]  # of each object and list that is open
    whose: _Whose = "mixed"  # of the value to come
    for token in _TOKEN.finditer(line):
        sign, words = token[0][:1], token.span("words")
        if sign in b"{[":
            inside.append(whose)
        elif sign in b"}]":
            inside.pop()
        elif sign == b",":
            whose = inside[-1]
        elif token["name"] is None:
            if whose != "ours":
                yield words
        elif (whose := inside[-1]) == "said":
            yield words
        elif whose == "mixed":
            name = msgspec.json.decode(b'"%s"' % token["words"])
            whose = "ours" if name in _OURS else "said" if name in _SAID else "mixed"
