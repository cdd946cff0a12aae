"""What a token costs: five rates a model, tiers by prompt size, multipliers, server tools.

Three sources, in this order: the owner's price file (`budget.price_file`), the table shipped here (prices.toml, written
from genai-prices by scripts/price-table), and genai-prices itself for any other model. All three are read by one
parser. A price that is not known is UnpricedModelError, never zero.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from appliance.errors import SettingsError, UnpricedModelError
from appliance.messages import Usage
from appliance.spending.money import PICO_PER_USD, ceil_div, picodollars
from appliance.spending.snapshot import UNKNOWN

KINDS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
SHIPPED = Path(__file__).with_name("prices.toml")
_DATED = re.compile(r"[-@]20\d{6}$")
_LOOKUP_SECONDS = 30.0
_PERMILLE = 1000
_MTOK = 1_000_000


@dataclass(frozen=True, slots=True)
class Rates:
    """Picodollars for one token of each kind."""

    input: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int
    output: int

    def of(self, usage: Usage) -> int:
        return (
            usage.input * self.input
            + usage.cache_read * self.cache_read
            + usage.cache_write_5m * self.cache_write_5m
            + usage.cache_write_1h * self.cache_write_1h
            + usage.output * self.output
        )

    def dearest_input(self, *, written: bool, long_lived: bool) -> int:
        """The most that one prompt token can cost."""
        rates = [self.input, self.cache_read]
        if written:
            rates.append(self.cache_write_5m)
        if long_lived:
            rates.append(self.cache_write_1h)
        return max(rates)


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """The whole price of a model. `tiers` are (prompt tokens that must be passed, rates), ascending; the rates of the
    highest tier that a prompt passes apply to the whole request. `modes` are permille of the whole bill."""

    base: Rates
    tiers: tuple[tuple[int, Rates], ...] = ()
    modes: Mapping[str, int] = field(default_factory=dict)
    server_tools: Mapping[str, int] = field(default_factory=dict)

    def rates(self, prompt_tokens: int) -> Rates:
        found = self.base
        for over, rates in self.tiers:
            if prompt_tokens > over:
                found = rates
        return found

    def cost(self, usage: Usage, modes: tuple[str, ...] = ()) -> int:
        """Picodollars of a call. A mode that is not listed is charged as the dearest that is: never under the bill."""
        amount = self.rates(usage.prompt).of(usage)
        return self._moded(amount, modes) + self.tools(usage.server_tools)

    def tools(self, calls: Mapping[str, int]) -> int:
        """Picodollars of server tool calls; a tool that is not listed costs as much as the dearest one that is."""
        dearest = max(self.server_tools.values(), default=0)
        return sum(max(0, count) * self.server_tools.get(name, dearest) for name, count in calls.items())

    def worst(self, prompt: int, output: int, *, written: bool, long_lived: bool, modes: tuple[str, ...] = ()) -> int:
        """Picodollars that a call of at most `prompt` and `output` tokens can cost at most, server tools apart."""
        reachable = [self.base, *(rates for over, rates in self.tiers if prompt > over)]
        amount = max(
            prompt * rates.dearest_input(written=written, long_lived=long_lived) + output * rates.output
            for rates in reachable
        )
        return self._moded(amount, modes)

    def output_that_fits(
        self, amount: int, prompt: int, *, written: bool, long_lived: bool, modes: tuple[str, ...]
    ) -> int:
        """The largest output limit with which `worst` is at most `amount`; negative when not even none fits."""
        free = amount - self.worst(prompt, 0, written=written, long_lived=long_lived, modes=modes)
        dearest = max([self.base.output, *(rates.output for over, rates in self.tiers if prompt > over)])
        one = self._moded(dearest, modes)
        return -1 if free < 0 else (free // one if one else sys.maxsize)

    def _moded(self, amount: int, modes: tuple[str, ...]) -> int:
        for mode in modes:
            permille = self.modes.get(mode, max(self.modes.values(), default=_PERMILLE))
            amount = ceil_div(amount * permille, _PERMILLE)
        return amount


def undated(model: str) -> str:
    """Given a model id, return it without the release date behind it."""
    return _DATED.sub("", model)


def flat(usd_per_mtok: Decimal) -> ModelPrice:
    """Every token at one rate: what `budget.unpriced_usd_per_mtok` asks for."""
    rate = ceil_div(picodollars(usd_per_mtok), _MTOK)
    return ModelPrice(Rates(rate, rate, rate, rate, rate))


FREE = ModelPrice(Rates(0, 0, 0, 0, 0))


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by model id, and the day they were true."""

    models: Mapping[str, ModelPrice]
    dated: date | None = None

    def find(self, model: str) -> ModelPrice | None:
        """Given a model id, also with a provider in front or a date behind it, return its price or None."""
        name = model.lower().rpartition("/")[2]
        return self.models.get(model.lower()) or self.models.get(name) or self.models.get(undated(name))


def read_table(path: Path) -> PriceTable:
    """Read a price file. Raises SettingsError that names every problem with its place."""
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError([f"{path}: not valid TOML: {error}"]) from error
    except OSError as error:
        raise SettingsError([f"{path}: cannot be read: {error.strerror}"]) from error
    problems: list[str] = []
    models = tree.pop("models", {})
    dated = tree.pop("dated", None)
    tree.pop("source", None)
    problems += [f"{path}: {name}: unknown; a price file has `dated`, `source` and `models`" for name in tree]
    if dated is not None and not isinstance(dated, date):
        problems.append(f"{path}: dated: must be a date such as 2026-11-30")
    if not isinstance(models, dict):
        problems.append(f"{path}: models: must be a table")
        models = {}
    found: dict[str, ModelPrice] = {}
    for name, raw in models.items():
        try:
            found[name.lower()] = parse_price(raw)
        except ValueError as error:
            problems.append(f"{path}: models.{name}.{error}")
    if problems:
        raise SettingsError(problems, fix="The shipped table, appliance/spending/prices.toml, has the same form.")
    return PriceTable(found, dated if isinstance(dated, date) else None)


def parse_price(raw: Any) -> ModelPrice:
    """Given a model's entry, return its price; raise ValueError naming the key that is wrong."""
    if not isinstance(raw, dict):
        raise ValueError("(entry): must be a table of rates")
    known = {*KINDS, "tiers", "modes", "server_tools"}
    for key in raw:
        if key not in known:
            raise ValueError(f"{key}: unknown; known are {', '.join(sorted(known))}")
    tiers = [_tier(tier, f"tiers[{number}]") for number, tier in enumerate(_list(raw, "tiers"))]
    permille = PICO_PER_USD // _PERMILLE
    return ModelPrice(
        base=_rates(raw, ""),
        tiers=tuple(sorted(tiers, key=lambda tier: tier[0])),
        modes={name: ceil_div(_pico(factor, f"modes.{name}"), permille) for name, factor in _table(raw, "modes")},
        server_tools={name: _pico(rate, f"server_tools.{name}") for name, rate in _table(raw, "server_tools")},
    )


def _tier(raw: Any, where: str) -> tuple[int, Rates]:
    if not isinstance(raw, dict):
        raise ValueError(f"{where}: must be a table with `over` and the five rates")
    over = raw.get("over")
    if isinstance(over, bool) or not isinstance(over, int) or over < 0:
        raise ValueError(f"{where}.over: must be a number of prompt tokens")
    return over, _rates(raw, f"{where}.")


def _table(raw: Mapping[str, Any], name: str) -> Iterable[tuple[str, Any]]:
    table = raw.get(name, {})
    if not isinstance(table, dict):
        raise ValueError(f"{name}: must be a table")
    return table.items()


def _list(raw: Mapping[str, Any], name: str) -> list[Any]:
    values = raw.get(name, [])
    if not isinstance(values, list):
        raise ValueError(f"{name}: must be a list of tables")
    return values


def _rates(raw: Mapping[str, Any], where: str) -> Rates:
    missing = [kind for kind in KINDS if kind not in raw]
    if missing:
        raise ValueError(f"{where}{missing[0]}: missing; every kind needs a rate in US dollars a million tokens")
    return Rates(**{kind: ceil_div(_pico(raw[kind], f"{where}{kind}"), _MTOK) for kind in KINDS})


def _pico(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise ValueError(f"{where}: must be a number")
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"{where}: must be a number") from None
    if not amount.is_finite() or amount < 0 or amount > 100_000:
        raise ValueError(f"{where}: must be a finite number of 0 or more")
    return picodollars(amount)


class Prices:
    """Prices of every model. `file` is the owner's price file, or None.

    Raises SettingsError when a table cannot be used.
    """

    def __init__(self, file: Path | None = None, *, shipped: Path = SHIPPED) -> None:
        self._own = read_table(file) if file is not None else PriceTable({})
        self._shipped = read_table(shipped)
        self._looked_up: dict[tuple[str, str], ModelPrice | None] = {}

    @property
    def dated(self) -> date:
        """The day on which the table was true."""
        return self._shipped.dated or date.min

    def age_seconds(self, now: float) -> float:
        """Given Unix seconds, return how old the table is; a warning is due past 60 days."""
        return max(0.0, now - datetime(self.dated.year, self.dated.month, self.dated.day, tzinfo=UTC).timestamp())

    def known(self, model: str, provider: str = "") -> ModelPrice | None:
        """The price of a model as far as it is known without asking anybody."""
        return self._own.find(model) or self._shipped.find(model) or self._looked_up.get((model, provider))

    async def find(self, model: str, provider: str = "") -> ModelPrice:
        """Return the price of a model; the first question about one that is in neither table takes a second.

        Raises UnpricedModelError when nobody knows it.
        """
        found = self.known(model, provider)
        if found is None and (model, provider) not in self._looked_up:
            with suppress(_NoAnswerError):  # it may answer the next time
                found = self._looked_up[model, provider] = await self._ask(model, provider)
        if found is None:
            raise UnpricedModelError(
                f"No price is known for {model}, so it was not called.",
                fix="Give its rates in budget.price_file, or set budget.unpriced_usd_per_mtok.",
            )
        return found

    @staticmethod
    async def _ask(model: str, provider: str) -> ModelPrice | None:
        """Ask genai-prices in a child process (see snapshot.py); None when it does not know the model."""
        if model.startswith("-"):
            return None
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "appliance.spending.snapshot", model, provider,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            output, _ = await asyncio.wait_for(child.communicate(), _LOOKUP_SECONDS)
        except TimeoutError:
            raise _NoAnswerError from None
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        if child.returncode == UNKNOWN:
            return None
        try:
            return parse_price(json.loads(output))
        except ValueError:  # it broke, or has an entry that this release cannot read
            raise _NoAnswerError from None


class _NoAnswerError(Exception):
    """genai-prices said neither yes nor no."""
