"""The promise itself, under random interleavings, crashes, clock jumps and texts."""

from __future__ import annotations

import asyncio
import base64
import random
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.errors import BudgetExceededError
from appliance.messages import Purpose, Usage
from appliance.spending import ledger
from appliance.spending.budget import Reservation
from appliance.spending.limits import Balance, Worst, decide
from appliance.spending.money import picodollars
from appliance.spending.prices import Prices
from appliance.testing.manual_clock import ManualClock

from .books import NOON, Books, call, limit, open_books

HAIKU = Prices().known("claude-haiku-5-5")
assert HAIKU is not None
LIMIT = "0.30"

texts = st.one_of(
    st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=400),
    st.text(st.sampled_from("👩‍👩‍👧‍👦🏳️‍🌈🇩🇪☕️👍🏽"), max_size=300),
    st.binary(max_size=600).map(lambda raw: base64.b64encode(raw).decode()),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=400),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("reserve"), texts, st.integers(0, 9_000), st.sampled_from(Purpose)),
        st.tuples(st.just("settle"), st.integers(0, 9), st.floats(0, 1), st.floats(0, 1)),
        st.tuples(st.just("narrow"), st.integers(0, 9), st.floats(0, 1)),
        st.tuples(st.just("release"), st.integers(0, 9)),
        st.tuples(st.just("crash")),
        st.tuples(st.just("later"), st.floats(0, 90_000)),
        st.tuples(st.just("jump"), st.floats(-400_000, 400_000)),
    ),
    max_size=30,
)


@dataclass
class World:
    """What the provider knows, beside the books."""

    folder: Path
    clock: ManualClock
    open: list[tuple[Reservation, Usage]] = field(default_factory=list)
    billed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    guessed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    seed: random.Random = field(default_factory=lambda: random.Random(1))


def usage_of(text: str, output: int, prompt_share: float, output_share: float, seed: random.Random) -> Usage:
    """Any bill that a provider could send: at most a token for each byte and its own preamble, split in any way."""
    prompt = round((len(text.encode()) + 1_024) * prompt_share)
    written = seed.randint(0, prompt)
    read = seed.randint(0, prompt - written)
    return Usage(prompt - written - read, read, written, 0, round(output * output_share))


async def play(world: World, plan: list[tuple[object, ...]]) -> None:
    config = limit(LIMIT, wait_seconds=0, purpose_usd={"heartbeat": "0.10"})
    position = 0
    while position <= len(plan):
        async with open_books(world.folder, settings=config, clock=world.clock) as books:
            assert books.budget.recover() == len(world.open)
            world.open.clear()
            check(world, books)
            while position < len(plan):
                step = plan[position]
                position += 1
                if step[0] == "crash":  # with calls under way, which the provider goes on to bill
                    for held, usage in world.open:
                        world.billed[held.day] += HAIKU.cost(usage)
                        world.guessed[held.day] += held.amount - HAIKU.cost(usage)
                    break
                await do(world, books, step)
                check(world, books)
            else:
                position += 1


async def do(world: World, books: Books, step: tuple[object, ...]) -> None:
    match step:
        case ("reserve", str(text), int(output), Purpose() as purpose):
            wanted = call(
                model="claude-haiku-5-5",
                characters=len(text),
                byte_bound=len(text.encode()),
                max_tokens=output,
                purpose=purpose,
            )
            try:
                held = await books.budget.reserve(wanted)
            except BudgetExceededError:
                return
            assert held.max_tokens <= output
            assert held.max_tokens >= min(512, output)
            usage = usage_of(text, held.max_tokens, world.seed.random(), world.seed.random(), world.seed)
            world.open.append((held, usage))
        case ("settle", int(which), float(), float()) if world.open:
            held, usage = world.open.pop(which % len(world.open))
            charged = await books.budget.settle(held, usage)
            if usage.prompt + usage.output:
                assert charged == HAIKU.cost(usage)
                world.billed[held.day] += charged
            else:  # no usage at all: charged as reserved
                world.guessed[held.day] += charged
            assert charged <= held.amount
        case ("narrow", int(which), float()) if world.open:
            held, usage = world.open[which % len(world.open)]
            await books.budget.narrow(held, usage)
            assert HAIKU.cost(usage) <= held.amount
        case ("release", int(which)) if world.open:
            await books.budget.release(world.open.pop(which % len(world.open))[0])
        case ("later", float(seconds)):
            await world.clock.advance(seconds)
        case ("jump", float(seconds)):
            world.clock.set(max(0.0, world.clock.now() + seconds))


def check(world: World, books: Books) -> None:
    """Never over a limit, never below the provider, equal to it on settled rows, totals as the rows say."""
    read = books.database.read
    for day, spent, reserved in read("SELECT day, cost, reserved FROM spending_totals WHERE scope = 'day'"):
        assert spent + reserved <= picodollars(books.settings.daily_usd or 0)
        assert spent == world.billed[day] + world.guessed[day]
        assert ledger.check(read, day) == []
    heartbeat = read("SELECT max(cost + reserved) FROM spending_totals WHERE scope = 'purpose' AND key = 'heartbeat'")
    assert (heartbeat[0][0] or 0) <= picodollars(books.settings.purpose_usd["heartbeat"])


@settings(max_examples=120, deadline=None)
@given(plan=steps)
def test_no_interleaving_crash_or_clock_passes_a_limit_or_loses_a_bill(plan: list[tuple[object, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(World(Path(folder), ManualClock(NOON)), plan))


@given(
    limits=st.lists(st.tuples(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(0, 10**12)), max_size=4),
    prompt=st.integers(0, 300_000),
    output=st.integers(0, 20_000),
    may_wait=st.booleans(),
)
def test_whatever_is_allowed_fits_under_every_limit(
    limits: list[tuple[int, int, int]], prompt: int, output: int, may_wait: bool
) -> None:
    balances = [Balance("day", str(n), *figures) for n, figures in enumerate(limits)]
    worst = Worst(HAIKU, prompt, written=True, long_lived=False, modes=(), tools=0)
    verdict = decide(balances, worst, output, may_wait=may_wait)
    full = worst.amount(output)
    if verdict.action == "allow":
        assert verdict.amount == worst.amount(verdict.output)
        assert verdict.amount == 0 or all(verdict.amount <= balance.free for balance in balances)
        assert verdict.output == output or min(512, output) <= verdict.output < output
    elif verdict.action == "wait":
        assert may_wait
        assert any(worst.amount(min(512, output)) > balance.free or full > balance.free for balance in balances)
        assert all(worst.amount(min(512, output)) <= balance.unspent for balance in balances)
    else:
        assert any(worst.amount(min(512, output)) > balance.free for balance in balances)


def test_64_parallel_calls_against_a_limit_for_10_never_pass_it(tmp_path: Path) -> None:
    async def one(books: Books, seen: list[int]) -> int | None:
        try:
            held = await books.budget.reserve(call(byte_bound=1_000, max_tokens=6_000))
        except BudgetExceededError:
            return None
        rows = books.database.read("SELECT cost + reserved FROM spending_totals WHERE scope = 'day'")
        seen.append(rows[0][0])
        await asyncio.sleep(0)
        return await books.budget.settle(held, Usage(cache_write_5m=2_024, output=6_000))

    async def run() -> None:
        worst = 2_024 * 3_750_000 + 6_000 * 15_000_000
        async with open_books(tmp_path, settings=limit(str(worst * 10 / 10**12))) as books:
            seen: list[int] = []
            outcomes = await asyncio.gather(*(one(books, seen) for _ in range(64)))
            charged = [outcome for outcome in outcomes if outcome is not None]
            assert charged == [worst] * 10
            assert max(seen) <= worst * 10
            assert books.database.read("SELECT sum(cost) FROM ledger") == [(sum(charged),)]
            assert outcomes.count(None) == 54

    asyncio.run(run())


@given(day=st.dates(date(2026, 1, 1), date(2030, 12, 31)), zone=st.sampled_from(["Europe/Berlin", "Asia/Tokyo", "UTC"]))
@settings(max_examples=30, deadline=None)
def test_every_day_has_its_own_budget_and_no_moment_belongs_to_two(day: date, zone: str) -> None:
    from zoneinfo import ZoneInfo

    from appliance.clock import day_bounds

    start, end = day_bounds(day, ZoneInfo(zone))

    async def run(folder: Path) -> None:
        clock = ManualClock(start)
        async with open_books(folder, settings=limit("0.10", wait_seconds=0), clock=clock, zone=zone) as books:
            assert books.budget.day.name == day.isoformat()
            held = await books.budget.reserve(call(max_tokens=5_000))
            await books.budget.settle(held, Usage(output=5_000))
            clock.set(end - 0.001)
            assert books.budget.status()[0]["spent"] == 0.075
            clock.set(end)
            assert books.budget.status()[0]["spent"] == 0.0
            assert books.budget.day.name > day.isoformat()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
