"""How many tokens a request can be, and how many it likely is.

The bound is hard: a byte-level tokenizer makes no token out of less than a byte, so the UTF-8 bytes of a request (four
a character when they were not counted) plus a fixed allowance for what the provider adds around it are never too few.
That is true of Chinese, emoji and base64 too, which is why reservations use it and not a learned figure.

The likely figure is learned for each model and kind of script from real usage. It fills in for calls whose provider
reported nothing, and leans to the high side.
"""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from appliance.spending.ledger import Query

# What a provider adds on its own: role marks, the tool preamble.
OVERHEAD_TOKENS = 1_024
_BYTES_PER_CHARACTER = 4
_START = 1.0
_MARGIN = 1.1
_FORGET = 0.05


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a request. `exact` is the provider's own count, when it was asked."""

    characters: int
    bytes: int
    exact: int | None = None

    @property
    def bound(self) -> int:
        """Tokens that the prompt cannot exceed. A provider calls its own count an estimate: it gets 2% and 32 more."""
        ceiling = (self.bytes or self.characters * _BYTES_PER_CHARACTER) + OVERHEAD_TOKENS
        return ceiling if self.exact is None else min(ceiling, self.exact + self.exact // 50 + 32)

    @property
    def script(self) -> str:
        """ascii, mixed or wide, by bytes a character: each has its own ratio of tokens to characters."""
        if not self.bytes or not self.characters:
            return "mixed"
        ratio = self.bytes / self.characters
        return "ascii" if ratio < 1.1 else "mixed" if ratio < 2.0 else "wide"


def likely(query: Query, model: str, size: Size) -> int:
    """Tokens that a request probably has, on the high side; never 0 and never over the bound."""
    rows = query("SELECT ratio FROM token_ratios WHERE model = ? AND script = ?", (model, size.script))
    ratio = rows[0][0] if rows else _START
    return max(1, min(size.bound, int(size.characters * ratio) + 1))


def learn(connection: apsw.Connection, model: str, size: Size, prompt_tokens: int) -> None:
    """Move the ratio of this model and script up at once, or down slowly, to what was really billed."""
    if size.characters <= 0 or prompt_tokens <= 0:
        return
    seen = prompt_tokens / size.characters * _MARGIN
    connection.execute(
        "INSERT INTO token_ratios VALUES (?1, ?2, ?3, 1) ON CONFLICT DO UPDATE SET samples = samples + 1,"
        " ratio = CASE WHEN ?3 > ratio THEN ?3 ELSE ratio + (?3 - ratio) * ?4 END",
        (model, size.script, seen, _FORGET),
    )
