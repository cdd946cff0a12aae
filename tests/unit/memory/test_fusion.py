"""Joining the legs."""

from __future__ import annotations

import pytest

from appliance.memory.fusion import Mix, auto_weights, diversify, join, scaled, telling_items, weigh_time
from appliance.memory.legs import Candidate
from appliance.messages import Source

DAY = 86_400.0


def candidate(number: int, text: float | None = None, cosine: float | None = None, **fields: object) -> Candidate:
    values = {"path": "a.jsonl", "kind": "turn", "at": 0.0, "units": ((number, f"text {number}"),)} | fields
    legs = {"text_score": text, "direct": text or 0.0, "plain": cosine, "centred": cosine}
    return Candidate(number, script=0, speaker="", file=1, ordinal=100 * number, source=Source.OWNER, **legs, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("multilingual", "latin", "weights"),
    [(True, True, (0.7, 0.3)), (True, False, (0.7, 0.3)), (False, True, (0.3, 0.7)), (False, False, (0.0, 1.0))],
)
def test_weights_follow_the_embedder_and_the_language(
    multilingual: bool, latin: bool, weights: tuple[float, float]
) -> None:
    assert auto_weights(multilingual=multilingual, latin=latin) == weights


def test_scaling_keeps_order_and_takes_equal_and_no_values() -> None:
    assert scaled([2.0, 4.0, 3.0]) == [0.0, 1.0, 0.5]
    assert scaled([5.0, 5.0]) == [1.0, 1.0]
    assert scaled([]) == []


def test_a_leg_that_is_missing_leaves_the_order_to_the_other() -> None:
    words = [candidate(1, text=3.0), candidate(2, text=9.0)]
    join(words, Mix(0.0, 1.0))
    assert sorted(words, key=lambda c: -c.score)[0].id == 2
    near = [candidate(1, cosine=0.9), candidate(2, cosine=0.1)]
    join(near, Mix(0.7, 0.3))
    assert sorted(near, key=lambda c: -c.score)[0].id == 1


def test_reciprocal_ranks_favour_what_both_legs_found() -> None:
    found = [candidate(1, text=9.0), candidate(2, text=8.0, cosine=0.8), candidate(3, cosine=0.9)]
    join(found, Mix(0.5, 0.5, rrf=True))
    assert max(found, key=lambda c: c.score).id == 2


def test_day_notes_halve_every_thirty_days_and_nothing_else_fades() -> None:
    found = [
        candidate(1, kind="chunk", path="memory/2026-01-01.md", at=DAY),
        candidate(2, kind="chunk", path="MEMORY.md", at=DAY),
        candidate(3, at=DAY),
        candidate(4, kind="chunk", path="memory/2026-01-01.md", at=99 * DAY),
    ]
    for one in found:
        one.score = 1.0
    weigh_time(found, 31 * DAY)
    assert [one.score for one in found] == [pytest.approx(0.5), 1.0, 1.0, 1.0]


def test_what_was_said_on_a_named_day_gains_and_its_note_does_not_fade() -> None:
    found = [
        candidate(1, kind="chunk", path="memory/2026-01-01.md", at=DAY),
        candidate(2, at=DAY),
        candidate(3, at=2 * DAY),
    ]
    for one in found:
        one.score = 0.5
    weigh_time(found, 61 * DAY, [(DAY, 2 * DAY)])
    assert [one.score for one in found] == [1.5, 1.5, 0.5]


def test_a_chunk_that_repeats_a_better_one_goes_behind_a_different_one() -> None:
    same = "the guest network is called Finch and its password is on the fridge"
    found = [
        candidate(1, kind="chunk", units=((1, same),)),
        candidate(2, kind="chunk", units=((2, same + " door"),)),
        candidate(3, kind="chunk", units=((3, "the boiler was serviced in spring"),)),
    ]
    for one, score in zip(found, (1.0, 0.95, 0.8), strict=True):
        one.score = score
    assert [one.id for one in diversify(found)] == [1, 3, 2]


def test_only_items_that_say_something_about_the_question_come_first() -> None:
    items = [candidate(1, text=2.0), candidate(2, cosine=0.75), candidate(3, cosine=0.2)]
    talk = [candidate(9, cosine=0.8)]
    assert [one.id for one in telling_items(items, talk)] == [1, 2]
