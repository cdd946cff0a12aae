"""The audit chain: what was decided and done, in rows that cannot be changed without it showing.

Each row's hash covers the row and the hash before it; the table refuses updates and deletions; a cut-off tail shows
because SQLite remembers the highest number it ever gave. Whoever can rewrite the whole file can still rewrite the
whole chain: keep the head that `verify` returns somewhere else (it is also logged at each start) to notice that too.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Iterable, Iterator
from typing import Any

import apsw
import msgspec

from appliance.clock import Clock, SystemClock, iso
from appliance.database import Database, Migration
from appliance.observability.redaction import redact

MIGRATIONS: list[Migration] = [
    (
        "audit chain",
        """
        CREATE TABLE audit(
            seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, kind TEXT NOT NULL, fields TEXT NOT NULL,
            hash TEXT NOT NULL
        ) STRICT;
        CREATE TRIGGER audit_keeps BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit chain only grows'); END;
        CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit chain only grows'); END;
        """,
    )
]
Row = tuple[int, str, str, str, str]  # seq, at, kind, fields as JSON, hash
_FIRST = "0" * 64
_LONGEST = 4_000  # characters of one field
_encode = msgspec.json.Encoder(order="deterministic", enc_hook=str).encode
_log = logging.getLogger("appliance.audit")


def _chain(previous: str, seq: int, at: str, kind: str, fields: str) -> str:
    return hashlib.sha256(_encode([previous, seq, at, kind, fields])).hexdigest()


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        text = redact(value).encode(errors="replace").decode()
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
    if isinstance(value, dict):
        return {str(key): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_clean(item) for item in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return _clean(str(value))


def append(connection: apsw.Connection, at: float, kind: str, fields: dict[str, Any]) -> int:
    """Within the caller's own write, add a row: the change and its record are stored together or not at all."""
    last = connection.execute("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    previous = last[1] if last else _FIRST
    given = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
    seq = (given[0] if given else 0) + 1
    text = _encode(_clean(fields)).decode()
    stamp = iso(at)
    connection.execute(
        "INSERT INTO audit VALUES (?, ?, ?, ?, ?)", (seq, stamp, kind, text, _chain(previous, seq, stamp, kind, text))
    )
    return seq


class Audit:
    """Given the open core database, keep the chain."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = clock or SystemClock()
        self._pending: set[asyncio.Task[None]] = set()

    def record(self, kind: str, **fields: Any) -> None:
        """Add a row soon, in the order of the calls; secrets are masked. A failure is logged, never raised here."""
        at = self._clock.now()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._database.write_now(lambda c: append(c, at, kind, fields))
            return
        task = loop.create_task(self._record(at, kind, fields))
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)

    async def _record(self, at: float, kind: str, fields: dict[str, Any]) -> None:
        try:
            await self._database.write(lambda c: append(c, at, kind, fields))
        except apsw.Error as error:
            _log.error("An audit row of kind %s could not be stored: %s", kind, error)

    async def flush(self) -> None:
        """Wait until everything recorded so far is on disk."""
        while self._pending:
            await asyncio.gather(*self._pending)

    def verify(self) -> dict[str, Any]:
        """Read the whole chain; return what `check` does."""
        given = self._database.read("SELECT seq FROM sqlite_sequence WHERE name = 'audit'")
        return check(self._rows(), given[0][0] if given else 0)

    def export(self) -> Iterator[str]:
        """Every row as one line of JSON, oldest first."""
        for seq, at, kind, fields, digest in self._rows():
            row = {"seq": seq, "at": at, "kind": kind, "fields": msgspec.json.decode(fields), "hash": digest}
            yield _encode(row).decode()

    def _rows(self) -> list[Row]:
        return self._database.read("SELECT seq, at, kind, fields, hash FROM audit ORDER BY seq")


def exported(lines: Iterable[str]) -> Iterator[Row]:
    """The rows of an export. Raises ValueError for a line that is none."""
    for number, line in enumerate(lines, 1):
        try:
            row = msgspec.json.decode(line)
            yield row["seq"], row["at"], row["kind"], _encode(row["fields"]).decode(), row["hash"]
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise ValueError(f"Line {number} is no row of the audit log: {error}") from error


def check(rows: Iterable[Row], last: int = 0) -> dict[str, Any]:
    """Whether the chain is whole, in its order, and goes up to the row `last`.

    Return {"ok", "rows", "head", "problems": [{"seq", "what"}]}; `head` is the hash of the last row.
    """
    previous, expected, count = _FIRST, 1, 0
    problems: list[dict[str, Any]] = []
    for seq, at, kind, fields, digest in rows:
        if seq < expected:
            problems.append({"seq": seq, "what": "the row is not in its place"})
        elif seq > expected:
            problems.append({"seq": expected, "what": f"rows {expected} to {seq - 1} are missing"})
        if digest != _chain(previous, seq, at, kind, fields):
            problems.append({"seq": seq, "what": "the row or one before it was changed"})
        previous, expected, count = digest, seq + 1, count + 1
    if last >= expected:
        problems.append({"seq": expected, "what": f"rows {expected} to {last} are missing at the end"})
    return {"ok": not problems, "rows": count, "head": previous, "problems": problems}
