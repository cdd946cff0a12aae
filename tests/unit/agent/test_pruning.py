"""Old results become stubs where that is cheaper, and the prefix stays the same in between."""

from typing import Any

from appliance.agent.pruning import Pruner, pays
from appliance.agent.window import message_tokens
from appliance.messages import Message, SessionKey
from appliance.testing.manual_clock import ManualClock
from tests.unit.agent.test_history import assert_well_formed, assistant, call, result, text, user

MAIN = SessionKey.main()


def turn(number: int, size: int = 8_000) -> list[Message]:
    return [
        user(text(f"question {number}")),
        assistant(call(f"c{number}")),
        user(result(f"c{number}", "x" * size)),
        assistant(text(f"answer {number}")),
    ]


def results(messages: list[Message]) -> list[int]:
    return [len(b["content"]) for m in messages for b in m["content"] if b["type"] == "tool_result"]


async def test_a_cold_cache_prunes_all_but_the_newest_turns() -> None:
    pruner = Pruner(ManualClock())
    history = [m for n in range(5) for m in turn(n)] + [user(text("now"))]
    pruned = pruner.apply(MAIN, history)
    assert [size > 1_200 for size in results(pruned)] == [False] * 4 + [True]
    assert "read_output id=c0" in str(pruned)
    assert_well_formed(pruned)
    assert results(history) == [8_000] * 5  # the transcript's own messages stay


async def test_a_warm_cache_keeps_its_prefix_until_pruning_pays() -> None:
    clock = ManualClock()
    pruner = Pruner(clock)
    history: list[Message] = []
    moves = 0
    before: list[Message] = []
    for number in range(12):
        history += [user(text(f"question {number}"))]
        request = pruner.apply(MAIN, history)
        if before and request[: len(before)] != before:
            moves += 1
        before = request
        history += turn(number)[1:]
        await clock.advance(10.0)
    assert moves <= 4
    assert message_tokens(before) < message_tokens(history) / 2


async def test_a_small_gain_before_a_long_tail_does_not_pay() -> None:
    small_then_long = [*turn(0, 1_300), *turn(1, 60_000), *turn(2, 60_000), user(text("now"))]
    assert not pays(small_then_long, 0, 4)


async def test_a_new_window_starts_without_a_boundary() -> None:
    pruner = Pruner(ManualClock())
    pruner.apply(MAIN, [m for n in range(5) for m in turn(n)] + [user(text("now"))])
    fresh: list[Any] = [*turn(9), user(text("hello"))]
    assert pruner.apply(MAIN, fresh) == fresh


async def test_short_results_stay_and_old_pictures_become_a_line() -> None:
    picture = {"type": "image", "media_type": "image/png", "path": "inbox/a.png"}
    history = [user(text("look"), picture), assistant(text("nice")), *turn(1, 100), *turn(2, 100), user(text("now"))]
    pruned = Pruner(ManualClock()).apply(MAIN, history)
    assert "inbox/a.png" in str(pruned[0])
    assert "'image'" not in str(pruned[0])
    assert results(pruned) == [100, 100]
