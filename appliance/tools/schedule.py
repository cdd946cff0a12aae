"""`schedule`: what the model may ask to be done later. What stands behind it lives above and is handed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from appliance.errors import ApplianceError, ToolError
from appliance.messages import Person, Role, SessionKey
from appliance.models.base import ToolSpec
from appliance.tools.base import ToolContext, ToolResult


@dataclass(frozen=True, slots=True)
class Wish:
    """A job as somebody asks for it. `when` is a schedule as people write it; empty fields mean the default.

    `holidays`: path of an iCalendar file in the work folder. `late_seconds`: how late a missed run may be made up for.
    `urgent`: not held back in quiet hours; only a person can say so, never the model.
    """

    when: str
    text: str
    name: str = ""
    zone: str = ""
    holidays: str = ""
    main: bool = False
    deliver: str = "announce"
    webhook: str = ""
    models: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    budget: str = ""
    late_seconds: int = 0
    urgent: bool = False


class Scheduler(Protocol):
    """What keeps the jobs. Each method answers in words for the model and raises ApplianceError with the reason.

    A wish from a tainted conversation is stored but waits for the owner's yes.
    """

    async def wish(self, wish: Wish, context: ToolContext) -> str: ...

    def listing(self, context: ToolContext) -> str: ...

    async def cancel(self, job: str, context: ToolContext) -> str: ...


class ScheduleTool:
    """`schedule{action, when?, text?, ...}`."""

    spec = ToolSpec(
        "schedule",
        "Do something later, regularly or on a change: add, list or remove jobs. A job runs as a message of its own; "
        "its answer is sent to the person. when: 'at 2026-12-24 18:00', 'at +20m', 'every 2h', a cron expression, "
        "'watch file PATH', 'watch url|feed URL' or 'watch command SCRIPT'.",
        {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["add", "list", "remove"]},
                "when": {"type": "string"},
                "text": {"type": "string", "description": "what to do then, complete in itself"},
                "name": {"type": "string"},
                "zone": {"type": "string", "description": "time zone if not the owner's"},
                "except_ics": {
                    "type": "string",
                    "description": "calendar file in the work folder: its days are left out",
                },
                "session": {"type": "string", "enum": ["isolated", "main"]},
                "deliver": {"type": "string", "enum": ["announce", "silent"]},
                "id": {"type": "string", "description": "for remove"},
            },
            "required": ["action"],
        },
    )

    def __init__(self, scheduler: Callable[[], Scheduler]) -> None:
        self._scheduler = scheduler

    def available(self, session: SessionKey, person: Person) -> bool:
        """Never in groups, for guests, or in what runs by itself: a job must not make jobs."""
        itself = session.by_itself or person.id.startswith(("cron:", "heartbeat:"))
        return not itself and person.role is not Role.GUEST and not session.is_group

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        scheduler = self._scheduler()
        try:
            match arguments["action"]:
                case "list":
                    return ToolResult(scheduler.listing(context))
                case "remove":
                    return ToolResult(await scheduler.cancel(_needed(arguments, "id"), context))
                case _:
                    return ToolResult(await scheduler.wish(_wish(arguments), context))
        except ApplianceError as error:
            raise ToolError(str(error)) from error


def _wish(arguments: dict[str, Any]) -> Wish:
    return Wish(
        when=_needed(arguments, "when"),
        text=_needed(arguments, "text"),
        name=str(arguments.get("name") or ""),
        zone=str(arguments.get("zone") or ""),
        holidays=str(arguments.get("except_ics") or ""),
        main=arguments.get("session") == "main",
        deliver=str(arguments.get("deliver") or "announce"),
    )


def _needed(arguments: dict[str, Any], name: str) -> str:
    value = str(arguments.get(name) or "").strip()
    if not value:
        raise ToolError(f"{arguments['action']} needs {name}.")
    return value
