"""All servers of the settings: who may use which, what they are known to offer, calls, and how they stand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from appliance.errors import ToolError
from appliance.mcp_client.catalogue import Catalogue, Change, Offered, Seen
from appliance.mcp_client.connection import Answer, Connection
from appliance.messages import THE_OWNER, Person, Role

MOST_SHOWN = 1_400  # characters of names in the prompt, about 350 tokens
_LONGEST_NAME = 40  # a longer name is not shown in the prompt: it would be a sentence
Changed = Callable[[str, Change], Awaitable[None]]


class Servers:
    """Given connections by name and what was seen of them before, list, describe and call.

    `changed` is told when a server offers something else than the last time.
    """

    def __init__(self, connections: Mapping[str, Connection], seen: Seen, changed: Changed) -> None:
        self._connections = connections
        self._seen = seen
        self._tell = changed

    def names(self, person: Person) -> list[str]:
        """The servers that a person may use."""
        mine = person.role is Role.OWNER
        return [name for name, one in self._connections.items() if mine or one.settings.members]

    def introduction(self) -> str:
        """A line for the prompt: each server, what it is for, the names of its tools as far as they are known.

        It is the same until the program starts again or the owner has servers checked.
        """
        servers = [(name, one.settings, self._known(name)) for name, one in self._connections.items()]
        room = MOST_SHOWN // max(1, len(servers))
        return "; ".join(
            name + (f" ({settings.about})" if settings.about else "") + _names(tools, room)
            for name, settings, tools in servers
        )

    def _known(self, name: str) -> list[str]:
        wanted = self._connections[name].settings.tools
        return list(wanted) or self._seen.names(name)

    async def tools(self, server: str, person: Person) -> Catalogue:
        """What a server offers now. Raises ToolError."""
        connection = self._find(server, person)
        offered = await connection.tools()
        change = await asyncio.to_thread(self._seen.update, server, offered)
        if change:
            await self._tell(server, change)
        return offered

    async def tool(self, server: str, name: str, person: Person) -> Offered:
        """One tool of a server. Raises ToolError, with the names there are."""
        offered = await self.tools(server, person)
        found = offered.tools.get(name)
        if found is None:
            some = ", ".join(list(offered.tools)[:60])
            raise ToolError(f"{server} has no tool {name[:80]!r}. Tools: {some}.")
        return found

    async def call(self, server: str, tool: str, arguments: Mapping[str, Any], person: Person) -> Answer:
        """Call a tool. Raises ToolError."""
        return await self._find(server, person).call(tool, arguments)

    def free(self, server: str, tool: str) -> bool:
        """Whether the owner lets a conversation that holds text from outside call this tool unasked."""
        listed = self._connections[server].settings.free
        return "*" in listed or tool in listed

    def rows(self) -> list[dict[str, Any]]:
        """How every server stands, without starting any."""
        return [
            {
                "name": name, "place": one.settings.place, "about": one.settings.about, "state": one.state,
                "problem": one.problem, "tools": list(one.offered.tools) if one.offered else self._known(name),
                "members": one.settings.members,
            }
            for name, one in self._connections.items()
        ]  # fmt: skip

    async def check(self, names: Iterable[str] = ()) -> list[dict[str, Any]]:
        """Connect to servers (all, or these) and list their tools; their rows with what was seen."""
        wanted = list(names) or list(self._connections)

        async def one(name: str) -> dict[str, Any]:
            try:
                offered = await self.tools(name, THE_OWNER)
            except ToolError as error:
                return {"name": name, "ok": False, "problem": error.what, "tools": [], "notes": []}
            tools = [{"name": tool.name, "description": tool.brief} for tool in offered.tools.values()]
            return {"name": name, "ok": True, "problem": "", "tools": tools, "notes": list(offered.notes)}

        return list(await asyncio.gather(*(one(name) for name in wanted)))

    async def stop(self) -> None:
        """End every connection and every program behind one."""
        await asyncio.gather(*(connection.close() for connection in self._connections.values()))

    def _find(self, server: str, person: Person) -> Connection:
        names = self.names(person)
        if server not in names:
            raise ToolError(f"There is no server {server[:60]!r} here. Servers: {', '.join(names)}.")
        return self._connections[server]


def _names(tools: list[str], room: int) -> str:
    """Names of tools within `room` characters, and how many more there are."""
    shown: list[str] = []
    for name in tools:
        room -= len(name) + 2
        if room < 0:
            break
        if len(name) <= _LONGEST_NAME:
            shown.append(name)
    more = len(tools) - len(shown)
    return (f": {', '.join(shown)}" if shown else "") + (f" (+{more})" if more else "")
