"""The shared vocabulary. Imports nothing of ours.

Conversation content is a list of blocks, each a plain dict with a `type`, so that a transcript line, a model request
and a test read alike:

    {"type": "text", "text": str}
    {"type": "image", "media_type": "image/png", "path": str}         bytes stay on disk until a model needs them
    {"type": "thinking", ...}                                         opaque, given back to the model that made it
    {"type": "tool_use", "id": str, "name": str, "input": dict}
    {"type": "tool_result", "tool_use_id": str, "content": str, "is_error": bool}

A message is {"role": "user" | "assistant", "content": [block, ...]}; tool results travel in a user message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Block = dict[str, Any]
Message = dict[str, Any]


class Source(StrEnum):
    """Where a text comes from. Worse sources win when texts are mixed (see trust.py)."""

    OWNER = "owner"
    OWN = "own"
    OUTSIDE = "outside"


class Role(StrEnum):
    """What a person is to this house."""

    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"


class Purpose(StrEnum):
    """Why a model is called; each can have its own budget."""

    CHAT = "chat"
    STEER = "steer"
    FLUSH = "flush"
    COMPACTION = "compaction"
    HEARTBEAT = "heartbeat"
    CRON = "cron"
    EMBEDDING = "embedding"
    TITLE = "title"
    MEMORY = "memory"


class Mode(StrEnum):
    """What a message does that arrives while a turn of its session runs."""

    STEER = "steer"
    FOLLOWUP = "followup"
    COLLECT = "collect"
    INTERRUPT = "interrupt"


MAIN = "main"  # the agent that every house has
AGENT_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
WEB_NAME = re.compile(r"[a-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A conversation. `value` is a key to look up, never a path. Forms: see the classmethods."""

    value: str

    @classmethod
    def main(cls, agent: str = MAIN) -> SessionKey:
        return cls(f"agent:{agent}:main")

    @classmethod
    def dm(cls, channel: str, user: str, agent: str = MAIN) -> SessionKey:
        return cls(f"agent:{agent}:{channel}:dm:{user}")

    @classmethod
    def group(cls, channel: str, chat: str, topic: str | None = None, agent: str = MAIN) -> SessionKey:
        tail = f":topic:{topic}" if topic else ""
        return cls(f"agent:{agent}:{channel}:group:{chat}{tail}")

    @classmethod
    def web(cls, name: str, agent: str = MAIN) -> SessionKey:
        return cls(f"agent:{agent}:web:{name}")

    @classmethod
    def cron(cls, job: str, agent: str = MAIN) -> SessionKey:
        return cls(f"cron:{job}" if agent == MAIN else f"cron:{agent}:{job}")

    @classmethod
    def heartbeat(cls, agent: str = MAIN) -> SessionKey:
        return cls(f"heartbeat:{agent}")

    @property
    def agent(self) -> str:
        """The agent's id; a cron key without one belongs to the main agent."""
        parts = self.value.split(":")
        named = len(parts) > (2 if parts[0] == "cron" else 1) and parts[0] in ("agent", "heartbeat", "cron")
        return parts[1] if named else MAIN

    @property
    def job(self) -> str:
        """The id of the job that runs here; empty for what is no cron session."""
        return self.value.rpartition(":")[2] if self.value.startswith("cron:") else ""

    @property
    def by_itself(self) -> bool:
        """True for what runs unasked: schedules and heartbeats."""
        return self.value.startswith(("cron:", "heartbeat:"))

    @property
    def is_main(self) -> bool:
        """True for the owner's private session, the only one that sees MEMORY, USER and day notes."""
        parts = self.value.split(":")
        return len(parts) == 3 and parts[0] == "agent" and parts[2] == "main"

    @property
    def is_group(self) -> bool:
        """True where several people read along."""
        parts = self.value.split(":", 4)
        return len(parts) == 5 and parts[0] == "agent" and parts[3] == "group"

    @property
    def reader(self) -> str:
        """The id of the person whose direct messages these are; empty for every other conversation."""
        parts = self.value.split(":", 4)
        return parts[4] if len(parts) == 5 and parts[0] == "agent" and parts[3] == "dm" else ""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came in or goes out. `path` lies under the work folder; `size` is counted, never believed."""

    kind: Literal["image", "document", "audio", "video", "other"]
    path: str
    media_type: str
    size: int
    name: str = ""
    source: Source = Source.OWNER

    @property
    def file_id(self) -> str:
        """Its folder and name: how the API gives it out."""
        return "/".join(self.path.rsplit("/", 2)[-2:])

    def shown(self) -> dict[str, Any]:
        """The file as the API tells of it."""
        return {"id": self.file_id, "name": self.name, "media_type": self.media_type, "size": self.size}


InboundKind = Literal["message", "edit", "callback", "command"]


@dataclass(frozen=True, slots=True)
class Person:
    """Who speaks. `id` is the platform's numeric or fixed id, never a name; `name` is for display only."""

    id: str
    name: str = ""
    role: Role = Role.GUEST
    language: str = ""


THE_OWNER = Person("owner", role=Role.OWNER)  # on the machine itself: page, terminal, what the house does for them


@dataclass(frozen=True, slots=True)
class Inbound:
    """One thing that arrived. (channel, account, chat, kind, id) is unique: it is the inbox key.

    `at` is Unix seconds as the platform says; `place` is what delivery needs to answer (opaque to all but the channel).
    `own_words`: the person wrote it in private and passed nothing on, whoever they are to the house.
    """

    channel: str
    account: str
    chat: str
    kind: InboundKind
    id: str
    text: str
    person: Person
    session: SessionKey
    at: float
    attachments: tuple[Attachment, ...] = ()
    source: Source = Source.OWNER
    own_words: bool = False
    place: dict[str, Any] = field(default_factory=dict)
    reply_to: str | None = None
    mode: Mode | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        return (self.channel, self.account, self.chat, self.kind, self.id)


@dataclass(frozen=True, slots=True)
class Button:
    """A choice under a message. `action` is opaque, bound to a person, single use (see gateway/buttons)."""

    label: str
    action: str


@dataclass(frozen=True, slots=True)
class Outbound:
    """One thing to say. `text` is Markdown; `in_reply_to` are inbox row ids answered by it (empty for a notice)."""

    channel: str
    place: dict[str, Any]
    text: str
    session: SessionKey | None = None
    in_reply_to: tuple[int, ...] = ()
    buttons: tuple[Button, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    kind: Literal["reply", "notice", "error"] = "reply"
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, disjoint: the sum is the true total. `estimated` when the provider did not say.

    `modes` are what multiplies the bill as the provider reports it: fast, batch, us.
    """

    input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0
    server_tools: dict[str, int] = field(default_factory=dict)
    estimated: bool = False
    modes: tuple[str, ...] = ()

    @property
    def prompt(self) -> int:
        """All tokens the model read."""
        return self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h

    @property
    def cache_write(self) -> int:
        return self.cache_write_5m + self.cache_write_1h

    def __add__(self, other: Usage) -> Usage:
        tools = dict(self.server_tools)
        for name, count in other.server_tools.items():
            tools[name] = tools.get(name, 0) + count
        return Usage(
            input=self.input + other.input,
            cache_read=self.cache_read + other.cache_read,
            cache_write_5m=self.cache_write_5m + other.cache_write_5m,
            cache_write_1h=self.cache_write_1h + other.cache_write_1h,
            output=self.output + other.output,
            server_tools=tools,
            estimated=self.estimated or other.estimated,
            modes=tuple(dict.fromkeys(self.modes + other.modes)),
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "input": self.input,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "output": self.output,
            "estimated": self.estimated,
        }


EventType = Literal["accepted", "text", "tool_start", "tool_end", "notice", "done", "error"]


@dataclass(frozen=True, slots=True)
class Event:
    """What a watcher of a turn sees, in this order: accepted, (text | tool_start, tool_end | notice)*, done or error.

    `data`: accepted {message_id}; text {delta}; tool_start {id, name, input}; tool_end {id, name, ok, summary};
    notice {text}; done {reply, model, usage, cost_usd, message_id}; error {message, fix}.
    """

    type: EventType
    session: SessionKey
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Received:
    """An inbound that stands in the durable inbox. `row` is its number, `turn` the id of the turn it would start.

    `failures` counts handled failures (three make it dead), `deaths` counts kills of the process while it ran.
    """

    row: int
    turn: str
    inbound: Inbound
    failures: int = 0
    deaths: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What answers one or more inbox rows. `cost` is picodollars; `error` is empty when all went well."""

    turn: str
    session: SessionKey
    text: str
    rows: tuple[int, ...]
    message_id: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    cost: int = 0
    error: str = ""
    attachments: tuple[Attachment, ...] = ()
    buttons: tuple[Button, ...] = ()
