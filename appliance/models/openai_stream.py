"""From the chunks of an OpenAI-compatible stream to one answer, whole or cut."""

from __future__ import annotations

import secrets
import time
from typing import Any

from appliance.messages import Usage
from appliance.models import estimate
from appliance.models.base import Finished, ModelRequest, StopReason
from appliance.models.calls import tool_use, unique_calls

_STOPS: dict[str, StopReason] = {
    "stop": "end",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
_OPEN, _CLOSE = "<think>", "</think>"


class ThinkFilter:
    """Leaves out what a model thinks aloud: a <think> block at the very start of its answer, and only there."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._trim = False
        self._open = False

    def feed(self, piece: str) -> str:
        """Given the next piece, return what of it (and of what was held back) the user may see."""
        if self._open:
            return piece
        self._held += piece
        if not self._thinking and not self._trim:
            head = self._held.lstrip()
            if _OPEN.startswith(head[: len(_OPEN)]) and len(head) < len(_OPEN):
                return ""
            self._thinking = head.startswith(_OPEN)
        if self._thinking:
            _, closed, after = self._held.partition(_CLOSE)
            if not closed:
                return ""
            self._held, self._thinking, self._trim = after, False, True
        if self._trim:
            self._held = self._held.lstrip()
        self._open = bool(self._held)
        shown, self._held = self._held, ""
        return shown

    def end(self) -> str:
        """What was held back and turned out to be no thinking."""
        shown = "" if self._thinking else self._held
        self._held, self._open = "", True
        return shown


class ChunkBuilder:
    """Feed it chunks; ask for the new text, the whole answer, or what there is of it."""

    def __init__(self, request: ModelRequest, model: str, max_tokens: int) -> None:
        self.started = False
        self.finished = False
        self._request = request
        self._model = model
        self._max_tokens = max_tokens
        self._filter = ThinkFilter()
        self._text: list[str] = []
        self._arrived = 0
        self._calls: dict[Any, dict[str, Any]] = {}
        self._usage: dict[str, Any] = {}
        self._stop: StopReason = "stopped"
        self._began = time.monotonic()

    def feed(self, chunk: dict[str, Any]) -> str:
        """Take one chunk; return the new visible text in it."""
        self.started = True
        if chunk.get("usage"):
            self._usage = chunk["usage"]
        choices = chunk.get("choices") or []
        if not choices:
            return ""
        delta = choices[0].get("delta") or {}
        for call in delta.get("tool_calls") or []:
            self._call(call)
        piece = delta.get("content") or ""
        self._arrived += len(piece) + len(delta.get("reasoning_content") or delta.get("reasoning") or "")
        shown = self._filter.feed(piece) if piece else ""
        if choices[0].get("finish_reason"):
            self.finished = True
            self._stop = _STOPS.get(choices[0]["finish_reason"], "end")
            shown += self._filter.end()
        if shown:
            self._text.append(shown)
        return shown

    def whole(self) -> Finished:
        """The answer, after the last chunk."""
        content = self._content()
        calls = any(block["type"] == "tool_use" for block in content)
        stop: StopReason = "tool_use" if calls and self._stop == "end" else self._stop
        return Finished(content, stop, self.usage(), self._model)

    def partial(self) -> Finished:
        """What has arrived so far, charged with what may have been lost on the way."""
        output = self._output() + estimate.in_flight(time.monotonic() - self._began, self._max_tokens)
        usage = Usage(estimate.request_tokens(self._request), output=min(output, self._max_tokens), estimated=True)
        return Finished(self._content(), "stopped", usage, self._model)

    def usage(self) -> Usage:
        """As the server counted; an estimate, marked as one, for what it did not say."""
        prompt, output = self._usage.get("prompt_tokens") or 0, self._usage.get("completion_tokens") or 0
        cached = min(prompt, (self._usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
        estimated = not prompt or not output
        prompt = prompt or estimate.request_tokens(self._request)
        return Usage(prompt - cached, cached, output=output or self._output(), estimated=estimated)

    def overflowing(self) -> bool:
        """Whether far more has arrived than the output limit allows."""
        return self._arrived > self._max_tokens * 40 + 100_000

    def _output(self) -> int:
        calls = sum(len(call["arguments"]) + len(call["name"]) for call in self._calls.values())
        return max(1, estimate.tokens("".join(self._text)), (self._arrived + calls) // 3)

    def _call(self, call: dict[str, Any]) -> None:
        """Arguments come in pieces; a server may leave out the index, and then the id or the order tells."""
        function = call.get("function") or {}
        key = call.get("index")
        if key is None:
            key = call.get("id") or len(self._calls)
        known = self._calls.setdefault(key, {"id": "", "name": "", "arguments": ""})
        known["id"] = call.get("id") or known["id"]
        known["name"] = function.get("name") or known["name"]
        known["arguments"] += function.get("arguments") or ""

    def _content(self) -> tuple[dict[str, Any], ...]:
        text = "".join(self._text)
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
        ids: dict[str, str] = {}
        for number, call in enumerate(self._calls.values()):
            if call["name"]:
                # Servers count their ids anew in every answer; ours are unique in a conversation.
                new = ids.setdefault(call["id"] or f"#{number}", f"call_{secrets.token_hex(6)}")
                content.append(tool_use(new, call["name"], call["arguments"], {}))
        return unique_calls(content)
