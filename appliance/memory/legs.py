"""The two legs of a search, as SQL. The scope filter is inside each query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    allowed = ",".join(map(str, scopes))
    direct = _by_words(connection, shelf, query.match, allowed)
    words = dict(direct)
    for number, score in _by_words(connection, shelf, query.wider, allowed).items():
        words[number] = words.get(number, 0.0) + _WIDER_WEIGHT * score
    ids = {*words, *(_by_days(connection, days, allowed) if shelf == TALK else ())}
    if vectors is None:
        found = rows(connection, _ROWS, (_json(sorted(ids)),))
    else:
        ids.update(_by_vector(connection, shelf, vectors, allowed))
        found = rows(connection, _ROWS_WITH_COSINES, (_json(sorted(ids)), vectors.plain, vectors.centred))
    return [Candidate(*(*row, words.get(row[0]), direct.get(row[0], 0.0))) for row in found]


_COLUMNS = "SELECT c.id, c.kind, c.path, c.at, c.script, c.speaker, c.file, c.ordinal"
_FROM = "FROM json_each(?1) j JOIN chunks c ON c.id = j.value"
_ROWS = f"{_COLUMNS}, NULL, NULL {_FROM} WHERE NOT c.hidden"
# Exact cosines. A chunk whose vector is still to come has none; a vector of zeros has no direction, so no plain one.
_ROWS_WITH_COSINES = f"""{_COLUMNS},
    iif(e.raw IS NULL, NULL, 1 - vec_distance_cosine(e.raw, ?2)),
    iif(e.raw IS NULL, NULL, 1 - vec_distance_cosine(vec_sub(e.raw, m.passage), ?3))
{_FROM} LEFT JOIN vectors v ON v.chunk = c.id LEFT JOIN embeddings e ON e.id = v.embedding
LEFT JOIN means m ON m.script = v.script WHERE NOT c.hidden"""


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
_TEXTS = f"""SELECT c.id, n.id = c.id, n.source, n.units {_FROM} JOIN chunks n ON n.id IN (
    SELECT c.id
    UNION ALL {_BESIDE} < c.ordinal ORDER BY ordinal DESC LIMIT ?2)
    UNION ALL {_BESIDE} > c.ordinal ORDER BY ordinal LIMIT ?2)
) ORDER BY n.ordinal"""


def _by_words(connection: apsw.Connection, shelf: int, match: str, allowed: str) -> dict[int, float]:
    """BM25 by chunk, the best of these scopes.

    Ranked first (`LIMIT -1` keeps the order of the inner query), so the filter looks at no more than it lets through
    and what it passes over. `bm25()` and a sort cost a third less than FTS5's own `rank`, which prepares statements
    of its own for each query.
    """
    if not match:
        return {}
    name = f"{SHELVES[shelf]}_words"
    found = rows(
        connection,
        f"SELECT f.rowid, f.score FROM (SELECT rowid, bm25({name}, 1.0, {_NEAR_WEIGHT}) AS score FROM {name}"  # noqa: S608 - constant names
        f" WHERE {name} MATCH ?1 ORDER BY score LIMIT -1) f CROSS JOIN chunks c ON c.id = f.rowid"
        f" WHERE NOT c.hidden AND c.scope IN ({allowed}) LIMIT ?2",
        (match, CANDIDATES),
    )
    return {number: -score for number, score in found}


def _by_vector(connection: apsw.Connection, shelf: int, vectors: QueryVectors, allowed: str) -> list[int]:
    """The nearest by cosine, of those that are nearest by sign bits; these are scanned, about 0.1 ms a thousand."""
    indexed = "shelf = 1 AND" if shelf == ITEMS else ""  # scopes of talk hold nothing else
    found = rows(
        connection,
        "SELECT v.chunk FROM (SELECT chunk, embedding, script FROM vectors"  # noqa: S608 - whole numbers
        f" WHERE {indexed} scope IN ({allowed})"
        " ORDER BY vec_distance_hamming(vec_bit(bits), vec_bit(vec_quantize_binary(?1)))"
        " LIMIT max(?2, (SELECT coalesce(max(chunk), 0) FROM vectors) / ?3)) v"
        " JOIN embeddings e ON e.id = v.embedding JOIN means m ON m.script = v.script"
        " ORDER BY vec_distance_cosine(vec_sub(e.raw, m.passage), ?1) LIMIT ?4",
        (vectors.centred, *_RESCORED, _NEAREST),
    )
    return [number for (number,) in found]


def _by_days(connection: apsw.Connection, days: Sequence[Stretch], allowed: str) -> list[int]:
    """What was said then, the newest first; of several stretches, in the first one that anything was said in."""
    for first, end in days:
        found = rows(
            connection,
            "SELECT id FROM chunks WHERE at >= ?1 AND at < ?2 AND shelf = 0 AND NOT hidden"  # noqa: S608 - whole numbers
            f" AND scope IN ({allowed}) ORDER BY at DESC LIMIT ?3",
            (first, end, CANDIDATES),
        )
        if found:
            return [number for (number,) in found]
    return []
