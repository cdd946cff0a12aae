"""On the wire: a cost of 0 was believed, an early cache split priced, cache reads charged whole, no usage free."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.messages import Usage
from appliance.models.claude import Claude, ClaudeConnection
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic

from ..unit.models.desk import ask, open_desk

MODEL = "claude-sonnet-4-6"  # 3 / 0.30 / 3.75 / 6 / 15 US dollars a million tokens
NONE = {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "cache_creation": None}


async def streamed(tmp_path: Path, reply: Reply) -> tuple[Usage, int]:
    """Usage and picodollars of one streamed answer, from the socket to the ledger."""
    async with FakeAnthropic() as api:
        connection = ClaudeConnection("k", api.url, timeout=10)
        async with open_desk(tmp_path, Claude(MODEL, connection)) as desk:
            api.script(reply)
            answer = (await desk.ask(ask())).answer
            assert [row["cost"] for row in desk.rows()] == [answer.cost]
        await connection.close()
    return answer.finished.usage, answer.cost


@pytest.mark.parametrize(
    ("first", "last", "usage", "cost"),
    [
        pytest.param(
            {**NONE, "input_tokens": 9, "cost": 0},
            {"output_tokens": 5, "cost": 0},
            Usage(9, output=5),
            102_000_000,
            id="M23 a reported cost of 0",
        ),
        pytest.param(
            {
                "input_tokens": 0,
                "cache_creation_input_tokens": 31_490,
                "cache_creation": {"ephemeral_5m_input_tokens": 31_490, "ephemeral_1h_input_tokens": 0},
            },
            {"output_tokens": 0 + 1, "cache_creation_input_tokens": 184_457},
            Usage(0, cache_write_5m=184_457, output=1),
            184_457 * 3_750_000 + 15_000_000,
            id="M25 a split older than the total",
        ),
        pytest.param(
            {**NONE, "input_tokens": 4, "cache_read_input_tokens": 2_455},
            {"output_tokens": 23},
            Usage(4, 2_455, output=23),
            4 * 3_000_000 + 2_455 * 300_000 + 23 * 15_000_000,
            id="M27 cache reads",
        ),
    ],
)
async def test_a_stream_costs_what_its_last_figures_say(
    tmp_path: Path, first: dict[str, Any], last: dict[str, Any], usage: Usage, cost: int
) -> None:
    assert await streamed(tmp_path, Reply(text="Fine.", first_usage=first, last_usage=last)) == (usage, cost)


async def test_m29_a_stream_without_usage_is_estimated_and_marked(tmp_path: Path) -> None:
    usage, cost = await streamed(tmp_path, Reply(text="word " * 40, fault="no_usage"))
    assert usage.estimated
    assert usage.output >= 40
    assert cost >= usage.output * 15_000_000
