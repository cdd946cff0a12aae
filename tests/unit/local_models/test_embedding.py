"""The splitting and averaging of long texts, with a model of whole words in place of llama.cpp."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appliance.local_models.catalogue import Entry, FromUrls
from appliance.local_models.embedding import LlamaEmbedder, _batches, unit
from appliance.local_models.errors import StoppedError

BEGIN, END = 1, 2
ENTRY = Entry(
    name="e", kind="embedding", file="e", size=1, licence="MIT", context=16, source=FromUrls(()), dimensions=3,
    query_prefix="q ", document_prefix="d ",
)  # fmt: skip


class WordModel:
    """One token a word: its number."""

    def tokenize(self, text: bytes, add_bos: bool, special: bool) -> list[int]:
        words = [100 + sum(map(ord, word)) % 1000 for word in text.decode().split()]
        return [BEGIN, *words, END] if add_bos else [*words, END]

    def token_eos(self) -> int:
        return END

    def token_sep(self) -> int:
        return END


class Words(LlamaEmbedder):
    """The embedder over WordModel; a vector counts even and odd words."""

    def __init__(self, window: int = 16) -> None:
        self._entry = ENTRY
        self.window = window
        self.dimensions = 3
        self.batches: list[list[list[int]]] = []
        self._llama: Any = type("Llama", (), {"_model": WordModel()})()

    def _evaluate(self, batch: list[list[int]]) -> list[list[float]]:
        self.batches.append(batch)
        return [unit([sum(1 for t in one if t % 2), sum(1 for t in one if t % 2 == 0), 0.5]) for one in batch]


def _embed(words: Words, texts: list[str], *, query: bool = False) -> list[list[float]]:
    return words.embed(texts, query=query, cancelled=threading.Event()).vectors


def test_a_long_text_is_read_to_its_end_in_even_pieces() -> None:
    words = Words()
    _embed(words, [" ".join(f"w{i}" for i in range(40))])
    pieces = [piece for batch in words.batches for piece in batch]
    assert all(len(piece) <= 16 and piece[0] == BEGIN and piece[-1] == END for piece in pieces)
    prefix = WordModel().tokenize(b"d", False, False)[0]
    assert all(piece[1] == prefix for piece in pieces)
    read = [token for piece in pieces for token in piece[2:-1]]
    assert read == [100 + sum(map(ord, f"w{i}")) % 1000 for i in range(40)]
    assert max(map(len, pieces)) - min(map(len, pieces)) <= 2


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50)
@given(st.lists(st.text(alphabet="ab 文", max_size=80), max_size=5))
def test_every_text_gets_one_unit_vector_in_order(texts: list[str]) -> None:
    vectors = _embed(Words(), texts)
    assert len(vectors) == len(texts)
    for text, vector in zip(texts, vectors, strict=True):
        assert sum(value * value for value in vector) == pytest.approx(1.0)
        assert vector == pytest.approx(_embed(Words(), [text])[0])


def test_queries_and_documents_get_their_own_prefix() -> None:
    words = Words()
    _embed(words, ["x"], query=True)
    _embed(words, ["x"])
    first, second = (batch[0][1] for batch in words.batches)
    assert first == 100 + ord("q") % 1000
    assert second == 100 + ord("d") % 1000


def test_a_cancelled_request_reads_no_further() -> None:
    words = Words()
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(StoppedError):
        words.embed(["x"], query=False, cancelled=cancelled)
    assert words.batches == []


@given(st.lists(st.integers(1, 16), max_size=40))
def test_batches_keep_the_order_and_never_pass_the_room(sizes: list[int]) -> None:
    pieces = [(number, [0] * size) for number, size in enumerate(sizes)]
    batches = _batches(pieces, 16)
    assert [piece for batch in batches for piece in batch] == pieces
    assert all(0 < sum(len(tokens) for _, tokens in batch) <= 16 for batch in batches)


def test_a_vector_of_zeros_stays_one() -> None:
    assert unit([0.0, 0.0]) == [0.0, 0.0]
