"""What a tool is: a small schema and one coroutine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from appliance.messages import Attachment, Block, Person, Role, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.roles import Right, may


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call happens. `files` is the work folder that commands see as /workspace."""

    session: SessionKey
    agent: str
    person: Person
    turn: str
    call: str
    files: Path
    tainted: bool = False
    channel: str = "web"
    place: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What goes back. `source` is where the text comes from; `images` are blocks shown to models that see.

    `ends_turn`: this call was the outcome of the turn; the model is not asked again.
    """

    text: str
    ok: bool = True
    source: Source = Source.OWN
    origin: str = ""
    images: tuple[Block, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    ends_turn: bool = False


class Tool(Protocol):
    """What the model may call. No call is ever repeated by itself: one that a kill cut short is told as such.

    `run` gets arguments that fit the schema; it raises ToolError for what the model should know and may be cancelled
    at any await. `available` answers whether a session may see it at all.
    """

    spec: ToolSpec

    def available(self, session: SessionKey, person: Person) -> bool: ...

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult: ...


def may_use_house(session: SessionKey, person: Person) -> bool:
    """Whether a person may reach the house's files and commands from this session.

    Guests never; in a group only the owner, since what comes back is read by everybody there.
    """
    return may(person.role, Right.RUN) and (not session.is_group or person.role is Role.OWNER)
