"""Cron: a due occurrence becomes a message through the front door, and its answer goes where the job says.

    record   (job, planned instant) is written together with the job's cursor       look again: nothing new
    start    the message and `started` are written in one transaction               accepted twice: one row
    run      like any message: resumed after a kill, answered once
    settle   `done`, how the job stands, and what is said: one transaction          closed already: nothing is said

A kill between any two of these steps leaves the next one to the next start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import apsw
import msgspec
import structlog

from appliance.automation import jobs as stored
from appliance.automation.due import look
from appliance.automation.holidays import Holidays
from appliance.automation.jobs import Job, Jobs, Occurrence, Standing
from appliance.automation.occurrences import utc_text
from appliance.automation.outlet import Outlet, Words
from appliance.automation.plan import Plan, parse_plan, zone_named
from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.database import Database
from appliance.errors import InputError
from appliance.gateway import outbox
from appliance.messages import Inbound, Mode, Outbound, Person, Reply, Role, SessionKey, Source
from appliance.settings import SchedulesSettings
from appliance.texts import say
from appliance.texts.sentences import told

log = structlog.get_logger(__name__)
CHANNEL = "cron"
PERSON = "cron"
MOST_FAILURES = 10
MOST_ATTEMPTS = 3
LONGEST_WAIT = 60.0
_BACKOFF = (60.0, 300.0, 900.0, 3_600.0)
_MONEY = "BudgetExceededError"  # not the job's fault, and said by the budget: neither backs off nor pauses


class Door(Protocol):
    """The front door: `accept` stores a message (with `extra` in the same transaction) and sets its answer going;
    `answer` is the stored answer of a message by its inbox key, or None; `tainted` whether a session holds outside
    text; `begin_anew` empties its window."""

    async def accept(self, inbound: Inbound, extra: Callable[[apsw.Connection], object]) -> None: ...

    def answer(self, key: tuple[str, str, str, str, str]) -> Reply | None: ...

    def tainted(self, session: SessionKey) -> bool: ...

    def begin_anew(self, session: SessionKey) -> None: ...


@dataclass(slots=True)
class Cron:
    """Given jobs, the front door and an agent's work folder, keep time. `tick` does all that is due and says how long
    it may rest."""

    jobs: Jobs
    database: Database
    door: Door
    outlet: Outlet
    clock: Clock
    zone: Callable[[], ZoneInfo]
    settings: Callable[[], SchedulesSettings]
    files: Callable[[str], Path]
    audit: Callable[..., None]
    _plans: dict[str, tuple[Job, str, Plan]] = field(default_factory=dict)

    def plan(self, job: Job) -> Plan:
        """The schedule of a job. Raises InputError when its zone or calendar cannot be read any more."""
        zone = zone_named(job.zone) if job.zone else self.zone()
        known = self._plans.get(job.id)
        if known is not None and known[0] == job and known[1] == zone.key:
            return known[2]
        files = self.files(job.agent)  # of an agent that is no longer declared there are none, and its jobs are paused
        plan = parse_plan(job.plan, zone, job.anchor, anchor=job.anchor)
        if job.holidays:
            plan = plan.without(Holidays(files / job.holidays).free)
        self._plans[job.id] = (job, zone.key, plan)
        return plan

    async def tick(self) -> float:
        """Settle, record, start, say; return for how many seconds nothing is due."""
        await self._settle_open()
        open_jobs = {o.job for state in ("due", "started") for o in self.jobs.open(state)}
        for standing in self.jobs.all():
            if standing.state == "active" and not standing.job.plan.startswith("watch "):
                await self._record(standing, busy=standing.job.id in open_jobs)
        await self._start_due()
        await self.outlet.digest()
        return self._rest()

    def busy(self) -> bool:
        """Whether a run is under way (its end is worth a look)."""
        return bool(self.jobs.open("started"))

    # record ----------------------------------------------------------------------------------------------------

    async def _record(self, standing: Standing, *, busy: bool) -> None:
        now = self.clock.now()
        try:
            rule = self.plan(standing.job).rule
            limit = float(standing.job.late_seconds or self.settings().catch_up_seconds)
            found = look(standing, rule, now, late_seconds=limit, busy=busy)
        except InputError as error:
            await self.broken(standing, error)
            return
        if found is None:
            if rule.after(max(now, standing.cursor)) is None and not busy:
                await self.jobs.set_state(standing.job.id, "done", "its time has passed")
            return
        crash_point("cron.before_record")
        await self.jobs.record(standing.job.id, found)
        crash_point("cron.recorded")
        skipped = [row for row in found.rows if row.state == "skipped"]
        if skipped:
            last = skipped[-1]
            log.warning(
                "scheduled runs skipped",
                job=last.job,
                count=len(skipped),
                last=utc_text(last.planned),
                reason=last.reason,
            )
        missed = found.rows and found.rows[-1].state == "skipped" and self.plan(standing.job).once
        if missed and standing.job.deliver != "silent":
            text = say("cron_missed", standing.job.language, name=standing.job.name, reason=found.rows[-1].reason)
            await self.outlet.tell(self._words(standing.job, text))

    async def broken(self, standing: Standing, error: InputError) -> None:
        """A job whose calendar or zone cannot be read is paused and said, not run on a guess."""
        log.warning("schedule cannot be read", job=standing.job.id, reason=str(error))
        await self.jobs.set_state(standing.job.id, "paused", str(error))
        job, language = standing.job, standing.job.language
        text = say("cron_broken", language, name=job.name, reason=told(error, language), id=job.id)
        await self.outlet.tell(self._words(standing.job, text))

    # start -----------------------------------------------------------------------------------------------------

    async def _start_due(self) -> None:
        running = {o.job for o in self.jobs.open("started")}
        known = {standing.job.id: standing for standing in self.jobs.all()}
        for occurrence in self.jobs.open("due"):
            standing = known.get(occurrence.job)
            if standing is None or standing.state in ("paused", "pending"):
                reason = f"the job is {standing.state}" if standing else "the job was removed"
                await self.jobs.end(occurrence, "skipped", reason)
            elif occurrence.job not in running and occurrence.not_before <= self.clock.now():
                if len(running) >= self.settings().parallel:
                    return
                running.add(occurrence.job)
                await self._start(standing.job, occurrence)

    async def _start(self, job: Job, occurrence: Occurrence) -> None:
        inbound = self._inbound(job, occurrence)
        if not job.main and self.door.answer(inbound.key) is None:
            self.door.begin_anew(inbound.session)
        crash_point("cron.before_start")
        await self.door.accept(inbound, lambda c: stored.started(c, occurrence))
        crash_point("cron.started")

    def _inbound(self, job: Job, occurrence: Occurrence) -> Inbound:
        when = self._local(job, occurrence)
        late = ", late" if occurrence.late else ""
        if job.plan.startswith("watch "):
            late = f", because {occurrence.reason}"
        role = Role.OWNER if job.main else Role.MEMBER
        identity = utc_text(occurrence.planned) + (f"#{occurrence.attempt}" if occurrence.attempt > 1 else "")
        return Inbound(
            channel=CHANNEL,
            account="",
            chat=job.id,
            kind="message",
            id=identity,
            text=f"[scheduled: {job.name}, planned for {when}{late}]\n{job.prompt}",
            person=Person(f"{PERSON}:{job.id}", "schedule", role, job.language),
            session=job.session,
            at=self.clock.now(),
            source=Source.OWN,
            mode=Mode.FOLLOWUP,
        )

    # settle ----------------------------------------------------------------------------------------------------

    async def _settle_open(self) -> None:
        known = {standing.job.id: standing for standing in self.jobs.all()}
        for occurrence in self.jobs.open("started"):
            standing = known.get(occurrence.job)
            if standing is None:
                continue  # removed: closed by the removal
            reply = self.door.answer(self._inbound(standing.job, occurrence).key)
            if reply is not None:
                await self._settle(standing, occurrence, reply)

    async def _settle(self, standing: Standing, occurrence: Occurrence, reply: Reply) -> None:
        job, now = standing.job, self.clock.now()
        failed = bool(reply.error) and reply.error != "stopped"
        reason = "stopped" if reply.error == "stopped" else reply.error
        after, words = self._after(standing, occurrence, reply)
        retry = failed and self.plan(job).once and occurrence.attempt < MOST_ATTEMPTS and reply.error != _MONEY
        parcels = self.outlet.pack(words, f"cron-{job.id}-{occurrence.planned}-{occurrence.attempt}")
        if parcels is None:
            return  # the owner's conversation is busy: the next look finds it written there

        def work(connection: apsw.Connection) -> list[list[int]]:
            if retry:
                closed = stored.again(connection, occurrence, reason, now + _BACKOFF[occurrence.attempt - 1])
            else:
                closed = stored.close(connection, occurrence, "failed" if failed else "done", reason, now)
            if not closed:
                return []
            stored.save_standing(connection, after)
            ids = [self.outlet.put(connection, parcel) for parcel in parcels]
            if job.deliver == "webhook" and not retry:
                ids.append([self._webhook(connection, job, occurrence, reply)])
            return ids

        crash_point("cron.answered")
        written = await self.database.write(work)
        crash_point("cron.settled")
        for parcel, ids in zip(parcels, written, strict=False):
            self.outlet.carry(parcel, ids)
        for ids in written[len(parcels) :]:
            self.outlet.committed(ids[0])
        self.audit("cron", job=job.id, planned=utc_text(occurrence.planned), ok=not failed, reason=reason)

    def _after(self, standing: Standing, occurrence: Occurrence, reply: Reply) -> tuple[Standing, list[Words]]:
        """How the job stands after a run, and what is said about it."""
        job = standing.job
        announce = job.deliver == "announce"
        if reply.error in (_MONEY, "stopped"):
            # The next run of a schedule may be paid again; what comes only once would be gone without a word.
            undone = announce and reply.error == _MONEY and self.plan(job).once
            text = say("cron_undone", job.language, name=job.name, reason=reply.text)
            return standing, [self._words(job, text)] if undone else []
        if not reply.error:
            words = [self._words(job, self._with_late(job, occurrence, reply.text), reply)] if announce else []
            if standing.told:
                words.append(self._words(job, say("cron_recovered", job.language, name=job.name)))
            return replace(standing, failures=0, told=False, not_before=0.0), words
        failures = standing.failures + 1
        pause = _BACKOFF[min(failures, len(_BACKOFF)) - 1]
        after = replace(standing, failures=failures, not_before=self.clock.now() + pause)
        # The first failure of a row stands in the answer's place; the others add nothing new.
        words = [self._words(job, reply.text)] if announce and failures == 1 and not standing.told else []
        if failures >= MOST_FAILURES:
            after = replace(after, state="paused", reason=f"{failures} failures: {reply.error}", told=True)
            if not standing.told:
                text = say("cron_paused", job.language, name=job.name, failures=failures, reason=reply.error, id=job.id)
                words.append(self._words(job, text))
        return after, words

    def _webhook(self, connection: apsw.Connection, job: Job, occurrence: Occurrence, reply: Reply) -> int:
        body: dict[str, Any] = {
            "job": job.id,
            "name": job.name,
            "planned": utc_text(occurrence.planned),
            "late": occurrence.late,
            "text": reply.text,
            "error": reply.error,
        }
        text = msgspec.json.encode(body).decode()
        outbound = Outbound("webhook", {"url": job.webhook}, text, kind="notice")
        return outbox.insert(connection, outbound, None, "ready", self.clock.now())

    # helpers ---------------------------------------------------------------------------------------------------

    def _words(self, job: Job, text: str, reply: Reply | None = None) -> Words:
        answer = reply is not None
        return Words(
            text,
            job.name,
            job.person,
            job.places,
            reply.attachments if reply else (),
            outside=answer and self.door.tainted(job.session),
            shown=answer and job.main,
            urgent=job.urgent,
            agent=job.agent,
        )

    def _with_late(self, job: Job, occurrence: Occurrence, text: str) -> str:
        if not occurrence.late:
            return text
        return f"_{say('cron_late', job.language, planned=self._local(job, occurrence))}_\n\n{text}"

    def _local(self, job: Job, occurrence: Occurrence) -> str:
        zone = zone_named(job.zone) if job.zone else self.zone()
        return datetime.fromtimestamp(occurrence.planned, zone).strftime("%Y-%m-%d %H:%M")

    def _rest(self) -> float:
        now = self.clock.now()
        times = [now + LONGEST_WAIT]
        for standing in self.jobs.all():
            if standing.state == "active":
                try:
                    times.append(self.plan(standing.job).rule.after(max(now, standing.cursor)) or times[0])
                except InputError:
                    times.append(now)  # the next look pauses it
        times += [o.not_before for o in self.jobs.open("due") if o.not_before > now]
        return max(0.0, min(times) - now)

    def shown(self, standing: Standing) -> dict[str, Any]:
        """A job as lists and the API show it."""
        job = standing.job
        try:
            following = self.plan(job).rule.after(max(self.clock.now(), standing.cursor))
            note = self.plan(job).note
        except InputError as error:
            following, note = None, str(error)
        last = self.jobs.history(job.id, 1)
        return {
            "id": job.id,
            "name": job.name,
            "schedule": job.plan,
            "zone": job.zone or self.zone().key,
            "note": note,
            "text": job.prompt,
            "session": "main" if job.main else "isolated",
            "deliver": job.deliver,
            "person": job.person,
            "agent": job.agent,
            "state": standing.state,
            "reason": standing.reason,
            "failures": standing.failures,
            "next": utc_text(following) if following is not None and standing.state == "active" else None,
            "last": {**last[0], "planned": utc_text(last[0]["planned"])} if last else None,
        }

    def all_shown(self) -> Sequence[dict[str, Any]]:
        return [self.shown(standing) for standing in self.jobs.all()]
