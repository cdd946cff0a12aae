"""Tools for tests of the whole house: one that answers, or fails, with as much text as asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from appliance.errors import ToolError
from appliance.messages import Person, SessionKey
from appliance.models.base import ToolSpec
from appliance.tools.base import ToolContext, ToolResult


class Says:
    """Given what it says, the tool `say_it{n?}`; `fails` makes each call a failure. `runs` counts them."""

    spec = ToolSpec("say_it", "Say it.", {"type": "object", "properties": {"n": {"type": "integer"}}})

    def __init__(self, text: Callable[[int], str], *, fails: bool = False) -> None:
        self._text = text
        self._fails = fails
        self.runs = 0

    def available(self, session: SessionKey, person: Person) -> bool:
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        self.runs += 1
        text = self._text(int(arguments.get("n", 0)))
        if self._fails:
            raise ToolError(text)
        return ToolResult(text)
