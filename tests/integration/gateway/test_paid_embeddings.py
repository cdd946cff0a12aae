"""Another server's embeddings are paid for before they are made, and at the limit search goes on with words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from appliance.memory.scopes import Scope
from appliance.messages import SessionKey
from appliance.testing.loopback import LoopbackServer, Request, Response
from tests.integration.gateway.conftest import Home, Start

TOKENS = 1_000_000  # a call: at 0.02 dollars a million, two cents


class Server:
    def __init__(self) -> None:
        self.calls = 0
        self.url = ""

    async def handle(self, request: Request) -> Response:
        self.calls += 1
        texts = json.loads(request.body)["input"]
        rows = [{"index": n, "embedding": [float(len(text)), 1.0, 0.5, 0.0] * 2} for n, text in enumerate(texts)]
        body = json.dumps({"data": rows, "usage": {"total_tokens": TOKENS}}).encode()
        return Response(200, {"content-type": "application/json"}, body)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = Server()
    loopback = LoopbackServer(made.handle)
    made.url = f"http://127.0.0.1:{await loopback.start()}"
    yield made
    await loopback.stop()


async def house(start: Start, server: Server, **environ: str) -> Home:
    return await start(  # type: ignore[no-any-return]
        APPLIANCE_MEMORY__EMBEDDER_URL=server.url,
        APPLIANCE_MEMORY__EMBEDDER_MODEL="text-embedding-3-small",
        APPLIANCE_MEMORY__EMBEDDER_KEY="sk-e",
        **environ,
    )


async def embedding_rows(home: Home) -> list[tuple[int, int]]:
    sql = "SELECT input, cost FROM ledger WHERE purpose = 'embedding' ORDER BY id"
    return [(int(tokens), int(cost)) for tokens, cost in home.house.core.read(sql)]


def price_file(folder: Path, model: str) -> str:
    """Rates by which a call of TOKENS costs two cents."""
    prices = folder / "prices.toml"
    kinds = ("cache_read", "cache_write_5m", "cache_write_1h")
    lines = ["input = 0.02", "output = 0.0", *(f"{kind} = 0.02" for kind in kinds)]
    prices.write_text("\n".join([f"[models.{model}]", *lines, ""]))
    return str(prices)


async def test_each_call_stands_in_the_books_with_what_it_cost(start: Start, server: Server, tmp_path: Path) -> None:
    home = await house(start, server, APPLIANCE_BUDGET__PRICE_FILE=price_file(tmp_path, "text-embedding-3-small"))
    async with asyncio.timeout(20):
        while not server.calls or len(await embedding_rows(home)) < server.calls:
            await asyncio.sleep(0.05)
    assert set(await embedding_rows(home)) == {(TOKENS, int(Decimal("0.02") * 10**12))}


async def test_without_a_price_nothing_is_called_and_the_reason_is_shown(start: Start, server: Server) -> None:
    home = await house(start, server)
    async with asyncio.timeout(20):
        while "No price is known for text-embedding-3-small" not in (await home.house.memory.status())["problem"]:
            await asyncio.sleep(0.05)
    assert server.calls == 0


async def test_without_money_no_text_leaves_and_words_are_still_found(start: Start, server: Server) -> None:
    home = await house(start, server, APPLIANCE_BUDGET__DAILY_USD="0", APPLIANCE_BUDGET__WAIT_SECONDS="0")
    await home.say("My daughter Mei is allergic to peanuts.")
    async with asyncio.timeout(20):
        while not await home.house.memory.search("peanuts", Scope(SessionKey.main("main"))):
            await asyncio.sleep(0.1)
    assert server.calls == 0
    assert await embedding_rows(home) == []


async def test_a_free_server_is_used_at_the_limit_and_its_tokens_are_written_down(start: Start, server: Server) -> None:
    home = await house(start, server, APPLIANCE_BUDGET__DAILY_USD="0", APPLIANCE_MEMORY__EMBEDDER_PAID="false")
    async with asyncio.timeout(20):
        while not await embedding_rows(home):
            await asyncio.sleep(0.05)
    assert (await embedding_rows(home))[0] == (TOKENS, 0)


async def test_each_agent_pays_for_its_own_memory_and_one_without_money_keeps_no_other_waiting(
    start: Start, server: Server, tmp_path: Path
) -> None:
    agents = {"study": {"daily_usd": "1.00"}, "poor": {"daily_usd": "0"}}
    home = await house(
        start,
        server,
        APPLIANCE_AGENTS=json.dumps(agents),
        APPLIANCE_BUDGET__PRICE_FILE=price_file(tmp_path, "text-embedding-3-small"),
    )
    memory = home.house.memory

    for agent in ("study", "poor"):  # the poor one's is the newest, and so the first to be tried
        home.house.workspace(agent).write("MEMORY.md", f"The key of the {agent} hangs in the hall.")
        await memory.index.sync()

    async def paid() -> dict[str, int]:
        sql = "SELECT agent, count(*) FROM ledger WHERE purpose = 'embedding' AND cost > 0 GROUP BY agent"
        return dict(home.house.core.read(sql))

    async with asyncio.timeout(20):
        while (await memory.status())["vectors"] < 1 or "agent poor" not in (await memory.status())["problem"]:
            await asyncio.sleep(0.05)
    assert (await memory.status())["wanted"] == 1
    assert (await paid())["study"] == 1
    await memory.search("where is my key?", Scope(SessionKey.main("study")))
    assert (await paid())["study"] == 2
    assert (await paid()).keys() == {"main", "study"}  # the main agent: what every agent's vectors are measured from


class RerankingServer(Server):
    async def handle(self, request: Request) -> Response:
        self.calls += 1
        count = len(json.loads(request.body)["documents"])
        rows = [{"index": n, "relevance_score": float(n)} for n in range(count)]
        body = json.dumps({"results": rows, "usage": {"total_tokens": TOKENS}}).encode()
        return Response(200, {"content-type": "application/json"}, body)


@pytest.fixture
async def reranking() -> AsyncIterator[RerankingServer]:
    made = RerankingServer()
    loopback = LoopbackServer(made.handle)
    made.url = f"http://127.0.0.1:{await loopback.start()}"
    yield made
    await loopback.stop()


@pytest.mark.parametrize(("key", "cost"), [("", 0), ("sk-r", int(Decimal("0.02") * 10**12))])
async def test_a_rerankers_calls_stand_in_the_books_and_cost_money_when_it_has_a_key(
    start: Start, reranking: RerankingServer, tmp_path: Path, key: str, cost: int
) -> None:
    home = await start(
        APPLIANCE_MEMORY__BACKEND="rerank",
        APPLIANCE_MEMORY__RERANKER_URL=reranking.url,
        APPLIANCE_MEMORY__RERANKER_MODEL="bge-reranker",
        APPLIANCE_MEMORY__RERANKER_KEY=key,
        APPLIANCE_BUDGET__PRICE_FILE=price_file(tmp_path, "bge-reranker"),
    )
    await home.say("The printer is called nas-01 and stands upstairs.")
    await home.say("Could the printer nas-01 stand in the hall?")
    await home.house.memory.index.sync()
    await home.house.memory.search("where is the printer nas-01", Scope(SessionKey.main()))
    assert reranking.calls >= 1
    assert await embedding_rows(home) == [(TOKENS, cost)] * reranking.calls


async def test_at_the_limit_the_reranker_is_not_called_and_search_goes_on(
    start: Start, reranking: RerankingServer
) -> None:
    home = await start(
        APPLIANCE_MEMORY__BACKEND="rerank",
        APPLIANCE_MEMORY__RERANKER_URL=reranking.url,
        APPLIANCE_MEMORY__RERANKER_MODEL="nobody-knows-its-price",
        APPLIANCE_MEMORY__RERANKER_KEY="sk-r",
    )
    await home.say("The printer is called nas-01 and stands upstairs.")
    await home.say("Could the printer nas-01 stand in the hall?")
    await home.house.memory.index.sync()
    hits = await home.house.memory.search("where is the printer nas-01", Scope(SessionKey.main()))
    assert "nas-01" in hits[0].snippet
    assert reranking.calls == 0
