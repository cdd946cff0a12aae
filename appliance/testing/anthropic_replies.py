"""What the fake answers: a reply, the faults it can have, and its stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from appliance.testing.anthropic_cache import count
from appliance.testing.anthropic_rules import sign

Fault = Literal[
    "",
    "cut",  # the connection breaks after `after` pieces of text
    "eof",  # the stream ends tidily, but without its last events
    "error_event",  # an `error` event after `after` pieces
    "no_usage",  # no event carries usage
    "duplicate_tool_ids",  # the last call is sent twice under one id
    "broken_tool_json",  # the arguments stop in the middle
    "endless",  # pings for ever after `after` pieces
    "silent",  # nothing at all after `after` pieces
    "refuse_connection",  # the connection closes without a response
]


@dataclass(slots=True)
class Reply:
    """One answer. Times in seconds: `delay` before the first byte, `pace` between pieces.

    `status` other than 200 is an HTTP error with `error` as its type, `message` and `headers`; `html` replaces its
    body. `tools` are (name, input) pairs. `first_usage` and `last_usage` replace parts of what the first and the last
    event say; `billed_usage` replaces what the book says was billed.
    """

    text: str = ""
    tools: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    thinking: str = ""
    stop: str = ""
    fault: Fault = ""
    after: int = 1
    pieces: int = 1
    delay: float = 0.0
    pace: float = 0.0
    status: int = 200
    error: str = ""
    message: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    html: str = ""
    first_usage: dict[str, Any] = field(default_factory=dict)
    last_usage: dict[str, Any] = field(default_factory=dict)
    billed_usage: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Reply:
        """The form in which a script is sent to POST /script. Raises TypeError for an unknown field."""
        reply = cls(**data)
        reply.tools = [(name, arguments) for name, arguments in reply.tools]
        return reply

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def rate_limited(retry_after: str = "1") -> Reply:
    """429; `retry_after` is seconds or an HTTP date, empty for none."""
    headers = {"retry-after": retry_after} if retry_after else {}
    return Reply(status=429, error="rate_limit_error", message="Number of requests exceeds your limit", headers=headers)


def overloaded() -> Reply:
    return Reply(status=529, error="overloaded_error", message="Overloaded")


def server_error() -> Reply:
    return Reply(status=500, error="api_error", message="Internal server error")


def bad_gateway() -> Reply:
    return Reply(status=502, html="<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>")


def refused_key() -> Reply:
    return Reply(status=401, error="authentication_error", message="invalid x-api-key")


def no_such_model(name: str) -> Reply:
    return Reply(status=404, error="not_found_error", message=f"model: {name}")


def bad_request(message: str) -> Reply:
    return Reply(status=400, error="invalid_request_error", message=message)


class Answer:
    """A reply made ready for one request: its blocks and events, and what has been written so far."""

    def __init__(self, reply: Reply, model: str, number: int, usage: dict[str, Any], max_tokens: int) -> None:
        self.reply = reply
        self.written = 0
        self._model = model
        self._number = number
        self._input = usage
        self._content = self._blocks()
        self._whole = max(1, sum(self._tokens(block) for block in self._content))
        self._limited = self._whole > max_tokens
        self._most = min(self._whole, max_tokens)

    @property
    def stop(self) -> str:
        if self.reply.stop:
            return self.reply.stop
        return "max_tokens" if self._limited else "tool_use" if self.reply.tools else "end_turn"

    def billed(self, *, finished: bool) -> dict[str, Any]:
        """The usage the provider charges: all of it, or what was written before it broke."""
        output = self._most if finished else min(self._most, max(1, self.written))
        return {**self._input, "output_tokens": output, **self.reply.last_usage, **self.reply.billed_usage}

    def message(self) -> dict[str, Any]:
        """The answer to a request that does not stream."""
        return {**self._head(), "content": self._content, "stop_reason": self.stop, "usage": self.billed(finished=True)}

    def events(self) -> Iterator[dict[str, Any]]:
        """The whole stream, one event after the other; `written` follows."""
        yield {"type": "message_start", "message": {**self._head(), "content": [], **self._first_usage()}}
        yield {"type": "ping"}
        for index, block in enumerate(self._content):
            yield {"type": "content_block_start", "index": index, "content_block": _opening(block)}
            for delta in self._deltas(block):
                self.written += count(next(str(v) for k, v in delta.items() if k != "type"))
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        ending: dict[str, Any] = {
            "type": "message_delta",
            "delta": {"stop_reason": self.stop, "stop_sequence": None},
        }
        if self.reply.fault != "no_usage":
            ending["usage"] = {"output_tokens": self._most, **self.reply.last_usage}
        yield ending
        yield {"type": "message_stop"}

    def _head(self) -> dict[str, Any]:
        return {
            "id": f"msg_{self._number:06d}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "stop_reason": None,
            "stop_sequence": None,
        }

    def _first_usage(self) -> dict[str, Any]:
        if self.reply.fault == "no_usage":
            return {}
        return {"usage": {**self._input, "output_tokens": 1, "service_tier": "standard", **self.reply.first_usage}}

    def _blocks(self) -> list[dict[str, Any]]:
        content: list[dict[str, Any]] = []
        if self.reply.thinking:
            content.append(
                {"type": "thinking", "thinking": self.reply.thinking, "signature": sign(self.reply.thinking)}
            )
        if self.reply.text:
            content.append({"type": "text", "text": self.reply.text})
        for index, (name, arguments) in enumerate(self.reply.tools):
            call_id = f"toolu_{self._number:06d}_{index}"
            content.append({"type": "tool_use", "id": call_id, "name": name, "input": arguments})
        if self.reply.fault == "duplicate_tool_ids" and self.reply.tools:
            content.append(dict(content[-1]))
        return content

    def _deltas(self, block: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if block["type"] == "thinking":
            yield {"type": "thinking_delta", "thinking": block["thinking"]}
            yield {"type": "signature_delta", "signature": block["signature"]}
        elif block["type"] == "text":
            for piece in split(block["text"], self.reply.pieces):
                yield {"type": "text_delta", "text": piece}
        else:
            raw = json.dumps(block["input"], ensure_ascii=False)
            if self.reply.fault == "broken_tool_json":
                raw = raw[: max(1, len(raw) // 2)]
            for piece in split(raw, 2):
                yield {"type": "input_json_delta", "partial_json": piece}

    @staticmethod
    def _tokens(block: dict[str, Any]) -> int:
        match block["type"]:
            case "text":
                return count(block["text"])
            case "thinking":
                return count(block["thinking"])
            case _:
                return count(block["name"] + json.dumps(block["input"], ensure_ascii=False))


def _opening(block: dict[str, Any]) -> dict[str, Any]:
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}
        case _:
            return {**block, "input": {}}


def split(text: str, pieces: int) -> list[str]:
    """The text in about so many pieces of equal length."""
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[i : i + size] for i in range(0, len(text), size)]
