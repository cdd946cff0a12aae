"""What each Claude model can take: windows, output limits, the smallest prefix worth caching.

Dated 2026-11-30. No model gets sampling parameters, an assistant prefill or a forced tool choice from us: newer
models refuse all three, and nothing here needs them.
"""

from __future__ import annotations

from typing import NamedTuple


class ClaudeModel(NamedTuple):
    """Tokens. `cacheable`: a marked prefix shorter than this is not cached."""

    window: int
    max_output: int
    cacheable: int


_LARGE = ClaudeModel(1_000_000, 128_000, 512)
CLAUDE_MODELS: dict[str, ClaudeModel] = {
    "claude-haiku-5-5": _LARGE,
    "claude-haiku-4-5": ClaudeModel(200_000, 64_000, 4_096),
    "claude-sonnet-5-5": _LARGE,
    "claude-sonnet-5": ClaudeModel(1_000_000, 128_000, 1_024),
    "claude-sonnet-4-6": ClaudeModel(1_000_000, 128_000, 1_024),
    "claude-opus-5-5": _LARGE,
    "claude-opus-5": _LARGE,
    "claude-opus-4-8": ClaudeModel(1_000_000, 128_000, 1_024),
    "claude-opus-4-7": ClaudeModel(1_000_000, 128_000, 2_048),
    "claude-opus-4-6": ClaudeModel(1_000_000, 128_000, 4_096),
    "claude-opus-4-5": ClaudeModel(200_000, 64_000, 4_096),
    "claude-fable-5": _LARGE,
    "claude-fable-5-1": _LARGE,
    "claude-mythos-5": _LARGE,
    "claude-mythos-5-1": _LARGE,
}
# A model newer than this table: what every one of the last two generations can do at least.
_UNKNOWN = ClaudeModel(200_000, 32_000, 4_096)


def claude_model(name: str) -> ClaudeModel:
    """Given a model id, with or without a date at its end, return what it can take."""
    known = CLAUDE_MODELS.get(name)
    if known is None:
        head, _, tail = name.rpartition("-")
        known = CLAUDE_MODELS.get(head) if len(tail) == 8 and tail.isdigit() else None
    return known or _UNKNOWN
