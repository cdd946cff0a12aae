"""How long one search takes by the size of the store, embedding not included, and what memory it needs.

Entries are household talk with words drawn as people use them (the second most common half as often as the first);
vectors are synthetic, around 200 topics. They are written as the product writes them, but for the embedder.
"""

from __future__ import annotations

import random
import re
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

from appliance.memory import store
from appliance.memory.chunks import Chunk
from appliance.memory.embeddings import Identity, TextKind, Vector
from appliance.memory.index import MemoryIndex
from appliance.memory.scopes import Label, Scope
from appliance.memory.vectors import packed
from appliance.messages import SessionKey
from tests.benchmarks import household
from tests.benchmarks.conversations import Turn, small_talk
from tests.benchmarks.search import MAIN, SYSTEMS, build

DIMENSIONS = 384
QUESTIONS = 100
TOPICS = 200
_BATCH = 1_000
_MEASURED = ("keyword", "vector", "hybrid auto")


class _Instant:
    """Vectors that cost nothing: the benchmark is of the search alone."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    async def identity(self) -> Identity | None:
        return Identity("synthetic", DIMENSIONS, True)

    async def embed(self, texts: Sequence[str], kind: TextKind, agent: str = "main") -> list[Vector]:
        return [self._vectors.get(text) or _noise(random.Random(text)) for text in texts]

    async def close(self) -> None:
        pass


async def speeds(sizes: Sequence[int]) -> list[dict[str, Any]]:
    """p50 and p95 in ms by kind of search, and the process' peak memory in MiB, for each size."""
    return [await _speed(size) for size in sizes]


async def _speed(size: int) -> dict[str, Any]:
    source = random.Random(size)
    topics = [_noise(source) for _ in range(TOPICS)]
    asked = [q for _, _, _, same, _ in household.FACTS for q in same][:QUESTIONS]
    vectors = {text: _near(source, topics) for text in asked}
    result: dict[str, Any] = {"chunks": size}
    with tempfile.TemporaryDirectory() as folder:
        built = await build(Path(folder), [Turn("a", "user", "hello")], _Instant(vectors))
        await _pour(built.index, size, source, topics)
        for system in _MEASURED:
            engine = built.engine(*SYSTEMS[system])
            for text in asked:  # once to warm the caches and to remember the questions' vectors
                await engine.search(text, Scope(SessionKey.main()))
            spent = []
            for text in asked:
                began = time.perf_counter()
                await engine.search(text, Scope(SessionKey.main()))
                spent.append(1000 * (time.perf_counter() - began))
            spent.sort()
            p50, p95 = spent[len(spent) // 2], spent[int(len(spent) * 0.95)]
            result[system] = {"p50_ms": round(p50, 2), "p95_ms": round(p95, 2)}
        built.index.close()
    result["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return result


def _noise(source: random.Random) -> list[float]:
    return [source.gauss(0, 1) for _ in range(DIMENSIONS)]


def _near(source: random.Random, topics: list[list[float]]) -> list[float]:
    return [value + source.gauss(0, 0.8) for value in source.choice(topics)]


async def _pour(index: MemoryIndex, size: int, source: random.Random, topics: list[list[float]]) -> None:
    """`size` entries with their vectors, a thousand a transaction."""
    words = sorted({w for fact in household.FACTS for w in re.findall(r"\w+", fact[1])})
    source.shuffle(words)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    for start in range(0, size, _BATCH):
        numbers = range(start, min(start + _BATCH, size))
        placed = [_entry(source, number, source.choices(words, weights, k=12)) for number in numbers]
        raws = [packed(_near(source, topics)) for _ in placed]

        def work(connection: apsw.Connection, placed: list[store.Placed] = placed, raws: list[bytes] = raws) -> None:
            _write(connection, placed, raws)

        await index.write(work)


def _entry(source: random.Random, number: int, words: list[str]) -> store.Placed:
    talk = small_talk(source, number, float(number))
    text = f"{talk.text} {' '.join(words)}"
    line = number + 10
    chunk = Chunk(f"c{number}", "turn", ((line, text), (line, talk.reply)), own=text, near=talk.reply)
    return store.Placed(chunk, "sessions/main.jsonl", Label("session", "main", session=MAIN))


def _write(connection: apsw.Connection, placed: list[store.Placed], raws: list[bytes]) -> None:
    file = store.file_id(connection, "main/sessions/main.jsonl")
    store.put(connection, file, placed)
    [(model,)] = store.rows(connection, "SELECT value FROM meta WHERE key='model'")
    for one, raw in zip(placed, raws, strict=True):
        [(chunk, scope, digest, script)] = store.rows(
            connection, "SELECT id, scope, digest, script FROM chunks WHERE file=? AND key=?", (file, one.chunk.key)
        )
        connection.execute(
            "INSERT OR IGNORE INTO embeddings(model, digest, raw) VALUES (?,?,?)", (int(model), digest, raw)
        )
        connection.execute(
            "INSERT OR REPLACE INTO vectors SELECT ?1, 0, ?2, ?3, id, vec_quantize_binary(vec_sub(raw, ?4))"
            " FROM embeddings WHERE model=?5 AND digest=?6",
            (chunk, scope, script, packed([0.0] * DIMENSIONS), int(model), digest),
        )
    connection.execute("UPDATE chunks SET wanted=0")
