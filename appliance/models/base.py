"""What a model is to the rest of the house: a request in, a stream of events out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from appliance.messages import Message, Purpose, SessionKey, Usage
from appliance.texts import say


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it. `schema` is JSON Schema of its input."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A piece of the system prompt; `mark` asks for a cache mark after it."""

    text: str
    mark: bool = False


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything a call needs. `max_tokens` limits the output, thinking included.

    `messages` are messages.Message dicts; the adapter converts them, and loads images from disk.
    """

    system: tuple[PromptPart, ...]
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int = 8192
    purpose: Purpose = Purpose.CHAT
    session: SessionKey = field(default_factory=SessionKey.main)
    agent: str = "main"
    channel: str = "web"
    turn: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer, in order."""

    text: str


StopReason = Literal["end", "tool_use", "max_tokens", "refusal", "stopped"]


@dataclass(frozen=True, slots=True)
class Finished:
    """The whole answer. `content` is blocks (text, thinking, tool_use), `usage` is the provider's figure or an
    estimate marked as one; `model` is who really answered."""

    content: tuple[dict[str, Any], ...]
    stop: StopReason
    usage: Usage
    model: str


@dataclass(frozen=True, slots=True)
class Started:
    """The provider accepted the call; `usage` is what it already counted (input side), when it says.

    `partial()` returns, at any later moment, what has arrived so far: a call that is cancelled is charged by it.
    """

    usage: Usage = field(default_factory=Usage)
    partial: Callable[[], Finished] | None = None


ModelEvent = Started | TextDelta | Finished


@dataclass(frozen=True, slots=True)
class Restarted:
    """The text shown so far came from an attempt that broke: drop it, the answer begins anew."""

    reason: str


NoticeKind = Literal["fallback", "budget", "auth", "blind"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know. `text(language)` says it.

    `key` and `values` are of texts.TEXTS; a value named `x_key` is itself a text, said in the same language as `x`.
    """

    kind: NoticeKind
    key: str
    values: dict[str, Any] = field(default_factory=dict)

    def text(self, language: str = "en") -> str:
        values = {
            name.removesuffix("_key"): say(str(value), language) if name.endswith("_key") else value
            for name, value in self.values.items()
        }
        return say(self.key, language, **values)


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a resolved call: who answered what, and what it cost in picodollars (10^-12 US dollars)."""

    finished: Finished
    cost: int
    model: str
    local: bool
    provider: str = ""


ResolvedEvent = Started | TextDelta | Restarted | Notice | Answer


class Model(Protocol):
    """One model behind one provider. `name` is what the chain calls it, `billed_as` what its price is known by;
    `window` and `max_output` are tokens and may change while a local one loads.

    `stream` yields Started?, TextDelta*, Finished exactly once at the end, or raises ModelError. On a cut stream it
    raises ModelError with `partial` set to what arrived, so that it can be charged.
    """

    @property
    def name(self) -> str: ...
    @property
    def billed_as(self) -> str: ...
    @property
    def provider(self) -> str: ...
    @property
    def window(self) -> int: ...
    @property
    def max_output(self) -> int: ...
    @property
    def local(self) -> bool: ...
    @property
    def vision(self) -> bool: ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]: ...

    async def count(self, request: ModelRequest) -> int | None:
        """Exact input tokens as the provider counts them (free of charge), or None when it cannot say."""
        ...

    async def close(self) -> None: ...


def asks_with_picture(request: ModelRequest) -> bool:
    """Whether the newest message of a person has a picture; results of tools are none."""
    for message in reversed(request.messages):
        kinds = {block["type"] for block in message["content"]} - {"tool_result"}
        if message["role"] == "user" and kinds:
            return request.purpose is Purpose.CHAT and "image" in kinds
    return False


def characters(request: ModelRequest) -> int:
    """Characters of everything that is sent as text; the cheap half of a token estimate."""
    total = sum(len(part.text) for part in request.system)
    total += sum(len(tool.name) + len(tool.description) + len(str(tool.schema)) for tool in request.tools)
    return total + sum(_message_characters(message) for message in request.messages)


def _message_characters(message: Message) -> int:
    total = 8
    for block in message["content"]:
        match block["type"]:
            case "text":
                total += len(block["text"])
            case "tool_use":
                total += len(block["name"]) + len(str(block["input"])) + 40
            case "tool_result":
                total += len(block["content"]) + 40
            case "thinking" | "redacted_thinking":
                total += len(str(block))
    return total
