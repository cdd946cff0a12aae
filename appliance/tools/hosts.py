"""Where else commands may run than in the sandbox: this machine itself, or another machine's engine.

Only what the owner turned on is here. Whoever cannot run a command there says so; nothing ever runs somewhere else
than where it was asked to, and where a person saw it go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

from appliance.errors import ToolError
from appliance.messages import Role
from appliance.sandbox.client import CommandResult, SandboxHealth
from appliance.sandbox.plan import Plan
from appliance.tools.base import ToolContext
from appliance.tools.permission import exactly

Elsewhere = Literal["host", "remote"]


class Judge(Protocol):
    """Says what may run, after asking a person where that is due (tools.permission.PolicyGate)."""

    async def elsewhere(self, command: str, host: Elsewhere, context: ToolContext, image: str) -> Plan: ...


class OnHost(Protocol):
    """Runs a plan on this machine (sandbox.host.HostCommands)."""

    async def run(self, plan: Plan, limit: float) -> CommandResult: ...


class OnEngine(Protocol):
    """Runs a script in a container of another machine's engine (sandbox.client.SandboxClient)."""

    async def health(self) -> SandboxHealth: ...

    async def run(self, work: str, command: str = "", *, limit: float = 120.0) -> CommandResult: ...


class Hosts:
    """Give it who judges, and who runs commands on each host that is turned on. `record` is the audit."""

    def __init__(
        self,
        judge: Judge,
        *,
        host: OnHost | None = None,
        remote: OnEngine | None = None,
        record: Callable[..., Any] = lambda kind, **fields: None,
    ) -> None:
        self._judge = judge
        self._host = host
        self._remote = remote
        self._record = record

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts that are turned on, besides the sandbox."""
        return tuple(name for name, there in (("host", self._host), ("remote", self._remote)) if there is not None)

    async def run(self, name: str, command: str, limit: float, context: ToolContext) -> CommandResult:
        """Run a command on a host; return how it ended.

        Raises ToolError when it may not run, and SandboxError when it could not be started; then nothing ran.
        """
        if context.person.role is not Role.OWNER or context.session.is_group:
            raise ToolError("Only the owner may run commands outside the sandbox, and not in a group. Nothing was run.")
        if name == "host" and self._host is not None:
            return await self._on_host(self._host, command, limit, context)
        if name == "remote" and self._remote is not None:
            return await self._on_engine(self._remote, command, limit, context)
        raise ToolError(f"The owner has not turned on the host {name!r} (exec.hosts). Nothing was run.")

    async def _on_host(self, host: OnHost, command: str, limit: float, context: ToolContext) -> CommandResult:
        plan = await self._judge.elsewhere(command, "host", context, "")
        return await self._recorded(plan, context, host.run(plan, limit))

    async def _on_engine(self, remote: OnEngine, command: str, limit: float, context: ToolContext) -> CommandResult:
        health = await remote.health()
        if not health.ok:
            raise ToolError(f"Nothing was run: the other machine cannot run commands. {health.reason} {health.fix}")
        image = str((health.facts or {}).get("image_id", ""))
        plan = await self._judge.elsewhere(command, "remote", context, image)
        script = exactly(plan.segments, plan.environment)
        return await self._recorded(plan, context, remote.run(context.agent, script, limit=limit))

    async def _recorded(self, plan: Plan, context: ToolContext, work: Any) -> CommandResult:
        facts = {"host": plan.host, "argv": plan.segments, "folder": plan.folder, "session": context.session.value}
        self._record("exec", state="started", **facts)
        outcome, code = "failed", None
        try:
            result: CommandResult = await work
            outcome, code = result.outcome, result.code
        finally:
            self._record("exec", state="ended", outcome=outcome, code=code, **facts)
        return result
