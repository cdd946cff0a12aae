"""Who answers, who waits, who falls back, and what each of it costs."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from appliance.errors import BudgetExceededError, ModelError, ModelFault, UnpricedModelError
from appliance.messages import Usage
from appliance.models.base import Answer, Finished, Notice, Restarted, Started, TextDelta
from appliance.models.resolver import ChainError
from appliance.settings.budget import BudgetSettings
from appliance.testing.manual_clock import ManualClock, settle
from appliance.testing.scripted_model import Step, call, failure, text

from .desk import HAIKU, SONNET, ask, claude, fault, local, open_desk

USAGE = Usage(input=1_000, output=100)
COST = 1_000 * 2_000_000 + 100 * 10_000_000  # Sonnet 5.5: 2 and 10 dollars a million
EMPTY = BudgetSettings(daily_usd=Decimal("0.000001"), wait_seconds=0)


async def test_an_answer_comes_with_its_text_its_cost_and_who_gave_it(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(text("你好", " world", usage=USAGE))) as desk:
        heard = await desk.ask(ask())
        assert [type(event) for event in heard.events] == [Started, TextDelta, TextDelta, Answer]
        assert heard.shown == "你好 world"
        assert (heard.answer.cost, heard.answer.model, heard.answer.local) == (COST, SONNET, False)
        assert heard.answer.provider == "anthropic"
        assert [(row["cost"], row["figure"], row["outcome"]) for row in desk.rows()] == [(COST, "provider", "ok")]
        assert desk.reserved() == 0


async def test_a_tool_call_is_an_answer(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(call("exec", {"command": "ls"}))) as desk:
        answer = (await desk.ask(ask())).answer
        assert answer.finished.content[0]["name"] == "exec"
        assert answer.finished.stop == "tool_use"


async def test_the_output_limit_that_was_paid_for_is_the_one_that_is_sent(tmp_path: Path) -> None:
    model = claude(text("ok"))
    # A dollar cent and a half holds the prompt and about 1,000 of the 8,192 tokens wanted.
    budget = BudgetSettings(daily_usd=Decimal("0.015"), wait_seconds=0)
    async with open_desk(tmp_path, model, budget=budget) as desk:
        await desk.ask(ask(max_tokens=8_192))
        assert 512 <= model.requests[0].max_tokens < 8_192


async def test_a_short_wait_that_the_provider_asks_for_is_waited(tmp_path: Path) -> None:
    model = claude(failure(fault(ModelFault.RATE_LIMIT, retry_after=7)), text("now"))
    async with open_desk(tmp_path, model, local()) as desk:
        heard = await desk.ask(ask())
        assert heard.shown == "now"
        assert desk.clock.sleeps == [7]
        assert heard.notices == []


async def test_a_long_wait_goes_to_the_next_model_and_the_first_rests_as_long_as_told(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.RATE_LIMIT, retry_after=90)), text("back"))
    async with open_desk(tmp_path, first, local(text("one"), text("two"))) as desk:
        assert (await desk.ask(ask(turn="t1"))).answer.model == "local"
        desk.clock.move(60)
        assert (await desk.ask(ask(turn="t2"))).answer.model == "local"
        desk.clock.move(31)
        assert (await desk.ask(ask(turn="t3"))).answer.model == SONNET
        assert desk.clock.sleeps == []


async def test_a_rate_limit_is_waited_for_twice_at_most_while_another_model_is_left(tmp_path: Path) -> None:
    limited = failure(fault(ModelFault.RATE_LIMIT, retry_after=1))
    first = claude(limited, limited, limited)
    async with open_desk(tmp_path, first, local(text("here"))) as desk:
        assert (await desk.ask(ask())).answer.model == "local"
        first.finish()
        assert desk.clock.sleeps == [1, 1]


async def test_rests_grow_with_each_failure_and_end_with_a_success(tmp_path: Path) -> None:
    down = failure(fault(ModelFault.OVERLOADED))
    first = claude(*[down] * 8, text("up"), down, down)
    async with open_desk(tmp_path, first, local(*[text("local")] * 9)) as desk:
        rests = []
        for _ in range(4):
            await desk.ask(ask())
            rests.append(desk.resolver.status()[0]["seconds"])
            desk.clock.move(rests[-1] + 1)
        assert rests == [30, 60, 300, 300]
        assert (await desk.ask(ask())).answer.model == SONNET
        await desk.ask(ask())
        assert desk.resolver.status()[0] == {
            "model": SONNET, "state": "resting", "reason": "overloaded", "seconds": 30,
        }  # fmt: skip


async def test_overload_is_tried_once_more_before_another_model_answers(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.OVERLOADED)), text("fine"))
    async with open_desk(tmp_path, first, local()) as desk:
        assert (await desk.ask(ask())).shown == "fine"
        assert desk.clock.sleeps == [1]


async def test_the_last_model_is_tried_four_times(tmp_path: Path) -> None:
    only = claude(*[failure(fault(ModelFault.OVERLOADED))] * 4)
    async with open_desk(tmp_path, only) as desk:
        with pytest.raises(ChainError) as caught:
            await desk.ask(ask())
        only.finish()
        assert desk.clock.sleeps == [1, 2, 4]
        assert caught.value.kind is ModelFault.OVERLOADED
        assert desk.rows() == []
        assert desk.reserved() == 0


async def test_a_fallback_lasts_one_turn_and_is_said_once(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.NOT_FOUND)), name=HAIKU)
    second = claude(text("a"), text("b"), text("c"))
    async with open_desk(tmp_path, first, second) as desk:
        one, two = await desk.ask(ask(turn="t1")), await desk.ask(ask(turn="t1"))
        assert [notice.kind for notice in one.notices] == ["fallback"]
        assert "no such model" in one.notices[0].text("en")
        assert "沒有這個模型" in one.notices[0].text("zh-Hant")
        assert two.notices == []
        assert desk.fallbacks == [(HAIKU, SONNET, "not_found")]
        desk.clock.move(301)
        desk.models[HAIKU] = claude(text("home"), name=HAIKU)
        assert (await desk.ask(ask(turn="t1"))).answer.model == SONNET
        assert (await desk.ask(ask(turn="t2"))).answer.model == HAIKU


async def test_a_picture_that_the_answering_model_does_not_see_is_said_once_a_turn(tmp_path: Path) -> None:
    picture = {"type": "image", "path": "/a.png", "media_type": "image/png"}
    shown = replace(ask(turn="t1"), messages=({"role": "user", "content": [picture]},))
    later = replace(shown, messages=(*shown.messages, {"role": "user", "content": [{"type": "text", "text": "and?"}]}))
    blind = local(text("a"), text("b"), text("c"))
    blind.vision = False
    async with open_desk(tmp_path, blind) as desk:
        one, two = await desk.ask(shown), await desk.ask(shown)
        assert [notice.kind for notice in one.notices] == ["blind"]
        assert "sees no pictures" in one.notices[0].text("en")
        assert two.notices == []
        assert (await desk.ask(replace(later, turn="t2"))).notices == []
    (tmp_path / "seeing").mkdir()
    async with open_desk(tmp_path / "seeing", local(text("a"))) as desk:
        assert (await desk.ask(shown)).notices == []


async def test_a_refused_key_stops_only_that_model_and_is_said_once(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.AUTH)), failure(fault(ModelFault.AUTH)))
    async with open_desk(tmp_path, first, local(text("a"), text("b"), text("c"))) as desk:
        notices = [(await desk.ask(ask(turn=f"t{n}"))).notices for n in range(2)]
        assert [[notice.kind for notice in each] for each in notices] == [["auth"], []]
        assert len(first.requests) == 1
        desk.clock.move(601)  # asked again after ten minutes, so that a repaired key needs no restart
        assert (await desk.ask(ask(turn="t3"))).notices == []
        first.finish()


async def test_a_malformed_request_is_raised_at_once_and_rests_nobody(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.FORMAT)), text("repaired"))
    async with open_desk(tmp_path, first, local()) as desk:
        with pytest.raises(ModelError) as caught:
            await desk.ask(ask())
        assert caught.value.kind is ModelFault.FORMAT
        assert {row["state"] for row in desk.resolver.status()} == {"ready"}
        assert (await desk.ask(ask())).shown == "repaired"


async def test_text_of_a_broken_attempt_is_taken_back_and_charged(tmp_path: Path) -> None:
    partial = Finished(({"type": "text", "text": "Hel"},), "stopped", replace(USAGE, estimated=True), SONNET)
    first = claude(failure(fault(ModelFault.NETWORK, partial=partial), "Hel"), text("Hello"))
    async with open_desk(tmp_path, first) as desk:
        heard = await desk.ask(ask())
        assert heard.restarts == 1
        assert heard.shown == "Hello"
        assert [(row["outcome"], row["figure"]) for row in desk.rows()] == [("network", "estimate"), ("ok", "provider")]
        # Who does not know how a prompt was billed counts it as written to the cache, at 2.50 dollars a million.
        assert desk.rows()[0]["cost"] == 1_000 * 2_500_000 + 100 * 10_000_000


async def test_a_cancelled_call_is_charged_for_what_had_arrived(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(Step(pieces=("one", "two"), usage=USAGE, hang=True))) as desk:
        seen: list[str] = []

        async def read() -> None:
            seen.extend([event.text async for event in desk.resolver.stream(ask()) if isinstance(event, TextDelta)])

        task = asyncio.create_task(read())
        for _ in range(500):
            if desk.reserved() and desk.models[SONNET].requests:  # type: ignore[attr-defined]
                break
            await asyncio.sleep(0.002)
        await settle()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [(row["outcome"], row["cost"]) for row in desk.rows()] == [("cancelled", COST)]
        assert desk.reserved() == 0


async def test_a_closed_stream_is_charged_for_what_had_arrived(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(text("one", "two", usage=USAGE))) as desk:
        async with aclosing(desk.resolver.stream(ask())) as stream:
            async for event in stream:
                if isinstance(event, TextDelta):
                    break
        assert [(row["outcome"], row["cost"]) for row in desk.rows()] == [("cancelled", COST)]
        assert desk.reserved() == 0


async def test_a_call_cancelled_while_it_waits_for_money_holds_none(tmp_path: Path) -> None:
    clock = ManualClock()
    budget = BudgetSettings(daily_usd=Decimal("0.02"), wait_seconds=20)
    async with open_desk(tmp_path, claude(text("never")), clock=clock, budget=budget) as desk:
        held = await desk.budget.reserve(_spec(max_tokens=1_500))
        task = asyncio.create_task(desk.ask(ask()))
        for _ in range(200):
            await settle()
            if clock.sleepers:
                break
            await asyncio.sleep(0.005)
        assert clock.sleepers
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await desk.budget.release(held)
        await desk.resolver.close()
        assert desk.reserved() == 0
        assert desk.rows() == []


async def test_an_empty_answer_is_charged_and_asked_for_once_more(tmp_path: Path) -> None:
    first = claude(Step(usage=USAGE), text("there", usage=USAGE))
    async with open_desk(tmp_path, first) as desk:
        assert (await desk.ask(ask())).shown == "there"
        assert [(row["outcome"], row["cost"]) for row in desk.rows()] == [("unusable", COST), ("ok", COST)]


async def test_two_empty_answers_go_to_the_next_model(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(Step(), Step()), local(text("hi"))) as desk:
        heard = await desk.ask(ask())
        assert heard.answer.model == "local"
        assert "no usable answer" in heard.notices[0].text()


async def test_an_answer_that_its_limit_cut_to_nothing_is_no_reason_to_pay_again(tmp_path: Path) -> None:
    only = claude(Step(stop="max_tokens"))
    async with open_desk(tmp_path, only) as desk:
        assert (await desk.ask(ask())).answer.finished.stop == "max_tokens"


async def test_at_the_limit_the_local_model_answers_and_that_is_said_once_a_day(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(), local(text("a"), text("b")), budget=EMPTY) as desk:
        one, two = await desk.ask(ask(turn="t1")), await desk.ask(ask(turn="t2"))
        assert [notice.kind for notice in one.notices] == ["budget"]
        assert one.answer.local
        assert one.answer.cost == 0
        assert two.notices == []


@pytest.mark.parametrize(("at_limit", "ask_for_more"), [("stop", False), ("ask", True)])
async def test_at_the_limit_it_stops_or_asks_when_so_set(tmp_path: Path, at_limit: str, ask_for_more: bool) -> None:
    async with open_desk(tmp_path, claude(), local(), budget=EMPTY, at_limit=at_limit) as desk:  # type: ignore[arg-type]
        with pytest.raises(BudgetExceededError) as caught:
            await desk.ask(ask())
        assert caught.value.ask is ask_for_more


async def test_at_the_limit_without_a_local_model_it_stops(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(), budget=EMPTY) as desk:
        with pytest.raises(BudgetExceededError):
            await desk.ask(ask())


async def test_at_the_limit_no_other_paid_model_is_asked(tmp_path: Path) -> None:
    haiku = claude(name=HAIKU)
    async with open_desk(tmp_path, claude(), haiku, local(text("free")), budget=EMPTY) as desk:
        assert (await desk.ask(ask())).answer.model == "local"
        assert haiku.requests == []


async def test_a_model_without_a_price_is_passed_over_and_alone_refused(tmp_path: Path) -> None:
    secret = claude(name="mystery-1")
    async with open_desk(tmp_path, secret, local(text("free"))) as desk:
        assert (await desk.ask(ask())).answer.model == "local"
        with pytest.raises(UnpricedModelError):
            await desk.ask(ask(), chain=["mystery-1"])
        assert secret.requests == []


async def test_a_request_that_no_model_can_hold_says_the_largest_window_there_is(tmp_path: Path) -> None:
    small, smaller = local(window=8_000), local(name="tiny", window=2_000)
    async with open_desk(tmp_path, small, smaller) as desk:
        with pytest.raises(ChainError) as caught:
            await desk.ask(ask("word " * 20_000))
        assert (caught.value.kind, caught.value.window) == (ModelFault.TOO_LONG, 8_000)
        assert [tried.model for tried in caught.value.tried] == ["local", "tiny"]


@pytest.mark.parametrize(("budget", "kind"), [(None, "fallback"), (EMPTY, "budget")])
async def test_a_prompt_built_again_for_a_small_fallback_still_says_why_it_answers(
    tmp_path: Path, budget: BudgetSettings | None, kind: str
) -> None:
    first = claude(*[] if budget else [failure(fault(ModelFault.NOT_FOUND))])
    async with open_desk(tmp_path, first, local(text("a"), text("b"), window=8_000), budget=budget) as desk:
        with pytest.raises(ChainError) as caught:
            await desk.ask(ask("word " * 20_000, turn="t1"))
        assert caught.value.window == 8_000
        heard = await desk.ask(ask(turn="t1"), chain=["local"])
        assert [notice.kind for notice in heard.notices] == [kind]
        assert (await desk.ask(ask(turn="t1"), chain=["local"])).notices == []


async def test_a_close_fit_is_counted_rather_than_guessed(tmp_path: Path) -> None:
    model = claude(text("fits"), window=2_000, exact=1_000)
    async with open_desk(tmp_path, model) as desk:
        assert (await desk.ask(ask("word " * 1_400, max_tokens=100))).shown == "fits"
        assert model.counted >= 1


async def test_a_close_fit_that_cannot_be_counted_is_tried_and_the_model_says_itself(tmp_path: Path) -> None:
    model = local(text("fits"), failure(fault(ModelFault.TOO_LONG)), window=2_000)
    async with open_desk(tmp_path, model) as desk:
        assert (await desk.ask(ask("word " * 1_400, max_tokens=100))).shown == "fits"
        with pytest.raises(ChainError) as caught:
            await desk.ask(ask("word " * 1_400, max_tokens=100))
        assert caught.value.window == 2_000 * 4 // 5


async def test_what_the_provider_finds_too_long_asks_for_a_smaller_prompt_each_time(tmp_path: Path) -> None:
    model = claude(failure(fault(ModelFault.TOO_LONG)))
    async with open_desk(tmp_path, model) as desk:
        with pytest.raises(ChainError) as caught:
            await desk.ask(ask("word " * 10_000))
        assert caught.value.kind is ModelFault.TOO_LONG
        assert 0 < (caught.value.window or 0) < 50_000 / 3


async def test_resting_models_are_asked_after_all_before_nobody_answers(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.NETWORK)), failure(fault(ModelFault.NETWORK)), text("again"))
    second = local(text("once"), failure(fault(ModelFault.UNAVAILABLE)))
    async with open_desk(tmp_path, first, second) as desk:
        assert (await desk.ask(ask(turn="t1"))).answer.model == "local"
        assert (await desk.ask(ask(turn="t2"))).answer.model == SONNET


async def test_a_model_that_nobody_configured_is_named_in_the_error(tmp_path: Path) -> None:
    async with open_desk(tmp_path) as desk:
        with pytest.raises(ChainError, match="ghost: it is not configured"):
            await desk.ask(ask(), chain=["ghost"])


async def test_preferred_is_the_first_model_that_does_not_rest(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.NOT_FOUND)))
    async with open_desk(tmp_path, first, local(text("x"))) as desk:
        assert desk.resolver.preferred() is first
        await desk.ask(ask())
        assert desk.resolver.preferred() is desk.models["local"]
        desk.clock.move(301)
        assert desk.resolver.preferred() is first


async def test_a_turn_that_fell_back_prefers_the_model_that_answered(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.UNAVAILABLE)))
    async with open_desk(tmp_path, first, local(text("x"))) as desk:
        await desk.ask(ask(turn="t1"))
        assert desk.resolver.preferred(turn="t1") is desk.models["local"]
        assert desk.resolver.preferred(turn="t2") is first


async def test_a_watcher_hears_of_each_attempt(tmp_path: Path) -> None:
    first = claude(failure(fault(ModelFault.OVERLOADED)), text("fine"))
    async with open_desk(tmp_path, first) as desk:
        await desk.ask(ask())
        assert [(record.model, record.outcome) for record in desk.records] == [(SONNET, "overloaded"), (SONNET, "ok")]
        assert desk.records[0].first_token is None
        assert desk.records[1].first_token is not None


async def test_money_is_counted_exactly_when_it_is_tight(tmp_path: Path) -> None:
    model = claude(text("ok"), exact=40)
    budget = BudgetSettings(daily_usd=Decimal("0.02"), wait_seconds=0)
    async with open_desk(tmp_path, model, budget=budget) as desk:
        await desk.ask(ask())
        assert model.counted == 1


async def test_a_call_that_goes_on_holds_only_what_its_accepted_prompt_came_to(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(text("a", "b", "c", usage=USAGE))) as desk:
        held: list[int] = []
        async with aclosing(desk.resolver.stream(ask("word " * 5_000, max_tokens=1_000))) as stream:
            async for event in stream:
                if isinstance(event, TextDelta):
                    await desk.resolver.close()  # let the books catch up
                    held.append(desk.database.read("SELECT amount FROM reservations")[0][0])
                    desk.clock.move(1)
        assert held[0] > held[1] == held[2] == 1_000 * 2_000_000 + 1_000 * 10_000_000


async def test_notices_come_before_the_text_they_explain(tmp_path: Path) -> None:
    async with open_desk(tmp_path, claude(failure(fault(ModelFault.NOT_FOUND))), local(text("hi"))) as desk:
        heard = await desk.ask(ask())
        kinds = [type(event) for event in heard.events]
        assert kinds.index(Notice) < kinds.index(TextDelta)
        assert Restarted not in kinds


def _spec(**changes: object):  # type: ignore[no-untyped-def]
    from appliance.messages import Purpose
    from appliance.spending.calls import CallSpec

    values = {
        "model": SONNET, "provider": "anthropic", "local": False, "purpose": Purpose.CHAT, "session": "s",
        "agent": "main", "channel": "web", "turn": "", "characters": 10, "input_tokens": 10, "max_tokens": 1_000,
    }  # fmt: skip
    return CallSpec(**(values | changes))
