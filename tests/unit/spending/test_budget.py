"""Paid first: what reserve, settle and release do to the books."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from appliance.errors import BudgetError, BudgetExceededError, InputError, UnpricedModelError
from appliance.messages import Purpose, Usage
from appliance.settings.budget import BudgetSettings
from appliance.spending.budget import Reservation
from appliance.spending.money import PICO_PER_USD, picodollars
from appliance.testing.manual_clock import ManualClock

from .books import Books, call, limit, open_books

CENT = PICO_PER_USD // 100


async def spend(books: Books, usd: str, **changes: object) -> int:
    """Settle one call whose output comes to `usd`."""
    tokens = picodollars(Decimal(usd)) // 15_000_000
    held = await books.budget.reserve(call(max_tokens=tokens, **changes))
    return await books.budget.settle(held, Usage(output=tokens))


async def until_waiting(books: Books, count: int = 1) -> None:
    """Let tasks run until `count` calls wait for money."""
    for _ in range(10_000):
        if books.clock.sleepers >= count:
            return
        await asyncio.sleep(0)
    raise AssertionError("nobody waits")


async def test_a_reserved_call_counts_against_the_limit_until_it_is_settled(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("2.00")) as books:
        held = await books.budget.reserve(call())
        # (4,000 bytes + 1,024) tokens written to the cache at 3.75, 8,192 tokens of output at 15 USD a million
        assert held.amount == 5_024 * 3_750_000 + 8_192 * 15_000_000
        day = books.budget.status()[0]
        assert (day["spent"], day["reserved"]) == (0.0, held.amount / PICO_PER_USD)
        charged = await books.budget.settle(held, Usage(input=1_000, output=100))
        assert charged == 1_000 * 3_000_000 + 100 * 15_000_000
        day = books.budget.status()[0]
        assert (day["spent"], day["reserved"]) == (charged / PICO_PER_USD, 0.0)


async def test_a_second_settle_charges_nothing_and_returns_the_first_charge(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call())
        first = await books.budget.settle(held, Usage(input=10, output=10))
        assert await books.budget.settle(held, Usage(input=9_999, output=9_999)) == first
        assert books.database.read("SELECT count(*), sum(cost) FROM ledger") == [(1, first)]


async def test_a_released_call_costs_nothing_and_gives_everything_back(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await books.budget.release(await books.budget.reserve(call()))
        assert books.database.read("SELECT sum(cost), sum(reserved) FROM spending_totals") == [(0, 0)]
        assert books.database.read("SELECT count(*) FROM ledger") == [(0,)]


async def test_a_settle_after_a_release_is_still_charged(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call())
        await books.budget.release(held)
        assert await books.budget.settle(held, Usage(input=10, output=10)) == 10 * 3_000_000 + 10 * 15_000_000
        await books.budget.release(held)
        assert books.budget.status()[0]["spent"] == 0.00018


async def test_at_the_limit_a_call_is_refused_with_the_scope_and_the_time_it_opens_again(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.01"), zone="Asia/Tokyo") as books:
        await spend(books, "0.0001", characters=10, byte_bound=10, input_tokens=10)
        with pytest.raises(BudgetExceededError) as refused:
            await books.budget.reserve(call())
        assert refused.value.scope == "day"
        assert refused.value.resets_at == 1_782_226_800.0  # 2026-06-23T15:00:00Z, midnight in Tokyo
        assert "$0.0001 of $0.0100" in str(refused.value)


async def test_a_limit_of_zero_is_zero_and_no_limit_is_none(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0")) as books:
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call())
        books.settings = limit(None)
        assert (await books.budget.reserve(call())).max_tokens == 8_192
        assert books.budget.status()[0]["limit"] is None


async def test_local_calls_are_free_allowed_at_the_limit_and_their_tokens_are_counted(tmp_path: Path) -> None:
    settings = limit("0", electricity_usd_per_hour=Decimal("0.36"))
    async with open_books(tmp_path, settings=settings) as books:
        held = await books.budget.reserve(call(local=True, model="smollm2", provider="local"))
        await books.clock.advance(10)
        assert await books.budget.settle(held, Usage(input=500, output=50)) == 0
        row = books.row()
        assert (row["input"], row["output"], row["seconds"], row["cost"]) == (500, 50, 10.0, 0)
        assert row["electricity"] == PICO_PER_USD // 1000
        assert books.budget.status()[0]["spent"] == 0.0


async def test_a_call_waits_while_only_open_reservations_stand_in_the_way(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.20")) as books:
        held = await books.budget.reserve(call())
        waiting = asyncio.create_task(books.budget.reserve(call()))
        await until_waiting(books)
        assert not waiting.done()
        await books.budget.settle(held, Usage(input=10, output=10))
        assert (await waiting).max_tokens == 8_192


async def test_the_wait_ends_with_a_refusal_when_nothing_comes_free(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.15")) as books:
        await books.budget.reserve(call())
        waiting = asyncio.create_task(books.budget.reserve(call()))
        await until_waiting(books)
        await books.clock.advance(19.0)
        await asyncio.sleep(0)
        assert not waiting.done()
        await books.clock.advance(1.0)
        with pytest.raises(BudgetExceededError, match="held by calls under way"):
            await waiting


async def test_a_cancelled_wait_leaves_nothing_behind(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.15")) as books:
        held = await books.budget.reserve(call())
        waiting = asyncio.create_task(books.budget.reserve(call()))
        await until_waiting(books)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await books.budget.release(held)
        assert books.budget.status()[0]["reserved"] == 0.0
        assert books.budget._waiting == set()


async def test_a_call_that_is_cancelled_while_its_reservation_is_written_holds_nothing(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        for _ in range(20):
            reserving = asyncio.create_task(books.budget.reserve(call()))
            while not books.budget._background and not reserving.done():
                await asyncio.sleep(0)
                reserving.cancel()
            await asyncio.gather(reserving, return_exceptions=True)
            await books.budget.close()
        given_back = books.database.read("SELECT calls FROM spending_series WHERE outcome = 'cancelled'")
        assert given_back == [(20,)]
        assert books.database.read("SELECT count(*) FROM reservations") == [(0,)]
        assert books.budget.status()[0]["reserved"] == 0.0


async def test_when_little_is_left_the_output_limit_shrinks_but_not_under_512(tmp_path: Path) -> None:
    prompt = {"input_tokens": 0, "byte_bound": 1, "characters": 1}  # bound: 32 tokens
    async with open_books(tmp_path, settings=limit("0.05")) as books:
        held = await books.budget.reserve(call(**prompt))
        assert 512 <= held.max_tokens < 8_192
        assert held.amount <= 5 * CENT
        assert held.amount + 15_000_000 > 5 * CENT
        await books.budget.release(held)
        books.settings = limit("0.0078")  # 512 tokens cost 0.00768
        assert 512 <= (await books.budget.reserve(call(**prompt))).max_tokens < 520
        books.settings = limit("0.0076")
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call(**prompt))


async def test_a_call_that_wants_less_than_512_is_not_made_larger(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.05")) as books:
        assert (await books.budget.reserve(call(max_tokens=100))).max_tokens == 100


@pytest.mark.parametrize(
    ("settings", "scope"),
    [
        (limit(None, purpose_usd={"heartbeat": "0.05"}), "purpose:heartbeat"),
        (limit(None, agent_usd={"main": "0.05"}), "agent:main"),
        (limit(None, channel_usd={"web": "0.05"}), "channel:web"),
        (limit(None, session_usd="0.05"), "session:agent:main:main"),
    ],
)
async def test_each_scope_has_its_own_limit(tmp_path: Path, settings: BudgetSettings, scope: str) -> None:
    async with open_books(tmp_path, settings=settings) as books:
        await spend(books, "0.0499", purpose=Purpose.HEARTBEAT, characters=1, byte_bound=1, input_tokens=0)
        with pytest.raises(BudgetExceededError) as refused:
            await books.budget.reserve(call(purpose=Purpose.HEARTBEAT))
        assert refused.value.scope == scope
        assert [row["scope"] for row in books.budget.status()] == ["day", scope]
        other = {"purpose": Purpose.CHAT, "agent": "other", "channel": "telegram", "session": "agent:other:main"}
        await books.budget.release(await books.budget.reserve(call(**other)))


async def test_heartbeat_cron_and_compaction_have_limits_of_their_own_by_default(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        limits = {row["scope"]: row["limit"] for row in books.budget.status()}
        assert limits == {"day": 2.0, "purpose:heartbeat": 0.2, "purpose:cron": 0.5, "purpose:compaction": 0.5}


async def test_raising_today_lets_a_refused_call_through_and_ends_with_the_day(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.01")) as books:
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call())
        await books.budget.raise_today(Decimal("1"))
        await books.budget.release(await books.budget.reserve(call()))
        assert books.budget.status()[0]["limit"] == 1.01
        await books.clock.advance(86_400)
        assert books.budget.status()[0]["limit"] == 0.01


async def test_raising_wakes_a_call_that_waits(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.15")) as books:
        await books.budget.reserve(call())
        waiting = asyncio.create_task(books.budget.reserve(call()))
        await until_waiting(books)
        await books.budget.raise_today(Decimal("1"))
        assert (await waiting).max_tokens == 8_192


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "-1", "0"])
async def test_a_raise_by_no_amount_is_refused(tmp_path: Path, amount: str) -> None:
    async with open_books(tmp_path) as books:
        with pytest.raises(InputError):
            await books.budget.raise_today(Decimal(amount))
        with pytest.raises(InputError):
            await books.budget.raise_today(Decimal(1), "purpose:chat")
        assert books.budget.status()[0]["limit"] == 2.0


async def test_a_stored_daily_limit_holds_until_the_setting_is_changed(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("2")) as books:
        await books.budget.set_daily(Decimal("3.50"))
        assert books.budget.status()[0]["limit"] == 3.5
        books.settings = limit("1")
        assert books.budget.status()[0]["limit"] == 1.0
        books.settings = limit("2")
        await books.budget.set_daily(None)
        assert books.budget.status()[0]["limit"] == 2.0


async def test_marks_are_said_once_a_day_each_in_order(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.10")) as books:
        for _ in range(9):
            await spend(books, "0.01", characters=1, byte_bound=1, input_tokens=0)
        assert [event.percent for event in books.events] == [50, 80]
        for _ in range(2):
            with pytest.raises(BudgetExceededError):
                await books.budget.reserve(call())
        assert [event.percent for event in books.events] == [50, 80, 100]
        await books.clock.advance(86_400)
        await spend(books, "0.06", characters=1, byte_bound=1, input_tokens=0)
        assert [event.percent for event in books.events] == [50, 80, 100, 50]
        assert books.events[-1].day == "2026-06-24"


async def test_after_a_raise_the_marks_above_can_be_said_again(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.10")) as books:
        await spend(books, "0.09", characters=1, byte_bound=1, input_tokens=0)
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call())
        await books.budget.raise_today(Decimal("0.06"))  # 0.09 of 0.16: past 50, under 80
        await spend(books, "0.06", characters=1, byte_bound=1, input_tokens=0)
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call())
        assert [event.percent for event in books.events] == [80, 100, 80, 100]


async def test_an_unpriced_model_is_refused_and_counted_unless_the_owner_set_a_rate(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        with pytest.raises(UnpricedModelError, match="house-brand-9"):
            await books.budget.reserve(call(model="house-brand-9", provider="nas"))
        counted = "SELECT count FROM spending_counters WHERE name = 'unpriced' AND action = ?"
        assert books.database.read(counted, ("refused",)) == [(1,)]
        books.settings = limit("2", unpriced_usd_per_mtok=Decimal(20))
        held = await books.budget.reserve(call(model="house-brand-9", provider="nas"))
        assert await books.budget.settle(held, Usage(input=100, output=100)) == 200 * 20_000_000


async def test_a_call_without_usage_is_charged_as_reserved_and_marked(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call())
        assert await books.budget.settle(held, Usage()) == held.amount
        assert books.row()["figure"] == "bound"


async def test_an_impossible_usage_is_charged_as_reserved(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call())
        assert await books.budget.settle(held, Usage(input=-5, output=10)) == held.amount


async def test_a_bill_over_the_reservation_is_charged_in_full_and_reported(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call(max_tokens=100, input_tokens=10))
        cost = await books.budget.settle(held, Usage(input=10, output=90_000))
        assert cost == 10 * 3_000_000 + 90_000 * 15_000_000
        assert [(event.kind, event.spent, event.limit) for event in books.events if event.kind == "overrun"] == [
            ("overrun", cost, held.amount)
        ]


async def test_the_model_that_really_answered_is_charged_at_its_own_price(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call())
        cost = await books.budget.settle(held, Usage(input=1_000), model="claude-sonnet-5-5-20261001")
        assert cost == 1_000 * 2_000_000
        assert books.row()["model"] == "claude-sonnet-5-5-20261001"


async def test_narrowing_gives_back_what_the_guess_of_the_prompt_held_too_much(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call(byte_bound=40_000))
        before = held.amount
        await books.budget.narrow(held, Usage(input=100, cache_read=9_000, output=1))
        assert held.amount == 100 * 3_000_000 + 9_000 * 300_000 + 8_192 * 15_000_000 < before
        assert books.budget.status()[0]["reserved"] == held.amount / PICO_PER_USD
        await books.budget.narrow(held, Usage(input=1_000_000))  # never upwards
        assert books.budget.status()[0]["reserved"] == held.amount / PICO_PER_USD


async def test_an_exact_count_is_asked_for_only_when_the_bound_takes_a_good_part_of_what_is_left(
    tmp_path: Path,
) -> None:
    async with open_books(tmp_path, settings=limit("2.00")) as books:
        assert not books.budget.tight(call())
        assert books.budget.tight(call(byte_bound=400_000))
        assert not books.budget.tight(call(byte_bound=400_000, input_tokens=90_000))
        assert not books.budget.tight(call(byte_bound=400_000, local=True))
        books.settings = limit("0.20")
        assert books.budget.tight(call())
        books.settings = limit(None)
        assert not books.budget.tight(call(byte_bound=400_000))


async def test_what_a_dead_process_left_open_is_charged_as_reserved_and_marked(tmp_path: Path) -> None:
    held: list[Reservation] = []
    async with open_books(tmp_path) as books:
        held += [await books.budget.reserve(call()), await books.budget.reserve(call())]
    async with open_books(tmp_path) as books:
        assert books.budget.recover() == 2
        assert books.budget.recover() == 0
        day = books.budget.status()[0]
        assert (day["spent"], day["reserved"]) == ((held[0].amount + held[1].amount) / PICO_PER_USD, 0.0)
        assert {row[0] for row in books.database.read("SELECT figure || outcome FROM ledger")} == {"boundorphan"}


async def test_a_call_belongs_to_the_day_it_was_reserved_on(tmp_path: Path) -> None:
    clock = ManualClock(1_782_259_199.0)  # 2026-06-23T23:59:59Z
    async with open_books(tmp_path, clock=clock) as books:
        held = await books.budget.reserve(call())
        await clock.advance(2)
        cost = await books.budget.settle(held, Usage(input=10, output=10))
        totals = books.database.read("SELECT day, cost FROM spending_totals WHERE scope = 'day' AND cost > 0")
        assert totals == [("2026-06-23", cost)]
        assert books.budget.status()[0]["spent"] == 0.0


async def test_a_reservation_that_nobody_settles_is_charged_after_an_hour_and_blocks_nobody(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.20", wait_seconds=600)) as books:
        forgotten = await books.budget.reserve(call())
        await books.clock.advance(3_100)
        waiting = asyncio.create_task(books.budget.reserve(call(max_tokens=3_000)))
        await until_waiting(books)
        assert await books.budget.expire() == 0
        await books.clock.advance(500)
        assert await books.budget.expire() == 1
        assert await books.budget.expire() == 0
        held = await waiting
        assert books.budget.status()[0]["spent"] == forgotten.amount / PICO_PER_USD
        assert await books.budget.settle(forgotten, Usage(input=1, output=1)) == forgotten.amount
        await books.budget.settle(held, Usage(input=1, output=1))
        await books.clock.advance(7_200)
        assert await books.budget.expire() == 0


async def test_a_repair_leaves_calls_under_way_alone_and_charges_what_the_dead_left(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        dead = await books.budget.reserve(call())
    async with open_books(tmp_path) as books:
        await books.database.write(
            lambda c: c.execute("UPDATE spending_totals SET cost = 7 WHERE scope = 'day'") and None
        )
        assert books.budget.recover() == 0
        assert books.budget.damage
        live = await books.budget.reserve(call(local=True))
        assert await books.budget.repair() == 1
        assert books.budget.damage == ""
        assert books.budget.status()[0]["spent"] == dead.amount / PICO_PER_USD
        await books.budget.settle(live, Usage(input=5, output=5))
        assert books.row()["outcome"] == "ok"


async def test_damaged_totals_refuse_paid_calls_until_they_are_counted_again(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        cost = await spend(books, "0.01")
        await books.database.write(
            lambda c: c.execute("UPDATE spending_totals SET cost = 1 WHERE scope = 'day'") and None
        )
        books.budget.recover()
        with pytest.raises(BudgetError, match="damaged") as refused:
            await books.budget.reserve(call())
        assert not isinstance(refused.value, BudgetExceededError)
        await books.budget.release(await books.budget.reserve(call(local=True)))
        await books.budget.repair()
        assert books.budget.status()[0]["spent"] == cost / PICO_PER_USD
        await books.budget.reserve(call())


async def test_a_damaged_row_refuses_paid_calls_and_is_not_repaired_by_guessing(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await spend(books, "0.01")

        def damage(connection: object) -> None:
            connection.execute("PRAGMA ignore_check_constraints = ON")  # type: ignore[attr-defined]
            connection.execute("UPDATE ledger SET cost = -5")  # type: ignore[attr-defined]

        await books.database.write(damage)
        books.budget.recover()
        with pytest.raises(BudgetError, match="row 1 of 2026-06-23"):
            await books.budget.reserve(call())
        with pytest.raises(BudgetError, match="row 1"):
            await books.budget.repair()


async def test_a_total_that_cannot_be_true_refuses_at_once_without_a_restart(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await spend(books, "0.01")

        def damage(connection: object) -> None:
            connection.execute("PRAGMA ignore_check_constraints = ON")  # type: ignore[attr-defined]
            connection.execute("UPDATE spending_totals SET cost = -1000000000000")  # type: ignore[attr-defined]

        await books.database.write(damage)
        with pytest.raises(BudgetError, match="damaged"):
            await books.budget.reserve(call())
