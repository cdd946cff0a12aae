"""An embedder without a model: words hashed to directions, so that texts with words in common are near.

`concepts` maps words of any language to one name: then a question in one language is near a fact in another, off by a
direction that each language has of its own, as real multilingual models are.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence

from appliance.errors import ModelError, ModelFault
from appliance.memory.embeddings import Identity, TextKind, Vector
from appliance.memory.languages import analyse
from appliance.messages import MAIN


class FakeEmbedder:
    """`seen` is the book: every text that was embedded, in order. `away` makes every call fail."""

    def __init__(
        self,
        *,
        name: str = "fake",
        dimensions: int = 64,
        multilingual: bool = True,
        concepts: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.dimensions = dimensions
        self.multilingual = multilingual
        self.concepts = dict(concepts or {})
        self.away = False
        self.fail_after: int | None = None
        self.seen: list[str] = []
        self.closed = False

    async def identity(self) -> Identity | None:
        return None if self.away else Identity(self.name, self.dimensions, self.multilingual)

    async def embed(self, texts: Sequence[str], kind: TextKind, agent: str = MAIN) -> list[Vector]:
        if self.away or (self.fail_after is not None and len(self.seen) >= self.fail_after):
            raise ModelError("The fake embedder is away.", kind=ModelFault.UNAVAILABLE)
        self.seen.extend(texts)
        return [self.vector(text) for text in texts]

    async def close(self) -> None:
        self.closed = True

    def vector(self, text: str) -> list[float]:
        """The sum of the words' directions and of the script's own, at length 1."""
        question = analyse(text)
        total = [2.0 * value for value in self._direction(f"script {question.script}")]
        for term in question.terms:
            for index, value in enumerate(self._direction(self.concepts.get(term, term))):
                total[index] += value
        length = math.sqrt(sum(value * value for value in total))
        return [value / length for value in total]

    def _direction(self, name: str) -> list[float]:
        seed = int.from_bytes(hashlib.sha256(f"{self.name} {name}".encode()).digest()[:8])
        source = random.Random(seed)
        values = [source.gauss(0, 1) for _ in range(self.dimensions)]
        length = math.sqrt(sum(value * value for value in values))
        return [value / length for value in values]
