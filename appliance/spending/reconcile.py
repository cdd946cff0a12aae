"""Compare the books with the provider's own usage report: never below it, equal where the provider gave the figures.

Reads what the console exports (CSV) and what the usage API returns (JSON). Their days are UTC, so calls are put on UTC
days here by when they were made, whatever the owner's zone.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from appliance.errors import InputError
from appliance.messages import Usage
from appliance.spending.ledger import Query
from appliance.spending.money import usd_number
from appliance.spending.prices import Prices, undated

# The names under which reports list each figure.
_NAMES = {
    "input": ("input", "input_tokens", "uncached_input_tokens", "usage_input_tokens_no_cache"),
    "cache_read": ("cache_read", "cache_read_input_tokens", "usage_input_tokens_cache_read"),
    "cache_write_5m": (
        "cache_write_5m",
        "ephemeral_5m_input_tokens",
        "usage_input_tokens_cache_write_5m",
        "cache_creation_input_tokens",
    ),
    "cache_write_1h": ("cache_write_1h", "ephemeral_1h_input_tokens", "usage_input_tokens_cache_write_1h"),
    "output": ("output", "output_tokens", "usage_output_tokens"),
}
_DAY = ("usage_date_utc", "date", "day", "starting_at")
_MODEL = ("model_version", "model")


@dataclass(slots=True)
class Line:
    """One model on one UTC day: the provider's figures and ours."""

    day: str
    model: str
    theirs: Usage = field(default_factory=Usage)
    ours: Usage = field(default_factory=Usage)
    their_cost: int = 0
    our_cost: int = 0
    bounds: int = 0  # how many of our rows are not the provider's own figures


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """`below`: a line where the books say less than the provider. `unpriced`: models whose cost could not be said."""

    lines: tuple[Line, ...]
    duplicates: int
    unpriced: tuple[str, ...]

    @property
    def below(self) -> list[Line]:
        return [line for line in self.lines if line.our_cost < line.their_cost]

    @property
    def unequal(self) -> list[Line]:
        """Lines that differ although every one of our rows has the provider's own figures."""
        return [line for line in self.lines if line.our_cost != line.their_cost and not line.bounds]

    def as_json(self) -> dict[str, Any]:
        return {
            "provider_total": usd_number(sum(line.their_cost for line in self.lines)),
            "books_total": usd_number(sum(line.our_cost for line in self.lines)),
            "below": len(self.below),
            "unequal": len(self.unequal),
            "duplicates": self.duplicates,
            "unpriced": list(self.unpriced),
            "rows": [
                {
                    "day": line.day,
                    "model": line.model,
                    "provider": line.theirs.as_json(),
                    "books": line.ours.as_json(),
                    "provider_cost": usd_number(line.their_cost),
                    "books_cost": usd_number(line.our_cost),
                    "not_provider_figures": line.bounds,
                }
                for line in self.lines
            ],
        }


def reconcile(file: Path, query: Query, prices: Prices) -> Reconciliation:
    """Given a usage report (.csv or .json) and reads of core.db, compare the two. A record that is there twice counts
    once.

    Raises InputError when the file cannot be read as a usage report.
    """
    records = _read(file)
    seen: set[str] = set()
    theirs: dict[tuple[str, str], Usage] = defaultdict(Usage)
    duplicates = 0
    for record in records:
        identity = json.dumps(record, sort_keys=True, default=str)
        if identity in seen:
            duplicates += 1
            continue
        seen.add(identity)
        day, model, usage = _parse(record, file)
        theirs[day, model] += usage
    if not theirs:
        raise InputError(f"{file.name} holds no usage.", fix="Export the usage report, not the cost report.")
    lines = {key: Line(*key, theirs=usage) for key, usage in theirs.items()}
    _add_ours(lines, query)
    unpriced = []
    for line in lines.values():
        price = prices.known(line.model, "")
        if price is None:
            unpriced.append(line.model)
        else:
            line.their_cost = price.cost(line.theirs)
    ordered = sorted(lines.values(), key=lambda line: (line.day, line.model))
    return Reconciliation(tuple(ordered), duplicates, tuple(sorted(set(unpriced))))


def _add_ours(lines: dict[tuple[str, str], Line], query: Query) -> None:
    """Add the paid rows of the books for the UTC days of the report."""
    first, last = min(day for day, _ in lines), max(day for day, _ in lines)
    rows = query(
        "SELECT at, model, input, cache_read, cache_write_5m, cache_write_1h, output, cost, figure FROM ledger"
        " WHERE local = 0 AND day BETWEEN ? AND ?",
        (_shift(first, -1), _shift(last, 1)),
    )
    for at, model, fresh, read, short, long, output, cost, figure in rows:
        day = datetime.fromtimestamp(at, UTC).date().isoformat()
        if first <= day <= last:
            line = lines.setdefault((day, undated(model)), Line(day, undated(model)))
            line.ours += Usage(fresh, read, short, long, output)
            line.our_cost += cost
            line.bounds += figure != "provider"


def _shift(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}.", fix="Give a CSV or JSON usage report.") from error
    if file.suffix.lower() == ".csv":
        return [dict(row) for row in csv.DictReader(text.splitlines())]
    try:
        tree = json.loads(text)
    except ValueError as error:
        raise InputError(f"{file} is not JSON: {error}.", fix="Give a CSV or JSON usage report.") from error
    return list(_flatten(tree.get("data", tree) if isinstance(tree, dict) else tree))


def _flatten(buckets: Any) -> Iterable[dict[str, Any]]:
    """The usage API nests results under the time they belong to, and cache writes under `cache_creation`."""
    for bucket in buckets if isinstance(buckets, list) else []:
        if not isinstance(bucket, dict):
            continue
        for result in bucket.get("results", [bucket]):
            flat = {**{key: bucket[key] for key in _DAY if key in bucket}, **result}
            flat |= flat.pop("cache_creation", None) or {}
            yield flat


def _parse(record: Mapping[str, Any], file: Path) -> tuple[str, str, Usage]:
    day, model = _first(record, _DAY), _first(record, _MODEL)
    if not day or not model:
        raise InputError(
            f"{file.name} has a row without a day or a model.", fix="Group the report by model, one row a day."
        )
    try:
        count = {kind: int(_first(record, names) or 0) for kind, names in _NAMES.items()}
        usage = Usage(
            count["input"], count["cache_read"], count["cache_write_5m"], count["cache_write_1h"], count["output"]
        )
        return date.fromisoformat(str(day)[:10]).isoformat(), undated(str(model)), usage
    except ValueError as error:
        raise InputError(f"{file.name} has a figure that is none: {error}.", fix="Export the report again.") from error


def _first(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "")), None)
