"""What fits a window fits it, and stays well formed."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from appliance.agent.window import Window, fit, message_tokens, middle_cut, tokens
from tests.unit.agent.test_history import assert_well_formed, assistant, call, result, text, user


def test_the_compaction_line_of_the_default_window_is_176_000() -> None:
    assert Window.of(1_000_000, 200_000).compaction_line == 176_000


def test_a_small_window_keeps_a_share_for_the_answer() -> None:
    window = Window.of(8_192, 200_000)
    assert window.reserve == 2_048
    assert window.compaction_line < window.size - window.reserve


def test_chinese_counts_a_token_a_character_and_english_a_quarter() -> None:
    assert tokens("你好世界") == 4
    assert tokens("hello world!") == 3


@given(st.integers(min_value=1, max_value=30), st.integers(min_value=50, max_value=3_000))
def test_the_newest_messages_that_fit_are_kept_and_pairs_stay_whole(count: int, allowance: int) -> None:
    history: list[Any] = []
    for number in range(count):
        history += [
            user(text(f"question {number} " * 20)),
            assistant(call(f"c{number}")),
            user(result(f"c{number}", "x" * 300)),
        ]
        history += [assistant(text(f"answer {number}"))]
    history.append(user(text("last")))
    kept, left_out = fit(history, allowance)
    assert kept[-1]["content"][-1] == text("last")
    assert_well_formed(kept)
    assert left_out or message_tokens(kept) <= allowance or len(kept) == 1


def test_a_single_message_larger_than_the_window_is_cut_in_the_middle() -> None:
    kept, _ = fit([user(text("start " + "x" * 100_000 + " end"))], 500)
    said = kept[0]["content"][0]["text"]
    assert message_tokens(kept) <= 600
    assert said.startswith("start")
    assert said.endswith("end")


@given(st.text(min_size=0, max_size=500), st.integers(min_value=60, max_value=400))
def test_a_cut_text_is_no_longer_than_wanted_and_says_what_is_missing(value: str, keep: int) -> None:
    cut = middle_cut(value, keep)
    if len(value) <= keep:
        assert cut == value
    else:
        assert len(cut) <= keep + 40
        assert "characters cut" in cut


@given(st.integers(min_value=1, max_value=6), st.integers(min_value=200, max_value=3_000))
def test_a_long_turn_keeps_its_question_and_ends_with_its_last_results(steps: int, allowance: int) -> None:
    history: list[Any] = [user(text("older")), assistant(text("yes")), user(text("the question"))]
    for number in range(steps):
        history += [assistant(call(f"c{number}")), user(result(f"c{number}", "x" * 4_000))]
    kept, _ = fit(history, allowance)
    assert_well_formed(kept)
    assert any("question" in b.get("text", "") for m in kept for b in m["content"])
    assert kept[-1]["content"][-1]["tool_use_id"] == f"c{steps - 1}"
