"""Limits and what they allow. `decide` is the whole rule of the budget, without a database and without a clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from appliance.clock import iso
from appliance.settings.budget import BudgetSettings
from appliance.spending.budget_day import BudgetDay
from appliance.spending.ledger import Query, Total, total
from appliance.spending.money import picodollars, usd_number
from appliance.spending.prices import ModelPrice

LEAST_OUTPUT = 512
SESSION_USD = "session_usd:"  # key in spending_state of a session's own limit, followed by the session


@dataclass(frozen=True, slots=True)
class Balance:
    """One limit and how it stands, in picodollars."""

    scope: str
    key: str
    limit: int
    spent: int
    reserved: int

    @property
    def name(self) -> str:
        """`day`, or such as `purpose:heartbeat`."""
        return f"{self.scope}:{self.key}" if self.key else self.scope

    @property
    def unspent(self) -> int:
        return self.limit - self.spent

    @property
    def free(self) -> int:
        return self.limit - self.spent - self.reserved


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst case of a call: what it can cost at most, by output limit."""

    price: ModelPrice
    prompt: int
    written: bool
    long_lived: bool
    modes: tuple[str, ...]
    tools: int  # picodollars of server tools

    def amount(self, output: int) -> int:
        worst = self.price.worst(
            self.prompt, output, written=self.written, long_lived=self.long_lived, modes=self.modes
        )
        return worst + self.tools

    def output_within(self, amount: int) -> int:
        return self.price.output_that_fits(
            amount - self.tools, self.prompt, written=self.written, long_lived=self.long_lived, modes=self.modes
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """`action`: allow (with `output` tokens; smaller than asked when `shrunk`), wait, or refuse. `by` is the balance
    that stands in the way."""

    action: Literal["allow", "wait", "refuse"]
    output: int = 0
    amount: int = 0
    shrunk: bool = False
    by: Balance | None = None


def decide(balances: Iterable[Balance], worst: Worst, output: int, *, may_wait: bool = True) -> Verdict:
    """Given the limits that apply and the worst case of a call, say what happens to it.

    It waits when only open reservations stand in the way; it is made smaller, not under 512 tokens of output, when
    what is left of a limit is small; otherwise it is refused. What costs nothing is always allowed.
    """
    full = worst.amount(output)
    limits = list(balances)
    if full == 0 or not limits:
        return Verdict("allow", output, full)
    now = min(limits, key=lambda balance: balance.free)
    ever = min(limits, key=lambda balance: balance.unspent)
    if full <= now.free:
        return Verdict("allow", output, full)
    least = min(LEAST_OUTPUT, output)
    if worst.amount(least) > ever.unspent:
        return Verdict("refuse", by=ever)
    if may_wait and full <= ever.unspent:
        return Verdict("wait", by=now)
    smaller = min(output, worst.output_within(now.free))
    if smaller >= least:
        return Verdict("allow", smaller, worst.amount(smaller), shrunk=True, by=now)
    return Verdict("wait" if may_wait else "refuse", by=now)


def base_limit(query: Query, settings: BudgetSettings, scope: str, key: str) -> int | None:
    """The limit of a scope without today's raises, in picodollars; None when it has none."""
    amount: Decimal | None
    match scope:
        case "day":
            amount = _daily(query, settings)
        case "agent":
            amount = settings.agent_usd.get(key)
        case "session":
            amount = _session(query, settings, key)
        case "purpose":
            amount = settings.purpose_usd.get(key)
        case "channel":
            amount = settings.channel_usd.get(key)
        case _:
            amount = None
    return None if amount is None else picodollars(amount)


def _daily(query: Query, settings: BudgetSettings) -> Decimal | None:
    """What `budget set` stored, as long as the setting is still the one that it replaced; else the setting."""
    state: dict[str, str] = dict(
        query("SELECT key, value FROM spending_state WHERE key IN ('daily_usd', 'daily_usd_replaces')", ())
    )
    if "daily_usd" in state and state.get("daily_usd_replaces") == str(settings.daily_usd):
        return Decimal(state["daily_usd"])
    return settings.daily_usd


def _session(query: Query, settings: BudgetSettings, key: str) -> Decimal | None:
    """The limit of one session: its own, else the setting's; the smaller when there are both."""
    rows = query("SELECT value FROM spending_state WHERE key = ?", (SESSION_USD + key,))
    found = [amount for amount in (settings.session_usd, Decimal(rows[0][0]) if rows else None) if amount is not None]
    return min(found, default=None)


def raised(query: Query, day: str, scope: str, key: str) -> int:
    """By how much a limit was raised for this day."""
    rows = query("SELECT amount FROM spending_raises WHERE day = ? AND scope = ? AND key = ?", (day, scope, key))
    return rows[0][0] if rows else 0


def balance(query: Query, settings: BudgetSettings, day: str, scope: str, key: str) -> Balance | None:
    """How one limit stands; None when the scope has no limit. Raises BudgetError for damaged books."""
    base = base_limit(query, settings, scope, key)
    if base is None:
        return None
    stands = total(query, day, scope, key)
    return Balance(scope, key, base + raised(query, day, scope, key), stands.cost, stands.reserved)


def balances(query: Query, settings: BudgetSettings, day: str, scopes: Iterable[tuple[str, str]]) -> list[Balance]:
    """How every limit stands among `scopes`."""
    found = (balance(query, settings, day, scope, key) for scope, key in scopes)
    return [one for one in found if one is not None]


def limited(query: Query, settings: BudgetSettings, day: str) -> list[tuple[str, str]]:
    """Every scope below the day that has a limit; sessions only as far as they spent or reserved today."""
    found = [("agent", key) for key in settings.agent_usd]
    found += [("purpose", key) for key in settings.purpose_usd]
    found += [("channel", key) for key in settings.channel_usd]
    if settings.session_usd is not None:
        rows = query(
            "SELECT key FROM spending_totals WHERE day = ? AND scope = 'session' AND cost + reserved > 0 ORDER BY key",
            (day,),
        )
        found += [("session", row[0]) for row in rows]
    own = query("SELECT key FROM spending_state WHERE key LIKE ? ORDER BY key", (SESSION_USD + "%",))
    found += [("session", row[0].removeprefix(SESSION_USD)) for row in own]
    return list(dict.fromkeys(found))


def status(query: Query, settings: BudgetSettings, day: BudgetDay) -> list[dict[str, Any]]:
    """How every limit stands, in the form of `appliance budget --json`."""
    rows = [_status(balance(query, settings, day.name, "day", ""), day, total(query, day.name, "day", ""))]
    for scope, key in limited(query, settings, day.name):
        stands = balance(query, settings, day.name, scope, key)
        if stands is not None:
            rows.append(_status(stands, day, Total(stands.spent, stands.reserved)))
    return rows


def _status(stands: Balance | None, day: BudgetDay, totals: Total) -> dict[str, Any]:
    return {
        "scope": "day" if stands is None else stands.name,
        "period": day.name,
        "limit": None if stands is None else usd_number(stands.limit),
        "spent": usd_number(totals.cost),
        "reserved": usd_number(totals.reserved),
        "remaining": None if stands is None else usd_number(max(0, stands.free)),
        "resets_at": iso(day.resets_at),
    }
