"""Vectors, filled in behind: newest entries first, throttled, with progress; nothing waits for them.

Who embeds is looked at before every batch. Another model, or another size, drops every vector of the old one at once
(search goes on with words) and makes them again; what the cache still holds of that model is taken from there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw
import msgspec

from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.errors import ModelError, ModelFault, StateError
from appliance.memory.embeddings import Embedder, Identity
from appliance.memory.index import MemoryIndex
from appliance.memory.languages import SCRIPTS
from appliance.memory.samples import QUESTIONS, SENTENCES
from appliance.memory.store import embedded_text, rows
from appliance.memory.vectors import mean, packed
from appliance.messages import MAIN

_BATCH = 16
_QUESTION_CHARS = 2_000  # of a question that is embedded; a pasted page says what it is about in its beginning
_SAMPLE = 2_000  # rows that a mean is taken of
_KEPT_MODELS = 2  # whose vectors stay cached, so that switching back costs nothing
_LOOK_AGAIN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Means:
    """The mean vectors of one script: of entries, and of questions."""

    count: int
    passage: bytes
    query: bytes


@dataclass(slots=True)
class Progress:
    """What `/memory` and metrics show. `problem` is the last failure, "" when the last batch went well."""

    identity: Identity | None = None
    made: int = 0
    cached: int = 0
    wanted: int = 0
    problem: str = ""
    counts: dict[int, int] = field(default_factory=dict)


class VectorFiller:
    """Given the index and an embedder, make the vectors that are wanted. `duty` is the most of the time it may work."""

    def __init__(self, index: MemoryIndex, embedder: Embedder, clock: Clock, *, duty: float = 0.5) -> None:
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._duty = duty
        self._wake = asyncio.Event()
        self._means: dict[int, Means] = {}
        self._ready_for: tuple[Identity, int] | None = None
        self._model = 0
        self.progress = Progress()

    def wake(self) -> None:
        """Something changed: look for wanted vectors."""
        self._wake.set()

    @property
    def identity(self) -> Identity | None:
        """Whose vectors the index holds; None while no embedder was there."""
        return self.progress.identity

    def means(self, script: int) -> Means | None:
        return self._means.get(script)

    async def run(self) -> None:
        """Fill for ever; ends by cancellation."""
        while True:
            self._wake.clear()
            began = self._clock.monotonic()
            done = await self.step()
            spent = self._clock.monotonic() - began
            if done:
                await self._clock.sleep(spent * (1.0 - self._duty) / self._duty)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_AGAIN_SECONDS):  # wait_for can swallow a stop
                    await self._wake.wait()

    async def fill(self) -> int:
        """Fill now until nothing is wanted or the embedder fails; return how many."""
        total = 0
        while done := await self.step():
            total += done
        return total

    async def step(self) -> int:
        """Make one batch of vectors; return how many (0: nothing wanted, or nobody to make them)."""
        try:
            identity = await self._embedder.identity()
            if identity is None:
                self.progress.problem = "no embedding model is there"
                return 0
            await self._settle(identity)
            done, self.progress.problem = await self._make_next()
            if done:
                await self._refit()
            return done
        except (ModelError, StateError, apsw.Error) as error:  # also while a damaged index is being made again
            self.progress.problem = str(error)
            return 0

    async def _make_next(self) -> tuple[int, str]:
        """Make the newest entries that are wanted, of an agent that can pay for them; return how many, and why those of
        others were passed over, "" when none were."""
        passed: dict[str, str] = {}
        while True:
            agent, batch = await self._index.read_behind(lambda c: _wanted(c, passed))
            try:
                done = await self._make(batch, agent) if batch else 0
                return done, next(iter(passed.values()), "")
            except ModelError as error:
                if error.kind is not ModelFault.UNAVAILABLE:
                    raise
                passed[agent] = str(error)

    async def query_vector(self, text: str, agent: str) -> bytes:
        """The vector of an agent's question. Raises ModelError."""
        [vector] = await self._embedder.embed([text[:_QUESTION_CHARS]], "query", agent)
        if self.identity is None or len(vector) != self.identity.dimensions:
            self._ready_for = None
            return b""
        return packed(vector)

    async def _settle(self, identity: Identity) -> None:
        """Make the index hold vectors of this model and no other, and learn where the scripts lie."""
        if self._ready_for == (identity, self._index.generation):
            return
        self._model = await self._index.write(lambda c: _use_model(c, identity))
        stored = await self._index.read_behind(lambda c: rows(c, "SELECT script, count, passage, query FROM means"))
        self._means = {script: Means(count, passage, query) for script, count, passage, query in stored}
        counted = await self._index.read_behind(
            lambda c: rows(c, "SELECT script, count(*) FROM vectors GROUP BY script")
        )
        self.progress.counts = dict(counted)
        self.progress.identity = identity
        for script in (0, 1):
            await self._learn(script)
        self._ready_for = (identity, self._index.generation)

    async def _learn(self, script: int) -> None:
        """A script's first means, from the sample sentences."""
        if script in self._means:
            return
        name = SCRIPTS[script]
        passages = await self._embedder.embed(SENTENCES[name], "passage")
        questions = await self._embedder.embed(QUESTIONS[name], "query")
        means = Means(0, mean(packed(v) for v in passages), mean(packed(v) for v in questions))
        await self._index.write(lambda c: _store_means(c, script, means))
        self._means[script] = means

    async def _make(self, batch: list[tuple[Any, ...]], agent: str) -> int:
        """Vectors for an agent's rows (id, shelf, script, digest, text): cached ones, or from the embedder."""
        digests = [row[3] for row in batch]
        found = await self._index.read_behind(lambda c: _cached(c, self._model, digests))
        missing = {row[3]: row[4] for row in batch if row[3] not in found}
        fresh: dict[bytes, bytes] = {}
        if missing:
            vectors = await self._embedder.embed(list(missing.values()), "passage", agent)
            dimensions = self.progress.identity.dimensions if self.progress.identity else 0
            if any(len(vector) != dimensions for vector in vectors):
                self._ready_for = None  # the model was changed under us: look who it is, then go on
                return 0
            fresh = {digest: packed(vector) for digest, vector in zip(missing, vectors, strict=True)}
        for script in {row[2] for row in batch}:
            await self._learn(script)
        await self._index.write(lambda c: self._store(c, batch, found, fresh))
        crash_point("index-vectors")
        self.progress.made += len(fresh)
        self.progress.cached += len(batch) - len(fresh)
        for row in batch:
            self.progress.counts[row[2]] = self.progress.counts.get(row[2], 0) + 1
        return len(batch)

    def _store(
        self, connection: apsw.Connection, batch: list[tuple[Any, ...]], found: dict[bytes, int],
        fresh: dict[bytes, bytes],
    ) -> None:  # fmt: skip
        """In one transaction: floats into the cache, sign bits into the list that is scanned, no longer wanted."""
        for digest, raw in fresh.items():
            connection.execute(
                "INSERT INTO embeddings(model, digest, raw) VALUES (?,?,?) ON CONFLICT DO UPDATE SET raw=excluded.raw",
                (self._model, digest, raw),
            )
        known = {**found, **_cached(connection, self._model, list(fresh))}
        for number, shelf, script, digest, _ in batch:
            # The row may have changed or gone while the embedder worked: then its new text is wanted, not this one.
            if not rows(connection, "SELECT 1 FROM chunks WHERE id=? AND digest=? AND wanted", (number, digest)):
                continue
            connection.execute(
                "INSERT INTO vectors(chunk, shelf, scope, script, embedding, bits)"
                " SELECT c.id, ?2, c.scope, ?3, e.id, vec_quantize_binary(vec_sub(raw, ?5))"
                " FROM chunks c, embeddings e WHERE c.id=?1 AND e.id=?4"
                " ON CONFLICT(chunk) DO UPDATE SET"
                " embedding=excluded.embedding, bits=excluded.bits, scope=excluded.scope",
                (number, shelf, script, known[digest], self._means[script].passage),
            )
            connection.execute("UPDATE chunks SET wanted=0 WHERE id=?", (number,))

    async def _refit(self) -> None:
        """Take a script's mean again whenever its entries have doubled, and write its sign bits anew."""
        for script, count in list(self.progress.counts.items()):
            means = self._means.get(script)
            if means is None or count < max(8, 2 * means.count):
                continue
            sample = await self._index.read_behind(lambda c, script=script: _sample(c, script))  # type: ignore[misc]
            if not sample:
                continue
            passage = await asyncio.to_thread(mean, sample)
            fitted = Means(count, passage, means.query)
            await self._index.write(lambda c, s=script, m=fitted: _store_means(c, s, m))  # type: ignore[misc]
            self._means[script] = fitted


def _use_model(connection: apsw.Connection, identity: Identity) -> int:
    """The row of a model; when it is not the one whose vectors are there, those go and all are wanted."""
    found = rows(connection, "SELECT id FROM models WHERE name=?", (str(identity),))
    if found:
        model = int(found[0][0])
    else:
        connection.execute("INSERT INTO models(name, dimensions) VALUES (?,?)", (str(identity), identity.dimensions))
        model = connection.last_insert_rowid()
    current = rows(connection, "SELECT value FROM meta WHERE key='model'")
    if current and int(current[0][0]) == model:
        return model
    connection.execute("DELETE FROM vectors")
    connection.execute("DELETE FROM means")
    connection.execute("UPDATE chunks SET wanted=1")
    keep = [model, *([int(current[0][0])] if current else [])][:_KEPT_MODELS]
    connection.execute(
        "DELETE FROM embeddings WHERE model NOT IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(keep).decode(),),
    )
    connection.execute(
        "INSERT INTO meta VALUES ('model', ?) ON CONFLICT(key) DO UPDATE SET value=excluded.value", (str(model),)
    )
    return model


def _wanted(connection: apsw.Connection, passed: Iterable[str]) -> tuple[str, list[tuple[Any, ...]]]:
    """The agent of the newest entry without a vector, but for those that are passed over, and its newest such entries:
    (id, shelf, script, digest, text). What is the team's is the main agent's here."""
    found = rows(
        connection,
        "WITH payers AS (SELECT id, iif(agent = '', ?, agent) AS agent FROM scopes)"
        " SELECT c.id, shelf, script, digest, p.agent, kind, units, own, near"
        " FROM chunks c JOIN payers p ON p.id = scope"
        " WHERE wanted AND p.agent NOT IN (SELECT value FROM json_each(?)) ORDER BY c.id DESC LIMIT ?",
        (MAIN, msgspec.json.encode(list(passed)).decode(), _BATCH),
    )
    agent = str(found[0][4]) if found else MAIN
    return agent, [
        (*row[:4], embedded_text(row[5], msgspec.json.decode(row[6]), row[7], row[8]))
        for row in found
        if row[4] == agent
    ]


def _cached(connection: apsw.Connection, model: int, digests: Sequence[bytes]) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for digest in digests:
        for (number,) in rows(connection, "SELECT id FROM embeddings WHERE model=? AND digest=?", (model, digest)):
            found[digest] = int(number)
    return found


def _sample(connection: apsw.Connection, script: int) -> list[bytes]:
    found = rows(
        connection,
        "SELECT e.raw FROM (SELECT embedding FROM vectors WHERE script=? ORDER BY random() LIMIT ?) v"
        " JOIN embeddings e ON e.id = v.embedding",
        (script, _SAMPLE),
    )
    return [row[0] for row in found]


def _store_means(connection: apsw.Connection, script: int, means: Means) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO means VALUES (?,?,?,?)", (script, means.count, means.passage, means.query)
    )
    connection.execute(
        "UPDATE vectors SET bits = (SELECT vec_quantize_binary(vec_sub(raw, ?)) FROM embeddings WHERE id = embedding)"
        " WHERE script = ?",
        (means.passage, script),
    )
