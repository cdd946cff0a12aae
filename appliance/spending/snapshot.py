"""Ask genai-prices, in a process of its own, and print what it says in the form of a price file.

Loading that table takes a second and ninety megabytes, which the gateway does not want to carry for one figure. Run as
`python -m appliance.spending.snapshot MODEL [PROVIDER]`: prints JSON, exit 3 when the model is not known there.
"""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

UNKNOWN = 3
# Models that bill 1.1 times as much when inference must stay in the US: 4.6 and later, by the provider's price page.
_US_SURCHARGE = re.compile(r"claude-(?:[a-z]+-4-[6-9]|[a-z]+-[5-9])")


def main(arguments: list[str]) -> int:
    """Given MODEL and optionally PROVIDER, print the entry as JSON; return the exit code."""
    found = look_up(arguments[0], arguments[1] if len(arguments) > 1 else "")
    if found is None:
        return UNKNOWN
    sys.stdout.write(json.dumps(found, default=str))
    return 0


def look_up(model: str, provider: str) -> dict[str, Any] | None:
    """Given a model and a provider's name (which may be ours, and unknown there), return its entry or None."""
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    for candidate in (provider, None) if provider else (None,):
        try:
            _, info = snapshot.find_provider_model(model, None, candidate, None)
        except LookupError:
            continue
        return entry(info)
    return None


def entry(info: ModelInfo) -> dict[str, Any] | None:
    """Given a model of the snapshot, return a price file's entry; of prices by time of day the dearest."""
    now = datetime.now(UTC)
    prices = info.prices if isinstance(info.prices, list) else None
    choices: list[ModelPrice] = [info.get_prices(now)]
    if prices is not None:
        from genai_prices.types import TimeOfDateConstraint

        choices += [p.prices for p in prices if isinstance(p.constraint, TimeOfDateConstraint)]
    base = _kinds(choices, lambda price: price if isinstance(price, Decimal) else price.base)
    if base is None:
        return None
    starts = sorted({t.start for choice in choices for price in _priced(choice) for t in getattr(price, "tiers", [])})
    found: dict[str, Any] = dict(base)
    if starts:
        found["tiers"] = [{"over": start, **(_kinds(choices, _above(start)) or {})} for start in starts]
    searches = getattr(choices[0], "web_searches_kcount", None)
    if isinstance(searches, Decimal):
        found["server_tools"] = {"web_search_requests": searches / 1000}
    modes = _modes(info, base, now)
    if modes:
        found["modes"] = modes
    return found


def _priced(choice: ModelPrice) -> list[Any]:
    names = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
    return [price for name in names if (price := getattr(choice, name)) is not None]


def _above(start: int) -> Any:
    def pick(price: Decimal | TieredPrices) -> Decimal:
        if isinstance(price, Decimal):
            return price
        reached = [tier.price for tier in price.tiers if tier.start <= start]
        return reached[-1] if reached else price.base

    return pick


def _kinds(choices: list[ModelPrice], pick: Any) -> dict[str, Decimal] | None:
    """The five kinds, each the dearest of the choices; what is not listed costs as much as plain input."""
    found: dict[str, Decimal] = {}
    for choice in choices:
        if choice.input_mtok is None or choice.output_mtok is None:
            return None
        plain = pick(choice.input_mtok)
        short = pick(choice.cache_write_mtok) if choice.cache_write_mtok is not None else plain
        one = {
            "input": plain,
            "cache_read": pick(choice.cache_read_mtok) if choice.cache_read_mtok is not None else plain,
            "cache_write_5m": short,
            "cache_write_1h": pick(choice.cache_write_1h_mtok) if choice.cache_write_1h_mtok is not None else short,
            "output": max(pick(p) for p in (choice.output_mtok, choice.output_reasoning_mtok) if p is not None),
        }
        found = {kind: max(price, found.get(kind, price)) for kind, price in one.items()}
    return found or None


def _modes(info: ModelInfo, base: dict[str, Decimal], now: datetime) -> dict[str, Decimal]:
    """Multipliers of the whole bill: batch, fast, us."""
    modes: dict[str, Decimal] = {}
    for variant in info.price_variants or []:
        if variant.constraint is not None and not variant.constraint.active(now):
            continue
        kinds = _kinds([variant.prices], lambda price: price if isinstance(price, Decimal) else price.base)
        name = {"batch": "batch", "fast": "fast"}.get(next(iter(variant.when.values())))
        if kinds is not None and name is not None:
            modes[name] = max(kinds[kind] / base[kind] for kind in base if base[kind])
    if _US_SURCHARGE.match(info.id):
        modes["us"] = Decimal("1.1")
    return modes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
