"""Scored hints: what they may change of what the patterns found, and what they may not."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import structlog

from appliance.memory import hints
from appliance.memory.capture import capture, heard_in
from appliance.memory.hints import ANSWERS, MOST_SCORE, TABLE, Found, Weighing, revised, table_of
from tests.benchmarks.hints import hints_of

W, B, O, GOES_ON = range(ANSWERS)  # noqa: E741 - the tags are called so


def scores(monkeypatch: pytest.MonkeyPatch, table: dict[str, list[int]]) -> None:
    held = table_of(table)
    monkeypatch.setattr(hints, "_table", lambda: held)


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
def test_a_spoilt_table_leaves_the_patterns_alone_and_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: bytes | None
) -> None:
    table = tmp_path / "hints.tsv"
    if spoilt is not None:
        table.write_bytes(spoilt)
    monkeypatch.setattr(hints, "TABLE", table)
    monkeypatch.setattr(hints, "_table", functools.cache(hints._table.__wrapped__))
    with structlog.testing.capture_logs() as said:
        assert [item.tag for item in capture("I hate jazz")] == ["W"]
    assert bool(said) == (spoilt != b"")


@pytest.mark.parametrize("text", ["I prefer tea, and never call me at night", "我叫小美，以后别发语音", "ok thanks"])
def test_no_hints_change_nothing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    heard = heard_in(text)
    scores(monkeypatch, {})
    monkeypatch.setattr(hints, "_LEFT_OUT", dict.fromkeys("WBO", 0.5))
    found = [Found(clause.start, clause.end, "B") for clause in heard]
    assert revised(heard, found) == found
    assert revised(heard, []) == []


def test_a_clause_whose_hints_speak_for_a_limit_is_kept_against_the_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"is out": speaking_for(B)})
    assert revised(heard_in("the piano room is out"), []) == [Found(0, 21, "B")]


def test_an_item_whose_hints_speak_for_nothing_is_left_out_unless_settled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores(monkeypatch, {"piano": speaking_for(None)})
    heard = heard_in("the piano room is out")
    item = Found(0, 21, "O")
    assert revised(heard, [item]) == []
    assert revised([heard[0]._replace(settled=True)], [item]) == [item]


def test_a_settled_clause_is_not_kept_whatever_its_hints_say(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(O)})
    assert revised([heard_in("the piano room is out")[0]._replace(settled=True)], []) == []


def test_a_clause_that_goes_on_with_an_item_is_no_second_one(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(GOES_ON)})
    assert revised(heard_in("the piano room is out"), []) == []


def test_hints_are_words_in_order_and_those_beside_them() -> None:
    first, second = hints_of(heard_in("I have 3 cats, never feed them"))
    assert {"=", "^", "cats", "^ i", "have 0", "cats $", "<^", ">never"} <= first
    assert {"never feed", "<cats", ">$"} <= second


@pytest.mark.parametrize(
    "text",
    ["I have 3 cats, never feed them", "帮我看看这段，我最近在学粤语。以后别发语音", "Blue boats sail. Do they sink?"],
)
def test_each_hint_counts_as_the_table_writes_it(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    heard = heard_in(text)
    scores(monkeypatch, {"nowhere": [30, 0, 0, 0], "<nowhere": [30, 0, 0, 0], "have nowhere": [30, 0, 0, 0]})
    assert all(Weighing(heard).chances(place) == [0.2] * ANSWERS for place in range(len(heard)))
    for place, found in enumerate(hints_of(heard)):
        for hint in sorted(found):
            scores(monkeypatch, {hint: [30, 0, 0, 0]})
            assert Weighing(heard).chances(place)[0] > 0.8, hint


@pytest.mark.parametrize("tenths", [MOST_SCORE, -MOST_SCORE])
def test_the_sums_of_a_very_long_clause_do_not_run_into_one_another(
    monkeypatch: pytest.MonkeyPatch, tenths: int
) -> None:
    text = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400))
    heard = heard_in(text)
    (own,) = hints_of(heard)
    scores(monkeypatch, {hint: [tenths, -MOST_SCORE, 0, -MOST_SCORE] for hint in own})
    assert Weighing(heard).chances(0) == pytest.approx([1, 0, 0, 0] if tenths > 0 else [0, 0, 0.5, 0], abs=1e-6)


def test_a_take_back_is_never_kept_whatever_its_hints_say(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(W)})
    assert capture("forget that I like blue") == []


def test_what_is_asked_for_in_so_many_words_is_kept_whatever_its_hints_say(monkeypatch: pytest.MonkeyPatch) -> None:
    scores(monkeypatch, {"=": speaking_for(None)})
    assert [item.span for item in capture("remember that trash day is Wednesday")] == ["trash day is Wednesday"]
