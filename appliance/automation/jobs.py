"""Jobs and their occurrences, as core.db keeps them.

An occurrence is a row (job, planned instant), made in the transaction that moves the job's cursor past it, so that a
kill loses neither. Its states: due, started (its message is in the inbox), then done, failed or skipped with a reason.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import apsw
import msgspec

from appliance.clock import Clock
from appliance.database import Database, Migration
from appliance.errors import InputError, NotFoundError
from appliance.messages import MAIN, SessionKey

MIGRATIONS: list[Migration] = [
    (
        "cron",
        """CREATE TABLE cron_jobs(
            id TEXT PRIMARY KEY, body TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
            cursor REAL NOT NULL, failures INTEGER NOT NULL DEFAULT 0, told INTEGER NOT NULL DEFAULT 0,
            not_before REAL NOT NULL DEFAULT 0, created_at REAL NOT NULL) STRICT;
        CREATE TABLE cron_occurrences(
            job TEXT NOT NULL, planned INTEGER NOT NULL, state TEXT NOT NULL, late INTEGER NOT NULL DEFAULT 0,
            reason TEXT NOT NULL DEFAULT '', attempt INTEGER NOT NULL DEFAULT 1, not_before REAL NOT NULL DEFAULT 0,
            recorded_at REAL NOT NULL, ended_at REAL, PRIMARY KEY(job, planned)) STRICT;
        CREATE INDEX cron_open ON cron_occurrences(planned) WHERE state IN ('due', 'started');
        CREATE TABLE cron_held(
            id INTEGER PRIMARY KEY AUTOINCREMENT, person TEXT NOT NULL, places TEXT NOT NULL, name TEXT NOT NULL,
            text TEXT NOT NULL, at REAL NOT NULL) STRICT;
        CREATE TABLE cron_state(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT""",
    ),
    ("cron_held_files", "ALTER TABLE cron_held ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]'"),
    ("cron_held_agents", "ALTER TABLE cron_held ADD COLUMN agent TEXT NOT NULL DEFAULT 'main'"),
]
JobState = Literal["active", "pending", "paused", "done"]
Deliver = Literal["announce", "silent", "webhook"]
OWNER = "owner"
_KEEP_SECONDS = 90 * 86_400.0
_KEEP_ROWS = 1_000  # of one job: a job of seconds must not fill the disk with its history
_LONGEST_PROMPT = 4_000


class Job(msgspec.Struct, frozen=True):
    """What somebody wants done, and when. `plan` is a canonical schedule; `zone` is empty for the owner's.

    `holidays`: an iCalendar file in the work folder whose days are left out. `late_seconds`: how late a missed run may
    still be made up for (0: the setting). `budget`: dollars a day, empty for none of its own. `places`: where a
    member who asked for it reads; empty for the owner, who is found wherever they wrote last. `urgent`: its words do
    not wait for the end of quiet hours.
    """

    id: str
    name: str
    plan: str
    prompt: str
    zone: str = ""
    holidays: str = ""
    main: bool = False
    deliver: Deliver = "announce"
    webhook: str = ""
    models: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    budget: str = ""
    late_seconds: int = 0
    person: str = OWNER
    places: tuple[tuple[str, dict[str, Any]], ...] = ()
    anchor: float = 0.0
    language: str = "en"
    urgent: bool = False
    agent: str = MAIN

    @property
    def session(self) -> SessionKey:
        """The conversation that it runs in."""
        return SessionKey.main(self.agent) if self.main else SessionKey.cron(self.id, self.agent)


@dataclass(frozen=True, slots=True)
class Standing:
    """A job and how it stands. `cursor`: every occurrence up to it is recorded. Times are Unix seconds."""

    job: Job
    state: JobState
    reason: str = ""
    cursor: float = 0.0
    failures: int = 0
    told: bool = False
    not_before: float = 0.0


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One planned run."""

    job: str
    planned: int
    state: str
    late: bool = False
    reason: str = ""
    attempt: int = 1
    not_before: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """What a look at the clock found for one job: rows to record, and where the cursor goes."""

    cursor: float
    rows: Sequence[Occurrence] = field(default=())


_JOB = "id, body, state, reason, cursor, failures, told, not_before"
_OCCURRENCE = "job, planned, state, late, reason, attempt, not_before"
_decode = msgspec.json.Decoder(Job).decode


class Jobs:
    """Given core.db, keep jobs and occurrences."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    # reading ---------------------------------------------------------------------------------------------------

    def all(self) -> list[Standing]:
        """Every job, oldest first."""
        return [_standing(r) for r in self._database.read(f"SELECT {_JOB} FROM cron_jobs ORDER BY created_at, id")]  # noqa: S608

    def find(self, name: str) -> Standing:
        """A job by its id, or by a name that only one has. Raises NotFoundError."""
        jobs = self.all()
        found = [one for one in jobs if one.job.id == name] or [one for one in jobs if one.job.name == name]
        if len(found) != 1:
            raise NotFoundError(
                f"{len(found)} jobs are named {name!r}." if found else f"There is no job {name!r}.",
                fix="/cron lists them with their ids.",
            )
        return found[0]

    def open(self, state: str) -> list[Occurrence]:
        """Occurrences that are `due` or `started`, the earliest plan first."""
        query = f"SELECT {_OCCURRENCE} FROM cron_occurrences WHERE state IN ('due','started') AND state=? ORDER BY planned, job"  # noqa: S608, E501
        return [_occurrence(r) for r in self._database.read(query, (state,))]

    def history(self, job: str, count: int) -> list[dict[str, Any]]:
        """The latest occurrences of a job, newest first: {planned (Unix seconds), state, late, reason}."""
        rows = self._database.read(
            "SELECT planned, state, late, reason FROM cron_occurrences WHERE job=? ORDER BY planned DESC LIMIT ?",
            (job, count),
        )
        return [{"planned": p, "state": s, "late": bool(late), "reason": r} for p, s, late, r in rows]

    # changing --------------------------------------------------------------------------------------------------

    async def add(self, job: Job, state: JobState, most: int) -> Standing:
        """Store a new job. Raises InputError when there are too many, or it says nothing."""
        if not job.prompt.strip() or len(job.prompt) > _LONGEST_PROMPT:
            raise InputError(f"Say in 1 to {_LONGEST_PROMPT} characters what is to be done.")
        job = msgspec.structs.replace(job, id=job.id or secrets.token_hex(3))
        now = self._clock.now()

        def work(connection: apsw.Connection) -> None:
            rows: list[Any] = connection.execute("SELECT count(*) FROM cron_jobs WHERE state != 'done'").fetchall()
            count = int(rows[0][0])
            if count >= most:
                raise InputError(f"There are {count} jobs already.", fix="Remove some with /cron remove ID.")
            connection.execute(
                "INSERT INTO cron_jobs(id, body, state, cursor, created_at) VALUES (?,?,?,?,?)",
                (job.id, msgspec.json.encode(job).decode(), state, now, now),
            )

        await self._database.write(work)
        return Standing(job, state, cursor=now)

    async def set_state(self, job: str, state: JobState, reason: str = "") -> None:
        """Approve, pause, resume. What came due meanwhile is not made up for."""
        now = self._clock.now()
        await self._database.write(
            lambda c: c.execute(
                "UPDATE cron_jobs SET state=?, reason=?, failures=0, not_before=0, cursor=max(cursor, ?) WHERE id=?",
                (state, reason, now, job),
            )
        )

    async def remove(self, job: str) -> None:
        """Remove a job; its history stays for as long as any. What is due and not begun is skipped."""
        now = self._clock.now()

        def work(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM cron_jobs WHERE id=?", (job,))
            connection.execute("DELETE FROM cron_state WHERE key=?", (f"watch.job.{job}",))
            connection.execute(
                "UPDATE cron_occurrences SET state='skipped', reason='the job was removed', ended_at=?"
                " WHERE job=? AND state IN ('due','started')",
                (now, job),
            )

        await self._database.write(work)

    async def record(self, job: str, found: Found) -> None:
        """Write occurrences and move the cursor, in one transaction; one that is known stays as it is."""
        now = self._clock.now()

        def work(connection: apsw.Connection) -> None:
            connection.executemany(
                "INSERT OR IGNORE INTO cron_occurrences(job, planned, state, late, reason, recorded_at, ended_at)"
                " VALUES (?,?,?,?,?,?,?)",
                [
                    (o.job, o.planned, o.state, o.late, o.reason, now, None if o.state == "due" else now)
                    for o in found.rows
                ],
            )
            connection.execute("UPDATE cron_jobs SET cursor=? WHERE id=?", (found.cursor, job))

        await self._database.write(work)

    async def ask_now(self, job: str) -> int:
        """Make a run due at once; return the instant it is booked under."""
        now = int(self._clock.now())

        def work(connection: apsw.Connection) -> int:
            planned = now
            while True:
                connection.execute(
                    "INSERT OR IGNORE INTO cron_occurrences(job, planned, state, reason, recorded_at)"
                    " VALUES (?,?,'due','asked for',?)",
                    (job, planned, now),
                )
                if connection.changes():
                    return planned
                planned += 1

        return await self._database.write(work)

    async def end(self, occurrence: Occurrence, state: str, reason: str) -> None:
        """Close an open occurrence without a run (its job is gone, or was paused)."""
        now = self._clock.now()
        await self._database.write(lambda c: close(c, occurrence, state, reason, now))

    async def prune(self) -> None:
        """Forget closed occurrences after 90 days or 1,000 later ones, and jobs that ended as long ago."""
        before = self._clock.now() - _KEEP_SECONDS

        def work(connection: apsw.Connection) -> None:
            connection.execute(
                "DELETE FROM cron_occurrences WHERE planned < ? AND state NOT IN ('due','started')", (before,)
            )
            connection.execute("DELETE FROM cron_jobs WHERE state='done' AND cursor < ?", (before,))
            for (job,) in connection.execute("SELECT DISTINCT job FROM cron_occurrences").fetchall():
                connection.execute(
                    "DELETE FROM cron_occurrences WHERE job=?1 AND state NOT IN ('due','started') AND planned < ("
                    "SELECT planned FROM cron_occurrences WHERE job=?1 ORDER BY planned DESC LIMIT 1 OFFSET ?2)",
                    (job, _KEEP_ROWS),
                )

        await self._database.write(work)


def started(connection: apsw.Connection, occurrence: Occurrence) -> None:
    """Part of the transaction that puts a run's message into the inbox."""
    connection.execute(
        "UPDATE cron_occurrences SET state='started' WHERE job=? AND planned=? AND state='due'",
        (occurrence.job, occurrence.planned),
    )


def close(connection: apsw.Connection, occurrence: Occurrence, state: str, reason: str, now: float) -> bool:
    """Close an occurrence; False when that was done already, so that nothing is said twice."""
    connection.execute(
        "UPDATE cron_occurrences SET state=?, reason=?, ended_at=? WHERE job=? AND planned=?"
        " AND state IN ('due','started')",
        (state, reason, now, occurrence.job, occurrence.planned),
    )
    return connection.changes() > 0


def again(connection: apsw.Connection, occurrence: Occurrence, reason: str, not_before: float) -> bool:
    """Make a started run due once more (a single instant that failed); False when it is closed already."""
    connection.execute(
        "UPDATE cron_occurrences SET state='due', reason=?, attempt=attempt+1, not_before=?"
        " WHERE job=? AND planned=? AND state='started'",
        (reason, not_before, occurrence.job, occurrence.planned),
    )
    return connection.changes() > 0


def save_standing(connection: apsw.Connection, standing: Standing) -> None:
    """Write how a job stands, its cursor aside."""
    connection.execute(
        "UPDATE cron_jobs SET state=?, reason=?, failures=?, told=?, not_before=? WHERE id=?",
        (
            standing.state,
            standing.reason,
            standing.failures,
            standing.told,
            standing.not_before,
            standing.job.id,
        ),
    )


def moved(standing: Standing, cursor: float) -> Standing:
    return replace(standing, cursor=cursor)


def _standing(row: tuple[Any, ...]) -> Standing:
    _, body, state, reason, cursor, failures, told, not_before = row
    return Standing(_decode(body), state, reason, cursor, failures, bool(told), not_before)


def _occurrence(row: tuple[Any, ...]) -> Occurrence:
    job, planned, state, late, reason, attempt, not_before = row
    return Occurrence(job, planned, state, bool(late), reason, attempt, not_before)
