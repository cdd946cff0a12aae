"""When the door of compaction opens: by what the provider counts, asked only where it is close."""

from __future__ import annotations

import pytest

from appliance.agent.guard import Guard, guess
from appliance.agent.window import characters_for, tokens
from appliance.models.base import PromptPart, ToolSpec


async def never() -> int | None:
    raise AssertionError("it is not close: nobody is to be asked")


async def test_far_from_the_line_nobody_is_asked() -> None:
    guard = Guard()
    assert not await guard.over(1_000, "m", 880, never)
    assert await guard.over(1_000, "m", 1_120, never)


@pytest.mark.parametrize(("exact", "over"), [(1_001, True), (1_000, False), (None, True)])
async def test_near_the_line_the_providers_own_count_decides(exact: int | None, over: bool) -> None:
    async def asked() -> int | None:
        return exact

    assert await Guard().over(1_000, "m", 1_050, asked) is over


async def test_what_a_provider_counted_corrects_the_next_guess_of_that_model() -> None:
    guard = Guard()
    guard.learn("m", 1_000, 1_500)
    assert guard.likely("m", 2_000) == 3_000
    assert guard.likely("other", 2_000) == 2_000
    assert await guard.over(2_500, "m", 2_000, never)
    guard.learn("m", 1_000, 1_000)
    assert guard.likely("m", 1_000) == 1_400  # down slowly: too high costs a summary, too low a refused request
    guard.learn("m", 1_000, 90_000)
    assert guard.likely("m", 1_000) == 2_500


def test_a_small_request_teaches_nothing() -> None:
    guard = Guard()
    guard.learn("m", 100, 900)
    guard.learn("m", 1_000, 0)
    assert guard.likely("m", 1_000) == 1_000


def test_a_guess_counts_prompt_tools_and_conversation() -> None:
    tool = ToolSpec("read", "Read a file.", {"type": "object"})
    said = {"role": "user", "content": [{"type": "text", "text": "no " * 133 + "x"}]}
    assert guess((PromptPart("yes " * 100),), (), ()) == 100
    assert guess((), (tool,), ()) > 10
    assert 100 < guess((), (), (said,)) < 120


@pytest.mark.parametrize("text", ["word " * 1_000, "記憶" * 1_000, "mixed 記憶 " * 500, ""])
def test_so_many_characters_make_at_most_so_many_tokens(text: str) -> None:
    for most in (10, 500, 100_000):
        assert tokens(text[: characters_for(text, most)]) <= most + 1
