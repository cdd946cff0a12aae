"""The books as Prometheus reads them: counters that a restart does not reset, gauges of the owner's day."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from appliance.clock import Clock
from appliance.database import Database
from appliance.settings.budget import BudgetSettings
from appliance.spending import budget_day, ledger, limits, marks
from appliance.spending.budget_day import BudgetDay
from appliance.spending.limits import Balance
from appliance.spending.money import usd_number
from appliance.spending.prices import Prices

Sample = tuple[dict[str, str], float]
_CALL = ("provider", "model", "agent", "channel", "purpose")
_TOKENS = ("input", "cache_read", "cache_write", "output")
_ACTIONS = ("allowed", "shrunk", "refused")


class Figures:
    """observability.metrics.Money. `damage` says what is wrong with the books, or nothing (Budget.damage)."""

    def __init__(
        self,
        database: Database,
        prices: Prices,
        settings: Callable[[], BudgetSettings],
        zone: Callable[[], ZoneInfo],
        clock: Clock,
        damage: Callable[[], str] = lambda: "",
    ) -> None:
        self._read = database.read
        self._prices = prices
        self._settings = settings
        self._zone = zone
        self._clock = clock
        self._damage = damage

    def read(self) -> dict[str, list[Sample]]:
        """Samples by metric name. Raises BudgetError when the books are damaged."""
        if self._damage():
            raise ledger.damaged(self._damage())
        return {
            **self._calls(),
            **self._budgets(),
            **self._decisions(),
            "price_table_age_seconds": [({}, self._prices.age_seconds(self._clock.now()))],
        }

    def _calls(self) -> dict[str, list[Sample]]:
        tokens: list[Sample] = []
        costs: list[Sample] = []
        requests: list[Sample] = []
        rows = self._read(
            "SELECT provider, model, agent, channel, purpose, outcome, calls, input, cache_read, cache_write, output,"
            " cost FROM spending_series",
            (),
        )
        for row in rows:
            labels = dict(zip(_CALL, row[:5], strict=True))
            requests.append(({**labels, "outcome": row[5]}, row[6]))
            tokens += [({**labels, "token_type": kind}, count) for kind, count in zip(_TOKENS, row[7:11], strict=True)]
            costs.append((labels, usd_number(row[11])))
        return {"llm_tokens_total": tokens, "llm_cost_usd_total": costs, "llm_requests_total": requests}

    def _budgets(self) -> dict[str, list[Sample]]:
        """Every limit but those of sessions, whose names have no bound."""
        settings = self._settings()
        day = budget_day.current(self._read, self._clock.now(), self._zone())
        found: dict[str, list[Sample]] = {
            name: [] for name in ("limit_usd", "spent_usd", "reserved_usd", "exhausted", "reset_timestamp_seconds")
        }
        total = ledger.total(self._read, day.name, "day", "")
        whole = limits.balance(self._read, settings, day.name, "day", "")
        if whole is None:  # no limit, but what is spent is worth a gauge
            found["spent_usd"].append((_period("day"), usd_number(total.cost)))
            found["reserved_usd"].append((_period("day"), usd_number(total.reserved)))
        scopes = [("day", ""), *limits.limited(self._read, settings, day.name)]
        for scope, key in scopes:
            stands = limits.balance(self._read, settings, day.name, scope, key) if scope != "session" else None
            if stands is not None:
                self._add(found, stands, day)
        return {f"budget_{name}": samples for name, samples in found.items()}

    def _add(self, found: dict[str, list[Sample]], stands: Balance, day: BudgetDay) -> None:
        labels = _period(stands.name)
        marked = marks.is_set(self._read, day.name, stands, 100)
        found["limit_usd"].append((labels, usd_number(stands.limit)))
        found["spent_usd"].append((labels, usd_number(stands.spent)))
        found["reserved_usd"].append((labels, usd_number(stands.reserved)))
        found["exhausted"].append((labels, float(marked)))
        found["reset_timestamp_seconds"].append((labels, day.resets_at))

    def _decisions(self) -> dict[str, list[Sample]]:
        """Decisions with zeros where nothing happened yet, so that the first refusal is an increase."""
        counts = {(scope, action): 0 for scope in ledger.SCOPES for action in _ACTIONS}
        rows = self._read("SELECT scope, action, count FROM spending_counters WHERE name = 'decision'", ())
        counts |= {(scope, action): number for scope, action, number in rows}
        unpriced = self._read("SELECT coalesce(sum(count), 0) FROM spending_counters WHERE name = 'unpriced'", ())
        return {
            "budget_decisions_total": [
                ({"scope": scope, "action": action}, number) for (scope, action), number in counts.items()
            ],
            "unpriced_requests_total": [({}, unpriced[0][0])],
        }


def _period(scope: str) -> dict[str, str]:
    return {"scope": scope, "period": "day"}
