"""A reranking model behind `/v1/rerank`, as llama.cpp's server with `--reranking` and others offer it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from appliance.errors import ModelError, ModelFault

_MOST_CHARS = 2_000  # of one text; a window and its surroundings are shorter


class HttpReranker:
    """Given the server's address, score texts against a question; search goes on without it when it is away."""

    def __init__(self, url: str, model: str = "", *, timeout_seconds: float = 5.0) -> None:
        self._url = url.rstrip("/").removesuffix("/v1")
        self._model = model
        self._timeout = timeout_seconds

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, higher is nearer. Raises ModelError when the server is away or answers nonsense."""
        import httpx2

        body: dict[str, Any] = {"query": query[:_MOST_CHARS], "documents": [text[:_MOST_CHARS] for text in texts]}
        if self._model:
            body["model"] = self._model
        try:
            async with httpx2.AsyncClient(timeout=self._timeout) as client:
                response = await client.post(f"{self._url}/v1/rerank", json=body)
        except httpx2.HTTPError as error:
            raise ModelError(f"{self._url} did not answer: {error!r}.", kind=ModelFault.NETWORK) from error
        if response.status_code != 200:
            raise ModelError(f"{self._url} answered {response.status_code}.", kind=ModelFault.UNAVAILABLE)
        try:
            scores = {int(row["index"]): float(row["relevance_score"]) for row in response.json()["results"]}
            found = [scores[index] for index in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{self._url} sent no scores: {error!r}.", kind=ModelFault.UNUSABLE) from error
        if not all(math.isfinite(score) for score in found):
            raise ModelError(f"{self._url} sent a score that is no number.", kind=ModelFault.UNUSABLE)
        return found
