"""Append-only transcripts: one JSON object a line, durable before anything else moves.

The first line names the session ({"type": "session", "key": ...}), so a file can be told without the database. Records:

    {"id": "<turn>.<seq>", "turn", "seq", "at", "role": "user", "content": [...], "rows": [inbox rows], "ids": [...],
     "text": what was typed, "source", "person"}
    {"id", ..., "role": "assistant", "content": [...], "model", "usage", "cost"}      and when it answers:
    {"...", "final": true, "rows": [inbox rows], "in_reply_to": [message ids], "text": what was said, "error"?}
    {"id", ..., "role": "user", "kind": "tool", "content": [tool_result...], "sources": {...}}
    {"type": "marker", "kind": "new" | "compaction", "summary"?, "upto"?, "at"}

A record's id is turn + sequence and stands in the file once: appending it again does nothing. A damaged line is put
aside whole in `<name>.damaged` and skipped; the next append never touches it.

Years of talk stand in one file, so only its end is kept in memory: the open window and RECENT records before it. A
large file is read from its end, and no further than that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from appliance.crash_points import crash_point
from appliance.errors import StateError
from appliance.storage import fsync_folder, lines_from_end

Record = dict[str, Any]
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_LINE_LIMIT = 64 * 1024 * 1024
_WHOLE_BYTES = 256 * 1024
_BLANK = b"\r\x00 \t\xef\xbb\xbf\n"
_LOOK_LINES = 50
RECENT = 200
Enough = Callable[[list[Record]], bool]


class Transcript:
    """One session's file. Not for two processes: STATE's lock sees to that; appends happen in one lane."""

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self.key = key
        self.records: list[Record] = []
        self.whole = True  # whether `records` goes back to the file's beginning
        self.damaged = 0
        self._named = False  # whether the file says whose it is
        self._ids: set[str] = set()
        self._fd: int | None = None
        self._size = 0

    def load(self, enough: Enough | None = None) -> None:
        """Read the file (a missing one is empty), repair its tail, keep the records of its end in memory.

        `enough`, given the newest records, newest first, says that no earlier one is wanted; the default wants the open
        window and RECENT more. Raises StateError when the file belongs to another session. Damaged bytes go to
        `<name>.damaged`.
        """
        self.records, self._ids, self.damaged, self.whole, self._named = [], set(), 0, True, False
        if not self.path.exists():
            return
        bad: list[bytes] = []
        large = self.path.stat().st_size > _WHOLE_BYTES
        if large:
            with self.path.open("rb") as file:
                self._take(file.readline(), bad)
        lines = self._end(enough or _window_and_recent) if large else self.path.read_bytes().split(b"\n")
        for line in lines:
            self._take(line, bad)
        if lines[-1]:
            self._close_tail()
        if not self._named:  # the first line was lost with the power, before it was on the disk
            self._name()
        if bad:
            self.damaged = len(bad)
            self._keep_damaged(bad)
        if enough is None:
            self._forget()

    def _end(self, enough: Enough) -> list[bytes]:
        """The last lines of the file, in order, back to where `enough` was seen."""
        lines: list[bytes] = []
        seen: list[Record] = []
        for line in lines_from_end(self.path):
            lines.append(line)
            found = [r for r in _records_in(line.strip(_BLANK)) if _is_record(r)]
            if found:
                seen.extend(reversed(found))
                if len(lines) % _LOOK_LINES == 0 and enough(seen):
                    self.whole = False
                    break
        lines.reverse()
        return lines

    def _forget(self) -> None:
        """Let go of what is older than the window and RECENT records before it."""
        window = self.window()
        if len(window) > 1 and window[0].get("type") == "marker":
            window = window[1:]  # what the marker kept stands before it
        start = next((i for i, record in enumerate(self.records) if window and record is window[0]), len(self.records))
        start -= RECENT
        if start < RECENT // 4:
            return  # not worth the copying
        del self.records[:start]
        self._ids = {record["id"] for record in self.records if "id" in record}
        self.whole = False

    def append(self, record: Record) -> bool:
        """Write one record and its newline, fdatasync; False when its id already stands. Raises OSError."""
        identity = record.get("id")
        if identity is not None and identity in self._ids:
            return False
        crash_point("before_transcript_append")
        self._write(_encode(record) + b"\n")
        crash_point("after_transcript_append")
        if identity is not None:
            self._ids.add(identity)
        self.records.append(record)
        if record.get("type") == "marker":
            self._forget()
        return True

    def has(self, identity: str) -> bool:
        return identity in self._ids

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def turn(self, turn: str) -> list[Record]:
        """The records of one turn, in order."""
        return [r for r in self.records if r.get("turn") == turn]

    def window(self) -> list[Record]:
        """Records since the newest `new` or `compaction` marker, the marker itself first when it holds a summary.

        A compaction marker names the first record it kept (`from`), so what follows it in time is not lost.
        """
        start, marker = 0, None
        for index in range(len(self.records) - 1, -1, -1):
            if self.records[index].get("type") == "marker":
                start, marker = index + 1, self.records[index]
                break
        tail = self.records[start:]
        if marker is None or marker["kind"] == "new":
            return tail
        kept = set(marker.get("kept", ()))
        earlier = [r for r in self.records[:start] if r.get("id") in kept]
        return [marker, *earlier, *tail]

    def _take(self, line: bytes, bad: list[bytes]) -> None:
        line = line.strip(_BLANK)
        if not line:
            return
        found = list(_records_in(line))
        if not found:
            bad.append(line)
            return
        for record in found:
            if record.get("type") == "session":
                if record.get("key") != self.key:
                    raise StateError(f"{self.path} holds the session {record.get('key')!r}, not {self.key!r}.")
                self._named = True
                continue
            if not _is_record(record):
                bad.append(line)
                continue
            identity = record.get("id")
            if identity is not None:
                if identity in self._ids:
                    continue
                self._ids.add(identity)
            self.records.append(record)

    def _close_tail(self) -> None:
        """End a cut last line with a newline, so that the next record starts on its own."""
        self._open()
        self._write(b"\n")

    def _keep_damaged(self, bad: list[bytes]) -> None:
        side = self.path.with_suffix(".damaged")
        known = side.read_bytes() if side.exists() else b""
        fresh = [line for line in bad if line[:4096] not in known]
        if fresh:
            with side.open("ab") as out:
                out.write(b"\n".join(fresh) + b"\n")

    def _open(self) -> int:
        if self._fd is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
            self._fd = os.open(self.path, flags, 0o600)
            self._size = os.fstat(self._fd).st_size
            if self._size == 0 and not self._named:
                self._name()
        return self._fd

    def _name(self) -> None:
        """Write whose file it is; the folder's entry for a new file is synced too."""
        self._named = True
        self._write(_encode({"type": "session", "key": self.key}) + b"\n")
        fsync_folder(self.path.parent)

    def _write(self, line: bytes) -> None:
        fd = self._open()
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(fd, view) :]
            os.fdatasync(fd)
        except OSError:
            # A half line must not swallow the next record: cut it off, or leave it and start a new line later.
            os.ftruncate(fd, self._size)
            raise
        self._size += len(line)


def _records_in(line: bytes) -> Iterator[Record]:
    """The objects of one line: normally one; two when a newline was lost between them."""
    if len(line) > _LINE_LIMIT:
        return
    try:
        yield _decode(line)
        return
    except msgspec.DecodeError:
        pass
    parts = line.replace(b'}{"id"', b'}\n{"id"').replace(b'}{"type"', b'}\n{"type"').split(b"\n")
    for part in parts if len(parts) > 1 else ():
        try:
            yield _decode(part)
        except msgspec.DecodeError:
            continue


def _is_record(record: Record) -> bool:
    if record.get("type") == "marker":
        return record.get("kind") in ("new", "compaction")
    content = record.get("content")
    return (
        record.get("role") in ("user", "assistant") and isinstance(record.get("id"), str) and isinstance(content, list)
    )


def _window_and_recent(seen: list[Record]) -> bool:
    """Whether the newest records, newest first, hold the open window and RECENT more."""
    marker = next((number for number, record in enumerate(seen) if record.get("type") == "marker"), None)
    if marker is None:
        return False
    kept = set(seen[marker].get("kept", ()))
    if kept:
        at = [number for number, record in enumerate(seen) if record.get("id") in kept]
        return len(at) == len(kept) and len(seen) > at[-1] + RECENT
    return len(seen) > marker + RECENT


def read_messages(path: Path, key: str, enough: Enough | None = None) -> list[Record]:
    """Records of a transcript, markers included, without keeping them: for pages. All of them, or back to `enough`."""
    transcript = Transcript(path, key)
    transcript.load(enough or (lambda seen: False))
    transcript.close()
    return transcript.records
