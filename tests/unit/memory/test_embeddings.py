"""The embedding client against a real server on loopback: what it sends, and what it refuses to take."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ModelError, ModelFault
from appliance.memory.embeddings import HttpEmbedder, Identity, Vector
from appliance.memory.reranker import HttpReranker
from appliance.memory.search import SearchOptions
from appliance.testing.loopback import LoopbackServer, Request, Response
from appliance.testing.memory_house import House


class Server:
    """A server whose answers a test sets; `book` is every request's path and body."""

    def __init__(self) -> None:
        self.book: list[tuple[str, dict[str, str], Any]] = []
        self.status: dict[str, Any] = {"embedder": {"name": "mini", "dimensions": 3, "multilingual": False}}
        self.answer: Callable[[dict[str, Any]], tuple[int, Any]] = self.good
        self.url = ""

    @staticmethod
    def good(body: dict[str, Any]) -> tuple[int, Any]:
        rows = [{"index": n, "embedding": [float(len(text)), 1.0, 0.0]} for n, text in enumerate(body["input"])]
        return 200, {"data": rows[::-1], "usage": {"total_tokens": 5}}

    async def handle(self, request: Request) -> Response:
        body = json.loads(request.body) if request.body else None
        self.book.append((request.path, request.headers, body))
        code, answer = (200, self.status) if request.path == "/status" else self.answer(body)
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return Response(code, {"content-type": "application/json"}, raw)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = Server()
    loopback = LoopbackServer(made.handle)
    port = await loopback.start()
    made.url = f"http://127.0.0.1:{port}/v1"
    yield made
    await loopback.stop()


@pytest.fixture
async def embedder(server: Server) -> AsyncIterator[HttpEmbedder]:
    made = HttpEmbedder(lambda: server.url, api_key="k-1")
    yield made
    await made.close()


async def test_the_local_service_says_who_it_is_and_vectors_come_in_order(
    server: Server, embedder: HttpEmbedder
) -> None:
    assert await embedder.identity() == Identity("mini", 3, multilingual=False)
    assert [list(v) for v in await embedder.embed(["a", "bbb"], "query")] == [[1.0, 1.0, 0.0], [3.0, 1.0, 0.0]]
    path, headers, body = server.book[-1]
    assert path == "/v1/embeddings"
    assert headers["authorization"] == "Bearer k-1"
    assert (body["input_type"], body["model"]) == ("query", "mini")


@pytest.mark.parametrize(
    "status", [{}, {"embedder": None}, {"embedder": {"name": "", "dimensions": 0}}, {"embedder": []}]
)
async def test_a_service_that_is_still_loading_has_no_identity(
    server: Server, embedder: HttpEmbedder, status: dict[str, Any]
) -> None:
    server.status = status
    assert await embedder.identity() is None


async def test_no_address_and_no_server_are_no_identity_and_a_clear_error() -> None:
    for url in (None, "http://127.0.0.1:9"):
        embedder = HttpEmbedder(lambda url=url: url)  # type: ignore[misc]
        assert await embedder.identity() is None
        with pytest.raises(ModelError):
            await embedder.embed(["a"], "query")
        await embedder.close()


async def test_another_servers_size_is_learned_and_its_model_named(server: Server) -> None:
    embedder = HttpEmbedder(lambda: server.url, model="bge-m3")
    assert await embedder.identity() == Identity("bge-m3", 3, multilingual=True)
    await embedder.embed(["a"], "passage")
    assert "input_type" not in server.book[-1][2]
    await embedder.close()


async def test_models_trained_with_their_kind_in_front_get_it(server: Server) -> None:
    embedder = HttpEmbedder(lambda: server.url, model="multilingual-e5-small")
    await embedder.embed(["a"], "query")
    assert server.book[-1][2]["input"] == ["query: a"]
    await embedder.close()


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        (500, {"error": "x"}),
        (404, {}),
        (200, b"no json"),
        (200, []),
        (200, {}),
        (200, {"data": []}),
        (200, {"data": [{"index": 0, "embedding": []}]}),
        (200, {"data": [{"index": 0, "embedding": ["x"]}]}),
        (200, {"data": [{"index": 0, "embedding": [1e999]}]}),
        (200, {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]}),
    ],
)
async def test_nonsense_is_an_error_and_never_a_vector(
    server: Server, embedder: HttpEmbedder, code: int, answer: Any
) -> None:
    server.answer = lambda body: (code, answer)
    with pytest.raises(ModelError) as problem:
        await embedder.embed(["a"], "query")
    assert problem.value.kind in (ModelFault.UNUSABLE, ModelFault.UNAVAILABLE)


async def test_nothing_to_embed_asks_nobody(server: Server, embedder: HttpEmbedder) -> None:
    assert await embedder.embed([], "query") == []
    assert server.book == []


async def test_a_server_that_costs_money_is_paid_through_the_meter(server: Server) -> None:
    paid: list[tuple[str, str, int, int]] = []

    class Meter:
        async def pay(
            self, model: str, agent: str, most_tokens: int, call: Callable[[], Awaitable[tuple[list[Vector], int]]]
        ) -> list[Vector]:
            vectors, tokens = await call()
            paid.append((model, agent, most_tokens, tokens))
            return vectors

    embedder = HttpEmbedder(lambda: server.url, model="bge-m3", meter=Meter())
    await embedder.embed(["字字"], "query", "study")
    [(model, agent, most, tokens)] = paid
    assert (model, agent, tokens) == ("bge-m3", "study", 5)
    assert most >= tokens
    await embedder.close()


async def test_a_reranker_scores_in_the_order_of_the_texts(server: Server) -> None:
    server.answer = lambda body: (
        200,
        {"results": [{"index": n, "relevance_score": float(len(t))} for n, t in enumerate(body["documents"])][::-1]},
    )
    assert await HttpReranker(server.url, "m").rerank("q", ["a", "bbb"]) == [1.0, 3.0]
    assert server.book[-1][0] == "/v1/rerank"
    assert server.book[-1][2]["model"] == "m"


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        (500, {}),
        (200, b"x"),
        (200, {}),
        (200, {"results": []}),
        (200, {"results": [{"index": 0, "relevance_score": 1e999}]}),
    ],
)
async def test_a_reranker_that_sends_nonsense_is_an_error(server: Server, code: int, answer: Any) -> None:
    server.answer = lambda body: (code, answer)
    with pytest.raises(ModelError):
        await HttpReranker(server.url).rerank("q", ["a"])


async def test_search_goes_on_as_hybrid_when_the_reranker_is_away(tmp_path: Path) -> None:
    options = SearchOptions(backend="rerank", reranker=HttpReranker("http://127.0.0.1:9/v1"))
    house = House(tmp_path, None, options)
    house.index.open()
    house.say(("our cat is called Sesame", ""), ("the cat sat", ""))
    await house.ready()
    assert "Sesame" in await house.snippets("cat")
    house.index.close()
