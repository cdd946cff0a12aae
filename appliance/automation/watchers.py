"""Watchers: a file, a page, a feed, what a command prints or an alert wakes a job instead of the clock.

    watch file notes/inbox.md      a file or folder of the work folder
    watch url https://...          the page's bytes; looked at every ten minutes
    watch feed https://...         which entries a feed has, not how they are written
    watch command df -h /workspace what a command in the sandbox prints, and how it ends; every five minutes
    watch alert DiskAlmostFull     an alert of Alertmanager, by its name

What changed is remembered together with the run that it causes, so that a kill loses no change and reports none twice.
Flood guard: at least 30 seconds between two runs of a job and at most five a minute in all; what comes meanwhile waits.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import apsw
import msgspec
import structlog

from appliance.automation.facts import get_state, put_state
from appliance.automation.jobs import Job, Jobs, Standing
from appliance.automation.reading import read_plain
from appliance.clock import Clock
from appliance.database import Database
from appliance.errors import ApplianceError, InputError

log = structlog.get_logger(__name__)
GAP_SECONDS = 30.0
MOST_A_MINUTE = 5
MOST_TROUBLES = 10
FILE_SECONDS = 5.0
COMMAND_SECONDS = 300.0
WEB_SECONDS = 600.0
_MOST_FILES = 2_000
_LONGEST_COMMAND = 2_000
_MOST_BYTES = 5_000_000
_ALERT = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]{0,99}")
_ENTRY = re.compile(rb"<(?:guid|id|link)\b[^>]*?(?:href=[\"']([^\"']+)[\"'][^>]*)?>([^<]*)")
_ITEMS = re.compile(rb"<(?:item|entry)\b.*?</(?:item|entry)>", re.DOTALL)
Fetch = Callable[[str], Awaitable[bytes]]
Run = Callable[[str, str], Awaitable[bytes]]
_PAUSES = {"file": FILE_SECONDS, "alert": FILE_SECONDS, "command": COMMAND_SECONDS}


@dataclass(frozen=True, slots=True)
class Watched:
    """What a job watches: `kind` file, url, feed, command or alert, and `target`."""

    kind: str
    target: str


class Seen(msgspec.Struct, frozen=True):
    """What a watcher knows: the state that was reported, the newest one, when it looked, how often it could not."""

    reported: str = ""
    newest: str = ""
    looked: float = 0.0
    troubles: int = 0


def parse_watch(text: str) -> Watched:
    """`file PATH`, `url URL`, `feed URL`, `command SCRIPT` or `alert NAME`. Raises InputError."""
    kind, _, target = text.strip().partition(" ")
    kind, target = kind.lower(), target.strip()
    address = urlsplit(target)
    right = {
        "file": bool(target) and not target.startswith("/") and ".." not in Path(target).parts,
        "url": address.scheme in ("http", "https") and bool(address.hostname),
        "feed": address.scheme in ("http", "https") and bool(address.hostname),
        "command": bool(target) and len(target) <= _LONGEST_COMMAND and "\0" not in target,
        "alert": _ALERT.fullmatch(target) is not None,
    }
    if not right.get(kind):
        raise InputError(
            f"watch {text.strip()!r} cannot be understood.",
            fix="Write watch file PATH (in the work folder), watch url URL, watch feed URL, watch command SCRIPT or"
            " watch alert NAME.",
        )
    return Watched(kind, target)


@dataclass(slots=True)
class Watchers:
    """Given the jobs, look at what they watch. `fetch` reads an address behind the wall, `run` what a command prints in
    an agent's sandbox; each is None when it is switched off. `broken` is told of a job whose target cannot be read any
    more."""

    jobs: Jobs
    database: Database
    clock: Clock
    files: Callable[[str], Path]
    fetch: Fetch | None
    run: Run | None
    broken: Callable[[Standing, InputError], Awaitable[None]]

    async def tick(self) -> float | None:
        """Look at everything whose turn it is; return in how many seconds the next look is due, or None."""
        watching = [s for s in self.jobs.all() if s.state == "active" and s.job.plan.startswith("watch ")]
        # At once: a page that does not answer must hold up neither the other looks nor the jobs of the clock for long.
        return min(await asyncio.gather(*(self._one(standing) for standing in watching)), default=None)

    async def alert(self, payload: Mapping[str, Any]) -> None:
        """Take a request of Alertmanager: jobs that watch a firing alert are woken, once for each time it fires."""
        firing = [one for one in payload.get("alerts", ()) if one.get("status") == "firing"]
        for standing in self.jobs.all():
            if not standing.job.plan.startswith("watch alert "):
                continue
            name = parse_watch(standing.job.plan.removeprefix("watch ")).target
            for one in firing:
                if one.get("labels", {}).get("alertname") == name:
                    mark = f"{one.get('fingerprint', '')}:{one.get('startsAt', '')}"
                    seen = self._seen(standing.job)
                    await self._keep(standing.job, msgspec.structs.replace(seen, newest=mark))

    async def _one(self, standing: Standing) -> float:
        job, now = standing.job, self.clock.now()
        watched = parse_watch(job.plan.removeprefix("watch "))
        seen = self._seen(job)
        pause = _PAUSES.get(watched.kind, WEB_SECONDS)
        if watched.kind != "alert" and not 0 <= now - seen.looked < pause:
            seen = await self._look(standing, watched, seen)
        if seen.newest and seen.newest != seen.reported:
            await self._wake(job, watched, seen)
            return FILE_SECONDS
        return pause

    async def _look(self, standing: Standing, watched: Watched, seen: Seen) -> Seen:
        now = self.clock.now()
        try:
            newest = await self._state(watched, standing.job.agent)
        except (OSError, TimeoutError, ApplianceError) as error:
            troubles = seen.troubles + 1
            log.warning("what a job watches cannot be read", job=standing.job.id, reason=str(error), times=troubles)
            after = Seen(seen.reported, seen.newest, now, troubles)
            if troubles >= MOST_TROUBLES:
                await self.broken(standing, InputError(f"{watched.target} could not be read {troubles} times: {error}"))
                after = msgspec.structs.replace(after, troubles=0)
        else:
            after = Seen(seen.reported or newest, newest, now)  # the first look is what later ones are compared with
        await self._keep(standing.job, after)
        return after

    async def _state(self, watched: Watched, agent: str) -> str:
        if watched.kind == "file":
            return await asyncio.to_thread(file_state, self.files(agent), watched.target)
        if watched.kind == "command":
            if self.run is None:
                raise InputError("Commands are switched off (exec.enabled).")
            return hashlib.sha256(await self.run(agent, watched.target)).hexdigest()
        if self.fetch is None:
            raise InputError("The web is switched off (web.enabled).")
        body = await self.fetch(watched.target)
        return feed_state(body) if watched.kind == "feed" else hashlib.sha256(body).hexdigest()

    async def _wake(self, job: Job, watched: Watched, seen: Seen) -> None:
        """Make a run due and remember what it was for, in one transaction; nothing while the flood guard says no."""
        now = self.clock.now()

        def work(connection: apsw.Connection) -> None:
            woken = [at for at in msgspec.json.decode(_value(connection, "watch.woken") or "[]") if 0 <= now - at < 60]
            rows: list[Any] = connection.execute(
                "SELECT max(recorded_at), max(state IN ('due','started')), max(planned) FROM cron_occurrences"
                " WHERE job=?",
                (job.id,),
            ).fetchall()
            last, still_open, newest = rows[0]
            if still_open or len(woken) >= MOST_A_MINUTE or (last is not None and 0 <= now - last < GAP_SECONDS):
                return
            connection.execute(
                "INSERT INTO cron_occurrences(job, planned, state, reason, recorded_at) VALUES (?,?,'due',?,?)",
                (job.id, max(int(now), (newest or 0) + 1), f"{watched.kind} {watched.target[:200]} changed", now),
            )
            put_state(connection, "watch.woken", msgspec.json.encode([*woken, now]).decode())
            put_state(connection, _key(job), _json(msgspec.structs.replace(seen, reported=seen.newest)))

        await self.database.write(work)

    def _seen(self, job: Job) -> Seen:
        text = get_state(self.database, _key(job))
        return msgspec.json.decode(text, type=Seen) if text else Seen()

    async def _keep(self, job: Job, seen: Seen) -> None:
        await self.database.write(lambda c: put_state(c, _key(job), _json(seen)))


def file_state(root: Path, name: str) -> str:
    """A digest of a file's bytes, or of a folder's names, sizes and times; `gone` when there is none.

    Raises InputError for what lies outside the work folder.
    """
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise InputError(f"{name} does not lie in the work folder.")
    digest = hashlib.sha256()
    if path.is_dir():
        for one in sorted(islice(path.rglob("*"), _MOST_FILES)):
            stat = one.lstat()
            digest.update(f"{one}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
        return digest.hexdigest()
    try:
        digest.update(read_plain(path, _MOST_BYTES))
        digest.update(str(path.stat().st_size).encode())
    except FileNotFoundError:
        return "gone"
    return digest.hexdigest()


def feed_state(body: bytes) -> str:
    """A digest of the entries of an RSS or Atom feed by their ids and links, in any order. Raises InputError."""
    items = _ITEMS.findall(body)
    names = sorted({b"|".join(href or text.strip() for href, text in _ENTRY.findall(item)) for item in items})
    if not names and b"<rss" not in body and b"<feed" not in body:
        raise InputError("There is no feed at this address.")
    return hashlib.sha256(b"\n".join(names)).hexdigest()


def _key(job: Job) -> str:
    return f"watch.job.{job.id}"


def _json(seen: Seen) -> str:
    return msgspec.json.encode(seen).decode()


def _value(connection: apsw.Connection, key: str) -> str:
    rows: list[Any] = connection.execute("SELECT value FROM cron_state WHERE key=?", (key,)).fetchall()
    return str(rows[0][0]) if rows else ""
