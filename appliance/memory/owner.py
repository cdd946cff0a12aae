"""What the owner may do with memory from the command line, the page and `/memory`: one object behind all three."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from appliance.clock import iso
from appliance.memory import commands
from appliance.memory.house import Memory


@dataclass(frozen=True, slots=True)
class OwnersMemory:
    """Given memory and an agent, the owner's view of it, as plain data."""

    memory: Memory
    agent: str = "main"

    async def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        return await commands.search(self.memory, query, limit, self.agent)

    def history(self, what: str) -> list[dict[str, Any]]:
        return commands.history(self.memory, what, self.agent)

    def waiting(self) -> list[dict[str, Any]]:
        """What outside text wanted remembered, until the owner's yes."""
        return [
            {"id": held.id, "text": held.text, "at": iso(held.at), "session": held.session, "origin": held.origin}
            for held in self.memory.quarantine.list()
        ]

    async def status(self) -> dict[str, Any]:
        return await self.memory.status()

    async def forget(self, what: str, erase: bool) -> dict[str, Any]:
        """Raises NotFoundError, InputError."""
        return await commands.forget(self.memory, what, erase=erase, agent=self.agent)

    async def undo(self) -> dict[str, Any]:
        """Raises NotFoundError."""
        return await commands.undo(self.memory, self.agent)

    async def reindex(self) -> dict[str, Any]:
        return await commands.reindex(self.memory)

    async def decide(self, held: str, keep: bool) -> dict[str, Any]:
        """The owner's word on a text in quarantine. Raises NotFoundError."""
        if keep:
            done = await self.memory.release(held)
            return {"kept": done.item.text if done.item else ""}
        return {"dropped": self.memory.quarantine.take(held).text}
