"""Every panel's query, on a real Prometheus that scraped a real house after real turns: an empty answer is a fault."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from appliance.backup import backup
from appliance.memory.scopes import Scope
from appliance.messages import Purpose, SessionKey, Usage
from appliance.spending.budget import CallSpec

from .conftest import Home
from .tools import ROOT, Prometheus, prometheus, until

pytestmark = pytest.mark.prometheus
BOARDS = [json.loads(path.read_text()) for path in sorted((ROOT / "grafana/dashboards").glob("*.json"))]


def queries() -> list[tuple[str, str]]:
    """(where, query) of every target, with Grafana's variables filled as it would."""
    return [
        (
            f"{board['title']}: {panel['title']}",
            target["expr"].replace("$instance", ".*").replace("$__rate_interval", "6s"),
        )
        for board in BOARDS
        for panel in board["panels"]
        for target in panel.get("targets", [])
    ]


@dataclass
class Record:
    """A finished call of a local model, as models tell it."""

    model: str = "smollm2"
    provider: str = "local"
    seconds: float = 0.7
    first_token: float | None = 0.2


async def live(home: Home, number: int) -> None:
    """A turn with Claude over HTTP, and what parts report that this house does not have: a sandbox, a local model, a
    phone."""
    await home.say(f"Hello {number}! I never want to hear about football, remember that.")
    local = CallSpec(
        model="smollm2", provider="local", local=True, purpose=Purpose.FLUSH, session="agent:main:main", agent="main",
        channel="web", turn="t", characters=40, input_tokens=None, max_tokens=100,
    )  # fmt: skip
    await home.house.budget.settle(await home.house.budget.reserve(local), Usage(input=50, output=10))
    metrics = home.house.metrics
    metrics.model_called(Record())
    metrics.model_fell_back("claude-sonnet-5-5", "smollm2", "overloaded")
    metrics.add("exec_runs_total", image="shell", outcome="exited")
    metrics.observe("exec_duration_seconds", 0.3, image="shell")
    metrics.set("exec_pool_ready", 2)
    home.house.monitoring.polled("telegram", time.time())
    metrics.add("approvals_total", kind="exec", decision="once")
    metrics.add("compactions_total", outcome="ok")
    metrics.set("lane_depth", 0)
    metrics.set("context_tokens", 900, section="rules")
    await home.house.memory.search("football", Scope(SessionKey.main("main")))
    for direction in ("in", "out"):
        home.house.monitoring.message("telegram", direction, "ok")


async def ask(server: Prometheus) -> list[str]:
    """Where no answer came, of all queries, over the last seconds as a graph asks."""
    empty = []
    for where, query in queries():
        series = await server.matrix(query, time.time() - 4, time.time())
        values = [value for one in series for _, value in one["values"]]
        if not values or all(value in ("NaN", "+Inf", "-Inf") for value in values):
            empty.append(f"{where}: {query}")
    return empty


async def test_no_panel_is_empty_and_money_is_what_the_books_say(start: Any) -> None:
    home: Home = await start()
    await asyncio.to_thread(backup, home.state)  # by itself it makes one after the hour of the settings
    async with prometheus(home.address, home.state / "metrics_token") as server:
        for number in range(8):
            await live(home, number)
            await asyncio.sleep(1.0)
        assert await ask(server) == []
        spent = (await home.client.get("/api/budget")).json()[0]["spent"]
        assert spent == home.provider.billed / 1e12 > 0

        async def same() -> bool:
            found = await server.query('appliance_budget_spent_usd{scope="day"}')
            total = await server.query("sum(appliance_llm_cost_usd_total)")
            return float(found[0]["value"][1]) == pytest.approx(spent) == pytest.approx(float(total[0]["value"][1]))

        await until(same, 5.0)
        assert (await server.query("up"))[0]["value"][1] == "1"


async def test_without_the_token_prometheus_reads_nothing(start: Any, tmp_path: Path) -> None:
    home: Home = await start()
    wrong = tmp_path / "wrong"
    wrong.write_text("not-the-token")
    async with prometheus(home.address, wrong) as server:

        async def scraped() -> bool:
            return bool(await server.query("up"))

        await until(scraped, 10.0)
        assert (await server.query("up"))[0]["value"][1] == "0"
        assert await server.query("appliance_build_info") == []
