"""Joining the legs: weights, reciprocal ranks, decay of day notes, diversity of file chunks."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from appliance.memory.dates import Stretch
from appliance.memory.languages import words_of
from appliance.memory.legs import Candidate

RRF_K = 60
MMR_LAMBDA = 0.7
HALF_LIFE_DAYS = 30.0
_DAY_NOTE = re.compile(r"memory/\d{4}-\d\d-\d\d\.md")
HEAD = 24  # candidates whose text is compared; only the first six or so are shown anyway
_CENTRED_SHARE = 0.5  # of the vector leg; the rest is the plain cosine, which is surer within one language
_FOREIGN = 0.9  # of an entry in another script: at equal nearness one's own language is likelier meant
_SPEAKER = 0.08  # for what was said by somebody whom the question names: two people talk about the same things
_SURE = 0.4  # cosine from which an English-only embedder has found what was meant, rather than the nearest there is
_THEN = 1.0  # for what was said on a day that the question names: it comes first, in the order of the rest
_NEIGHBOUR = 0.1  # of the score of a turn beside it
_BESIDE = 100  # ordinals, one line of a transcript: said one after another, nothing between
# Of a perfect match of words: from here on words count in full, and below it by this power. Beside a small English
# embedder, whose text weight is high, a weak match must fall faster.
_TRUST_MULTILINGUAL, _TRUST_ENGLISH = (0.5, 1), (0.8, 2)


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


@dataclass(frozen=True, slots=True)
class Mix:
    """How the legs are joined for one question: weights of sum 1, the question's script and words, what a perfect match
    of its words would score, and whether the embedder knows other scripts."""

    vector: float
    text: float
    script: int = 0
    perfect: float = 0.0
    multilingual: bool = True
    rrf: bool = False
    words: frozenset[str] = frozenset()


def join(candidates: Sequence[Candidate], mix: Mix) -> None:
    """Give each candidate its score: the legs' scores scaled to 0..1 and weighed, or reciprocal ranks.

    Words count in full when the best match has a good part of what a perfect one would score, and less the weaker it
    is. An entry in another script can hardly share words with the question, so its vector may speak for it alone.
    """
    with_text = [one for one in candidates if one.text_score is not None]
    if mix.multilingual or mix.vector == 0:
        _scale_text(with_text)
    else:  # two lists that are only laid beside one another (`ordered`)
        _scale_text([one for one in with_text if not _foreign(one, mix)])
        _scale_text([one for one in with_text if _foreign(one, mix)])
    near = [one for one in candidates if one.plain is not None and (mix.multilingual or one.script == mix.script)]
    plain = scaled([one.plain or 0.0 for one in near])
    centred = scaled([one.centred or 0.0 for one in near])
    share = _CENTRED_SHARE if mix.multilingual else 0.0
    for one, first, second in zip(near, plain, centred, strict=True):
        one.vector_part = _FOREIGN * second if _foreign(one, mix) else (1 - share) * first + share * second
    if mix.rrf:
        _reciprocal_ranks(with_text, near, mix)
    else:
        _weigh(candidates, with_text, mix)
    for one in candidates:
        if one.speaker in mix.words:
            one.score += _SPEAKER
    _lean_on_neighbours(candidates)


def _lean_on_neighbours(candidates: Sequence[Candidate]) -> None:
    """A turn of a conversation gains by the better one beside it: where two in a row fit, the place is meant."""
    turns = sorted((one for one in candidates if one.kind == "turn"), key=attrgetter("file", "ordinal"))
    gains: defaultdict[int, float] = defaultdict(float)
    for one, following in itertools.pairwise(turns):
        if following.ordinal - one.ordinal <= _BESIDE and one.file == following.file:
            gains[one.id] = max(gains[one.id], following.score)
            gains[following.id] = one.score
    for one in turns:
        if one.id in gains:
            one.score += _NEIGHBOUR * gains[one.id]


def _scale_text(with_text: Sequence[Candidate]) -> None:
    """BM25 scaled to 0..1 over what the question's own words found: words that only mean the same change nothing of
    how those stand to one another."""
    scores = [one.text_score or 0.0 for one in with_text]
    own = [score for score, one in zip(scores, with_text, strict=True) if one.direct > 0]
    low, high = min(own or scores, default=0.0), max(scores, default=0.0)
    if low >= high:  # one match of its own words, or equal ones
        low = 0.0
    for one, score in zip(with_text, scores, strict=True):
        one.text_part = (score - low) / (high - low) if high - low > 1e-12 else 1.0


def _weigh(candidates: Sequence[Candidate], with_text: Sequence[Candidate], mix: Mix) -> None:
    best = max((one.direct for one in with_text), default=0.0)
    full, power = _TRUST_MULTILINGUAL if mix.multilingual else _TRUST_ENGLISH
    trust = min(1.0, best / (full * mix.perfect)) ** power if mix.perfect > 0 and mix.vector > 0 else 1.0
    for one in candidates:
        one.score = mix.vector * one.vector_part + mix.text * trust * one.text_part
        if _foreign(one, mix) and mix.vector > 0:
            one.score = max(one.score, one.vector_part)


def _reciprocal_ranks(with_text: list[Candidate], near: list[Candidate], mix: Mix) -> None:
    for one in (*with_text, *near):
        one.score = 0.0
    for rank, one in enumerate(sorted(with_text, key=lambda one: -one.text_part), start=1):
        one.score = _reciprocal(rank) / 2
    for rank, one in enumerate(sorted(near, key=lambda one: -one.vector_part), start=1):
        both = one.score + _reciprocal(rank) / 2
        one.score = max(both, _reciprocal(rank)) if _foreign(one, mix) else both


def _reciprocal(rank: int) -> float:
    """1 for the first; half of it from each leg."""
    return (RRF_K + 1) / (RRF_K + rank)


def _foreign(one: Candidate, mix: Mix) -> bool:
    """In another script than the question: it can share few words with it or none."""
    return one.script != mix.script


def ordered(candidates: Sequence[Candidate], mix: Mix) -> list[Candidate]:
    """By score. Where the embedder is blind for other scripts, what words found there cannot be weighed against the
    rest: unless the embedder is sure of something, it takes the third and the sixth place."""
    ranked = sorted(candidates, key=lambda one: -one.score)
    if mix.multilingual or mix.vector == 0:
        return ranked
    own = [one for one in ranked if not _foreign(one, mix)]
    foreign = [one for one in ranked if _foreign(one, mix)]
    if max((one.plain or 0.0 for one in own), default=0.0) >= _SURE:
        return [*own, *foreign]
    return [*own[:2], *foreign[:1], *own[2:4], *foreign[1:2], *own[4:], *foreign[2:]]


def weigh_time(candidates: Sequence[Candidate], now: float, days: Sequence[Stretch] = ()) -> None:
    """Halve a day note's score every 30 days; files that are kept up and conversations do not fade. What was said on
    the days that the question names gains instead."""
    for one in candidates:
        if days and any(first <= one.at < end for first, end in days):
            one.score += _THEN
        elif one.kind == "chunk" and one.at and _DAY_NOTE.fullmatch(one.path):
            age_days = max(0.0, now - one.at) / 86_400
            one.score *= 0.5 ** (age_days / HALF_LIFE_DAYS)


def chunks_ahead(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The file chunks at the head of the list, when there are several: one alone repeats nothing."""
    found = [one for one in ranked[:HEAD] if one.kind == "chunk"]
    return found if len(found) > 1 else []


def diversify(ranked: list[Candidate]) -> list[Candidate]:
    """MMR over the head of the list: a file chunk (with its text) that repeats a better one goes behind others. Turns
    keep their place: they are short and different, and windows on show are passed over anyway."""
    head, tail = ranked[:HEAD], ranked[HEAD:]
    if not chunks_ahead(ranked):
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
