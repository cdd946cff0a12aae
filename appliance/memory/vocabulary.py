"""How telling the words of a question are in this store: what BM25 weighs them by, known before the search.

Two uses: words that stand in a good part of all entries are left out of the query (they cost most of its time and
decide nothing), and the weights of the words together are what a perfect match would score, so that the best match
that there is tells how far words can be trusted for this question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import apsw

from appliance.memory.languages import Query, expression
from appliance.memory.schema import SHELVES, TOKENIZER
from appliance.memory.store import rows

_TOO_COMMON = 0.2  # of all entries
_TOO_COMMON_WIDER = 0.03  # for words that only mean the same as the question's
_SMALL = 500  # entries; in a small store nothing is too common
_REMEMBERED = 20_000
_STALE = 0.1  # a count is taken again when the store has grown by this share


@dataclass(frozen=True, slots=True)
class Weighed:
    """A query for one shelf: its FTS5 expression, what an entry with each word once would score, and the expression of
    words that mean the same."""

    match: str
    perfect: float
    wider: str = ""


class Vocabulary:
    """Counts of words, remembered. For one connection, one thread at a time."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, str], tuple[int, int]] = {}
        self._tokenizer: apsw.FTS5Tokenizer | None = None
        self._connection: apsw.Connection | None = None

    def weigh(self, connection: apsw.Connection, shelf: int, question: Query, wider: tuple[str, ...] = ()) -> Weighed:
        """The query for a shelf, with phrases that mean the same as its words. Raises apsw.Error."""
        if not question.terms:
            return Weighed("", 0.0)
        total = int(rows(connection, "SELECT coalesce(max(id), 0) FROM chunks")[0][0])
        counts = {term: self._count(connection, shelf, term, total) for term in question.terms}
        kept = [t for t in question.terms if total < _SMALL or counts[t] < _TOO_COMMON * total] or list(question.terms)
        perfect = sum(max(0.0, math.log((total - counts[t] + 0.5) / (counts[t] + 0.5))) for t in kept)
        return Weighed(
            expression(question.names, kept),
            perfect,
            self._wider(connection, shelf, wider, total),
        )

    def _wider(self, connection: apsw.Connection, shelf: int, phrases: tuple[str, ...], total: int) -> str:
        """Words that mean the same, without those that stand in too many entries to say anything."""
        if total >= _SMALL:
            most = _TOO_COMMON_WIDER * total
            phrases = tuple(
                one for one in phrases if " " in one or self._count(connection, shelf, one.strip('"'), total) < most
            )
        return " OR ".join(phrases)

    def _count(self, connection: apsw.Connection, shelf: int, term: str, total: int) -> int:
        """In how many entries a word stands, as FTS5 counts it (stemmed)."""
        held = self._counts.get((shelf, term))
        if held is not None and held[1] * (1 - _STALE) <= total <= held[1] * (1 + _STALE):
            return held[0]
        name = f"{SHELVES[shelf]}_terms"
        found = rows(
            connection,
            f"SELECT max(doc) FROM {name} WHERE term = ?",  # noqa: S608 - a constant name
            (self._stem(connection, term),),
        )
        count = int(found[0][0] or 0)
        if len(self._counts) >= _REMEMBERED:
            self._counts.clear()
        self._counts[shelf, term] = (count, total)
        return count

    def _stem(self, connection: apsw.Connection, term: str) -> str:
        if self._tokenizer is None or self._connection is not connection:
            kind, *arguments = TOKENIZER.split()
            self._tokenizer, self._connection = connection.fts5_tokenizer(kind, arguments), connection
        tokens = self._tokenizer(
            term.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False
        )
        return next((str(token) for token in tokens), term)
