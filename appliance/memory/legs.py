"""The two legs of a search, as SQL. The scope filter is inside each query."""

from __future__ import annotations

import itertools
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

CANDIDATES = 100  # a leg; a few more than are shown, because windows that overlap are passed over
_RESCORED = 128  # nearest by sign bits, put in order by their floats; measured: 99% of the exact six best
_NEAR_WEIGHT = 0.6  # of words that stand in the reply, the turn before or the headings
_PAGE = 12  # candidates whose text is read at once
_WIDER_WEIGHT = 0.4  # of words that only mean the same as the question's
_SURROUNDING = 4  # neighbours each side that a window may grow into
_decode = msgspec.json.Decoder(tuple[Unit, ...]).decode


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A question's vector, as it is and with the mean of its script's questions taken off."""

    plain: bytes
    centred: bytes


@dataclass(slots=True)
class Candidate:
    """A chunk in the running. `text_score` is BM25 (higher is better), `direct` its part by the question's own words,
    `plain` and `centred` are cosines; None: the leg has none."""

    id: int
    kind: str
    path: str
    at: float
    script: int
    speaker: str
    file: int
    ordinal: int
    text_score: float | None = None
    direct: float = 0.0
    plain: float | None = None
    centred: float | None = None
    score: float = 0.0
    vector_part: float = 0.0
    text_part: float = 0.0
    source: Source = Source.OUTSIDE
    units: tuple[Unit, ...] = ()


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
    allowed = msgspec.json.encode(scopes).decode()
    direct = _by_words(connection, shelf, query.match, allowed)
    words = dict(direct)
    for number, score in _by_words(connection, shelf, query.wider, allowed).items():
        words[number] = words.get(number, 0.0) + _WIDER_WEIGHT * score
    ids = list(words)
    if vectors is not None:
        ids = list(dict.fromkeys([*ids, *_by_bits(connection, shelf, vectors, allowed)]))
    then = _by_days(connection, days, allowed) if days and shelf == TALK else []
    ids = list(dict.fromkeys([*ids, *then]))
    if not ids:
        return []
    wanted = msgspec.json.encode(ids).decode()
    cosines = _cosines(connection, vectors, wanted) if vectors is not None else {}
    if vectors is not None:
        ids = _nearest(ids, [*words, *then], cosines)
        wanted = msgspec.json.encode(ids).decode()
    found = []
    for number, kind, path, at, script, speaker, file, ordinal in rows(connection, _ROWS, (wanted,)):
        scores = (words.get(number), direct.get(number, 0.0), *cosines.get(number, (None, None)))
        found.append(Candidate(number, kind, path, at, script, speaker, file, ordinal, *scores))
    return found


_ROWS = """SELECT id, kind, path, at, script, speaker, file, ordinal FROM chunks
WHERE NOT hidden AND id IN (SELECT value FROM json_each(?))"""


def loaded(connection: apsw.Connection, ranked: Sequence[Candidate]) -> Iterator[Candidate]:
    """The candidates in their order, each with its text; read a dozen at a time, as far as somebody asks."""
    for start in range(0, len(ranked), _PAGE):
        page = ranked[start : start + _PAGE]
        load(connection, page)
        yield from (one for one in page if one.units)


def load(connection: apsw.Connection, page: Sequence[Candidate]) -> None:
    """Give these candidates their text."""
    missing = [one.id for one in page if not one.units]
    if not missing:
        return
    sql = "SELECT id, source, units FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
    found = {row[0]: row[1:] for row in rows(connection, sql, (msgspec.json.encode(missing).decode(),))}
    for one in page:
        if one.id in found:
            source, units = found[one.id]
            one.source, one.units = Source(source), _decode(units)


def _by_words(connection: apsw.Connection, shelf: int, match: str, allowed: str) -> dict[int, float]:
    """BM25 by chunk, the best hundred in these scopes.

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
        " WHERE NOT c.hidden AND c.scope IN (SELECT value FROM json_each(?2)) LIMIT ?3",
        (match, allowed, CANDIDATES),
    )
    return {number: -score for number, score in found}


def _by_bits(connection: apsw.Connection, shelf: int, vectors: QueryVectors, allowed: str) -> list[int]:
    """The nearest by sign bits, scanned; about 0.1 ms a thousand."""
    mine = "shelf = 1" if shelf == ITEMS else "shelf = 0"
    found = rows(
        connection,
        f"SELECT chunk FROM vectors WHERE {mine} AND scope IN ({allowed.strip('[]')})"  # noqa: S608 - whole numbers
        " ORDER BY vec_distance_hamming(vec_bit(bits), vec_bit(vec_quantize_binary(?1))) LIMIT ?2",
        (vectors.centred, _RESCORED),
    )
    return [number for (number,) in found]


def _cosines(connection: apsw.Connection, vectors: QueryVectors, wanted: str) -> dict[int, tuple[float, float]]:
    """(plain, centred) cosine by chunk, exact; a vector of zeros has no direction and so none."""
    found = rows(
        connection,
        "SELECT v.chunk, 1 - vec_distance_cosine(e.raw, ?1), 1 - vec_distance_cosine(vec_sub(e.raw, m.passage), ?2)"
        " FROM json_each(?3) j JOIN vectors v ON v.chunk = j.value JOIN embeddings e ON e.id = v.embedding"
        " JOIN means m ON m.script = v.script",
        (vectors.plain, vectors.centred, wanted),
    )
    return {row[0]: row[1:] for row in found if None not in row}


def _by_days(connection: apsw.Connection, days: Sequence[Stretch], allowed: str) -> list[int]:
    """What was said then, the newest first; of several stretches, in the first one that anything was said in."""
    for first, end in days:
        found = rows(
            connection,
            "SELECT id FROM chunks WHERE at >= ?1 AND at < ?2 AND shelf = 0 AND NOT hidden"
            " AND scope IN (SELECT value FROM json_each(?3)) ORDER BY at DESC LIMIT ?4",
            (first, end, allowed, CANDIDATES),
        )
        if found:
            return [number for (number,) in found]
    return []


def _nearest(ids: list[int], kept: Sequence[int], cosines: dict[int, tuple[float, float]]) -> list[int]:
    """What is `kept` anyway, and the nearest by exact cosine."""
    near = sorted((one for one in ids if one in cosines), key=lambda one: -cosines[one][1])[:CANDIDATES]
    return list(dict.fromkeys([*kept, *near]))


_BESIDE = """SELECT units FROM chunks WHERE file=? AND kind=? AND NOT hidden
AND sitting = (SELECT sitting FROM chunks WHERE id=?) AND ordinal """
_BEFORE = _BESIDE + "< ? ORDER BY ordinal DESC LIMIT ?"
_AFTER = _BESIDE + "> ? ORDER BY ordinal LIMIT ?"


def surroundings(connection: apsw.Connection, candidate: Candidate) -> list[Unit]:
    """The candidate's units with those of its neighbours in the file, in order, each once; of a conversation, nothing
    from the other side of a `/new`."""
    if candidate.kind not in ("turn", "chunk"):
        return list(candidate.units)
    place = (candidate.file, candidate.kind, candidate.id, candidate.ordinal, _SURROUNDING)
    before = [_decode(raw) for (raw,) in rows(connection, _BEFORE, place)]
    after = [_decode(raw) for (raw,) in rows(connection, _AFTER, place)]
    return list(dict.fromkeys(itertools.chain(*reversed(before), candidate.units, *after)))
