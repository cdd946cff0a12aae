"""Streamed calls were charged wrongly: nothing, cache reads as full input, or what the first event said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from appliance.messages import Usage
from appliance.models.base import ModelRequest, PromptPart
from appliance.models.claude_stream import AnswerBuilder

from ..unit.spending.books import REFERENCE, call, open_books

TEXT = {"role": "user", "content": [{"type": "text", "text": "How are you?"}]}
REQUEST = ModelRequest(system=(PromptPart("Be kind."),), messages=(TEXT,))


def streamed(first: dict[str, Any], *deltas: dict[str, Any], text: str = "Fine.") -> Usage:
    """The usage of a stream that opens with `first` and repeats its running totals in `deltas`."""
    builder = AnswerBuilder(REQUEST, REFERENCE, 8_192)
    builder.feed({"type": "message_start", "message": {"model": REFERENCE, "usage": first}})
    builder.feed({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    builder.feed({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
    for usage in deltas:
        builder.feed({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage})
    builder.feed({"type": "message_stop"})
    return builder.whole().usage


async def charge(tmp_path: Path, usage: Usage) -> int:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call(input_tokens=190_000, byte_bound=800_000))
        return await books.budget.settle(held, usage)


async def test_a_reported_cost_of_zero_is_not_believed(tmp_path: Path) -> None:
    usage = streamed({"input_tokens": 9, "output_tokens": 1, "cost": 0}, {"output_tokens": 5, "cost": 0})
    assert usage == Usage(input=9, output=5)
    assert await charge(tmp_path, usage) == 102_000_000  # 0.000102 US dollars, as for the same call unstreamed


async def test_the_final_total_of_cache_writes_is_charged_not_the_first_events(tmp_path: Path) -> None:
    first = {
        "input_tokens": 4,
        "cache_creation_input_tokens": 31_490,
        "cache_creation": {"ephemeral_5m_input_tokens": 31_490, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 1,
    }
    usage = streamed(first, {"cache_creation_input_tokens": 184_457, "output_tokens": 10})
    assert usage.cache_write == 184_457
    assert await charge(tmp_path, usage) == 4 * 3_000_000 + 184_457 * 3_750_000 + 10 * 15_000_000


async def test_cache_reads_are_charged_as_cache_reads(tmp_path: Path) -> None:
    usage = streamed({"input_tokens": 4, "cache_read_input_tokens": 2_455, "output_tokens": 1}, {"output_tokens": 23})
    assert (usage.input, usage.prompt) == (4, 2_459)
    assert await charge(tmp_path, usage) == 4 * 3_000_000 + 2_455 * 300_000 + 23 * 15_000_000


async def test_running_totals_that_are_repeated_in_chunks_are_not_added_up(tmp_path: Path) -> None:
    chunks = [{"input_tokens": 9, "output_tokens": count} for count in (1, 2, 5, 5, 5)]
    usage = streamed({"input_tokens": 9, "output_tokens": 1}, *chunks)
    assert usage == Usage(input=9, output=5)
    assert await charge(tmp_path, usage) == 102_000_000


async def test_a_stream_without_any_usage_is_estimated_marked_and_not_free(tmp_path: Path) -> None:
    usage = streamed({}, text="word " * 40)
    assert usage.estimated
    assert usage.input > 0
    assert usage.output >= 40
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call())
        charged = await books.budget.settle(held, usage)
        assert 0 < charged <= held.amount
        assert (books.row()["figure"], books.row()["output"]) == ("estimate", usage.output)
