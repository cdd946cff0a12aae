"""Old tool results leave the prompt as stubs, where that is cheaper than keeping them in the cache.

A result is needed most in the turn that asked for it. Two turns later it is a stub with the id under which
`read_output` still gives the whole. Taking it out changes the prompt from that place on, and what follows must be
written to the cache again (1.25 times the input price) where it would have been read (0.05 times). So:

    the cache is cold (no call for five minutes)       everything is written anyway: prune
    it is warm                                          prune when what goes, read EXPECTED_CALLS more times, would cost
                                                        more than writing what follows it once

Between two prunings the prompt's prefix stays the same to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from appliance.agent.window import message_tokens
from appliance.clock import Clock
from appliance.messages import Message, SessionKey

KEEP_TURNS = 2
STUB_OVER = 1_200  # characters; shorter results are not worth a stub
EXPECTED_CALLS = 12
READ, WRITE = 0.05, 1.25  # of the input price
CACHE_SECONDS = 300.0
_HEAD = 160


@dataclass(slots=True)
class _Session:
    boundary: int = 0  # messages before this index have stubs for long results
    called: float = float("-inf")
    length: int = 0


@dataclass(slots=True)
class Pruner:
    """Given a clock, prune the messages of each session; remembers where each one stands."""

    clock: Clock
    _sessions: dict[str, _Session] = field(default_factory=dict)

    def apply(self, session: SessionKey, messages: list[Message]) -> list[Message]:
        """The messages of a request that is about to be sent; the list itself is left as it is."""
        state = self._sessions.setdefault(session.value, _Session())
        if len(messages) < state.length:
            state.boundary = 0  # a new window or a compaction: the old index means nothing
        now = self.clock.monotonic()
        wanted = _boundary(messages)
        if wanted > state.boundary and (now - state.called > CACHE_SECONDS or pays(messages, state.boundary, wanted)):
            state.boundary = wanted
        state.called, state.length = now, len(messages)
        head = [_stubbed(message) for message in messages[: state.boundary]]
        return [*head, *messages[state.boundary :]]

    def forget(self, session: SessionKey) -> None:
        """The window began anew."""
        self._sessions.pop(session.value, None)


def pays(messages: list[Message], start: int, end: int) -> bool:
    """Whether stubs in messages[start:end] save more than writing what follows them again costs."""
    first = next((i for i in range(start, end) if _stubbed(messages[i]) != messages[i]), None)
    if first is None:
        return True  # nothing changes, so nothing is written again
    before = message_tokens(messages[first:])
    after = message_tokens([*(_stubbed(m) for m in messages[first:end]), *messages[end:]])
    return (before - after) * READ * EXPECTED_CALLS > after * (WRITE - READ)


def _boundary(messages: list[Message]) -> int:
    """The start of the newest turns that keep their results."""
    starts = [i for i, m in enumerate(messages) if m["role"] == "user" and _begins_turn(m)]
    return starts[-KEEP_TURNS] if len(starts) > KEEP_TURNS else 0


def _begins_turn(message: Message) -> bool:
    return not any(b["type"] == "tool_result" for b in message["content"])


def _stubbed(message: Message) -> Message:
    if message["role"] != "user":
        return message
    content = [_stub(block) for block in message["content"]]
    return message if content == message["content"] else {"role": "user", "content": content}


def _stub(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "image":
        return {"type": "text", "text": f"[an earlier picture: {block.get('path', '')}]"}
    if block["type"] != "tool_result" or (len(block["content"]) <= STUB_OVER and not block.get("images")):
        return block
    text = block["content"]
    head = text[:_HEAD].rsplit("\n", 1)[0] if len(text) > STUB_OVER else text
    note = f"{head}\n[… {len(text):,} characters in all; read_output id={block['tool_use_id']}]"
    stub = {key: value for key, value in block.items() if key not in ("content", "images")}
    return {**stub, "content": note if len(text) > STUB_OVER else text}
