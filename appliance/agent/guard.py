"""How full a window is, as the provider will count it: guessed, corrected by what it counted before, asked when near.

A guess is a quarter of the ASCII characters and one for each other character. What a provider really counts differs by
model and by what is talked about; each answer says it, so the next guess is better.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from appliance.agent.prompt import tool_characters
from appliance.agent.window import message_tokens, tokens
from appliance.messages import Message
from appliance.models.base import PromptPart, ToolSpec

NEAR = 0.1  # of the line, on either side: close enough that the provider is asked
_LEAST = 500  # tokens; a smaller request teaches nothing, its frame is most of it
_BOUNDS = (0.5, 2.5)
_FORGET = 0.2
Exact = Callable[[], Awaitable[int | None]]


def guess(system: Sequence[PromptPart], tools: Sequence[ToolSpec], messages: Sequence[Message]) -> int:
    """Tokens of a request, before anything is known of who counts them."""
    fixed = sum(tokens(part.text) for part in system) + sum(tool_characters(tool) for tool in tools) // 4
    return fixed + message_tokens(messages)


@dataclass(slots=True)
class Guard:
    """Learns for each model how its provider counts, and says whether a request is over a line."""

    _ratios: dict[str, float] = field(default_factory=dict)

    def learn(self, model: str, guessed: int, counted: int) -> None:
        """Move a model's ratio up at once, or down slowly, to what was counted for a request."""
        if guessed < _LEAST or counted <= 0:
            return
        seen = min(max(counted / guessed, _BOUNDS[0]), _BOUNDS[1])
        known = self._ratios.get(model, 0.0)
        self._ratios[model] = seen if seen > known else known + (seen - known) * _FORGET

    def likely(self, model: str, guessed: int) -> int:
        """What a model's provider will probably count."""
        return int(guessed * self._ratios.get(model, 1.0))

    async def over(self, line: int, model: str, guessed: int, exact: Exact) -> bool:
        """Whether a request is over `line` tokens; `exact` asks the provider, who may not be able to say (None)."""
        size = self.likely(model, guessed)
        if abs(size - line) <= line * NEAR:
            size = await exact() or size
        return size > line
