"""The rule of the budget, case by case."""

from __future__ import annotations

from appliance.spending.limits import Balance, Worst, decide
from appliance.spending.prices import ModelPrice, Rates

# One picodollar a token in, ten out: figures that can be read.
PRICE = ModelPrice(Rates(1, 1, 1, 1, 10))


def worst(prompt: int = 100) -> Worst:
    return Worst(PRICE, prompt, written=False, long_lived=False, modes=(), tools=0)


def day(limit: int, spent: int = 0, reserved: int = 0) -> Balance:
    return Balance("day", "", limit, spent, reserved)


def test_without_a_limit_everything_is_allowed() -> None:
    assert decide([], worst(), 8_192).action == "allow"


def test_a_call_that_fits_exactly_is_allowed() -> None:
    assert decide([day(82_020)], worst(), 8_192).output == 8_192
    assert decide([day(82_019)], worst(), 8_192).shrunk


def test_what_costs_nothing_is_allowed_past_the_limit() -> None:
    free = Worst(ModelPrice(Rates(0, 0, 0, 0, 0)), 100, written=False, long_lived=False, modes=(), tools=0)
    assert decide([day(0, spent=5)], free, 8_192).action == "allow"


def test_it_waits_when_the_whole_call_fits_once_others_have_settled() -> None:
    assert decide([day(100_000, reserved=50_000)], worst(), 8_192).action == "wait"


def test_it_waits_when_even_a_smaller_call_fits_only_once_others_have_settled() -> None:
    assert decide([day(20_000, reserved=18_000)], worst(), 8_192).action == "wait"


def test_without_time_to_wait_it_takes_a_smaller_call_now_or_none() -> None:
    smaller = decide([day(100_000, reserved=80_000)], worst(), 8_192, may_wait=False)
    assert (smaller.action, smaller.output, smaller.amount) == ("allow", 1_990, 20_000)
    assert decide([day(100_000, reserved=99_000)], worst(), 8_192, may_wait=False).action == "refuse"


def test_it_is_refused_when_not_even_512_tokens_fit_into_what_is_unspent() -> None:
    assert decide([day(5_220)], worst(), 8_192).output == 512
    refused = decide([day(1_000_000), day(5_219)], worst(), 8_192)
    assert (refused.action, refused.by) == ("refuse", day(5_219))


def test_the_limit_with_the_least_left_decides() -> None:
    purpose = Balance("purpose", "cron", 60_000, 0, 0)
    verdict = decide([day(1_000_000), purpose], worst(), 8_192)
    assert (verdict.shrunk, verdict.by) == (True, purpose)
