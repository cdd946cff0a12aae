"""What Prometheus reads. Parts of the house count and observe here; money and budgets are read from the books.

Nothing of prometheus-client is loaded until the first scrape. Every label is capped: a value that is not known, or
comes after the first twenty, is counted under `other`, so no message, person or model name can fill the monitoring's
disk. All calls are made on the event loop.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from appliance.errors import BudgetError
from appliance.observability.catalogue import KNOWN, METRICS, OTHER, PREFIX, Metric

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric as Family

MOST_VALUES = 20  # of one open label
MOST_SERIES = 400  # of one metric
_BY_NAME = {metric.name: metric for metric in METRICS}
Labels = tuple[str, ...]
Sample = tuple[dict[str, str], float]


class Money(Protocol):
    """The books as the metrics see them (spending.figures). `read` returns samples by metric name, each with exactly
    the labels of the catalogue, and raises BudgetError when the books are damaged."""

    def read(self) -> dict[str, list[Sample]]: ...


class Called(Protocol):
    """One finished model call (models.paid_call.CallRecord). `first_token` is None when no text came."""

    @property
    def model(self) -> str: ...
    @property
    def provider(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def first_token(self) -> float | None: ...


@dataclass(slots=True)
class _Histogram:
    counts: list[int]
    total: float = 0.0

    def add(self, value: float, bounds: tuple[float, ...]) -> None:
        self.counts[bisect_left(bounds, value)] += 1
        self.total += value


class _Cap:
    """Which label values, and which series of a metric, have a name of their own; once given, they keep it. `channels`
    are those of the settings, beside the catalogue's."""

    def __init__(self, channels: Iterable[str]) -> None:
        self._known = {**KNOWN, "channel": KNOWN["channel"] | frozenset(channels)}
        self._values: dict[str, set[str]] = defaultdict(set)
        self._series: dict[str, set[Labels]] = defaultdict(set)

    def series(self, metric: Metric, labels: dict[str, str]) -> Labels:
        series = tuple(self._value(label, str(labels[label])) for label in metric.labels)
        have = self._series[metric.name]
        if series in have:
            return series
        if len(have) < MOST_SERIES:
            have.add(series)
            return series
        return tuple(value if label in KNOWN else OTHER for label, value in zip(metric.labels, series, strict=True))

    def _value(self, label: str, value: str) -> str:
        known = self._known.get(label)
        if known is not None:
            return value if value in known else OTHER
        seen = self._values[label]
        if value in seen:
            return value
        if len(seen) < MOST_VALUES:
            seen.add(value)
            return value
        return OTHER


class Metrics:
    """Count, observe, set; `render` is the body of /metrics. A name or label that the catalogue does not have is a
    ValueError: a metric that is not documented cannot be counted. `channels` are those that the settings name."""

    def __init__(self, *, version: str = "", money: Money | None = None, channels: Iterable[str] = ()) -> None:
        self._money = money
        self._cap = _Cap(channels)
        self._values: dict[str, dict[Labels, float]] = defaultdict(dict)
        self._histograms: dict[str, dict[Labels, _Histogram]] = defaultdict(dict)
        self._read: dict[str, Callable[[], float | None]] = {}
        self.set("build_info", 1.0, version=version)

    def add(self, name: str, amount: float = 1.0, **labels: str) -> None:
        """Count something: `metrics.add("exec_runs_total", image="shell", outcome="ok")`."""
        series = self._series(name, "counter", labels)
        values = self._values[name]
        values[series] = values.get(series, 0.0) + amount

    def set(self, name: str, value: float, **labels: str) -> None:
        """Set a gauge."""
        self._values[name][self._series(name, "gauge", labels)] = value

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Put a duration into its histogram. Seconds."""
        series = self._series(name, "histogram", labels)
        bounds = _BY_NAME[name].buckets
        found = self._histograms[name].get(series)
        if found is None:
            found = self._histograms[name][series] = _Histogram([0] * (len(bounds) + 1))
        found.add(value, bounds)

    def at_scrape(self, name: str, read: Callable[[], float | None]) -> None:
        """Read a gauge without labels whenever it is asked for; None is no sample."""
        self._series(name, "gauge", {})
        self._read[name] = read

    def model_called(self, record: Called) -> None:
        """A model call ended (models.paid_call.Watcher). Tokens, cost and outcome come from the books."""
        labels = {"provider": record.provider, "model": record.model}
        self.observe("llm_request_duration_seconds", record.seconds, **labels)
        if record.first_token is not None:
            self.observe("llm_time_to_first_token_seconds", record.first_token, **labels)

    def model_fell_back(self, from_model: str, to_model: str, reason: str) -> None:
        """Another model answered (models.paid_call.Watcher)."""
        self.add("llm_fallbacks_total", from_model=from_model, to_model=to_model, reason=reason)

    def render(self) -> bytes:
        """All of it in Prometheus' text format."""
        from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

        registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=registry)
        registry.register(_Collector(self.families))
        return generate_latest(registry)

    def families(self) -> Iterator[Family]:
        """Each metric of the catalogue that has a sample now."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        money = self._from_books()
        for metric in METRICS:
            name, labels = PREFIX + metric.name, list(metric.labels)
            if metric.kind == "histogram":
                family: Any = HistogramMetricFamily(name, metric.help, labels=labels)
                for series, histogram in self._histograms[metric.name].items():
                    family.add_metric(list(series), _cumulated(histogram, metric.buckets), histogram.total)
            else:
                build = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
                family = build(name, metric.help, labels=labels)
                for series, value in self._samples(metric, money):
                    family.add_metric(list(series), value)
            if family.samples:
                yield family

    def _samples(self, metric: Metric, money: dict[str, list[Sample]]) -> Iterable[tuple[Labels, float]]:
        if metric.ledger:
            return self._capped(metric, money.get(metric.name, [])).items()
        read = self._read.get(metric.name)
        if read is not None:
            value = read()
            return [] if value is None else [((), value)]
        return self._values[metric.name].items()

    def _from_books(self) -> dict[str, list[Sample]]:
        if self._money is None:
            return {}
        try:
            return {**self._money.read(), "budget_books_damaged": [({}, 0.0)]}
        except BudgetError:
            return {"budget_books_damaged": [({}, 1.0)]}

    def _capped(self, metric: Metric, samples: list[Sample]) -> dict[Labels, float]:
        """Samples of the books under capped labels, added up where labels fell together; the largest come first."""
        found: dict[Labels, float] = {}
        for labels, value in sorted(samples, key=lambda sample: -sample[1]):
            series = self._cap.series(metric, labels)
            found[series] = found.get(series, 0.0) + value
        return found

    def _series(self, name: str, kind: str, labels: dict[str, str]) -> Labels:
        metric = _BY_NAME.get(name)
        if metric is None or metric.kind != kind or metric.ledger or set(labels) != set(metric.labels):
            raise ValueError(f"{name} with labels {sorted(labels)} is not a {kind} of the catalogue")
        return self._cap.series(metric, labels)


class _Collector:
    def __init__(self, families: Callable[[], Iterator[Family]]) -> None:
        self._families = families

    def collect(self) -> Iterator[Family]:
        return self._families()


def _cumulated(histogram: _Histogram, bounds: tuple[float, ...]) -> list[tuple[str, float]]:
    total, found = 0, []
    for bound, count in zip((*bounds, math.inf), histogram.counts, strict=True):
        total += count
        found.append(("+Inf" if math.isinf(bound) else repr(bound), float(total)))
    return found
