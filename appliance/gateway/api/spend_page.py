"""The spend page: today against the limit, where it went, the last 30 days. Every figure is the books' own."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from litestar import Response, get

from appliance.gateway.api import charts
from appliance.gateway.api.deciding import page_of
from appliance.gateway.api.http import AnyRequest
from appliance.gateway.services import Services


class Today(Protocol):
    """Money is picodollars (spending.report.Forecast)."""

    @property
    def day(self) -> str: ...
    @property
    def spent(self) -> int: ...
    @property
    def forecast(self) -> int: ...
    @property
    def limit(self) -> int | None: ...


@runtime_checkable
class Figures(Protocol):
    """What the page shows (spending.report.Spending)."""

    def spend(self, day: str | None = None, by: str = "model") -> dict[str, Any]: ...
    def forecast(self) -> Today: ...
    def series(self, days: int = 30) -> list[dict[str, Any]]: ...
    def dearest_turns(self, day: str | None = None, count: int = 10) -> list[dict[str, Any]]: ...
    def cache_share(self, day: str | None = None) -> float: ...


def routes(services: Services) -> list[Any]:
    """The handlers of this module; none while nobody keeps books."""
    figures = services.spending
    if not isinstance(figures, Figures):
        return []

    @get("/spend")
    async def spend(request: AnyRequest) -> Response[str]:
        return page_of("spend", request, services, **values(figures))

    return [spend]


def values(figures: Figures) -> dict[str, Any]:
    """Everything the template needs, charts drawn."""
    today = figures.forecast()
    limit = None if today.limit is None else today.limit / 1e12
    spent = today.spent / 1e12
    return {
        "day": today.day,
        "spent": money(spent),
        "limit": None if limit is None else money(limit),
        "forecast": money(today.forecast / 1e12),
        "over": limit is not None and today.forecast > (today.limit or 0),
        "percent": round(100 * spent / limit) if limit else None,
        "limit_bar": charts.bar(spent / limit, f"{money(spent)} / {money(limit)}") if limit else "",
        "cache_share": round(100 * figures.cache_share()),
        "groups": [(by, _group(figures.spend(by=by)["rows"])) for by in ("purpose", "model", "channel")],
        "days": charts.columns(
            [(row["key"][5:], row["cost"], f"{row['key']}: {money(row['cost'])}") for row in figures.series()],
            limit,
            "30 d",
        ),
        "turns": [{**turn, "cost": money(turn["cost"])} for turn in figures.dearest_turns(count=8)],
    }


def _group(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    most = max((row["cost"] for row in rows), default=0.0)
    return [
        {
            "key": row["key"],
            "calls": row["calls"],
            "cost": money(row["cost"]),
            "bar": charts.bar(row["cost"] / most if most else 0.0, f"{row['key']}: {money(row['cost'])}"),
        }
        for row in rows[:10]
    ]


def money(usd: float) -> str:
    """US dollars for a person: two digits, four under ten cents."""
    return f"${usd:.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.4f}"
