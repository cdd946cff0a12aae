"""Every panel's query, on a real Prometheus that scraped a real house after real turns: an empty answer is a fault."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from appliance.messages import Usage
from appliance.spending.budget import CallSpec

from .conftest import Home, Record
from .tools import ROOT, Gateway, Prometheus, prometheus, until

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


async def live(home: Home, number: int) -> None:
    """Two turns with Claude, one call of a local model, and what the other rooms report while they work."""
    await home.say(f"Hello {number}!")
    local = CallSpec(
        model="smollm2", provider="local", local=True, purpose="flush", session="agent:main:main", agent="main",
        channel="web", turn="t", characters=40, input_tokens=None, max_tokens=100,
    )  # fmt: skip
    await home.house.budget.settle(await home.house.budget.reserve(local), Usage(input=50, output=10))
    metrics = home.metrics
    for model, provider in (("claude-sonnet-5-5", "anthropic"), ("smollm2", "local")):
        metrics.model_called(Record(model, provider, 0.7, 0.2))
    metrics.model_fell_back("claude-sonnet-5-5", "smollm2", "overloaded")
    metrics.add("exec_runs_total", image="shell", outcome="exited")
    metrics.observe("exec_duration_seconds", 0.3, image="shell")
    metrics.set("exec_pool_ready", 2)
    metrics.set("state_free_bytes", 5e10)
    metrics.set("lane_depth", 0)
    metrics.set("context_tokens", 900, section="rules")
    metrics.set("backup_last_success_timestamp_seconds", time.time() - 60)
    metrics.set("channel_last_poll_timestamp_seconds", time.time(), channel="telegram")
    metrics.add("approvals_total", kind="exec", decision="once")
    metrics.add("compactions_total", outcome="ok")
    metrics.add("memory_captured_total", tag="W")
    metrics.observe("memory_search_duration_seconds", 0.004)
    metrics.observe("turn_duration_seconds", 0.9)
    for direction in ("in", "out"):
        metrics.add("channel_messages_total", channel="web", direction=direction, outcome="ok")


async def ask(server: Prometheus) -> list[str]:
    """Where no answer came, of all queries, over the last seconds as a graph asks."""
    empty = []
    for where, query in queries():
        series = await server.matrix(query, time.time() - 4, time.time())
        values = [value for one in series for _, value in one["values"]]
        if not values or all(value in ("NaN", "+Inf", "-Inf") for value in values):
            empty.append(f"{where}: {query}")
    return empty


async def test_no_panel_is_empty_and_money_is_what_the_books_say(start: Any, tmp_path: Path) -> None:
    home: Home = await start()
    token = tmp_path / "metrics_token"
    token.write_text("m-token\n")

    async def alerts(payload: dict[str, Any]) -> None:
        raise AssertionError(payload)

    gateway = Gateway(home.metrics.render, alerts, "m-token")
    async with gateway.serving() as address, prometheus(address, token) as server:
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
        assert gateway.refused == []
