"""A small house of memory for tests: one agent, a manual clock, an embedder without a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from appliance.memory.filler import VectorFiller
from appliance.memory.index import MemoryIndex
from appliance.memory.items import Item, line_of
from appliance.memory.scopes import Scope
from appliance.memory.search import Hit, MemorySearch, SearchOptions
from appliance.memory.store import rows
from appliance.memory.workspace import Workspace
from appliance.messages import SessionKey
from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.manual_clock import ManualClock

AT = 1_775_000_000.0
OWNER = Scope(SessionKey.main())


class House:
    """Files, index, filler and search over one STATE."""

    def __init__(self, state: Path, embedder: FakeEmbedder | None, options: SearchOptions | None = None) -> None:
        self.state = state
        self.clock = ManualClock(AT + 86_400, auto=True)
        self.workspace = Workspace(state / "agents" / "main", ZoneInfo("UTC"))
        self.workspace.create()
        self.embedder = embedder
        self.index = MemoryIndex(state, {"main": self.workspace}, self.clock)
        self.filler = VectorFiller(self.index, embedder, self.clock) if embedder else None
        self.engine = MemorySearch(self.index, self.filler, self.clock, options)

    def say(
        self, *turns: tuple[str, str], session: str = "agent:main:main", start: int = 0, source: str = "owner"
    ) -> Path:
        """Append turns (said, reply) to a transcript; a reply of "" is none."""
        path = self.workspace.sessions / f"{session.replace(':', '-')}.jsonl"
        lines: list[dict[str, Any]] = [] if path.exists() else [{"type": "session", "key": session}]
        for number, (said, reply) in enumerate(turns, start=start):
            turn = f"t{number:04d}"
            block = [{"type": "text", "text": said}]
            lines.append(
                {"id": f"{turn}.1", "turn": turn, "seq": 1, "at": AT + number * 60, "role": "user", "content": block}
                | {"text": said, "person": "Sam", "source": source, "rows": [number]}
            )
            if reply:
                lines.append(
                    {"id": f"{turn}.2", "turn": turn, "seq": 2, "at": AT + number * 60 + 1, "role": "assistant"}
                    | {"content": [{"type": "text", "text": reply}], "text": reply, "final": True}
                )
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        return path

    def item(self, text: str, tag: str = "W", at: float = AT, **fields: Any) -> Item:
        made = Item(tag=tag, text=text, at=at, session="agent:main:main", message="1", **fields)  # type: ignore[arg-type]
        self.workspace.append_day(line_of(made), at)
        return made

    def memory(self, text: str) -> None:
        (self.workspace.folder / "MEMORY.md").write_text(text, encoding="utf-8")

    async def ready(self) -> None:
        """Everything read, every vector made."""
        await self.index.sync()
        if self.filler is not None:
            await self.filler.fill()

    async def find(self, query: str, scope: Scope = OWNER, limit: int = 6) -> list[Hit]:
        return await self.engine.search(query, scope, limit)

    async def snippets(self, query: str, scope: Scope = OWNER, limit: int = 6) -> str:
        return "\n---\n".join(hit.snippet for hit in await self.find(query, scope, limit))

    def count(self, sql: str, arguments: Sequence[Any] = ()) -> int:
        return int(self.index.read(lambda c: rows(c, sql, arguments))[0][0])
