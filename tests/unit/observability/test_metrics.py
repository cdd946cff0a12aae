"""What /metrics says, and what it never lets in."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from appliance.errors import BudgetExceededError
from appliance.messages import Purpose, Usage
from appliance.observability.catalogue import METRICS, PREFIX
from appliance.observability.metrics import MOST_SERIES, MOST_VALUES, Metrics, Sample
from appliance.spending.figures import Figures

from ..spending.books import Books, call, limit, open_books

Samples = dict[str, dict[tuple[tuple[str, str], ...], float]]


def scrape(metrics: Metrics) -> Samples:
    found: Samples = {}
    for family in text_string_to_metric_families(metrics.render().decode()):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sorted(sample.labels.items()))] = sample.value
    return found


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[PREFIX + name][tuple(sorted(labels.items()))]


@dataclass
class Money:
    samples: dict[str, list[Sample]]

    def read(self) -> dict[str, list[Sample]]:
        return self.samples


@dataclass
class Record:
    model: str = "claude-sonnet-5-5"
    provider: str = "anthropic"
    seconds: float = 1.0
    first_token: float | None = 0.3


def of(books: Books) -> Metrics:
    figures = Figures(
        books.database,
        books.prices,
        lambda: books.settings,
        lambda: books.zone,
        books.clock,
        damage=lambda: books.budget.damage,
    )
    return Metrics(version="1.2.3", money=figures)


def test_counts_observations_and_gauges_come_out_as_they_went_in() -> None:
    metrics = Metrics(version="1.2.3")
    metrics.add("exec_runs_total", image="shell", outcome="ok")
    metrics.add("exec_runs_total", 2, image="shell", outcome="ok")
    metrics.set("exec_pool_ready", 2)
    metrics.observe("turn_duration_seconds", 0.1)
    metrics.observe("turn_duration_seconds", 1_000)
    metrics.at_scrape("state_free_bytes", lambda: 12.0)
    metrics.at_scrape("lane_depth", lambda: None)
    samples = scrape(metrics)
    assert value(samples, "exec_runs_total", image="shell", outcome="ok") == 3
    assert value(samples, "exec_pool_ready") == 2
    assert value(samples, "turn_duration_seconds_bucket", le="0.05") == 0
    assert value(samples, "turn_duration_seconds_bucket", le="0.1") == 1
    assert value(samples, "turn_duration_seconds_bucket", le="300.0") == 1
    assert value(samples, "turn_duration_seconds_bucket", le="+Inf") == 2
    assert value(samples, "turn_duration_seconds_sum") == 1_000.1
    assert value(samples, "state_free_bytes") == 12
    assert PREFIX + "lane_depth" not in samples
    assert value(samples, "build_info", version="1.2.3") == 1
    assert samples["process_resident_memory_bytes"][()] > 1_000_000


def test_a_model_call_is_observed_with_and_without_a_first_token() -> None:
    metrics = Metrics()
    metrics.model_called(Record())
    metrics.model_called(Record(first_token=None))
    metrics.model_fell_back("claude-sonnet-5-5", "local", "budget")
    samples = scrape(metrics)
    labels = {"provider": "anthropic", "model": "claude-sonnet-5-5"}
    assert value(samples, "llm_request_duration_seconds_count", **labels) == 2
    assert value(samples, "llm_time_to_first_token_seconds_count", **labels) == 1
    fell = {"from_model": "claude-sonnet-5-5", "to_model": "local", "reason": "budget"}
    assert value(samples, "llm_fallbacks_total", **fell) == 1


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("exec_runs", {"image": "shell", "outcome": "ok"}),
        ("exec_runs_total", {"image": "shell"}),
        ("exec_runs_total", {"image": "shell", "outcome": "ok", "session": "main"}),
        ("lane_depth", {}),
        ("llm_cost_usd_total", dict.fromkeys(("provider", "model", "agent", "channel", "purpose"), "x")),
    ],
)
def test_what_the_catalogue_does_not_have_cannot_be_counted(name: str, labels: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="catalogue"):
        Metrics().add(name, **labels)


def test_unknown_and_too_many_names_fall_together_under_other() -> None:
    metrics = Metrics()
    for number in range(100):
        metrics.add("channel_messages_total", channel=f"invented{number}", direction="in", outcome="ok")
        metrics.add("exec_runs_total", image=f"image{number}", outcome="ok")
    samples = scrape(metrics)
    assert samples[PREFIX + "channel_messages_total"] == {
        (("channel", "other"), ("direction", "in"), ("outcome", "ok")): 100
    }
    images = samples[PREFIX + "exec_runs_total"]
    assert len(images) == MOST_VALUES + 1
    assert images[("image", "other"), ("outcome", "ok")] == 80
    assert sum(images.values()) == 100


@pytest.mark.parametrize("name", ['x"} 1\nfake{a="b', "模型 🙂", "\\", "\n", "x" * 1_000_000], ids=range(5))
def test_a_name_of_any_form_leaves_the_page_readable_and_adds_no_metric(name: str) -> None:
    plain, odd = Metrics(), Metrics()
    plain.add("exec_runs_total", image="shell", outcome="ok")
    odd.add("exec_runs_total", image=name, outcome="ok")
    assert scrape(odd).keys() == scrape(plain).keys()
    assert sum(scrape(odd)[PREFIX + "exec_runs_total"].values()) == 1


def test_ten_thousand_models_stay_under_the_cap() -> None:
    labels = [
        {"provider": "p", "model": f"m{n}", "agent": "a", "channel": "web", "purpose": "chat"} for n in range(10_000)
    ]
    costs = scrape(Metrics(money=Money({"llm_cost_usd_total": [(one, 1.0) for one in labels]})))
    assert len(costs[PREFIX + "llm_cost_usd_total"]) <= MOST_SERIES + 1


def test_one_metric_never_has_more_series_than_its_cap_and_its_sum_stays_true() -> None:
    labels = [
        {"provider": f"p{p}", "model": f"m{m}", "agent": f"a{a}", "channel": "web", "purpose": "chat"}
        for p in range(10)
        for m in range(10)
        for a in range(10)
    ]
    metrics = Metrics(money=Money({"llm_cost_usd_total": [(one, 1.0) for one in labels]}))
    for _ in range(2):
        costs = scrape(metrics)[PREFIX + "llm_cost_usd_total"]
        assert len(costs) <= MOST_SERIES + 1
        assert sum(costs.values()) == 1_000


async def test_money_is_read_from_the_books_and_a_restart_changes_nothing(tmp_path: Path) -> None:
    settings = limit("1.00", purpose_usd={"heartbeat": "0.20"}, session_usd="0.90")
    async with open_books(tmp_path, settings=settings) as books:
        held = await books.budget.reserve(call())
        await books.budget.settle(held, Usage(input=3, cache_read=73_030, cache_write_5m=2_124, output=1_059))
        await books.budget.release(await books.budget.reserve(call()), outcome="rate_limit")
        open_one = await books.budget.reserve(call(purpose=Purpose.HEARTBEAT))
        samples = scrape(of(books))
        labels = {
            "provider": "anthropic", "model": "claude-sonnet-4-6", "agent": "main", "channel": "web", "purpose": "chat",
        }  # fmt: skip
        assert value(samples, "llm_cost_usd_total", **labels) == 0.045768
        tokens = {kind: value(samples, "llm_tokens_total", **labels, token_type=kind) for kind in
                  ("input", "cache_read", "cache_write", "output")}  # fmt: skip
        assert tokens == {"input": 3, "cache_read": 73_030, "cache_write": 2_124, "output": 1_059}
        assert value(samples, "llm_requests_total", **labels, outcome="ok") == 1
        assert value(samples, "llm_requests_total", **labels, outcome="rate_limit") == 1
        day = {"scope": "day", "period": "day"}
        assert value(samples, "budget_limit_usd", **day) == 1.0
        assert value(samples, "budget_spent_usd", **day) == 0.045768
        assert value(samples, "budget_reserved_usd", **day) == open_one.amount / 10**12
        assert value(samples, "budget_limit_usd", scope="purpose:heartbeat", period="day") == 0.2
        assert value(samples, "budget_reset_timestamp_seconds", **day) == 1_782_259_200
        assert value(samples, "budget_exhausted", **day) == 0
        assert value(samples, "price_table_age_seconds") == 0
        assert value(samples, "budget_books_damaged") == 0
        assert not any("session" in dict(series)["scope"] for series in samples[PREFIX + "budget_limit_usd"])
        before = {name: found for name, found in samples.items() if "llm_" in name}
    async with open_books(tmp_path, settings=settings) as books:
        after = scrape(of(books))
        assert {name: found for name, found in after.items() if "llm_" in name} == before
        books.budget.recover()
        orphan = {**labels, "purpose": "heartbeat", "outcome": "orphan"}
        assert value(scrape(of(books)), "llm_requests_total", **orphan) == 1


async def test_a_refused_call_shows_at_once_and_a_raise_takes_it_back(tmp_path: Path) -> None:
    from decimal import Decimal

    async with open_books(tmp_path, settings=limit("0.01")) as books:
        metrics = of(books)
        assert value(scrape(metrics), "budget_decisions_total", scope="day", action="refused") == 0
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call())
        day = {"scope": "day", "period": "day"}
        assert value(scrape(metrics), "budget_exhausted", **day) == 1
        assert value(scrape(metrics), "budget_decisions_total", scope="day", action="refused") == 1
        await books.budget.raise_today(Decimal(1))
        assert value(scrape(metrics), "budget_exhausted", **day) == 0


async def test_without_a_daily_limit_what_is_spent_is_shown_and_no_limit(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit(None)) as books:
        samples = scrape(of(books))
        assert value(samples, "budget_spent_usd", scope="day", period="day") == 0
        assert PREFIX + "budget_limit_usd" not in samples


async def test_damaged_books_are_said_and_the_rest_is_still_scraped(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await books.budget.settle(await books.budget.reserve(call()), Usage(output=10))
        await books.database.write(lambda c: c.execute("UPDATE spending_totals SET cost = 1") and None)
        books.budget.recover()
        samples = scrape(of(books))
        assert value(samples, "budget_books_damaged") == 1
        assert PREFIX + "budget_spent_usd" not in samples
        assert value(samples, "build_info", version="1.2.3") == 1


def test_the_gateway_does_not_load_prometheus_before_the_first_scrape() -> None:
    code = (
        "import sys; from appliance.observability.metrics import Metrics; m = Metrics(); m.set('lane_depth', 1);"
        "before = 'prometheus_client' in sys.modules; m.render(); print(before, 'prometheus_client' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_names_follow_the_rules_of_prometheus() -> None:
    names = [metric.name for metric in METRICS]
    assert len(names) == len(set(names))
    for metric in METRICS:
        assert metric.name.endswith("_total") == (metric.kind == "counter"), metric.name
        assert bool(metric.buckets) == (metric.kind == "histogram"), metric.name
        assert metric.help.endswith("."), metric.name
        assert not {"session", "message", "user", "chat", "turn"} & set(metric.labels), metric.name
