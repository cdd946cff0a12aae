"""How long one search takes by the size of the store, embedding not included, and what memory it needs.

Entries are household talk with words drawn as people use them (the second most common half as often as the first);
vectors are synthetic, around 200 topics. They are written as the product writes them, but for the embedder. The last
row is a whole call of the tool `memory_search` in a house that also has captured items, day notes, other conversations
of the owner's, and some that he may not find.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
import resource
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw

from appliance.clock import SystemClock
from appliance.memory import store
from appliance.memory.chunks import Chunk
from appliance.memory.embeddings import Identity, TextKind, Vector
from appliance.memory.house import Memory
from appliance.memory.index import MemoryIndex
from appliance.memory.items import OWNER
from appliance.memory.scopes import Label, Scope
from appliance.memory.vectors import packed
from appliance.memory.workspace import Workspace
from appliance.messages import THE_OWNER, SessionKey
from appliance.settings import MemorySettings
from appliance.tools.base import ToolContext
from appliance.tools.memory import MemorySearchTool
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
    embedder = _Instant({text: _near(source, topics) for text in asked})
    result: dict[str, Any] = {"chunks": size}
    with tempfile.TemporaryDirectory() as folder:
        built = await build(Path(folder), [Turn("a", "user", "hello")], embedder)
        await _pour(built.index, _talk(source, size), source, topics)
        for system in _MEASURED:
            engine = built.engine(*SYSTEMS[system])
            result[system] = await _timed(asked, functools.partial(engine.search, scope=Scope(SessionKey.main())))
        await _pour(built.index, _rest_of_the_house(source, size), source, topics)
        built.index.close()
        result["memory_search in a whole house"] = await _tool(Path(folder), embedder, asked)
    result["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return result


async def _timed(asked: Sequence[str], ask: Callable[[str], Awaitable[Any]]) -> dict[str, float]:
    """p50 and p95 in ms, once the caches are warm and the questions' vectors remembered."""
    for text in asked:
        await ask(text)
    spent = []
    for text in asked:
        began = time.perf_counter()
        await ask(text)
        spent.append(1000 * (time.perf_counter() - began))
    spent.sort()
    return {"p50_ms": round(spent[len(spent) // 2], 2), "p95_ms": round(spent[int(len(spent) * 0.95)], 2)}


async def _tool(state: Path, embedder: _Instant, asked: Sequence[str]) -> dict[str, float]:
    """The same of the tool, on the memory of the house as it is composed."""
    workspaces = {"main": Workspace(state / "agents" / "main", ZoneInfo("UTC"))}
    memory = Memory(state, workspaces, SystemClock(), MemorySettings(), embedder=embedder)
    memory.open()
    assert memory.filler is not None
    await memory.filler.fill()
    tool = MemorySearchTool(memory, lambda: ZoneInfo("UTC"))
    context = ToolContext(SessionKey.main(), "main", THE_OWNER, "turn", "call", state)
    spent = await _timed(asked, lambda text: tool.run({"query": text}, context))
    await memory.stop()
    return spent


def _noise(source: random.Random) -> list[float]:
    return [source.gauss(0, 1) for _ in range(DIMENSIONS)]


def _near(source: random.Random, topics: list[list[float]]) -> list[float]:
    return [value + source.gauss(0, 0.8) for value in source.choice(topics)]


# ---- what the store is filled with ----


def _talk(source: random.Random, size: int) -> Iterator[store.Placed]:
    """The owner's own conversation."""
    for number, (said, reply) in enumerate(_sayings(source, size)):
        yield _turn(number + 10, said, reply, "sessions/main.jsonl", Label("session", "main", session=MAIN))


def _rest_of_the_house(source: random.Random, size: int) -> Iterator[store.Placed]:
    """A twentieth more of each: captured items, parts of day notes, turns of the owner's other talk and of others'."""
    places = [f"agent:main:web:{n}" for n in range(10)] + [f"agent:main:telegram:dm:{n}" for n in range(10)]
    for number, (said, reply) in enumerate(_sayings(source, size // 20)):
        line, note = number + 10, f"memory/2026-{number % 12 + 1:02}-{number % 28 + 1:02}.md"
        item = Chunk(f"i{number}", "item", ((line, said),))
        yield store.Placed(item, note, Label("item", "main", person=OWNER, see="private"))
        units = tuple((10 * line + n, text) for n, (text, _) in enumerate(_sayings(source, 6)))
        yield store.Placed(Chunk(f"n{number}", "chunk", units, near=note, at=1.0), note, Label("private", "main"))
        key = places[number % len(places)]
        yield _turn(line, said, reply, f"sessions/{number % len(places)}.jsonl", Label("session", "main", session=key))


def _sayings(source: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """What somebody says, and the reply."""
    words = sorted({w for fact in household.FACTS for w in re.findall(r"\w+", fact[1])})
    source.shuffle(words)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    for number in range(count):
        talk = small_talk(source, number, float(number))
        yield f"{talk.text} {' '.join(source.choices(words, weights, k=12))}", talk.reply


def _turn(line: int, said: str, reply: str, path: str, label: Label) -> store.Placed:
    return store.Placed(Chunk(f"c{line}", "turn", ((line, said), (line, reply)), own=said, near=reply), path, label)


async def _pour(
    index: MemoryIndex, placed: Iterable[store.Placed], source: random.Random, topics: list[list[float]]
) -> None:
    """Entries with their vectors, a thousand a transaction."""
    placed = iter(placed)
    while batch := [(one, packed(_near(source, topics))) for one in itertools.islice(placed, _BATCH)]:

        def work(connection: apsw.Connection, batch: list[tuple[store.Placed, bytes]] = batch) -> None:
            _write(connection, batch)

        await index.write(work)


def _write(connection: apsw.Connection, batch: list[tuple[store.Placed, bytes]]) -> None:
    [(model,)] = store.rows(connection, "SELECT value FROM meta WHERE key='model'")
    for one, raw in batch:
        file = store.file_id(connection, f"main/{one.chunk.kind}/{one.path}")
        store.put(connection, file, [one])
        [(chunk, shelf, scope, digest, script)] = store.rows(
            connection,
            "SELECT id, shelf, scope, digest, script FROM chunks WHERE file=? AND key=?",
            (file, one.chunk.key),
        )
        connection.execute(
            "INSERT OR IGNORE INTO embeddings(model, digest, raw) VALUES (?,?,?)", (int(model), digest, raw)
        )
        connection.execute(
            "INSERT OR REPLACE INTO vectors SELECT ?1, ?2, ?3, ?4, id, vec_quantize_binary(vec_sub(raw, ?5))"
            " FROM embeddings WHERE model=?6 AND digest=?7",
            (chunk, shelf, scope, script, packed([0.0] * DIMENSIONS), int(model), digest),
        )
    connection.execute("UPDATE chunks SET wanted=0")
