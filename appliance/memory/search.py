"""One question to the index: two legs, joined by weights that follow the embedder and the question's language.

    words ──┐
            ├─ candidates → scores of both legs → joined → decay → MMR → windows not yet on show
    vector ─┘

Each leg works without the other; no text of a question can make it fail. Captured items are a list of their own and
come first. The weights are measured (docs): an English-only embedder gets 0.3 and none for other scripts, a
multilingual one 0.7.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import apsw

from appliance.clock import Clock, day_of
from appliance.errors import ModelError
from appliance.memory import fusion, legs
from appliance.memory.chunks import Unit
from appliance.memory.dates import stretches
from appliance.memory.embeddings import Identity
from appliance.memory.filler import VectorFiller
from appliance.memory.index import MemoryIndex
from appliance.memory.languages import SCRIPTS, Query, analyse
from appliance.memory.legs import Candidate, QueryVectors
from appliance.memory.lexicon import widened
from appliance.memory.schema import ITEMS, TALK
from appliance.memory.scopes import Scope, allowed
from appliance.memory.store import rows
from appliance.memory.vocabulary import Vocabulary
from appliance.memory.windows import Window, grow, telling
from appliance.messages import MAIN, Source

Backend = Literal["hybrid", "rrf", "rerank"]
Weights = Literal["auto"] | tuple[float, float]
LIMIT = 6
_VECTOR_SECONDS = 3.0  # a question waits no longer for its vector; words alone answer then
_REMEMBERED_QUESTIONS = 256
_ASKED_CHARS = 2_000  # of a question, in which days are looked for
_SURROUNDING = 4  # neighbours each side that a window may grow into


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `path` is relative to the agent's folder (or `team/...`); `score` and `parts` are 0 to 1."""

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    parts: dict[str, float]
    kind: str
    at: float
    source: Source

    def as_json(self) -> dict[str, Any]:
        """The form of `appliance memory search --json`."""
        return {
            "path": self.path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "score": round(self.score, 4),
            "snippet": self.snippet,
            "parts": {name: round(value, 4) for name, value in self.parts.items()},
        }


class Reranker(Protocol):
    """Scores texts against an agent's question, higher is nearer; raises ModelError when it cannot."""

    async def rerank(self, query: str, texts: Sequence[str], agent: str = MAIN) -> list[float]: ...


@dataclass(slots=True)
class SearchOptions:
    """Choices of the settings. `most_items` captured items at most come first."""

    weights: Weights = "auto"
    backend: Backend = "hybrid"
    most_items: int = 3
    reranker: Reranker | None = None


class MemorySearch:
    """Given the index and (when there is an embedder) its filler, answer questions within a reader's scope."""

    def __init__(
        self, index: MemoryIndex, filler: VectorFiller | None, clock: Clock, options: SearchOptions | None = None
    ) -> None:
        self._index = index
        self._filler = filler
        self._clock = clock
        self._options = options or SearchOptions()
        self._vocabulary = Vocabulary()
        self._remembered: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    async def search(self, query: str, scope: Scope, limit: int = LIMIT) -> list[Hit]:
        """The best places for a question, best first, at most `limit`. Never raises for a question's text; a damaged
        index is healed and searched again."""
        if limit <= 0 or not query.strip():
            return []
        question = analyse(query)
        vector = await self._query_vector(question, scope.session.agent)
        if self._options.backend == "rerank" and self._options.reranker is not None:
            return await self._by_reranker(question, vector, scope, limit)
        return await self._index.read_behind(
            lambda c: self._shown(c, question, *self._candidates(c, question, vector, scope), limit)
        )

    async def _by_reranker(self, question: Query, vector: bytes | None, scope: Scope, limit: int) -> list[Hit]:
        """Found, put in order, shown; from the beginning where the index was made anew meanwhile: its rows have other
        numbers then."""
        generation, agent = self._index.generation, scope.session.agent
        items, talk = await self._index.read_behind(lambda c: _told(c, self._candidates(c, question, vector, scope)))
        items, talk = await self._reranked(question, items, agent), await self._reranked(question, talk, agent)

        def shown(connection: apsw.Connection) -> list[Hit] | None:
            if generation != self._index.generation:
                return None
            return self._shown(connection, question, items, talk, limit)

        hits = await self._index.read_behind(shown)
        return hits if hits is not None else await self._by_reranker(question, vector, scope, limit)

    def _candidates(
        self, connection: apsw.Connection, question: Query, vector: bytes | None, scope: Scope
    ) -> tuple[list[Candidate], list[Candidate]]:
        """(items, talk), each in order."""
        vectors = self._centred(connection, question, vector) if vector else None
        wider = self._widened(question, vectors)
        now, zone = self._clock.now(), self._index.workspaces[scope.session.agent].zone
        days = stretches(question.plain[:_ASKED_CHARS], day_of(now, zone), zone)
        found: list[list[Candidate]] = []
        for shelf in (ITEMS, TALK):
            scopes = allowed(connection, scope, shelf)
            if not scopes:
                found.append([])
                continue
            query = self._vocabulary.weigh(connection, shelf, question, wider)
            candidates = legs.candidates(connection, shelf, query, vectors, scopes, days)
            mix = self._mix(question, query.perfect, near=vectors is not None)
            fusion.join(candidates, mix)
            fusion.weigh_time(candidates, now, days)
            found.append(fusion.ordered(candidates, mix))
        items, talk = found
        legs.load(connection, fusion.chunks_ahead(talk))
        return items, fusion.diversify(talk)

    def _shown(
        self, connection: apsw.Connection, question: Query, items: list[Candidate], talk: list[Candidate], limit: int
    ) -> list[Hit]:
        """Windows of the best candidates: items first, then talk; what is on show already is passed over."""
        shown: defaultdict[str, set[Unit]] = defaultdict(set)
        hits: list[Hit] = []
        most = min(self._options.most_items, max(1, limit // 2))
        for candidate in legs.loaded(connection, fusion.telling_items(items, talk)[:most]):
            hits.append(_hit(candidate, grow(candidate.units, candidate.units[:1], ())))
            shown[candidate.path].update(candidate.units)
        windows = _windows(legs.loaded(connection, talk, beside=_SURROUNDING), question.terms, shown)
        return [*hits, *itertools.islice(windows, limit - len(hits))]

    @property
    def _identity(self) -> Identity | None:
        """The embedder's, None while there is none."""
        return self._filler.identity if self._filler else None

    def _mix(self, question: Query, perfect: float, *, near: bool) -> fusion.Mix:
        identity = self._identity
        return fusion.Mix(
            *(self._weights(question) if near else (0.0, 1.0)),
            script=SCRIPTS.index(question.script),
            perfect=perfect,
            multilingual=identity is None or identity.multilingual,
            rrf=self._options.backend == "rrf",
            words=frozenset(question.terms),
        )

    def _widened(self, question: Query, vectors: QueryVectors | None) -> tuple[str, ...]:
        """Phrases that mean the same as the question's words; none beside the vectors of a multilingual embedder, which
        knows better what is near: measured, they take time there and find nothing more."""
        identity = self._identity
        if vectors is not None and identity is not None and identity.multilingual:
            return ()
        return widened(question, alone=vectors is None)

    def _weights(self, question: Query) -> tuple[float, float]:
        """(vector, text), sum 1."""
        identity = self._identity
        if identity is None:
            return (0.0, 1.0)
        chosen = self._options.weights
        if chosen == "auto":
            return fusion.auto_weights(multilingual=identity.multilingual, latin=question.script == "latin")
        total = sum(chosen)
        return (chosen[0] / total, chosen[1] / total) if total > 0 else (0.5, 0.5)

    async def _query_vector(self, question: Query, agent: str) -> bytes | None:
        """The question's vector; None when there is none in time."""
        filler = self._filler
        if filler is None or filler.identity is None or self._weights(question)[0] == 0:
            return None
        key = (str(filler.identity), question.text)
        raw = self._remembered.get(key)
        if raw is None:
            try:
                async with asyncio.timeout(_VECTOR_SECONDS):
                    raw = await filler.query_vector(question.text, agent)
            except (ModelError, TimeoutError):
                return None
            if not raw:
                return None
            self._remembered[key] = raw
            while len(self._remembered) > _REMEMBERED_QUESTIONS:
                self._remembered.popitem(last=False)
        return raw

    def _centred(self, connection: apsw.Connection, question: Query, vector: bytes) -> QueryVectors:
        """The question's vector as it is, and with its script's mean taken off."""
        means = self._filler.means(SCRIPTS.index(question.script)) if self._filler else None
        if means is None:
            return QueryVectors(vector, vector)
        [(centred,)] = rows(connection, "SELECT vec_sub(?, ?)", (vector, means.query))
        return QueryVectors(vector, centred)

    async def _reranked(self, question: Query, candidates: list[Candidate], agent: str) -> list[Candidate]:
        """The best two dozen in the reranker's order, the rest behind; as they were when it fails."""
        head, tail = candidates[: fusion.HEAD], candidates[fusion.HEAD :]
        reranker = self._options.reranker
        if reranker is None or len(head) < 2:
            return candidates
        try:
            texts = ["\n".join(t for _, t in one.units) for one in head]
            scores = await reranker.rerank(question.text, texts, agent)
        except ModelError:
            return candidates
        # The order is not always one of scores (`fusion.ordered`, `fusion.diversify`): what counts is the place.
        places = sorted((one.score for one in head), reverse=True)
        for one, place, score in zip(head, places, fusion.scaled(scores), strict=True):
            one.score = 0.5 * place + 0.5 * score
        return [*sorted(head, key=lambda one: -one.score), *tail]


def _told(
    connection: apsw.Connection, found: tuple[list[Candidate], list[Candidate]]
) -> tuple[list[Candidate], list[Candidate]]:
    """The same candidates, those that a reranker will read with their text."""
    for ranked in found:
        legs.load(connection, ranked[: fusion.HEAD])
    return found


def _windows(talk: Iterator[Candidate], terms: tuple[str, ...], shown: defaultdict[str, set[Unit]]) -> Iterator[Hit]:
    """What each candidate shows, but for those that are on show already."""
    for candidate in talk:
        there = shown[candidate.path]
        unseen = [unit for unit in candidate.units if unit not in there]
        if unseen:
            window = grow(candidate.around, telling(unseen, terms), terms, shown=there)
            there.update(window.units)
            yield _hit(candidate, window)


def _hit(candidate: Candidate, window: Window) -> Hit:
    parts = {"vector": candidate.vector_part, "text": candidate.text_part}
    return Hit(
        candidate.path, window.start_line, window.end_line, candidate.score, window.text, parts,
        candidate.kind, candidate.at, candidate.source,
    )  # fmt: skip
