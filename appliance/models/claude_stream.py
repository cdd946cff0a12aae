"""From the Messages API's stream of events to one answer, whole or cut.

Works on the raw events, so that every field the provider sends is seen: usage in all its parts, thinking word for word.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from appliance.errors import ModelError, ModelFault
from appliance.messages import Usage
from appliance.models import estimate
from appliance.models.base import Finished, ModelRequest, StopReason
from appliance.models.calls import tool_use, unique_calls
from appliance.models.claude_errors import fault_of_type

_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
    "pause_turn": "stopped",
}
_PROMPT_FIELDS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class AnswerBuilder:
    """Feed it events; ask for the text that is new, the whole answer, or what there is of it when the stream breaks."""

    def __init__(self, request: ModelRequest, model: str, max_tokens: int) -> None:
        self.started = False
        self.finished = False
        self._request = request
        self._model = model
        self._max_tokens = max_tokens
        self._usage: dict[str, Any] = {}
        self._output_known = False
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, list[str]] = {}
        self._arrived = 0
        self._thinking = False
        self._stop: StopReason = "stopped"
        self._began = time.monotonic()

    def feed(self, event: dict[str, Any]) -> str:
        """Take one event; return the new text in it, if any. Raises ModelError for an error event."""
        match event.get("type"):
            case "content_block_delta":
                return self._delta(event["index"], event["delta"])
            case "content_block_start":
                self._blocks[event["index"]] = dict(event["content_block"])
                return str(event["content_block"].get("text") or "")
            case "message_start":
                self.started = True
                message = event["message"]
                self._model = message.get("model") or self._model
                self._merge(message.get("usage"))
            case "message_delta":
                self._merge(event.get("usage"))
                self._output_known = bool((event.get("usage") or {}).get("output_tokens"))
                stop = event["delta"].get("stop_reason")
                if stop:
                    self._stop = _STOPS.get(stop, "end")
                    self.finished = True
            case "message_stop":
                self.finished = True
            case "error":
                raise self._error(event.get("error") or {})
        return ""

    def whole(self) -> Finished:
        """The answer, after the last event."""
        return Finished(self._content(), self._stop, self.usage(), self._model)

    def partial(self) -> Finished:
        """What has arrived so far, with a usage that is never less than what it must have cost."""
        usage = self.usage() if self.finished and self._output_known else self._cut_usage()
        return Finished(self._content(), "stopped", usage, self._model)

    def input_usage(self) -> Usage:
        """The prompt's side, which the first event already says."""
        known = self.usage()
        unsaid = not any(self._usage.get(key) for key in _PROMPT_FIELDS)
        return replace(known, output=0, estimated=unsaid)

    def usage(self) -> Usage:
        """The provider's last word, each part once; an estimate, marked as one, for what it did not say."""
        known = self._usage
        reads = known.get("cache_read_input_tokens") or 0
        hour, minutes = self._cache_writes()
        inputs = known.get("input_tokens") or 0
        estimated = False
        if inputs + reads + hour + minutes == 0:
            inputs, estimated = estimate.unknown_input(self._request).input, True
        output = known.get("output_tokens") or 0
        if not self._output_known or output == 0:
            output, estimated = max(output, self._arrived_tokens()), True
        tools = {k: v for k, v in (known.get("server_tool_use") or {}).items() if isinstance(v, int) and v}
        return Usage(inputs, reads, minutes, hour, output, tools, estimated, _modes(known))

    def overflowing(self) -> bool:
        """Whether far more has arrived than the output limit allows: the stream would never end."""
        return self._arrived > self._max_tokens * 40 + 100_000

    def _cache_writes(self) -> tuple[int, int]:
        """(1 h, 5 min) tokens. The total is the final word; the split may be of an earlier moment."""
        split = self._usage.get("cache_creation") or {}
        hour = split.get("ephemeral_1h_input_tokens") or 0
        minutes = split.get("ephemeral_5m_input_tokens") or 0
        total = self._usage.get("cache_creation_input_tokens")
        if total is None:
            return hour, minutes
        hour = min(hour, total)
        return hour, total - hour

    def _merge(self, usage: dict[str, Any] | None) -> None:
        """Later figures replace earlier ones: they are running totals."""
        for key, value in (usage or {}).items():
            if value is not None:
                self._usage[key] = value

    def _delta(self, index: int, delta: dict[str, Any]) -> str:
        match delta["type"]:
            case "text_delta":
                piece = delta["text"]
            case "input_json_delta":
                piece = delta["partial_json"]
            case "thinking_delta":
                piece, self._thinking = delta["thinking"], True
            case "signature_delta":
                self._blocks[index]["signature"] = delta["signature"]
                return ""
            case _:
                return ""
        self._pieces.setdefault(index, []).append(piece)
        self._arrived += len(piece)
        return piece if delta["type"] == "text_delta" else ""

    def _cut_usage(self) -> Usage:
        # Thinking is billed whole but may be shown shortened, so its time counts too.
        hidden = self._thinking or any(b.get("type") == "redacted_thinking" for b in self._blocks.values())
        known, seconds = self.usage(), time.monotonic() - self._began
        lost = estimate.in_flight(seconds, self._max_tokens, hidden=hidden)
        said = self._usage.get("output_tokens") or 0
        output = max(said, min(max(said, self._arrived_tokens()) + lost, self._max_tokens))
        return replace(known, output=output, estimated=True)

    def _arrived_tokens(self) -> int:
        return max(1, sum(estimate.tokens("".join(pieces)) for pieces in self._pieces.values()))

    def _content(self) -> tuple[dict[str, Any], ...]:
        content: list[dict[str, Any]] = []
        for index in sorted(self._blocks):
            block, piece = self._blocks[index], "".join(self._pieces.get(index, ()))
            match block.get("type"):
                case "text":
                    text = (block.get("text") or "") + piece
                    if text.strip():
                        content.append({"type": "text", "text": text})
                case "thinking":
                    if block.get("signature"):
                        thinking = (block.get("thinking") or "") + piece
                        content.append({**block, "thinking": thinking, "model": self._model})
                case "redacted_thinking":
                    content.append({**block, "model": self._model})
                case "tool_use":
                    content.append(tool_use(block["id"], block["name"], piece, block.get("input") or {}))
        return unique_calls(content)

    def _error(self, error: dict[str, Any]) -> ModelError:
        kind = fault_of_type(str(error.get("type") or ""))
        return ModelError(f"The model's answer broke off with {error.get('type') or 'an error'}.", kind=kind)


def _modes(usage: dict[str, Any]) -> tuple[str, ...]:
    """What multiplies the bill, as the provider says it did."""
    said = (("speed", "fast"), ("service_tier", "batch"), ("inference_geo", "us"))
    return tuple(mode for name, mode in said if usage.get(name) == mode)


def unreadable(model: str) -> ModelError:
    """A stream that is not what the API speaks."""
    return ModelError(f"{model} sent something that is no answer.", kind=ModelFault.UNUSABLE)
