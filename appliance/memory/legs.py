"""The two legs of a search, as SQL. The scope filter is inside each query."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

import apsw
import msgspec

from appliance.memory.chunks import Unit
from appliance.memory.dates import Stretch
from appliance.memory.schema import ITEMS, SHELVES, TALK
from appliance.memory.store import rows
from appliance.memory.vocabulary import Weighed
from appliance.messages import Source

CANDIDATES = 100  # by words; a few more than are shown, because windows that overlap are passed over
# The nearest by their floats, of those that are nearest by sign bits: so many of these at least, and one of so many in
# a large store, where more are much alike. Measured: longer lists find no more beside words.
_NEAREST = 40
_RESCORED = (64, 400)
_NEAR_WEIGHT = 0.6  # of words that stand in the reply, the turn before or the headings
_PAGE = 6  # candidates whose text is read at once
_WIDER_WEIGHT = 0.4  # of words that only mean the same as the question's
_decode = msgspec.json.Decoder(tuple[Unit, ...]).decode


def _json(numbers: Sequence[int]) -> str:
    """A list of ids as an SQL argument, for `json_each`."""
    return msgspec.json.encode(numbers).decode()


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A question's vector, as it is and with the mean of its script's questions taken off."""

    plain: bytes
    centred: bytes


@dataclass(slots=True)
class Candidate:
    """A chunk in the running. `text_score` is BM25 (higher is better), `direct` its part by the question's own words,
    `plain` and `centred` are cosines; None: the leg has none. `load` gives it its `units`, and those with its
    neighbours' `around`: in order, each once."""

    id: int
    kind: str
    path: str
    at: float
    script: int
    speaker: str
    file: int
    ordinal: int
    plain: float | None = None
    centred: float | None = None
    text_score: float | None = None
    direct: float = 0.0
    score: float = 0.0
    vector_part: float = 0.0
    text_part: float = 0.0
    source: Source = Source.OUTSIDE
    units: tuple[Unit, ...] = ()
    around: tuple[Unit, ...] = ()


def candidates(
    connection: apsw.Connection,
    shelf: int,
    query: Weighed,
    vectors: QueryVectors | None,
    scopes: Sequence[int],
    days: Sequence[Stretch] = (),
) -> list[Candidate]:
    """What either leg finds in these scopes, and what was said on `days`, each with the scores of both legs where they
    can be had."""
    legs = _Legs(connection, shelf, vectors, ",".join(map(str, scopes)))
    found = {one.id: one for one in legs.by_words(query.match)}
    for one in legs.by_words(query.wider):
        weighed, one.direct = _WIDER_WEIGHT * one.direct, 0.0
        known = found.setdefault(one.id, one)
        known.text_score = known.direct + weighed
    for one in (*legs.by_days(days), *legs.by_vector()):
        found.setdefault(one.id, one)
    return sorted(found.values(), key=attrgetter("id"))


def loaded(connection: apsw.Connection, ranked: Sequence[Candidate], beside: int = 0) -> Iterator[Candidate]:
    """The candidates in their order, each with its text; read a page at a time, as far as somebody asks."""
    for start in range(0, len(ranked), _PAGE):
        page = ranked[start : start + _PAGE]
        load(connection, page, beside)
        yield from (one for one in page if one.units)


def load(connection: apsw.Connection, page: Sequence[Candidate], beside: int = 0) -> None:
    """Give these candidates their text, and as many neighbours each side; one that is gone by now has no text."""
    if not page:
        return
    wanted = {one.id: one for one in page}
    around: dict[int, list[Unit]] = {one.id: [] for one in page}
    for one in page:
        one.units = ()
    for number, own, source, raw in rows(connection, _TEXTS, (_json(list(wanted)), beside)):
        units = _decode(raw)
        around[number] += units
        if own:
            wanted[number].source, wanted[number].units = Source(source), units
    for one in page:
        one.around = tuple(dict.fromkeys(around[one.id]))


# The neighbours of turns and of file chunks, of a conversation nothing from the other side of a `/new`; items and
# summaries stand alone.
_BESIDE = """SELECT id FROM (SELECT id FROM chunks
        WHERE file = c.file AND kind = c.kind AND kind IN ('turn', 'chunk') AND sitting = c.sitting AND NOT hidden
        AND ordinal"""
_TEXTS = f"""SELECT c.id, n.id = c.id, n.source, n.units
FROM json_each(?1) j JOIN chunks c ON c.id = j.value JOIN chunks n ON n.id IN (
    SELECT c.id
    UNION ALL {_BESIDE} < c.ordinal ORDER BY ordinal DESC LIMIT ?2)
    UNION ALL {_BESIDE} > c.ordinal ORDER BY ordinal LIMIT ?2)
) ORDER BY n.ordinal"""  # noqa: S608 - constant text


_CHUNK = "c.id, c.kind, c.path, c.at, c.script, c.speaker, c.file, c.ordinal"
# Exact cosines. A chunk whose vector is still to come has none; a vector of zeros has no direction, so no plain one.
_COSINES = """iif(e.raw IS NULL, NULL, 1 - vec_distance_cosine(e.raw, :plain)),
    iif(e.raw IS NULL, NULL, 1 - vec_distance_cosine(vec_sub(e.raw, m.passage), :centred))"""
_VECTORS = """LEFT JOIN vectors v ON v.chunk = c.id LEFT JOIN embeddings e ON e.id = v.embedding
    LEFT JOIN means m ON m.script = v.script"""


class _Legs:
    """One question to one shelf, within the scopes that are `allowed`."""

    def __init__(self, connection: apsw.Connection, shelf: int, vectors: QueryVectors | None, allowed: str) -> None:
        self._connection = connection
        self._shelf = shelf
        self._allowed = allowed
        self._vectors = {"plain": vectors.plain, "centred": vectors.centred} if vectors else {}
        self._cosines, self._joined = (_COSINES, _VECTORS) if vectors else ("NULL, NULL", "")

    def by_words(self, match: str) -> list[Candidate]:
        """The best by BM25.

        Ranked first (`LIMIT -1` keeps the order of the inner query), so the filter looks at no more than it lets
        through and what it passes over. `bm25()` and a sort cost a third less than FTS5's own `rank`, which prepares
        statements of its own for each query.
        """
        if not match:
            return []
        name = f"{SHELVES[self._shelf]}_words"
        return self._found(
            f"""SELECT {_CHUNK}, {self._cosines}, -f.score, -f.score FROM (
                SELECT rowid, bm25({name}, 1.0, {_NEAR_WEIGHT}) AS score FROM {name} WHERE {name} MATCH :match
                ORDER BY score LIMIT -1
            ) f CROSS JOIN chunks c ON c.id = f.rowid {self._joined}
            WHERE NOT c.hidden AND c.scope IN ({self._allowed}) LIMIT {CANDIDATES}""",  # noqa: S608 - a constant name, whole numbers
            match=match,
        )

    def by_vector(self) -> list[Candidate]:
        """The nearest by cosine, of those that are nearest by sign bits; these are scanned, about 0.1 ms a thousand."""
        if not self._vectors:
            return []
        indexed = "shelf = 1 AND" if self._shelf == ITEMS else ""  # scopes of talk hold nothing else
        least, share = _RESCORED
        return self._found(
            f"""SELECT {_CHUNK}, 1 - vec_distance_cosine(e.raw, :plain), 1 - n.distance FROM (
                SELECT v.chunk, e.id, vec_distance_cosine(vec_sub(e.raw, m.passage), :centred) AS distance FROM (
                    SELECT chunk, embedding, script FROM vectors WHERE {indexed} scope IN ({self._allowed})
                    ORDER BY vec_distance_hamming(vec_bit(bits), vec_bit(vec_quantize_binary(:centred)))
                    LIMIT max({least}, (SELECT coalesce(max(chunk), 0) FROM vectors) / {share})
                ) v JOIN embeddings e ON e.id = v.embedding JOIN means m ON m.script = v.script
                ORDER BY distance LIMIT {_NEAREST}
            ) n CROSS JOIN chunks c ON c.id = n.chunk CROSS JOIN embeddings e ON e.id = n.id WHERE NOT c.hidden"""  # noqa: S608 - whole numbers
        )

    def by_days(self, days: Sequence[Stretch]) -> list[Candidate]:
        """What was said then, the newest first; of several stretches, in the first one that anything was said in."""
        if self._shelf != TALK:
            return []
        sql = f"""SELECT {_CHUNK}, {self._cosines} FROM chunks c {self._joined}
            WHERE c.at >= :first AND c.at < :end AND c.shelf = 0 AND NOT c.hidden AND c.scope IN ({self._allowed})
            ORDER BY c.at DESC LIMIT {CANDIDATES}"""  # noqa: S608 - whole numbers
        return next(filter(None, (self._found(sql, first=first, end=end) for first, end in days)), [])

    def _found(self, sql: str, **values: str | float) -> list[Candidate]:
        return list(itertools.starmap(Candidate, rows(self._connection, sql, {**values, **self._vectors})))
