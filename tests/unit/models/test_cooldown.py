"""How long a model rests."""

from __future__ import annotations

import pytest

from appliance.errors import ModelFault
from appliance.models.cooldown import Cooldowns
from appliance.testing.manual_clock import ManualClock


def rest(kind: ModelFault, *waits: float | None) -> float:
    clock = ManualClock()
    cooldowns = Cooldowns(clock)
    for wait in waits or (None,):
        cooldowns.failed("m", kind, wait)
    found = cooldowns.resting("m")
    return cooldowns.seconds_left(found) if found else 0.0


@pytest.mark.parametrize("kind", [ModelFault.RATE_LIMIT, ModelFault.OVERLOADED, ModelFault.NETWORK])
def test_passing_trouble_rests_a_model_for_half_a_minute_then_a_minute_then_five(kind: ModelFault) -> None:
    assert [rest(kind, *[None] * n) for n in (1, 2, 3, 4)] == [30, 60, 300, 300]


@pytest.mark.parametrize("kind", [ModelFault.FORMAT, ModelFault.TOO_LONG, ModelFault.UNUSABLE, ModelFault.UNAVAILABLE])
def test_our_own_mistakes_and_single_bad_answers_rest_nobody(kind: ModelFault) -> None:
    assert rest(kind) == 0


def test_a_time_that_the_provider_names_is_kept_when_it_is_longer() -> None:
    assert rest(ModelFault.RATE_LIMIT, 120.0) == 120
    assert rest(ModelFault.RATE_LIMIT, 2.0) == 30


def test_a_missing_model_and_a_refused_key_rest_long() -> None:
    assert rest(ModelFault.NOT_FOUND) == 300
    assert rest(ModelFault.AUTH) == 600


def test_one_model_s_trouble_is_not_another_s() -> None:
    cooldowns = Cooldowns(ManualClock())
    cooldowns.failed("a", ModelFault.OVERLOADED, None)
    assert cooldowns.resting("b") is None


def test_success_ends_the_rest_and_forgets_the_failures() -> None:
    cooldowns = Cooldowns(ManualClock())
    cooldowns.failed("a", ModelFault.OVERLOADED, None)
    cooldowns.succeeded("a")
    assert cooldowns.resting("a") is None
    cooldowns.failed("a", ModelFault.OVERLOADED, None)
    again = cooldowns.resting("a")
    assert again is not None
    assert cooldowns.seconds_left(again) == 30
