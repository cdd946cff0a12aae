"""MCP servers put together: connections, the tool, the owner's word, health and news; part of the composition root."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from appliance.clock import Clock
from appliance.errors import NotFoundError
from appliance.mcp_client.catalogue import Change, Seen
from appliance.mcp_client.channels import Channel, Command, Program, SandboxJobs
from appliance.mcp_client.connection import Connection, Link, LinkError
from appliance.mcp_client.doctor import INSTALL, NOT_INSTALLED, installed
from appliance.mcp_client.servers import Servers
from appliance.observability.health import Health, State
from appliance.observability.metrics import Metrics
from appliance.observability.notices import Notices
from appliance.observability.redaction import add_secrets
from appliance.sandbox.approvals import Approvals
from appliance.settings import Settings
from appliance.settings.mcp import McpServerSettings, variables
from appliance.texts import say
from appliance.tools.base import ToolContext
from appliance.tools.confirm import OwnersYes
from appliance.tools.mcp import McpTool
from appliance.tools.registry import Registry


class McpServers:
    """Given what it needs of the house, offer `mcp` where servers are configured. Starts none before it is needed."""

    def __init__(
        self,
        *,
        settings: Settings,
        clock: Clock,
        tools: Registry,
        health: Health,
        metrics: Metrics,
        notices: Notices,
        approvals: Approvals,
        jobs: SandboxJobs,
        language: Callable[[], str],
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._health = health
        self._notices = notices
        self._owners_yes = OwnersYes(approvals)
        self._jobs = jobs
        self._language = language
        connections = {
            name: Connection(
                name,
                server,
                self._opening(name, server),
                clock,
                counted=lambda action, outcome, name=name: metrics.add(  # type: ignore[misc]
                    "mcp_requests_total", server=name, action=action, outcome=outcome
                ),
                changed=self._report,
            )
            for name, server in sorted(settings.mcp.items())
        }
        self.servers = Servers(connections, Seen(settings.state / "mcp"), self._changed)
        self._tool: McpTool | None = None
        if connections and installed():
            self._tool = McpTool(self.servers, self._confirm)
            tools.add(self._tool)
        self._report()

    async def stop(self) -> None:
        await self.servers.stop()

    # what the owner may do -------------------------------------------------------------------------------------

    def listed(self) -> dict[str, Any]:
        """How every server stands, without starting any."""
        return {"servers": self.servers.rows()}

    async def check(self, name: str = "") -> dict[str, Any]:
        """Connect to all servers, or to one, and say what they offer. Raises NotFoundError."""
        if name and name not in self._settings.mcp:
            raise NotFoundError(f"There is no MCP server {name!r}.", fix="`appliance mcp list` shows them.")
        if self._settings.mcp and not installed():
            raise NotFoundError(NOT_INSTALLED, fix=INSTALL)
        found = await self.servers.check([name] if name else [])
        if self._tool is not None:
            self._tool.introduce()
        return {"servers": found}

    # opening ---------------------------------------------------------------------------------------------------

    def _opening(self, name: str, server: McpServerSettings) -> Callable[[], Any]:
        @contextlib.asynccontextmanager
        async def opening() -> AsyncIterator[Link]:
            wire = await _wire()
            link = wire.WireLink()
            if server.url:
                transport = wire.over_http(server, link)
            else:
                transport = wire.over_lines(await self._channel(name, server), link)
            async with wire.open_link(transport, link) as opened:
                yield opened

        return opening

    async def _channel(self, name: str, server: McpServerSettings) -> Channel:
        words = [server.command, *server.args]
        if not server.allow_host:
            if not self._settings.exec.enabled:
                raise LinkError("it runs in the sandbox, and exec.enabled is false")
            return await Command.start(self._jobs, name, words, network=server.network)
        try:
            environment = variables(server)
        except ValueError as error:
            raise LinkError(str(error)) from None
        add_secrets(environment.values())
        return await Program.start(words, environment, self._settings.state / "mcp" / name)

    # the owner's word ------------------------------------------------------------------------------------------

    async def _confirm(self, server: str, tool: str, arguments: str, context: ToolContext) -> None:
        why = say("mcp_why", self._language(), server=server)
        await self._owners_yes("mcp", (server, tool, arguments), why, context, "Not called")

    # news ------------------------------------------------------------------------------------------------------

    async def _changed(self, server: str, change: Change) -> None:
        text = say("mcp_changed", self._language(), server=server, change=str(change))
        day = int(self._clock.now() // 86_400)  # a server whose tools never stay the same is news once a day
        await self._notices.once(f"mcp:{server}:{day}", text)

    def _report(self) -> None:
        """How the servers stand, for /status and the page."""
        if not self._settings.mcp:
            return
        if not installed():
            self._health.set("mcp", State.DEGRADED, f"{NOT_INSTALLED} {INSTALL}")
            return
        rows = self.servers.rows()
        state = State.DEGRADED if any(row["state"] == "failed" for row in rows) else State.READY
        self._health.set("mcp", state, "; ".join(_standing(row) for row in rows))


def _standing(row: dict[str, Any]) -> str:
    match row["state"]:
        case "failed":
            return f"{row['name']}: {row['problem']}"
        case "ready":
            return f"{row['name']}: {len(row['tools'])} tools"
        case _:
            return f"{row['name']}: not started"


async def _wire() -> Any:
    """The protocol's library, loaded off the event loop: it takes most of a second."""
    return await asyncio.to_thread(importlib.import_module, "appliance.mcp_client.wire")
