"""Commands put together: the runner's client, its watch, approvals, the gate and the tools; part of the composition
root."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from appliance.clock import Clock
from appliance.database import Database
from appliance.errors import AccessError, InputError, SandboxError
from appliance.gateway.commands import Ask, Choice, Commands, Said
from appliance.mcp_client.channels import LABEL
from appliance.messages import MAIN, Role, SessionKey
from appliance.observability.health import Health, State
from appliance.observability.metrics import Metrics
from appliance.observability.notices import Choices, Notices
from appliance.sandbox import policy
from appliance.sandbox.approvals import OWNER, Approvals, Pending
from appliance.sandbox.client import CommandResult, SandboxClient, SandboxHealth, remote_config, runner_config
from appliance.sandbox.host import HostCommands
from appliance.sandbox.monitor import Monitor
from appliance.settings import Settings
from appliance.tasks import end
from appliance.texts import say
from appliance.texts.sentences import in_language
from appliance.tools.hosts import Hosts
from appliance.tools.permission import PolicyGate, exactly
from appliance.tools.processes import Process
from appliance.tools.registry import Registry
from appliance.tools.shell import Exec

_WATCH_SECONDS = 20.0  # the clock's jobs wait for the looks


class TheOwner(Protocol):
    """Who is asked and told (appliance.composition.owner)."""

    def language(self) -> str: ...

    async def tell(self, text: str, choices: Choices = (), agent: str = MAIN, *, awaited: bool = False) -> None: ...


class Execution:
    """Given what it needs of the house, offer `exec` and `process` while a runner answers."""

    def __init__(
        self,
        *,
        settings: Settings,
        core: Database,
        clock: Clock,
        tools: Registry,
        health: Health,
        metrics: Metrics,
        notices: Notices,
        owner: TheOwner,
        may_ask: Callable[[str], bool] = lambda session: True,
        record: Callable[..., Any] = lambda kind, **fields: None,
    ) -> None:
        self._may_ask = may_ask
        self._settings = settings.exec
        self._health = health
        self._metrics = metrics
        self._notices = notices
        self._owner = owner
        self._task: asyncio.Task[None] | None = None
        self.approvals = Approvals(
            core,
            clock,
            self,
            counted=lambda kind, decision: metrics.add("approvals_total", kind=kind, decision=decision),
        )
        # A socket in the settings means that the runner is a service of its own.
        self.client = SandboxClient(runner_config(settings), start_runner=not settings.exec.runner_socket)
        self.monitor = Monitor(self.client, changed=self._changed, ended=self._job_ended, keep_warm=(MAIN,))
        self.remote: SandboxClient | None = None
        if self._settings.enabled:
            metrics.at_scrape("exec_pool_ready", lambda: pool_ready(self.monitor.health))
            gate = PolicyGate(self.approvals, sandbox_policy=self._settings.sandbox_policy, image=self.image)
            tools.add(
                Exec(
                    self.client,
                    gate=gate,
                    usable=lambda: self.usable,
                    default_timeout=self._settings.timeout_seconds,
                    network=bool(self._settings.allow_domains),
                    hosts=self._hosts(settings, gate, record),
                    ran=self._ran,
                )
            )
            tools.add(Process(self.client, usable=lambda: self.usable))
        else:
            health.set("commands", State.OFF, "exec.enabled is false")

    def _hosts(self, settings: Settings, gate: PolicyGate, record: Callable[..., Any]) -> Hosts:
        """What the owner turned on besides the sandbox."""
        on = self._settings.hosts
        if "remote" in on:
            self.remote = SandboxClient(remote_config(settings))
        host = HostCommands(settings.owner.zone.key) if "host" in on else None
        return Hosts(gate, host=host, remote=self.remote, record=record)

    async def start(self) -> None:
        """Void approvals of an earlier life; watch the runner behind readiness."""
        await self.approvals.start()
        if self._settings.enabled:
            self._task = asyncio.create_task(self.monitor.run(), name="sandbox-monitor")

    async def stop(self) -> None:
        if self._task is not None:
            await end([self._task])
            await self.client.release()
            if self.remote is not None:
                await self.remote.release()

    def add_commands(self, commands: Commands) -> None:
        commands.add("approve", self._approve, Role.OWNER)

    # approvals.Notifier ----------------------------------------------------------------------------------------

    async def ask(self, pending: Pending) -> bool:
        """Show a request to the owner on every channel and the page; False when nobody may be asked now."""
        if not self._may_ask(pending.session):
            return False
        answers = ["once", *(["always"] if pending.remembers else []), "deny"]
        language = self._owner.language()
        text = say("approval_asked", language, shown=pending.shown, why=in_language(pending.why, language))
        await self._owner.tell(
            text,
            [(say(f"approval_{answer}", language), f"/approve {pending.id} {answer}") for answer in answers],
            SessionKey(pending.session).agent,
            awaited=not SessionKey(pending.session).by_itself,
        )
        return True

    async def settled(self, pending: Pending, outcome: str) -> None:
        """Buttons are used up by the first press; what came too late is refused by the store."""

    # commands --------------------------------------------------------------------------------------------------

    async def _approve(self, ask: Ask) -> Said:
        words = ask.words
        if not words:
            waiting = self.approvals.pending()
            if not waiting:
                return Said(say("approval_none", ask.language))
            choices = tuple(
                Choice(
                    f"{say(f'approval_{answer}', ask.language)}: {one.shown.splitlines()[0][:30]}",
                    f"/approve {one.id} {answer}",
                )
                for one in waiting
                for answer in ("once", "deny")
            )
            return Said("\n\n".join(f"`{one.id}`\n{one.shown}" for one in waiting), choices)
        answer = words[1] if len(words) > 1 else "once"
        try:
            done = await self.approvals.decide(words[0], answer, by=OWNER)
        except AccessError as error:
            return Said(in_language(error.what, ask.language))
        return Said(
            say("approval_done", ask.language, decision=say(f"approval_{answer}", ask.language))
            + f"\n{done['note']}".rstrip()
        )

    # skillset.Programs -----------------------------------------------------------------------------------------

    @property
    def usable(self) -> bool:
        """Whether a runner answers, so that commands can run."""
        return self._settings.enabled and "sandbox" in self._settings.hosts and self.monitor.usable

    async def run(self, script: str) -> CommandResult:
        """A script of the house's own in a fresh container without network. Raises SandboxError."""
        return await self.client.run(MAIN, script, limit=20.0)

    async def watched(self, agent: str, command: str) -> bytes:
        """What a command that an agent's job watches prints, and how it ends. Nobody is asked: what wants a yes is
        refused.

        Raises InputError for what may not run, SandboxError when it could not or did not end in time.
        """
        verdict = policy.check(
            command,
            host="sandbox",
            allow_list=self.approvals.entries("sandbox", "none"),
            sandbox_policy=self._settings.sandbox_policy,
        )
        if verdict.verdict != "allow":
            raise InputError(f"Not run: {verdict.why}")
        script = exactly(verdict.segments, verdict.environment) if verdict.segments else command
        done = await self.client.run(agent, script, limit=_WATCH_SECONDS)
        if done.outcome != "exited":
            raise SandboxError(f"The command did not end by itself: {done.outcome} {done.detail}".strip())
        return b"%d\n%b\0%b\n%d" % (done.code or 0, done.stdout, done.stdout_tail, done.stdout_total)

    # news ------------------------------------------------------------------------------------------------------

    def image(self) -> str:
        """The digest of the image that commands run in, which an approval is bound to."""
        return str((self.monitor.health.facts or {}).get("image_id", ""))

    def _changed(self, health: SandboxHealth) -> None:
        state = State.READY if health.ok else State.DEGRADED
        self._health.set("commands", state, "" if health.ok else f"{health.reason} {health.fix}".strip())

    def _ran(self, outcome: str, seconds: float) -> None:
        self._metrics.add("exec_runs_total", image="shell", outcome=outcome)
        self._metrics.observe("exec_duration_seconds", seconds, image="shell")

    async def _job_ended(self, job: dict[str, Any]) -> None:
        if str(job["label"]).startswith(LABEL):
            return  # an MCP server's: whoever uses it is told
        text = say("job_ended", self._owner.language(), id=job["id"], state=job.get("state", ""), code=job.get("code"))
        await self._notices.once(f"job:{job['id']}", text)


def pool_ready(health: SandboxHealth) -> float | None:
    """How many containers wait for a command as last seen; None where none is wanted: an idle house, no pool at all."""
    if not health.ok:
        return 0.0
    facts = health.facts or {}
    return float(facts.get("ready", 0)) if facts.get("wanted") else None
