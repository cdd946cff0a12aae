"""The heartbeat: a rule looks whether anything of HEARTBEAT.md is due, and only then a small model is asked.

Nothing due: no call. Something due: one turn with a small prompt, whose outcome is what the `report` tool was given,
never a word in a text. It works in its active hours, rests while nobody writes, and stops after three refused keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

import apsw
import msgspec
import structlog

from appliance.automation.checklist import Task, Unread, parse_checklist
from appliance.automation.cron import LONGEST_WAIT, Door
from appliance.automation.facts import get_state, put_state
from appliance.automation.occurrences import utc_text
from appliance.automation.outlet import Outlet, Words
from appliance.automation.quiet import parse_window
from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.database import Database
from appliance.messages import MAIN, Inbound, Mode, Person, Reply, Role, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.settings import HeartbeatSettings
from appliance.texts import say
from appliance.tools.base import ToolContext, ToolResult

log = structlog.get_logger(__name__)
CHANNEL = "heartbeat"
TOOLS = frozenset({"report", "read", "memory_search", "exec", "fetch", "check"})
MOST_AUTH_ERRORS = 3
MOST_ATTEMPTS = 3
_BACKOFF = (60.0, 300.0, 900.0)
_MOST_TEXT = 2_000
_DAY = 86_400.0
_CLOCK_BACK = 26 * 3_600.0


class Run(msgspec.Struct, frozen=True):
    """One look at what is due: its id, the tasks' texts, how often it was tried, not before when (Unix seconds)."""

    id: str
    tasks: tuple[str, ...]
    attempt: int = 1
    not_before: float = 0.0


class Report(msgspec.Struct, frozen=True):
    turn: str
    notify: bool
    text: str


class Standing(msgspec.Struct, frozen=True):
    paused: bool = False
    reason: str = ""
    auth_errors: int = 0


def _place(agent: str) -> str:
    """Under which name an agent's heartbeat keeps its facts."""
    return "heartbeat" if agent == MAIN else SessionKey.heartbeat(agent).value


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class ReportTool:
    """`report{notify, text}`: how a heartbeat ends. The turn is over with the first call."""

    spec = ToolSpec(
        "report",
        "End this check. notify: whether the owner should be told now; text: what, when notify is true.",
        {
            "type": "object",
            "properties": {"notify": {"type": "boolean"}, "text": {"type": "string"}},
            "required": ["notify"],
        },
    )

    def __init__(self, database: Database) -> None:
        self._database = database

    def available(self, session: SessionKey, person: Person) -> bool:
        return session.value.startswith("heartbeat:")

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        text = str(arguments.get("text") or "").strip()
        report = Report(context.turn, bool(arguments["notify"]) and bool(text), text[:_MOST_TEXT])
        place = _place(context.session.agent)
        await self._database.write(lambda c: put_state(c, f"{place}.report", _json(report)))
        return ToolResult("Reported.", ends_turn=True)


@dataclass(slots=True)
class Heartbeat:
    """Given an agent's checklist and the front door, look after it. `last_heard`: when anybody last wrote (Unix
    seconds)."""

    agent: str
    database: Database
    door: Door
    outlet: Outlet
    clock: Clock
    zone: Callable[[], ZoneInfo]
    settings: Callable[[], HeartbeatSettings]
    checklist: Callable[[], str]
    last_heard: Callable[[], float | None]
    language: Callable[[], str]
    audit: Callable[..., None]
    _place: str = field(init=False)
    _given: str = ""
    _complained: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._place = _place(self.agent)

    async def tick(self) -> float:
        """Settle, look, start; return for how many seconds it may rest."""
        if not self.settings().enabled or self._standing().paused:
            return LONGEST_WAIT
        run = self._run()
        if run is not None:
            return await self._go_on(run)
        if self.resting() is not None:
            return LONGEST_WAIT
        due = await self._due()
        if due:
            now = self.clock.now()
            run = Run(utc_text(now), tuple(task.text for task in due))
            await self._record(run, due)
            return await self._go_on(run)
        return LONGEST_WAIT

    def busy(self) -> bool:
        """Whether a run is under way."""
        return self._run() is not None

    def resting(self) -> str | None:
        """Why it does not look now, or None: outside its hours, or nobody has written for long."""
        now, settings = self.clock.now(), self.settings()
        if parse_window(settings.active_hours).until(now, self.zone()) is None:
            return f"outside its hours ({settings.active_hours})"
        heard = self.last_heard()
        if settings.idle_days and heard is not None and now - heard > settings.idle_days * _DAY:
            return f"nobody has written for {settings.idle_days:g} days"
        return None

    def shown(self) -> dict[str, str]:
        """How it stands: {state, reason}."""
        if not self.settings().enabled:
            return {"state": "off", "reason": ""}
        standing = self._standing()
        if standing.paused:
            return {"state": "paused", "reason": standing.reason}
        resting = self.resting()
        return {"state": "resting" if resting else "on", "reason": resting or ""}

    async def resume(self) -> None:
        await self._stand(Standing())

    async def pause(self) -> None:
        await self._stand(Standing(paused=True, reason="paused by the owner"))

    # look ------------------------------------------------------------------------------------------------------

    async def _due(self) -> list[Task]:
        """Tasks with an occurrence since they were last looked at; a task that is new starts to count now."""
        now = self.clock.now()
        due: list[Task] = []
        fresh: list[str] = []
        for task in self._tasks():
            seen = get_state(self.database, self._task(task.key))
            if not seen:
                fresh.append(task.key)
                continue
            # A clock that went back a day or so repeats nothing; one that had been years ahead must not stop it.
            since = float(seen) if float(seen) - now < _CLOCK_BACK else now
            following = task.plan.rule.after(since)
            if following is not None and following <= now:
                due.append(task)
        if fresh:
            await self.database.write(lambda c: self._look_from(c, fresh, now))
        return due

    def _tasks(self) -> list[Task]:
        found: list[Task] = []
        for one in parse_checklist(self.checklist(), self.zone(), anchor=0.0):
            if isinstance(one, Task):
                found.append(one)
            elif isinstance(one, Unread) and one.line not in self._complained:
                self._complained.add(one.line)
                log.warning("a line of HEARTBEAT.md cannot be used", line=one.line[:100], reason=one.why)
        return found

    async def _record(self, run: Run, due: list[Task]) -> None:
        now = self.clock.now()

        def work(connection: apsw.Connection) -> None:
            self._look_from(connection, [task.key for task in due], now)
            put_state(connection, f"{self._place}.run", _json(run))

        await self.database.write(work)
        crash_point("heartbeat.recorded")

    # run -------------------------------------------------------------------------------------------------------

    async def _go_on(self, run: Run) -> float:
        """Start a run that is due, or settle one that was answered."""
        inbound = self._inbound(run)
        reply = self.door.answer(inbound.key)
        if reply is not None:
            return 0.0 if await self._settle(run, reply) else LONGEST_WAIT
        wait = run.not_before - self.clock.now()
        if wait > 0:
            return min(wait, LONGEST_WAIT)
        if self._given != inbound.id:
            self._given = inbound.id  # after a kill it is given once more: the inbox knows it by its id
            self.door.begin_anew(inbound.session)
            await self.door.accept(inbound, lambda _: None)
            crash_point("heartbeat.started")
        return LONGEST_WAIT

    def _inbound(self, run: Run) -> Inbound:
        tasks = "\n".join(f"{n}. {text}" for n, text in enumerate(run.tasks, start=1))
        return Inbound(
            channel=CHANNEL,
            account="",
            chat=self.agent,
            kind="message",
            id=run.id + (f"#{run.attempt}" if run.attempt > 1 else ""),
            text=(
                f"[due now]\n{tasks}\nDo this with your tools, then call report once: notify true only with something "
                "that the owner wants to hear now."
            ),
            person=Person(f"heartbeat:{self.agent}", "heartbeat", Role.MEMBER, self.language()),
            session=SessionKey.heartbeat(self.agent),
            at=self.clock.now(),
            source=Source.OWN,
            mode=Mode.FOLLOWUP,
        )

    async def _settle(self, run: Run, reply: Reply) -> bool:
        report = self._report(reply.turn)
        standing, again, words = self._after(run, reply, report)
        parcels = self.outlet.pack(words, f"{self._place}-{run.id}-{run.attempt}")
        if parcels is None:
            return False

        def work(connection: apsw.Connection) -> list[list[int]]:
            if self._run_of(connection) != run:
                return []
            put_state(connection, f"{self._place}.run", _json(again) if again else "")
            put_state(connection, f"{self._place}.report", "")
            put_state(connection, self._place, _json(standing))
            return [self.outlet.put(connection, parcel) for parcel in parcels]

        crash_point("heartbeat.answered")
        written = await self.database.write(work)
        crash_point("heartbeat.settled")
        for parcel, ids in zip(parcels, written, strict=False):
            self.outlet.carry(parcel, ids)
        outcome = "failed" if reply.error else "none" if report is None else "told" if report.notify else "quiet"
        if outcome == "none":
            log.warning("the heartbeat ended without a report, so nothing was told", run=run.id)
        self.audit("heartbeat", agent=self.agent, run=run.id, outcome=outcome, reason=reply.error)
        return True

    def _after(self, run: Run, reply: Reply, report: Report | None) -> tuple[Standing, Run | None, list[Words]]:
        """How it stands after a run, whether it is tried again, and what is said."""
        # A report that was made counts, whatever went wrong after it.
        if report is not None or not reply.error or reply.error == "stopped":
            told = report is not None and report.notify
            return Standing(), None, [self._words(report.text)] if told and report is not None else []
        again = None
        if run.attempt < MOST_ATTEMPTS:
            pause = self.clock.now() + _BACKOFF[run.attempt - 1]
            again = Run(run.id, run.tasks, run.attempt + 1, pause)
        if reply.error != "auth":
            return Standing(), again, []
        errors = self._standing().auth_errors + 1
        if errors < MOST_AUTH_ERRORS:
            return Standing(auth_errors=errors), again, []
        text = say("heartbeat_stopped", self.language(), count=errors)
        return (
            Standing(True, "the model provider refused the key", errors),
            None,
            [Words(text, "heartbeat", agent=self.agent)],
        )

    def _words(self, text: str) -> Words:
        tainted = self.door.tainted(SessionKey.heartbeat(self.agent))
        return Words(text, "heartbeat", outside=tainted, agent=self.agent)

    # state -----------------------------------------------------------------------------------------------------

    def _standing(self) -> Standing:
        text = get_state(self.database, self._place)
        return msgspec.json.decode(text, type=Standing) if text else Standing()

    def _run(self) -> Run | None:
        text = get_state(self.database, f"{self._place}.run")
        return msgspec.json.decode(text, type=Run) if text else None

    def _report(self, turn: str) -> Report | None:
        text = get_state(self.database, f"{self._place}.report")
        found = msgspec.json.decode(text, type=Report) if text else None
        return found if found is not None and found.turn == turn else None

    async def _stand(self, standing: Standing) -> None:
        await self.database.write(lambda c: put_state(c, self._place, _json(standing)))

    def _task(self, key: str) -> str:
        return f"{self._place}.task.{key}"

    def _look_from(self, connection: apsw.Connection, keys: list[str], now: float) -> None:
        for key in keys:
            put_state(connection, self._task(key), repr(now))

    def _run_of(self, connection: apsw.Connection) -> Run | None:
        found = connection.execute("SELECT value FROM cron_state WHERE key=?", (f"{self._place}.run",)).fetchall()
        return msgspec.json.decode(str(found[0][0]), type=Run) if found else None
