"""What the owner may do with memory from the command line, the page and `/memory`: one object behind all three."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from appliance.clock import iso
from appliance.errors import NotFoundError
from appliance.memory import commands
from appliance.memory.house import Memory
from appliance.memory.items import OWNER


@dataclass(frozen=True, slots=True)
class OwnersMemory:
    """Given memory and an agent, the owner's view of it, as plain data."""

    memory: Memory
    agent: str = "main"
    erased: Callable[[str], Awaitable[int]] | None = None

    async def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        return await commands.search(self.memory, query, limit, self.agent)

    def history(self, what: str) -> list[dict[str, Any]]:
        return commands.history(self.memory, what, self.agent)

    def waiting(self) -> list[dict[str, Any]]:
        """What outside text wanted remembered, until the owner's yes."""
        return [
            {"id": held.id, "text": held.text, "at": iso(held.at), "session": held.session, "origin": held.origin}
            for held in self.memory.quarantine.list()
            if held.agent == self.agent
        ]

    def captured(self) -> list[dict[str, Any]]:
        """What was captured, is for the owner and still counts, newest first, with where it was said."""
        told = {item.id for item in self.memory.items(self.agent).told()}
        rows = [row for row in commands.history(self.memory, "", self.agent) if row["id"] in told]
        return sorted(rows, key=lambda row: str(row["at"]), reverse=True)

    def last_forgotten(self) -> dict[str, Any] | None:
        """The forgetting that `undo` would take back, or None."""
        rows = commands.history(self.memory, "", self.agent)
        undone = {row["of"] for row in rows if row["kind"] == "undo"}
        marks = [row for row in rows if row["kind"] == "forget" and row["by"] == OWNER and row["id"] not in undone]
        return max(marks, key=lambda row: str(row["at"]), default=None)

    async def status(self) -> dict[str, Any]:
        return await self.memory.status()

    async def forget(self, what: str, erase: bool) -> dict[str, Any]:
        """Mark what matches, or erase a text everywhere: files, index, and what `erased` looks after (core.db).

        Raises NotFoundError, InputError.
        """
        if not erase or self.erased is None:
            return await commands.forget(self.memory, what, erase=erase, agent=self.agent)
        rows = await self.erased(what)
        try:
            done = await commands.forget(self.memory, what, erase=True, agent=self.agent)
        except NotFoundError:
            if not rows:
                raise
            done = {"erased": {}}
        return {**done, "database_rows": rows}

    async def undo(self) -> dict[str, Any]:
        """Raises NotFoundError."""
        return await commands.undo(self.memory, self.agent)

    async def tidy(self) -> dict[str, Any]:
        return await commands.tidy(self.memory, self.agent)

    async def reindex(self) -> dict[str, Any]:
        return await commands.reindex(self.memory)

    async def decide(self, held: str, keep: bool) -> dict[str, Any]:
        """The owner's word on a text in quarantine. Raises NotFoundError."""
        if keep:
            done = await self.memory.release(held)
            return {"kept": done.item.text if done.item else done.held.text if done.held else ""}
        return {"dropped": self.memory.quarantine.take(held).text}
