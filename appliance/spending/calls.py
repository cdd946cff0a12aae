"""What goes into the budget and what comes out: a call that is wanted, leave to make it, news for the owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from appliance.messages import Purpose
from appliance.spending.ledger import Call
from appliance.spending.prices import ModelPrice
from appliance.spending.tokens import Size


@dataclass(frozen=True, slots=True)
class CallSpec:
    """A call that is wanted. `byte_bound`: UTF-8 bytes of the request, with 8,000 for each image instead of its bytes;
    0 when they were not counted. `input_tokens`: the provider's own count, or None. `cache_write`: the prompt may be
    written to the cache; `long_cache`: for an hour. `modes`: fast, batch, us. `server_tools`: most calls of each."""

    model: str
    provider: str
    local: bool
    purpose: Purpose
    session: str
    agent: str
    channel: str
    turn: str
    characters: int
    input_tokens: int | None
    max_tokens: int
    cache_write: bool = True
    byte_bound: int = 0
    long_cache: bool = False
    modes: tuple[str, ...] = ()
    server_tools: Mapping[str, int] = field(default_factory=dict)

    @property
    def size(self) -> Size:
        return Size(self.characters, self.byte_bound, self.input_tokens)


@dataclass(slots=True)
class Reservation:
    """Leave to make one call. `max_tokens` is the output limit that was paid for, `amount` picodollars held for it."""

    id: int
    max_tokens: int
    amount: int
    day: str
    call: Call
    spec: CallSpec
    price: ModelPrice
    started: float


@dataclass(frozen=True, slots=True)
class BudgetEvent:
    """Something the owner should know. mark: `percent` of a limit is reached (100: a call was refused or made smaller).
    overrun: a provider billed `spent` where `limit` was reserved. Money is picodollars, `resets_at` Unix seconds."""

    kind: Literal["mark", "overrun"]
    scope: str
    key: str
    day: str
    percent: int
    spent: int
    limit: int
    resets_at: float

    @property
    def name(self) -> str:
        """`day`, or such as `purpose:heartbeat`."""
        return f"{self.scope}:{self.key}" if self.key else self.scope

    @property
    def notice(self) -> str:
        """The same for everybody who would tell the owner of this mark, so that they are told once."""
        return notice_of_mark(self.name, self.percent, self.day, self.limit)


def raise_command(scope: str) -> str:
    """What raises a limit by a dollar for today. `scope`: day, or such as agent:study."""
    return f"/budget raise 1 {scope}" if ":" in scope else "/budget raise 1"


def notice_of_mark(name: str, percent: int, day: str, limit: int) -> str:
    """The key of a mark's notice; a raised limit has marks of its own."""
    return f"mark:{name}:{percent}:{day}:{limit}"
