"""Tool results as the model gets them: outside text wrapped, long text cut with the whole kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from appliance.agent.window import characters_for, middle_cut
from appliance.messages import SessionKey, Source
from appliance.tools.base import ToolResult
from appliance.trust import clean, new_marker, wrap


class Keeper(Protocol):
    """Stores a whole output and returns its id (tools.outputs.Outputs)."""

    def keep(self, data: bytes, name: str, session: SessionKey | None = None, source: Source = Source.OWN) -> str: ...


@dataclass(slots=True)
class ResultShaper:
    """Given the longest result a prompt may hold, shape results. `redact` masks secrets first."""

    keeper: Keeper
    limit: Callable[[], int]
    redact: Callable[[str], str] = lambda text: text

    def shape(self, result: ToolResult, session: SessionKey, share: int) -> ToolResult:
        """Mask, clean, cut (head and tail stay, `read_output` has the rest), wrap. Raises OSError (disk full).

        `share`: tokens that this result may take of the window.
        """
        text = self.redact(clean(result.text))
        limit = min(self.limit(), characters_for(text, share))
        if len(text) > limit:
            identity = self.keeper.keep(text.encode(), result.origin, session, result.source)
            text = middle_cut(text, limit - 80) + f"\n[whole result: read_output id={identity}]"
        if result.source is Source.OUTSIDE:
            text = wrap(text, new_marker(), result.origin or "tool")
        return replace(result, text=text)
