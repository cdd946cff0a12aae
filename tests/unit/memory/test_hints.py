"""Scored hints: what they are, how they are weighed, and what they have no say in."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import structlog

from appliance.memory import weighing
from appliance.memory.capture import capture, heard_in
from appliance.memory.hints import ANSWERS, EVERY, GOES_ON, TAKES_BACK, hints_beside, hints_of, name_of
from appliance.memory.weighing import MOST_SCORE, TABLE, Found, Weighing, kept, table_of

W, B, O, _, _ = range(ANSWERS)  # noqa: E741 - the tags are called so


def scores(monkeypatch: pytest.MonkeyPatch, table: dict[str, list[int]], every: int = -15) -> None:
    held = table_of({EVERY: [every] * ANSWERS, **table}.items())
    monkeypatch.setattr(weighing, "_table", lambda: held)


def speaking_for(answer: int | None, tenths: int = 40) -> list[int]:
    return [tenths if lane == answer else -tenths for lane in range(ANSWERS)]


def test_every_line_of_the_table_is_a_hint_with_its_scores_in_order() -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 1_000
    assert lines == sorted(set(lines))
    for line in lines:
        hint, *values = line.split("\t")
        assert hint
        assert len(values) == ANSWERS
        assert any(int(value) for value in values)


@pytest.mark.parametrize("spoilt", [None, b"", b"\xff\xfe", b"rice\tx\t1\t1\t1\n\n\t1\t1\t1\t1\nrice\t1\n"])
def test_a_spoilt_table_leaves_what_is_asked_for_in_so_many_words_and_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: bytes | None
) -> None:
    table = tmp_path / "hints.tsv"
    if spoilt is not None:
        table.write_bytes(spoilt)
    monkeypatch.setattr(weighing, "TABLE", table)
    monkeypatch.setattr(weighing, "_table", functools.cache(weighing._table.__wrapped__))
    with structlog.testing.capture_logs() as said:
        assert capture("I hate jazz") == []
        assert [item.tag for item in capture("remember that I hate jazz")] == ["O"]
    assert [line["log_level"] for line in said].count("error") == 1


def test_without_hints_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {})
    assert kept(heard_in("I prefer tea, and never call me at night")) == []


def test_a_clause_is_kept_under_the_tag_that_its_hints_speak_for(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"is out": speaking_for(B), "piano": [10, 63, 0, 0, 0], "room": [60, -63, 0, 0, 0]})
    assert kept(heard_in("the piano room is out")) == [Found(0, 21, "B")]


def test_a_clause_of_which_nobody_knows_what_it_is_but_that_it_is_to_be_kept_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores(monkeypatch, {EVERY: [-2, -40, -3, -40, -40]})  # odds of 1.56 together, of 0.82 and 0.74 alone
    assert kept(heard_in("the piano room is out")) == [Found(0, 21, "W")]
    scores(monkeypatch, {EVERY: [-6, -40, -7, -40, -40]})  # 1.05
    assert kept(heard_in("the piano room is out")) == []


def test_a_table_without_the_hint_of_every_clause_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    held = table_of({"piano": speaking_for(B)}.items())
    monkeypatch.setattr(weighing, "_table", lambda: held)
    assert kept(heard_in("the piano room is out")) == []


def test_what_speaks_for_nothing_outweighs_what_speaks_for_a_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"is out": speaking_for(B), "piano room is": speaking_for(None)})
    assert kept(heard_in("the piano room is out")) == []


def test_a_clause_that_goes_on_with_an_item_makes_it_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = heard_in("I have a cat, she is old, it rains")
    scores(monkeypatch, {"cat": speaking_for(O), "she": speaking_for(GOES_ON)})
    assert kept(heard) == [Found(0, 24, "O")]


def test_a_clause_that_goes_on_with_nothing_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(GOES_ON)})
    assert kept(heard_in("the piano room is out, it rains")) == []


def test_a_sentence_of_which_a_clause_takes_something_back_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(O), "rule": speaking_for(TAKES_BACK, 63)})
    heard = heard_in("the piano room is out, that rule is gone. it rains")
    assert kept(heard) == [Found(42, 50, "O")]


def test_what_goes_on_with_something_taken_back_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"piano": speaking_for(O), "rule": speaking_for(TAKES_BACK), "rains": speaking_for(GOES_ON)})
    assert kept(heard_in("that rule is gone, the piano room is out. it rains")) == []


def test_a_question_beside_what_takes_something_back_only_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(B, 20), "rule": speaking_for(TAKES_BACK, 63)})
    assert kept(heard_in("no calls after nine? that rule is gone")) == []
    assert capture("no calls after nine? scratch that") == []


def test_hints_are_words_in_order_and_what_stands_around_them() -> None:
    common, (first, second, third) = hints_of(heard_in("I have 3 cats, never feed them. They bite"))
    assert {"=", "#clauses 3", "*cats", "*feed", "*bite", "*0"} <= set(common)
    assert {"cats", "^ i", "have 0", "i have 0", "cats $", "<^", ">never", "#clause 0", "#words 1"} <= first
    assert {"never feed", "<cats", ">$", ">>they"} <= second
    assert {"<^", "<<them", ">$", "#clause 2", "#words 0"} <= third
    assert not {"<^", "<<cats"} & second


def test_what_the_clauses_beside_are_is_a_hint() -> None:
    heard = heard_in("I have 3 cats, never feed them. They bite")
    assert hints_beside(heard, [], known=False) == ["#after start"]
    assert hints_beside(heard, [], B, known=True)[1:] == ["#before B", "#before B here"]
    assert hints_beside(heard, ["O"], GOES_ON, known=True) == [
        "#after O",
        "#after O here",
        "#before more",
    ]
    assert hints_beside(heard, ["O", "nothing"], known=False) == ["#after nothing", "#before end"]


def test_a_second_look_knows_what_the_first_made_of_the_clause_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"piano": speaking_for(O), "rains": speaking_for(B), "#before B": speaking_for(None, 63)})
    assert [one.tag for one in kept(heard_in("the piano room is out, it rains"))] == ["B"]


def test_a_clause_that_goes_on_counts_as_what_it_goes_on_with() -> None:
    assert name_of(GOES_ON, ["nothing", "O"]) == "O"
    assert [name_of(answer, []) for answer in (W, B, O, TAKES_BACK, None)] == ["W", "B", "O", "taken", "nothing"]


def test_a_question_is_a_hint_on_its_last_clause_and_on_the_message() -> None:
    common, (first, second) = hints_of(heard_in("I have a boat, shall it float?"))
    assert "#asked" in common
    assert ">?" in second
    assert ">?" not in first


@pytest.mark.parametrize(
    "text",
    ["I have 3 cats, never feed them", "帮我看看这段，我最近在学粤语。以后别发语音", "Blue boats sail. Do they sink?"],
)
def test_each_hint_counts_as_the_table_writes_it(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    heard = heard_in(text)
    common, own = hints_of(heard)
    said = ["O", "nothing"]
    for place, shown in enumerate(own):
        beside = hints_beside(heard, said[:place], known=False)
        for hint in sorted({*common, *shown, *beside}):
            scores(monkeypatch, {hint: [30, -7, 0, 5, 2], "nowhere": [9, 9, 9, 9, 9]}, every=0)
            assert Weighing(heard).scores(place, beside) == [30, -7, 0, 5, 2], hint


@pytest.mark.parametrize("tenths", [MOST_SCORE, -MOST_SCORE])
def test_the_sums_of_a_very_long_message_do_not_run_into_one_another(
    monkeypatch: pytest.MonkeyPatch, tenths: int
) -> None:
    clause = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400))
    heard = heard_in(f"{clause}, {clause}, {clause}")
    common, own = hints_of(heard)
    shown = {*common, *own[1]}
    scores(monkeypatch, {hint: [tenths, -MOST_SCORE, 0, -MOST_SCORE, tenths] for hint in shown})
    whole = len(shown) * MOST_SCORE
    assert Weighing(heard).scores(1) == [len(shown) * tenths, -whole, 0, -whole, len(shown) * tenths]


def test_a_take_back_is_never_kept_whatever_its_hints_say(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(W)})
    assert capture("forget that I like blue") == []


def test_what_is_asked_for_in_so_many_words_is_kept_whatever_its_hints_say(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(None)})
    assert [item.span for item in capture("remember that trash day is Wednesday")] == ["trash day is Wednesday"]
