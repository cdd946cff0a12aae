"""What the fake model answers, the same for every program; and its book read as tokens and money."""

from __future__ import annotations

import json
import re
from typing import Any

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_openai import Completion
from tests.benchmarks.peers.program import USD_PER_MTOK_IN, USD_PER_MTOK_OUT, Program

_WANTED = re.compile(r"\[\[(shell|read): (.+?)\]\]")


class Script:
    """Asked to `[[shell: …]]` or `[[read: …]]`, call that program's tool for it; then answer; else repeat.

    While `holding` names a role, a request that brings a message of that role gets a first word and then nothing.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.holding = ""

    def __call__(self, body: dict[str, Any]) -> Reply:
        fresh = since_answer(body["messages"])
        roles = {message["role"] for message in fresh}
        if self.holding in roles:
            return Reply(text="One moment", pieces=2, fault="silent")
        if "tool" in roles:
            return Reply(text="That is done.")
        said = " ".join(map(_text, fresh))
        wanted = _WANTED.search(said)
        if wanted is None:
            return Reply(text=f"You said: {said[-40:]}")
        kind, what = wanted.groups()
        program = self._program
        if kind == "shell":
            return Reply(tools=[(program.shell_tool, {program.shell_argument: what})])
        return Reply(tools=[(program.read_tool, {program.read_argument: what})])


def since_answer(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What came after the model's last word: programs may add messages of their own behind the user's."""
    last = max((index for index, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    return [message for message in messages[last + 1 :] if message["role"] in ("user", "tool")]


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def prompt(call: Completion) -> str:
    """What the model reads, in the order in which a provider's cache compares it: tools, then messages."""
    request = call.request
    return json.dumps([request.get("tools", []), *request["messages"]], ensure_ascii=False)


def tokens(call: Completion) -> int:
    """Its prompt in tokens of four characters."""
    return len(prompt(call)) // 4


def usd(calls: list[Completion]) -> float:
    """What the model says that the calls cost, nothing cached."""
    read = sum(call.prompt_tokens for call in calls)
    written = sum(call.completion_tokens for call in calls)
    return (read * USD_PER_MTOK_IN + written * USD_PER_MTOK_OUT) / 1e6


def uncached(calls: list[Completion]) -> int:
    """Tokens that no earlier prompt began with: what a provider that caches prefixes has to read anew."""
    seen: list[str] = []
    fresh = 0
    for call in calls:
        text = prompt(call)
        fresh += len(text) - max((_common(text, earlier) for earlier in seen), default=0)
        seen.append(text)
    return fresh // 4


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
