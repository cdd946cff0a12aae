"""Who may schedule what: wishes of people, commands and the model become jobs here, and nowhere else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlsplit

from appliance.automation.cron import Cron
from appliance.automation.holidays import Holidays
from appliance.automation.jobs import OWNER, Job, Jobs, Standing
from appliance.automation.occurrences import utc_text
from appliance.automation.plan import parse_plan, zone_named
from appliance.automation.watchers import parse_watch
from appliance.clock import Clock
from appliance.errors import AccessError, InputError
from appliance.messages import Person, Role, SessionKey
from appliance.settings import SchedulesSettings
from appliance.texts import language_of, say
from appliance.tools.base import ToolContext
from appliance.tools.schedule import Wish
from appliance.trust import clean

_LONGEST_NAME = 60
_SOONER = "schedule"  # the tool that no job may have


@dataclass(slots=True)
class Desk:
    """Given the jobs, take wishes in. `files` is an agent's work folder; `known_model` and `known_tool` answer whether
    such a one exists; `set_budget` gives a session a daily limit of its own (dollars; None takes it away)."""

    jobs: Jobs
    cron: Cron
    clock: Clock
    settings: Callable[[], SchedulesSettings]
    files: Callable[[str], Path]
    known_model: Callable[[str], bool]
    known_tool: Callable[[str], bool]
    tell_owner: Callable[[str, Sequence[tuple[str, str]], str], Awaitable[None]]
    set_budget: Callable[[SessionKey, Decimal | None], Awaitable[None]]
    stop: Callable[[SessionKey], bool]
    changed: Callable[[], None]
    audit: Callable[..., None]
    language: Callable[[], str]

    # for the model (tools.schedule.Scheduler) ------------------------------------------------------------------

    async def wish(self, wish: Wish, context: ToolContext) -> str:
        standing = await self.add(wish, context.person, context.session.agent, pending=context.tainted, context=context)
        shown = self.cron.shown(standing)
        if standing.state == "pending":
            return (
                f"Stored as {standing.job.id}, but this conversation holds text from outside, so it runs only after "
                f"the owner's yes (/cron approve {standing.job.id})."
            )
        return f"Scheduled as {shown['id']}, next {shown['next']} ({shown['zone']}). {shown['note']}".strip()

    def listing(self, context: ToolContext) -> str:
        agent = context.session.agent
        mine = [r for r in self.cron.all_shown() if r["agent"] == agent and self._may(r["person"], context.person)]
        lines = [
            f"{r['id']} {r['name']!r} {r['schedule']} ({r['zone']}) {r['state']}, next {r['next'] or 'never'}"
            for r in mine
        ]
        return "\n".join(lines) or "Nothing is scheduled."

    async def cancel(self, job: str, context: ToolContext) -> str:
        standing = self.jobs.find(job)
        if standing.job.agent != context.session.agent or not self._may(standing.job.person, context.person):
            raise AccessError("That job is somebody else's.")
        if context.tainted:
            raise AccessError(
                "This conversation holds text from outside, so it may not change schedules.",
                fix=f"The owner can: /cron remove {standing.job.id}",
            )
        await self.remove(standing)
        return f"Removed {standing.job.name!r}."

    # for people ------------------------------------------------------------------------------------------------

    async def add(
        self, wish: Wish, person: Person, agent: str, *, pending: bool = False, context: ToolContext | None = None
    ) -> Standing:
        """Check a wish and store it as a job of this agent. Raises InputError, AccessError with what is wrong."""
        if person.role is Role.GUEST:
            raise AccessError("Guests cannot schedule anything.")
        owner = person.role is Role.OWNER
        if not owner and (wish.main or context is None):
            raise AccessError("Only the owner's jobs can run in the main conversation.")
        wish = replace(wish, holidays=wish.holidays.removeprefix("/workspace/"))  # as commands see the work folder
        self._check(wish, agent)
        now = float(int(self.clock.now()))
        zone = zone_named(wish.zone) if wish.zone else self.cron.zone()
        plan = parse_plan(wish.when, zone, now)
        if plan.watches and parse_watch(plan.text.removeprefix("watch ")).kind == "command" and not owner:
            raise AccessError("Only the owner can have a command watched.")
        if plan.once and plan.rule.after(now) is None:
            raise InputError(f"{plan.text} lies in the past.", fix="Give a later time.")
        name = " ".join(clean(wish.name or wish.text).split())[:_LONGEST_NAME].strip()
        language = self.language() if owner else person.language or language_of(wish.text)
        job = Job(
            id="", name=name, plan=plan.text, prompt=clean(wish.text).strip(), zone=wish.zone, holidays=wish.holidays,
            main=wish.main, deliver="webhook" if wish.webhook else wish.deliver,  # type: ignore[arg-type]
            webhook=wish.webhook, models=wish.models, tools=wish.tools, budget=wish.budget,
            late_seconds=wish.late_seconds, person=OWNER if owner else person.id,
            places=() if owner or context is None else ((context.channel, dict(context.place)),),
            anchor=now, urgent=wish.urgent, language=language, agent=agent,
        )  # fmt: skip
        standing = await self.jobs.add(job, "pending" if pending else "active", self.settings().most)
        job = standing.job
        if job.budget:
            await self.set_budget(job.session, _dollars(job.budget))
        self.audit("cron_added", job=job.id, plan=job.plan, by=person.id, pending=pending)
        if pending:
            text = say("cron_pending", self.language(), name=job.name, plan=job.plan, text=job.prompt, id=job.id)
            choices = [
                (say(f"cron_{verb}_label", self.language()), f"/cron {verb} {job.id}") for verb in ("approve", "deny")
            ]
            await self.tell_owner(text, choices, agent)
        self.changed()
        return standing

    async def remove(self, standing: Standing) -> None:
        await self.jobs.remove(standing.job.id)
        if standing.job.budget:
            await self.set_budget(standing.job.session, None)
        if not standing.job.main:
            self.stop(standing.job.session)
        self.audit("cron_removed", job=standing.job.id, name=standing.job.name)
        self.changed()

    async def set_state(self, standing: Standing, state: str, by: str) -> None:
        """Approve or resume (`active`), or pause. Raises InputError for what does not apply."""
        if standing.state == "done":
            raise InputError(f"{standing.job.name!r} has run; its time has passed.")
        plan = self.cron.plan(standing.job)
        if state == "active" and plan.once and plan.rule.after(self.clock.now()) is None:
            raise InputError(say("cron_past", self.language(), plan=plan.text), fix=f"/cron remove {standing.job.id}")
        await self.jobs.set_state(standing.job.id, "active" if state == "active" else "paused")
        self.audit("cron_state", job=standing.job.id, state=state, by=by)
        self.changed()

    async def pause_all_of(self, person: str) -> None:
        """Pause what a member had scheduled, who is none any more."""
        for standing in self.jobs.all():
            if standing.job.person == person and standing.state in ("active", "pending"):
                await self.set_state(standing, "paused", OWNER)

    async def run_now(self, standing: Standing) -> str:
        """Make a run due now; return its instant. Raises InputError for a job that waits for the owner's yes."""
        name, first = repr(standing.job.name), {"pending": "approve", "paused": "resume"}.get(standing.state)
        if first is not None:
            raise InputError(
                f"{name} waits for a yes." if first == "approve" else f"{name} is paused.",
                fix=f"/cron {first} {standing.job.id} comes first.",
            )
        planned = await self.jobs.ask_now(standing.job.id)
        self.changed()
        return utc_text(planned)

    def _check(self, wish: Wish, agent: str) -> None:
        files = self.files(agent)
        if wish.deliver not in ("announce", "silent"):
            raise InputError("deliver is announce or silent.")
        if wish.webhook and (
            urlsplit(wish.webhook).scheme not in ("http", "https") or not urlsplit(wish.webhook).hostname
        ):
            raise InputError(f"{wish.webhook!r} is not an http(s) address.")
        if wish.main and (wish.models or wish.tools is not None or wish.budget):
            raise InputError("Models, tools and a budget of its own need an isolated session; leave out main.")
        for model in wish.models:
            if not self.known_model(model):
                raise InputError(f"There is no model {model!r} here.", fix="/model lists them.")
        for tool in wish.tools or ():
            if tool == _SOONER or not self.known_tool(tool):
                raise InputError(f"A job cannot have the tool {tool!r}.")
        if wish.budget:
            _dollars(wish.budget)
        if wish.holidays:
            Holidays(_inside(files, wish.holidays)).load()

    @staticmethod
    def _may(owner_of_job: str, person: Person) -> bool:
        return person.role is Role.OWNER or owner_of_job == person.id


def _inside(files: Path, name: str) -> Path:
    root = files.resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise InputError(f"{name!r} is not in the work folder.")
    return path


def _dollars(text: str) -> Decimal:
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount <= 0:
        raise InputError(f"{text!r} is not an amount of dollars.")
    return amount
