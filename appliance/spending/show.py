"""Money for a person to read: the same text in a terminal and in a chat, in their language."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from appliance.spending.budget import Budget
from appliance.spending.budget_day import local_time
from appliance.spending.calls import BudgetEvent
from appliance.spending.money import PICO_PER_USD, show
from appliance.spending.report import Forecast, Spending
from appliance.texts import say

_FULL, _EMPTY = "█", "░"
_ROWS = 12


def bar(share: float, width: int = 10) -> str:
    """Given a share (0 to 1; more is full), return a bar of `width` cells; something above zero shows at least one."""
    cells = min(width, max(0, round(share * width)))
    if share > 0:
        cells = max(1, cells)
    return _FULL * cells + _EMPTY * (width - cells)


def forecast_text(forecast: Forecast, language: str = "en") -> str:
    """Today against its limit, with a bar and where it is heading."""
    if forecast.limit is None:
        return say("spend_today_unlimited", language, spent=show(forecast.spent), forecast=show(forecast.forecast))
    share = forecast.spent / forecast.limit if forecast.limit else float(forecast.spent > 0)
    return say(
        "spend_today",
        language,
        bar=bar(share),
        percent=round(share * 100),
        spent=show(forecast.spent),
        limit=show(forecast.limit),
        forecast=show(forecast.forecast),
    )


def spend_text(report: dict[str, Any], language: str = "en") -> str:
    """Given `Spending.spend`, return its rows as lines with a bar each, dearest first."""
    rows = report["rows"]
    if not rows:
        return say("spend_nothing", language, day=report["day"])
    most = max(row["cost"] for row in rows)
    lines = [say("spend_head", language, day=report["day"], total=_dollars(report["total"]))]
    for row in rows[-_ROWS:] if _by_day(rows) else rows[:_ROWS]:
        share = row["cost"] / most if most else 0.0
        lines.append(f"`{bar(share, 8)}` {_dollars(row['cost'])}  {row['key']}  ×{row['calls']}")
    if len(rows) > _ROWS:
        lines.append(say("spend_more", language, count=len(rows) - _ROWS))
    return "\n".join(lines)


def budget_text(status: list[dict[str, Any]], zone: ZoneInfo, language: str = "en") -> str:
    """Given `Budget.status` and the owner's zone, return one line a limit."""
    lines = []
    for row in status:
        if row["limit"] is None:
            lines.append(say("budget_no_limit", language, scope=row["scope"], spent=_dollars(row["spent"])))
            continue
        share = row["spent"] / row["limit"] if row["limit"] else 1.0
        lines.append(
            say(
                "budget_line",
                language,
                bar=bar(share, 8),
                scope=row["scope"],
                spent=_dollars(row["spent"]),
                limit=_dollars(row["limit"]),
                remaining=_dollars(row["remaining"]),
                reserved=_dollars(row["reserved"]),
            )
        )
    lines.append(
        say("budget_resets", language, at=local_time(datetime.fromisoformat(status[0]["resets_at"]).timestamp(), zone))
    )
    return "\n".join(lines)


def _by_day(rows: list[dict[str, Any]]) -> bool:
    return all(len(str(row["key"])) == 10 and str(row["key"])[4] == "-" for row in rows)


def _dollars(amount: float) -> str:
    return show(int(Decimal(repr(amount)) * PICO_PER_USD))


def event_text(event: BudgetEvent, zone: ZoneInfo, language: str = "en") -> str:
    """What the owner is told about a budget event."""
    spent, limit = show(event.spent), show(event.limit)
    if event.kind == "overrun":
        return say("budget_overrun", language, model=event.key, spent=spent, limit=limit)
    if event.percent < 100:
        return say("budget_mark", language, percent=event.percent, spent=spent, limit=limit)
    return say(
        "budget_reached", language, scope=event.name, spent=spent, limit=limit, at=local_time(event.resets_at, zone)
    )


def footer_text(model: str, cost: int) -> str:
    """The line under a reply that `budget.footer` asks for: who answered, and what it cost in picodollars."""
    return f"{model} · {show(cost)}"


class MoneyText:
    """What `/spend` and `/budget` say, from the same reports as everything else."""

    def __init__(self, budget: Budget, spending: Spending, zone: Callable[[], ZoneInfo]) -> None:
        self._budget = budget
        self._spending = spending
        self._zone = zone

    def spend_text(self, by: str = "model", language: str = "en") -> str:
        """Today by one group, under where today is heading. Raises InputError for an unknown group."""
        rows = spend_text(self._spending.spend(by=by), language)
        return f"{forecast_text(self._spending.forecast(), language)}\n{rows}"

    def budget_text(self, language: str = "en") -> str:
        """Every limit, and where today is heading."""
        limits = budget_text(self._budget.status(), self._zone(), language)
        return f"{forecast_text(self._spending.forecast(), language)}\n{limits}"
