"""`memory_search`, `memory_get` and `remember`: what was said and written before, within the reader's scope."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from appliance.errors import ApplianceError, ToolError
from appliance.memory.house import Memory
from appliance.memory.scopes import Scope
from appliance.memory.search import Hit
from appliance.messages import Person, SessionKey
from appliance.models.base import ToolSpec
from appliance.tools.base import ToolContext, ToolResult
from appliance.trust import worst

_LINES = re.compile(r"(\d{1,7})(?:\s*-\s*(\d{1,7}))?")
_LONGEST = 2_000


class MemorySearchTool:
    """`memory_search{query}`: the six best places, each as path:lines with the passage."""

    spec = ToolSpec(
        "memory_search",
        "Search earlier conversations, notes and what was remembered. Ask in plain words or by day, one topic a query.",
        {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    )

    def __init__(self, memory: Memory, zone: Callable[[], ZoneInfo]) -> None:
        self._memory = memory
        self._zone = zone

    def available(self, session: SessionKey, person: Person) -> bool:
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        hits = await self._memory.search(str(arguments["query"]), Scope.of(context.session, context.person))
        if not hits:
            return ToolResult("Nothing found. Other words may help; names and numbers are found best.")
        text = "\n\n".join(self._shown(hit) for hit in hits)
        return ToolResult(text, source=worst(hit.source for hit in hits), origin="memory")

    def _shown(self, hit: Hit) -> str:
        lines = f"{hit.start_line}-{hit.end_line}" if hit.end_line > hit.start_line else f"{hit.start_line}"
        day = f" ({datetime.fromtimestamp(hit.at, self._zone()):%Y-%m-%d})" if hit.at else ""
        return f"[{hit.path}:{lines}]{day}\n{hit.snippet}"


class MemoryGetTool:
    """`memory_get{path, lines?}`: read on around a result."""

    spec = ToolSpec(
        "memory_get",
        "Read lines of a file that memory_search named.",
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "lines": {"type": "string", "description": "10 or 10-40"}},
            "required": ["path"],
        },
    )

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def available(self, session: SessionKey, person: Person) -> bool:
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        start, end = _range(str(arguments.get("lines") or ""))
        try:
            text, source = self._memory.read(
                Scope.of(context.session, context.person), str(arguments["path"]), start, end
            )
        except ApplianceError as error:
            raise ToolError(str(error)) from error
        return ToolResult(text or "(no text on these lines)", source=source, origin="memory")


class RememberTool:
    """`remember{text}`: one line in today's note; from a conversation with outside text only after the owner's yes."""

    spec = ToolSpec(
        "remember",
        "Keep one fact, wish or rule for good, in the person's own words.",
        {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    )

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def available(self, session: SessionKey, person: Person) -> bool:
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        text = str(arguments["text"]).strip()
        if not text or len(text) > _LONGEST:
            raise ToolError(f"Give 1 to {_LONGEST} characters; several things are several calls.")
        try:
            done = await self._memory.remember(
                text,
                Scope.of(context.session, context.person),
                message=context.turn,
                tainted=context.tainted,
                origin=context.channel,
            )
        except OSError as error:
            raise ToolError(f"It could not be written: {error.strerror}.") from error
        if done.held is not None:
            return ToolResult(
                "Not stored yet: this conversation holds text from outside, so the owner is asked first"
                f" (/memory, {done.held.id})."
            )
        return ToolResult("Known already." if done.known else "Remembered.")


def _range(lines: str) -> tuple[int, int]:
    """`10` or `10-40` as numbers; the whole (0) when nothing is given. Raises ToolError."""
    if not lines:
        return 1, 0
    found = _LINES.fullmatch(lines.strip())
    if found is None:
        raise ToolError(f"lines is a number or a range such as 10-40, not {lines!r}.")
    start = max(1, int(found[1]))
    return start, max(start, int(found[2])) if found[2] else start + 20


def tools(memory: Memory, zone: Callable[[], ZoneInfo]) -> list[MemorySearchTool | MemoryGetTool | RememberTool]:
    """The three tools over one memory."""
    return [MemorySearchTool(memory, zone), MemoryGetTool(memory), RememberTool(memory)]
