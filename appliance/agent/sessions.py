"""Which conversations exist, and their open transcripts.

A key is looked up here and never used as a path: each session's file name is made once and stands in its first line,
so the table can be rebuilt from the files.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import apsw
import msgspec

from appliance.agent.transcript import Record, Transcript, read_messages
from appliance.clock import Clock, iso
from appliance.database import Database, Migration
from appliance.errors import InputError, NotFoundError
from appliance.messages import MAIN, WEB_NAME, Attachment, SessionKey, Source

MIGRATIONS: list[Migration] = [
    (
        "sessions",
        """CREATE TABLE sessions(
            key TEXT PRIMARY KEY, agent TEXT NOT NULL, file TEXT NOT NULL UNIQUE,
            created_at REAL NOT NULL, used_at REAL NOT NULL, title TEXT NOT NULL DEFAULT '',
            model TEXT NOT NULL DEFAULT '', mode TEXT NOT NULL DEFAULT '') STRICT""",
    ),
]
_OPEN = 64
Rows = list[dict[str, Any]]  # the class has a method named list


def register(connection: apsw.Connection, key: SessionKey, now: float) -> None:
    """Make a session known; part of the transaction that accepts its first message."""
    connection.execute(
        "INSERT INTO sessions(key, agent, file, created_at, used_at) VALUES (?,?,?,?,?)"
        " ON CONFLICT(key) DO UPDATE SET used_at=excluded.used_at",
        (key.value, key.agent, file_name(key), now, now),
    )


def file_name(key: SessionKey) -> str:
    """A safe name: the key's plain characters and a digest that keeps two keys apart."""
    plain = re.sub(r"[^a-z0-9]+", "-", key.value.lower()).strip("-")[:60]
    return f"{plain}-{hashlib.sha256(key.value.encode()).hexdigest()[:10]}.jsonl"


class Sessions:
    """Given STATE, core.db and the agents' ids, find sessions and open their transcripts (a bounded number stays in
    memory). The main session of each agent exists before its first word."""

    def __init__(self, state: Path, database: Database, clock: Clock, agents: Collection[str] = (MAIN,)) -> None:
        self._state = state
        self._database = database
        self._clock = clock
        self._agents = agents
        self._open: OrderedDict[str, Transcript] = OrderedDict()
        self._pinned: set[str] = set()
        self._options: dict[tuple[str, str], str] = {}
        self.renewed: Callable[[SessionKey], None] = lambda key: None  # told of every new beginning

    def find(self, name_or_key: str) -> SessionKey | None:
        """Given `main`, a web name of the main agent or a full key, return the session's key if it exists."""
        for key in self._candidates(name_or_key):
            known = self._database.read("SELECT 1 FROM sessions WHERE key=?", (key.value,))
            if known or (key.is_main and key.agent in self._agents):
                return key
        return None

    def require(self, name_or_key: str) -> SessionKey:
        """As find. Raises InputError for what can be no session, NotFoundError for an unknown one."""
        if len(name_or_key) > 300 or not name_or_key.isprintable():
            raise InputError("That is no session name.", fix="Use main, or a name of a-z, 0-9 and - (64 at most).")
        key = self.find(name_or_key)
        if key is None:
            fix = "`appliance sessions list` shows them (GET /api/sessions)."
            raise NotFoundError(f"There is no session {name_or_key!r}.", fix=fix)
        return key

    @staticmethod
    def _candidates(name: str) -> Sequence[SessionKey]:
        if name == "main":
            return [SessionKey.main()]
        keys = [SessionKey(name)] if ":" in name else []
        if WEB_NAME.fullmatch(name):
            keys.append(SessionKey.web(name))
        return keys

    def list(self) -> Rows:
        """All sessions, most recently used first."""
        rows = self._database.read("SELECT key, agent, title, created_at, used_at FROM sessions ORDER BY used_at DESC")
        return [
            {"key": k, "name": short_name(k), "agent": a, "title": t, "created_at": iso(c), "used_at": iso(u)}
            for k, a, t, c, u in rows
        ]

    def by_file(self, agent: str, name: str) -> SessionKey | None:
        """The session whose transcript has this file name."""
        rows = self._database.read("SELECT key FROM sessions WHERE agent=? AND file=?", (agent, name))
        return SessionKey(rows[0][0]) if rows else None

    def option(self, key: SessionKey, name: Literal["model", "mode"]) -> str:
        """What was chosen for this session, or an empty string."""
        cached = self._options.get((key.value, name))
        if cached is None:
            rows = self._database.read(f"SELECT {name} FROM sessions WHERE key=?", (key.value,))  # noqa: S608 - two fixed names
            cached = self._options[key.value, name] = str(rows[0][0]) if rows else ""
        return cached

    async def choose(self, key: SessionKey, name: Literal["model", "mode"], value: str) -> None:
        """Keep a choice for this session; an empty value goes back to the setting."""
        await self._database.write(
            lambda c: c.execute(f"UPDATE sessions SET {name}=? WHERE key=?", (value, key.value))  # noqa: S608 - two fixed names
        )
        self._options[key.value, name] = value

    def start_anew(self, key: SessionKey) -> None:
        """Begin a new window: what was said before stays in the transcript and leaves the prompt."""
        self.transcript(key).append({"type": "marker", "kind": "new", "at": iso(self._clock.now())})
        self.renewed(key)

    def path(self, key: SessionKey) -> Path:
        rows = self._database.read("SELECT file FROM sessions WHERE key=?", (key.value,))
        name = rows[0][0] if rows else file_name(key)
        return self._state / "agents" / key.agent / "sessions" / str(name)

    def transcript(self, key: SessionKey) -> Transcript:
        """The open transcript of a session, loaded once. Raises StateError, OSError."""
        found = self._open.get(key.value)
        if found is None:
            found = Transcript(self.path(key), key.value)
            found.load()
            self._open[key.value] = found
        self._open.move_to_end(key.value)
        self._trim()
        return found

    def pin(self, key: SessionKey) -> None:
        """Keep a transcript open while its turn runs."""
        self._pinned.add(key.value)

    def unpin(self, key: SessionKey) -> None:
        self._pinned.discard(key.value)

    def _trim(self) -> None:
        spare = [k for k in self._open if k not in self._pinned][:-_OPEN]
        for key in spare:
            self._open.pop(key).close()

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def messages(self, key: SessionKey, limit: int = 1000) -> Rows:
        """What was said, as the API shows it: one row a user message and one an answer, oldest first."""
        found = self._open.get(key.value)
        path = self.path(key)
        if found is not None and (found.whole or len(_shown(found.records)) >= limit):
            records = found.records
        else:
            records = read_messages(path, key.value, lambda seen: len(_shown(seen)) >= limit) if path.exists() else []
        results = _results(records)
        rows = [row for record in records if (row := _api_row(record, results)) is not None]
        return rows[-limit:]

    def tool_result(self, key: SessionKey, call: str) -> tuple[str, Source] | None:
        """The result of an earlier tool call of a session, whole as it was in the prompt, and where it came from."""
        transcript = self.transcript(key)
        record = _result_of(call, transcript.records)
        if record is None and not transcript.whole:
            older = read_messages(transcript.path, key.value, lambda seen: _result_of(call, seen) is not None)
            record = _result_of(call, older)
        if record is None:
            return None
        block = next(b for b in record["content"] if b.get("tool_use_id") == call)
        return str(block["content"]), Source(record.get("source", Source.OWN))


class StoppableSessions:
    """Sessions as the API sees them: what is stored, and a way to stop what runs."""

    def __init__(self, sessions: Sessions, stop: Callable[[SessionKey], bool]) -> None:
        self._sessions = sessions
        self._stop = stop

    def list(self) -> Rows:
        return self._sessions.list()

    def messages(self, key: SessionKey, limit: int = 200) -> Rows:
        return self._sessions.messages(key, limit)

    def find(self, name_or_key: str) -> SessionKey | None:
        return self._sessions.find(name_or_key)

    async def stop(self, key: SessionKey) -> bool:
        """Stop the running turn; False when none runs."""
        return self._stop(key)


def short_name(key: str) -> str:
    """`main` for the owner's session with the main agent, the given name for a web session of it, else the key."""
    parts = key.split(":")
    if parts[:2] != ["agent", MAIN]:
        return key
    if len(parts) == 3 and parts[2] == "main":
        return "main"
    return parts[3] if len(parts) == 4 and parts[2] == "web" else key


def _shown(records: Rows) -> Rows:
    """The records that make a row of their own."""
    return [r for r in records if r.get("type") == "marker" or r.get("final") or "rows" in r]


def _result_of(call: str, records: Iterable[Record]) -> Record | None:
    """The record with the result of a tool call."""
    for record in records:
        if record.get("kind") == "tool" and any(b.get("tool_use_id") == call for b in record["content"]):
            return record
    return None


def _api_row(record: Record, results: dict[str, Any]) -> dict[str, Any] | None:
    if record.get("type") == "marker":
        return {
            "id": f"marker-{record.get('at', '')}",
            "role": "marker",
            "text": record["kind"],
            "at": record.get("at"),
        }
    if record["role"] == "user" and "rows" in record:
        ids = record.get("ids") or []
        row: dict[str, Any] = {"id": ids[0] if ids else record["id"], "role": "user", "text": record.get("text", "")}
        if len(ids) > 1:
            row["ids"] = ids
        if record.get("files"):
            row["files"] = record["files"]
        return {**row, "at": record["at"], "person": record.get("person", "")}
    if record["role"] == "assistant":
        return _assistant_row(record, results)
    return None


def _results(records: Iterable[Record]) -> dict[str, Any]:
    """How each tool call of a transcript ended, by its id."""
    return {
        block["tool_use_id"]: {"ok": not block.get("is_error"), "summary": str(block["content"])[:200]}
        for record in records
        if record.get("kind") == "tool"
        for block in record["content"]
        if block.get("type") == "tool_result"
    }


def _assistant_row(record: Record, results: dict[str, Any]) -> dict[str, Any] | None:
    calls = [
        {"id": b["id"], "name": b["name"], "input": b["input"], **results.get(b["id"], {})}
        for b in record["content"]
        if b.get("type") == "tool_use"
    ]
    text = record.get("text")
    if text is None:
        text = "".join(b.get("text", "") for b in record["content"] if b.get("type") == "text")
    if not record.get("final") and not calls:
        return None
    row: dict[str, Any] = {"id": record["id"], "role": "assistant", "text": text, "at": record["at"]}
    if record.get("final"):
        row["in_reply_to"] = record.get("in_reply_to", [])
    if calls:
        row["tools"] = calls
    if record.get("attachments"):
        row["files"] = [Attachment(**one).shown() for one in record["attachments"]]
    for name in ("model", "usage", "cost_usd", "error"):
        if record.get(name):
            row[name] = record[name]
    return row


def encode(value: Any) -> str:
    return msgspec.json.encode(value).decode()
