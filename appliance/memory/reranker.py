"""A reranking model behind `/v1/rerank`, as llama.cpp's server with `--reranking` and others offer it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from appliance.errors import ModelError, ModelFault
from appliance.memory.embeddings import Meter
from appliance.messages import MAIN

_MOST_CHARS = 2_000  # of one text; a window and its surroundings are shorter


class HttpReranker:
    """Given the server's address, score texts against a question; search goes on without it when it is away."""

    def __init__(
        self, url: str, model: str = "", *, api_key: str = "", timeout_seconds: float = 5.0, meter: Meter | None = None
    ) -> None:
        self._url = url.rstrip("/").removesuffix("/v1")
        self._model = model
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout = timeout_seconds
        self._meter = meter

    async def rerank(self, query: str, texts: Sequence[str], agent: str = MAIN) -> list[float]:
        """A score for each text, higher is nearer; `agent` pays. Raises ModelError when the server is away or answers
        nonsense, and when the meter refuses."""
        question, documents = query[:_MOST_CHARS], [text[:_MOST_CHARS] for text in texts]
        if self._meter is None:
            return (await self._call(question, documents))[0]
        # A server reads the question once with each text.
        most = sum(len(question.encode(errors="replace")) + len(d.encode(errors="replace")) + 8 for d in documents)
        return await self._meter.pay(self._model or "reranker", agent, most, lambda: self._call(question, documents))

    async def _call(self, query: str, texts: Sequence[str]) -> tuple[list[float], int]:
        """The scores, and the tokens that were read for them."""
        import httpx2

        body: dict[str, Any] = {"query": query, "documents": list(texts)}
        if self._model:
            body["model"] = self._model
        try:
            async with httpx2.AsyncClient(timeout=self._timeout, headers=self._headers) as client:
                response = await client.post(f"{self._url}/v1/rerank", json=body)
        except httpx2.HTTPError as error:
            raise ModelError(f"{self._url} did not answer: {error!r}.", kind=ModelFault.NETWORK) from error
        if response.status_code != 200:
            raise ModelError(f"{self._url} answered {response.status_code}.", kind=ModelFault.UNAVAILABLE)
        try:
            answer = response.json()
            scores = {int(row["index"]): float(row["relevance_score"]) for row in answer["results"]}
            found = [scores[index] for index in range(len(texts))]
            counted = answer.get("usage") or {}
            tokens = int(counted.get("total_tokens") or sum(len(query) + len(text) for text in texts))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{self._url} sent no scores: {error!r}.", kind=ModelFault.UNUSABLE) from error
        if not all(math.isfinite(score) for score in found):
            raise ModelError(f"{self._url} sent a score that is no number.", kind=ModelFault.UNUSABLE)
        return found, tokens
