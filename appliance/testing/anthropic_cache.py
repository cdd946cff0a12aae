"""Tokens, the prompt cache and the bill, as a provider keeps them: by really comparing prefixes.

Tokens are counted by a fixed rule, not by a tokenizer: what matters is that the same text always counts the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from appliance.clock import Clock
from appliance.models.claude_models import claude_model

_LOOK_BACK = 20  # blocks before a mark in which an earlier prefix is found
_SECONDS = {"5m": 300.0, "1h": 3600.0}
_TOOL_PREAMBLE = 290
_IMAGE = 1_500
# US dollars per million tokens, times a million: picodollars per token. Input, read, write 5 min, write 1 h, output.
_RATES: dict[str, tuple[int, int, int, int, int]] = {
    "claude-haiku-5-5": (100_000, 10_000, 125_000, 200_000, 500_000),
    "claude-haiku-4-5": (1_000_000, 100_000, 1_250_000, 2_000_000, 5_000_000),
    "claude-sonnet-5-5": (2_000_000, 100_000, 2_500_000, 4_000_000, 10_000_000),
    "claude-sonnet-5": (2_000_000, 200_000, 2_500_000, 4_000_000, 10_000_000),
    "claude-sonnet-4-6": (3_000_000, 300_000, 3_750_000, 6_000_000, 15_000_000),
    "claude-opus-5-5": (4_000_000, 200_000, 5_000_000, 8_000_000, 20_000_000),
    "claude-opus-5": (5_000_000, 500_000, 6_250_000, 10_000_000, 25_000_000),
}
_LONG_PROMPT = {"claude-haiku-5-5": (100_000, 5)}


@dataclass(frozen=True, slots=True)
class Unit:
    """One block of a prompt, in the order the provider reads them. `ttl` is set where a cache mark stands."""

    digest: bytes
    tokens: int
    ttl: str


def count(text: str) -> int:
    """Tokens of a text: four ASCII characters to one, one to each other character."""
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + len(text) - plain


def units(body: dict[str, Any]) -> list[Unit]:
    """The prompt as tools, then system, then messages."""
    found: list[Unit] = []
    if body.get("tools"):
        found.append(Unit(b"tools", _TOOL_PREAMBLE, ""))
    found += [_unit("tool", tool) for tool in body.get("tools") or []]
    system = body.get("system") or []
    found += [_unit("system", block) for block in _blocks(system)]
    for message in body["messages"]:
        found += [_unit(message["role"], block) for block in _blocks(message["content"])]
    return found


def _blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def prompt_tokens(body: dict[str, Any]) -> int:
    """What count_tokens answers, and what input, cache read and cache writes of a call add up to."""
    return sum(unit.tokens for unit in units(body))


def _unit(role: str, block: dict[str, Any]) -> Unit:
    plain = {key: value for key, value in block.items() if key != "cache_control"}
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True)
    images = _count_images(plain)
    size = count(text) if not images else images * _IMAGE
    mark = block.get("cache_control") or {}
    return Unit(hashlib.sha256(f"{role}\x00{text}".encode()).digest(), size + 3, mark.get("ttl", "5m") if mark else "")


def _count_images(block: dict[str, Any]) -> int:
    if block.get("type") == "image":
        return 1
    content = block.get("content")
    return sum(part.get("type") == "image" for part in content) if isinstance(content, list) else 0


class PromptCache:
    """Prefixes that were written and not forgotten yet, for each model."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[tuple[str, bytes], tuple[float, str]] = {}

    def read_and_write(self, model: str, prompt: list[Unit]) -> dict[str, Any]:
        """The input side of a call's usage; marked prefixes are cached from now on."""
        least = claude_model(model).cacheable
        sums, digests, total, digest = [], [], 0, b""
        for unit in prompt:
            total += unit.tokens
            digest = hashlib.sha256(digest + unit.digest).digest()
            sums.append(total)
            digests.append(digest)
        marks = [i for i, unit in enumerate(prompt) if unit.ttl and sums[i] >= least]
        now = self._clock.monotonic()
        hit = -1
        for mark in marks:
            for i in range(mark, max(-1, mark - _LOOK_BACK), -1):
                if i > hit and self._until.get((model, digests[i]), (0.0, ""))[0] > now:
                    hit = i
        written = {"5m": 0, "1h": 0}
        done = sums[hit] if hit >= 0 else 0
        read = done
        for mark in marks:
            if sums[mark] > done:
                written[prompt[mark].ttl] += sums[mark] - done
                done = sums[mark]
            self._until[(model, digests[mark])] = (now + _SECONDS[prompt[mark].ttl], prompt[mark].ttl)
        if hit >= 0:
            _, ttl = self._until[(model, digests[hit])]
            self._until[(model, digests[hit])] = (now + _SECONDS[ttl], ttl)
        return {
            "input_tokens": total - done,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written["5m"] + written["1h"],
            "cache_creation": {
                "ephemeral_5m_input_tokens": written["5m"],
                "ephemeral_1h_input_tokens": written["1h"],
            },
        }


def bill(model: str, usage: dict[str, Any]) -> int:
    """Picodollars for a usage in the API's words. The long-prompt tier applies to the whole call."""
    rates = _RATES.get(model) or _RATES["claude-sonnet-5-5"]
    hour = (usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens") or 0
    writes = usage.get("cache_creation_input_tokens") or 0
    hour = min(hour, writes)
    inputs, reads = usage.get("input_tokens") or 0, usage.get("cache_read_input_tokens") or 0
    kinds = (inputs, reads, writes - hour, hour, usage.get("output_tokens") or 0)
    over, factor = _LONG_PROMPT.get(model, (1 << 62, 1))
    amount = sum(tokens * rate for tokens, rate in zip(kinds, rates, strict=True))
    return amount * (factor if inputs + reads + writes > over else 1)
