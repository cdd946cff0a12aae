"""`mcp{server, tool?, arguments?}`: tools of the owner's MCP servers, loaded one at a time when they are needed.

One small schema stands for all of them. What a server says, its descriptions included, is text from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from appliance.errors import ToolError
from appliance.mcp_client.catalogue import Catalogue, Offered, listing
from appliance.mcp_client.connection import Answer
from appliance.messages import Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.observability.redaction import MASK
from appliance.tools.base import ToolContext, ToolResult, may_use_house

_MOST_ARGUMENTS = 1_000_000  # characters of JSON


class Servers(Protocol):
    """The configured servers (mcp_client.servers.Servers). What reaches one raises ToolError."""

    def names(self, person: Person) -> list[str]: ...

    def introduction(self) -> str: ...

    def free(self, server: str, tool: str) -> bool: ...

    async def tools(self, server: str, person: Person) -> Catalogue: ...

    async def tool(self, server: str, name: str, person: Person) -> Offered: ...

    async def call(self, server: str, tool: str, arguments: Mapping[str, Any], person: Person) -> Answer: ...


class Confirm(Protocol):
    """Asks the owner before a call goes out; raises ToolError when the answer is not yes."""

    async def __call__(self, server: str, tool: str, arguments: str, context: ToolContext) -> None: ...


class McpTool:
    """Given the servers and who asks the owner, offer them to people who may use the house."""

    def __init__(self, servers: Servers, confirm: Confirm) -> None:
        self._servers = servers
        self._confirm = confirm
        self.spec = self._spec()

    def introduce(self) -> None:
        """Show in the prompt what is known of the servers now."""
        self.spec = self._spec()

    def _spec(self) -> ToolSpec:
        return ToolSpec(
            "mcp",
            "Tools of further servers. server alone lists its tools; with tool: its parameters; with arguments: calls "
            f"it. Servers: {self._servers.introduction()}.",
            {
                "type": "object",
                "properties": {
                    "server": {"type": "string"},
                    "tool": {"type": "string"},
                    "arguments": {"type": "object"},
                },
                "required": ["server"],
            },
        )

    def available(self, session: SessionKey, person: Person) -> bool:
        return may_use_house(session, person) and bool(self._servers.names(person))

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        server, name, given = str(arguments["server"]), str(arguments.get("tool") or ""), arguments.get("arguments")
        if not name:
            return _told(listing(await self._servers.tools(server, context.person)), server)
        tool = await self._servers.tool(server, name, context.person)
        if given is None:
            return _told(_described(tool), server)
        problem = tool.problem(given)
        if problem:
            return _told(f"{problem}\n{_described(tool)}", server, ok=False)
        text = msgspec.json.encode(given).decode()
        if MASK in text:
            raise ToolError(f"{MASK} stands where a secret was hidden from you; it is not the value. Nothing was sent.")
        if len(text) > _MOST_ARGUMENTS:
            raise ToolError(f"The arguments are too long: at most {_MOST_ARGUMENTS:,} characters.")
        if context.tainted and not self._servers.free(server, name):
            await self._confirm(server, name, text, context)
        answer = await self._servers.call(server, name, given, context.person)
        return _told(answer.text, server, ok=answer.ok)


def _described(tool: Offered) -> str:
    return f"{tool.name}: {tool.description}\narguments: {msgspec.json.encode(tool.schema).decode()}"


def _told(text: str, server: str, *, ok: bool = True) -> ToolResult:
    return ToolResult(text, ok=ok, source=Source.OUTSIDE, origin=f"mcp {server}")
