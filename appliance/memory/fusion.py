"""Joining the legs: weights, reciprocal ranks, decay of day notes, diversity of file chunks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.memory.languages import words_of
from appliance.memory.legs import Candidate

RRF_K = 60
MMR_LAMBDA = 0.7
HALF_LIFE_DAYS = 30.0
_DAY_NOTE = re.compile(r"memory/\d{4}-\d\d-\d\d\.md")
_DIVERSIFIED = 24  # MMR compares pairs; only the head of the list is shown anyway
_CENTRED_SHARE = 0.5  # of the vector leg; the rest is the plain cosine, which is surer within one language


def auto_weights(*, multilingual: bool, latin: bool) -> tuple[float, float]:
    """(vector, text) as measured: a small English model weighs 0.3 in English and is blind in other scripts."""
    if multilingual:
        return (0.7, 0.3)
    return (0.3, 0.7) if latin else (0.0, 1.0)


def scaled(values: Sequence[float]) -> list[float]:
    """Values from 0 (least) to 1 (most); all 1 when they are equal."""
    if not values:
        return []
    low, high = min(values), max(values)
    if high - low < 1e-12:
        return [1.0] * len(values)
    return [(value - low) / (high - low) for value in values]


def join(candidates: Sequence[Candidate], weights: tuple[float, float], *, rrf: bool = False) -> None:
    """Give each candidate its score: the legs' scores scaled to 0..1 and weighed, or reciprocal ranks."""
    with_text = [one for one in candidates if one.text_score is not None]
    for one, value in zip(with_text, scaled([one.text_score or 0.0 for one in with_text]), strict=True):
        one.text_part = value
    near = [one for one in candidates if one.plain is not None]
    plain = scaled([one.plain or 0.0 for one in near])
    centred = scaled([one.centred or 0.0 for one in near])
    for one, first, second in zip(near, plain, centred, strict=True):
        one.vector_part = (1 - _CENTRED_SHARE) * first + _CENTRED_SHARE * second
    if rrf:
        _reciprocal_ranks(with_text, near)
        return
    vector, text = weights
    for one in candidates:
        one.score = vector * one.vector_part + text * one.text_part


def _reciprocal_ranks(with_text: list[Candidate], near: list[Candidate]) -> None:
    for one in (*with_text, *near):
        one.score = 0.0
    for ranked in (
        sorted(with_text, key=lambda one: -one.text_part),
        sorted(near, key=lambda one: -one.vector_part),
    ):
        for rank, one in enumerate(ranked, start=1):
            one.score += (RRF_K + 1) / (2 * (RRF_K + rank))  # 1 for what is first on both legs


def decay(candidates: Sequence[Candidate], now: float) -> None:
    """Halve a day note's score every 30 days; files that are kept up and conversations do not fade."""
    for one in candidates:
        if one.kind == "chunk" and one.at and _DAY_NOTE.fullmatch(one.path):
            age_days = max(0.0, now - one.at) / 86_400
            one.score *= 0.5 ** (age_days / HALF_LIFE_DAYS)


def diversify(ranked: list[Candidate]) -> list[Candidate]:
    """MMR over the head of the list: a file chunk that repeats a better one goes behind others. Turns keep their place:
    they are short and different, and windows on show are passed over anyway."""
    head, tail = ranked[:_DIVERSIFIED], ranked[_DIVERSIFIED:]
    if sum(one.kind == "chunk" for one in head) < 2:
        return ranked
    words = {
        one.id: frozenset(words_of("\n".join(text for _, text in one.units))) for one in head if one.kind == "chunk"
    }
    chosen: list[Candidate] = []
    left = list(head)
    while left:
        best = max(left, key=lambda one: _marginal(one, chosen, words))
        left.remove(best)
        chosen.append(best)
    return [*chosen, *tail]


def _marginal(one: Candidate, chosen: Sequence[Candidate], words: dict[int, frozenset[str]]) -> float:
    mine = words.get(one.id)
    likeness = 0.0
    if mine is not None:
        likeness = max((_jaccard(mine, words[other.id]) for other in chosen if other.id in words), default=0.0)
    return MMR_LAMBDA * one.score - (1 - MMR_LAMBDA) * likeness


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


def telling_items(items: Sequence[Candidate], talk: Sequence[Candidate]) -> list[Candidate]:
    """The captured items that say something about the question, best first.

    An item must share words with it, or be about as near by cosine as the nearest of everything else.
    """
    nearest = max((one.centred for one in talk if one.centred is not None), default=None)
    found = []
    for one in items:
        close = one.centred is not None and nearest is not None and one.centred >= 0.8 * nearest
        alone = nearest is None and one.centred is not None
        if one.text_score is not None or close or alone:
            found.append(one)
    return found
