"""`check{what, hours?}`: what is new for the owner in their own accounts, read and never changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from appliance.errors import ToolError
from appliance.messages import Person, Role, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.tools.base import ToolContext, ToolResult

# Given so many hours, the lines of a check. Raises ToolError.
Look = Callable[[float], Awaitable[list[str]]]
_LONGEST_HOURS = 24.0 * 31


class CheckTool:
    """Given the checks by name, do them. `alone`: whether what runs by itself in a session is for the owner only."""

    def __init__(self, looks: Mapping[str, Look], alone: Callable[[SessionKey], bool]) -> None:
        self._looks = looks
        self._alone = alone
        self.spec = ToolSpec(
            "check",
            "Look into the owner's own accounts: unread mail and mentions of the last hours, appointments of the next.",
            {
                "type": "object",
                "properties": {
                    "what": {"type": "string", "enum": list(looks)},
                    "hours": {"type": "number", "description": "default 24, calendar 48"},
                },
                "required": ["what"],
            },
        )

    def available(self, session: SessionKey, person: Person) -> bool:
        """Only where the owner alone reads: their main session and what runs by itself for them."""
        return person.role is Role.OWNER if session.is_main else self._alone(session)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        what = str(arguments["what"])
        look = self._looks.get(what)
        if look is None:
            raise ToolError(f"{what!r} is not set up here; there are: {', '.join(self._looks)}.")
        hours = float(arguments.get("hours") or (48 if what == "calendar" else 24))
        lines = await look(min(max(hours, 1.0), _LONGEST_HOURS))
        return ToolResult("\n".join(lines) or "Nothing new.", source=Source.OUTSIDE, origin=what)
