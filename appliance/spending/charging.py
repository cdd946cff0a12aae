"""What a call comes to, from what its provider said of it. Never 0 for a paid model, never under the bill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from appliance.messages import Usage
from appliance.spending.calls import CallSpec
from appliance.spending.ledger import Charge, Figure
from appliance.spending.money import ceil_div
from appliance.spending.prices import ModelPrice


def paid(
    spec: CallSpec, usage: Usage, price: ModelPrice, held: int, likely: Callable[[], int], outcome: str, seconds: float
) -> Charge:
    """Given a call of a paid model, its usage, the price of who answered, what was held for it, a likely size of its
    prompt and how it ended, return the charge.

    Usage that is missing or cannot be true is charged as held and marked a bound; an estimate of the prompt is charged
    at the dearest rate that it can have been.
    """
    sane = _sane(usage)
    if sane is None or sane.prompt + sane.output == 0:
        return Charge(Usage(estimated=True), held, "bound", outcome, seconds)
    if sane.estimated and not sane.cache_read and not sane.cache_write:
        prompt = sane.input or likely()
        sane = replace(sane, input=0, cache_write_5m=prompt) if spec.cache_write else replace(sane, input=prompt)
    cost = price.cost(sane, usage.modes or spec.modes)
    return Charge(sane, cost, "estimate" if sane.estimated else "provider", outcome, seconds)


def local(usage: Usage, hour: int, outcome: str, seconds: float) -> Charge:
    """Given a call of a local model and what an hour of its work costs in picodollars, return the charge: no money,
    but its tokens, its seconds and its electricity."""
    electricity = ceil_div(hour * int(seconds * 1000), 3_600_000)
    figure: Figure = "estimate" if usage.estimated else "provider"
    return Charge(_sane(usage) or Usage(), 0, figure, outcome, seconds, electricity)


def _sane(usage: Usage) -> Usage | None:
    """The usage, or None when a figure in it cannot be one."""
    figures = (usage.input, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h, usage.output)
    whole = all(isinstance(figure, int) and not isinstance(figure, bool) and 0 <= figure < 2**40 for figure in figures)
    return usage if whole else None
