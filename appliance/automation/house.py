"""Cron, heartbeat and what they say, put together: one loop that looks at the clock, and the faces others use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw
import structlog

from appliance.agent.sessions import Sessions
from appliance.automation.commands import CronCommands
from appliance.automation.cron import CHANNEL, PERSON, Cron, Door
from appliance.automation.desk import Desk
from appliance.automation.heartbeat import CHANNEL as HEARTBEAT
from appliance.automation.heartbeat import TOOLS, Heartbeat, ReportTool
from appliance.automation.jobs import OWNER, Job, Jobs
from appliance.automation.outlet import Outlet, Place
from appliance.automation.page import Alone, MainConversation
from appliance.automation.watchers import Fetch, Run, Watchers
from appliance.automation.webhook import WebhookCarrier
from appliance.clock import Clock
from appliance.database import Database
from appliance.errors import NotFoundError
from appliance.gateway.commands import Commands
from appliance.gateway.delivery import Delivery
from appliance.gateway.inbox import Inbox
from appliance.gateway.intake import Intake
from appliance.messages import Event, Inbound, Person, Reply, SessionKey, Source
from appliance.settings import Settings
from appliance.tasks import AGAIN_SECONDS, end, first
from appliance.tools.registry import Registry
from appliance.tools.schedule import ScheduleTool

log = structlog.get_logger(__name__)
# What a scheduled turn never has: it must not make jobs, write to new people or change what is remembered for good.
_NEVER = frozenset({"schedule", "send", "remember", "report"})
_AFTER_TROUBLE_SECONDS = 5.0
_PRUNE_SECONDS = 86_400.0


@dataclass(slots=True)
class Surroundings:
    """What the house hands over. `files`: an agent's work folder; `checklist`: its HEARTBEAT.md; `limits`: what a
    person set as a boundary; `cheap`: an agent's models in order; `models`: every name that can be chosen;
    `owner_places`: where the owner reads an agent; `announce`: shows a text to whoever watches an agent; `tell_owner`:
    says something at once on behalf of one; `set_budget`: gives a session a daily limit in dollars (None takes it
    away); `alone`: runs something between two turns of a session; `stop` ends its running turn; `fetch`: reads an
    address behind the wall; `run`: what a command prints in an agent's sandbox."""

    settings: Settings
    clock: Clock
    core: Database
    intake: Intake
    inbox: Inbox
    delivery: Delivery
    sessions: Sessions
    tools: Registry
    commands: Commands
    zone: Callable[[], ZoneInfo]
    files: Callable[[str], Path]
    checklist: Callable[[str], str]
    limits: Callable[[str], Iterable[str]]
    cheap: Callable[[str], Sequence[str]]
    models: Callable[[], Sequence[str]]
    owner_places: Callable[[str], Sequence[Place]]
    announce: Callable[[str, str], None]
    tell_owner: Callable[[str, Sequence[tuple[str, str]], str], Awaitable[None]]
    set_budget: Callable[[SessionKey, Decimal | None], Awaitable[None]]
    audit: Callable[..., None]
    language: Callable[[], str]
    alone: Alone
    stop: Callable[[SessionKey], bool]
    fetch: Fetch | None = None
    run: Run | None = None


class Automation:
    """Given its surroundings, what runs by itself. `start` once messages are taken up again; `stop` before them."""

    def __init__(self, house: Surroundings) -> None:
        self._house = house
        self._wake = asyncio.Event()
        self._looking = asyncio.Lock()
        self._under_way = False  # whether a turn of ours may end: the end of any other is no news here
        self._task: asyncio.Task[None] | None = None
        self._pruned: float | None = None
        self._page = MainConversation(house.sessions, house.alone, house.clock, self.wake)
        self.jobs = Jobs(house.core, house.clock)
        self.outlet = self._outlet()
        door = _Door(house, self._started)
        self.cron = Cron(
            jobs=self.jobs, database=house.core, door=door, outlet=self.outlet, clock=house.clock, zone=house.zone,
            settings=lambda: house.settings.schedules, files=house.files, audit=house.audit,
        )  # fmt: skip
        self.heartbeats = {agent: self._heartbeat(agent, door) for agent in house.settings.agent_ids}
        self.watchers = Watchers(
            jobs=self.jobs, database=house.core, clock=house.clock, files=house.files, fetch=house.fetch,
            run=house.run, broken=self.cron.broken,
        )  # fmt: skip
        self.desk = Desk(
            jobs=self.jobs, cron=self.cron, clock=house.clock, settings=lambda: house.settings.schedules,
            files=house.files, known_model=lambda name: name in house.models(),
            known_tool=lambda name: name in house.tools and name not in _NEVER, tell_owner=house.tell_owner,
            set_budget=house.set_budget, stop=house.stop, changed=self.wake, audit=house.audit, language=house.language,
        )  # fmt: skip

    def _heartbeat(self, agent: str, door: Door) -> Heartbeat:
        house = self._house
        return Heartbeat(
            agent=agent, database=house.core, door=door, outlet=self.outlet, clock=house.clock, zone=house.zone,
            settings=lambda: house.settings.heartbeat, checklist=lambda: house.checklist(agent),
            last_heard=lambda: house.inbox.last_heard((CHANNEL, HEARTBEAT)), language=house.language, audit=house.audit,
        )  # fmt: skip

    def _outlet(self) -> Outlet:
        house = self._house
        return Outlet(
            database=house.core,
            clock=house.clock,
            zone=house.zone,
            owner_places=house.owner_places,
            limits=house.limits,
            windows=lambda: house.settings.schedules.quiet_hours,
            committed=house.delivery.committed,
            announce=house.announce,
            post=self._page.post,
            language=house.language,
        )

    def add_to_house(self) -> None:
        """Make the tools, the command and the limits of scheduled turns known."""
        house = self._house
        house.tools.add(ScheduleTool(lambda: self.desk))
        house.tools.add(ReportTool(house.core))
        house.tools.allowed = self.allowed
        CronCommands(self.desk, self.cron, self.heartbeats).add_to(house.commands)

    # start and stop --------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._house.delivery.attach(WebhookCarrier())
        self._task = asyncio.create_task(self._run(), name="automation")

    async def stop(self) -> None:
        """End between two steps; whatever was begun is finished by the next start."""
        if self._task is not None:
            await end([self._task], again=AGAIN_SECONDS)
            self._task = None
        await self._page.close()

    def _started(self) -> None:
        self._under_way = True

    def wake(self) -> None:
        """Something changed: look at once."""
        self._wake.set()

    def on_event(self, event: Event) -> None:
        """A turn ended that may have been one of ours (a listener of the hub)."""
        if event.type == "done" and self._under_way:
            self._wake.set()

    async def alerted(self, payload: dict[str, Any]) -> None:
        """A request of Alertmanager came: wake what watches its alerts."""
        await self.watchers.alert(payload)
        self.wake()

    async def tick(self) -> float:
        """Do all that is due now; return for how many seconds nothing is. One look at a time."""
        async with self._looking:
            self._wake.clear()
            watching = await self.watchers.tick()
            rest = min([await self.cron.tick(), *[await beat.tick() for beat in self.heartbeats.values()]])
            rest = rest if watching is None else min(rest, watching)
            now = self._house.clock.monotonic()
            if self._pruned is None or now - self._pruned > _PRUNE_SECONDS:
                self._pruned = now
                await self.jobs.prune()
            self._under_way = self.cron.busy() or any(beat.busy() for beat in self.heartbeats.values())
            return rest

    async def _run(self) -> None:
        while True:
            try:
                rest = await self.tick()
            except Exception:  # the edge of the loop: a full disk now must not end every schedule for good
                log.exception("schedules could not be looked at")
                rest = _AFTER_TROUBLE_SECONDS
            await self._sleep(rest)

    async def _sleep(self, seconds: float) -> None:
        await first(self._house.clock.sleep(seconds), self._wake.wait())

    # faces -----------------------------------------------------------------------------------------------------

    def schedules(self) -> list[dict[str, Any]]:
        """Every job, for the API and the command line."""
        return list(self.cron.all_shown())

    def chain(self, session: SessionKey) -> Sequence[str] | None:
        """The models of a scheduled session in order, or None when it is none, or has no choice of its own."""
        if session.value.startswith("heartbeat:"):
            chosen = self._house.settings.heartbeat.model
            cheap = self._house.cheap(session.agent)
            return list(dict.fromkeys([chosen, *cheap] if chosen else cheap))
        job = self._job(session.job) if session.job else None
        if job is None or not job.models:
            return None
        return job.models

    def may_disturb(self, session: str) -> bool:
        """Whether the owner may be asked something on behalf of a session: not by a schedule in their quiet hours."""
        if not SessionKey(session).by_itself:
            return True
        return self.outlet.quiet(OWNER, self._house.clock.now()) is None

    def owners(self, session: SessionKey) -> bool:
        """Whether a session runs by itself for the owner and nobody else: the heartbeat, and the owner's jobs."""
        job = self._job(session.job) if session.job else None
        return session.value.startswith("heartbeat:") or (job is not None and job.person == OWNER)

    def allowed(self, name: str, session: SessionKey, person: Person) -> bool:
        """Whether a turn may have a tool: what runs by itself has fewer than what a person writes."""
        if session.value.startswith("heartbeat:"):
            return name in TOOLS
        kind, _, job_id = person.id.partition(":")
        if kind != PERSON or not job_id:
            return True
        job = self._job(job_id)
        wanted = job.tools if job is not None else ()
        return name not in _NEVER and (wanted is None or name in wanted)

    def _job(self, job_id: str) -> Job | None:
        try:
            return self.jobs.find(job_id).job
        except NotFoundError:
            return None


class _Door:
    """The front door as cron and heartbeat use it."""

    def __init__(self, house: Surroundings, started: Callable[[], None]) -> None:
        self._house = house
        self._started = started

    async def accept(self, inbound: Inbound, extra: Callable[[apsw.Connection], object]) -> None:
        self._started()
        await self._house.intake.accept(inbound, extra)

    def answer(self, key: tuple[str, str, str, str, str]) -> Reply | None:
        return self._house.inbox.answer_to(key)

    def tainted(self, session: SessionKey) -> bool:
        return any(r.get("source") == Source.OUTSIDE for r in self._house.sessions.transcript(session).window())

    def begin_anew(self, session: SessionKey) -> None:
        """Each run begins with an empty window; what the runs before said stays in the transcript."""
        if self._house.sessions.transcript(session).window():
            self._house.sessions.start_anew(session)
