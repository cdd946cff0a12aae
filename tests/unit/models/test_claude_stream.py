"""From events to an answer: every usage field, blocks word for word, and what a cut stream costs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from appliance.errors import ModelError, ModelFault
from appliance.messages import Usage
from appliance.models.base import ModelRequest, PromptPart
from appliance.models.claude_stream import AnswerBuilder

REQUEST = ModelRequest((PromptPart("x" * 400),), ({"role": "user", "content": [{"type": "text", "text": "hi"}]},))


def built(*events: dict[str, Any], max_tokens: int = 1_000) -> AnswerBuilder:
    builder = AnswerBuilder(REQUEST, "claude-sonnet-5-5", max_tokens)
    for event in events:
        builder.feed(event)
    return builder


def start(**usage: Any) -> dict[str, Any]:
    return {"type": "message_start", "message": {"model": "claude-sonnet-5-5", "usage": usage}}


def end(stop: str = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage}


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": p} for p in pieces))


def tool(index: int, call_id: str, *pieces: str) -> list[dict[str, Any]]:
    content = {"type": "tool_use", "id": call_id, "name": "exec", "input": {}}
    return block(index, content, *({"type": "input_json_delta", "partial_json": p} for p in pieces))


def test_every_usage_field_is_read_and_the_parts_are_disjoint() -> None:
    split = {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 5}
    first = start(
        input_tokens=10, cache_read_input_tokens=100, cache_creation_input_tokens=25, cache_creation=split,
        output_tokens=1, service_tier="standard",
    )  # fmt: skip
    builder = built(first, *text(0, "hi"), end(output_tokens=7, server_tool_use={"web_search_requests": 2}))
    assert builder.whole().usage == Usage(10, 100, 20, 5, 7, {"web_search_requests": 2})


def test_the_input_side_is_known_from_the_first_event() -> None:
    builder = built(start(input_tokens=10, cache_read_input_tokens=90, output_tokens=1))
    assert builder.input_usage() == Usage(10, 90)


def test_later_figures_replace_earlier_ones() -> None:
    builder = built(start(input_tokens=10, output_tokens=1), *text(0, "a"), end(input_tokens=30, output_tokens=5))
    assert builder.whole().usage == Usage(30, output=5)


@pytest.mark.parametrize(
    ("usage", "modes"),
    [
        ({"speed": "fast"}, ("fast",)),
        ({"service_tier": "batch"}, ("batch",)),
        ({"inference_geo": "us", "speed": "fast"}, ("fast", "us")),
        ({"service_tier": "standard", "inference_geo": "global", "speed": "standard"}, ()),
    ],
)
def test_what_multiplies_the_bill_is_read(usage: dict[str, Any], modes: tuple[str, ...]) -> None:
    assert built(start(input_tokens=1, output_tokens=1, **usage), end(output_tokens=2)).whole().usage.modes == modes


def test_thinking_is_kept_word_for_word_with_its_signature_and_its_author() -> None:
    thinking = block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "先想"},
        {"type": "thinking_delta", "thinking": "一想"},
        {"type": "signature_delta", "signature": "sig"},
    )
    redacted = block(1, {"type": "redacted_thinking", "data": "opaque"})
    whole = built(start(input_tokens=1), *thinking, *redacted, *text(2, "ok"), end(output_tokens=9)).whole()
    assert whole.content == (
        {"type": "thinking", "thinking": "先想一想", "signature": "sig", "model": "claude-sonnet-5-5"},
        {"type": "redacted_thinking", "data": "opaque", "model": "claude-sonnet-5-5"},
        {"type": "text", "text": "ok"},
    )


def test_thinking_that_was_cut_before_its_signature_is_dropped() -> None:
    cut = block(
        0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "half"}
    )
    assert built(start(input_tokens=1), *cut).partial().content == ()


@pytest.mark.parametrize("raw", ['{"command": "l', '["ls"]', '"ls"', "ls", "null"])
def test_arguments_that_are_no_object_become_an_empty_one_with_the_raw_text_beside_it(raw: str) -> None:
    call = built(start(input_tokens=1), *tool(0, "c1", raw), end("tool_use", output_tokens=9)).whole().content[0]
    assert call == {"type": "tool_use", "id": "c1", "name": "exec", "input": {}, "invalid": raw}


def test_a_long_broken_argument_is_cut() -> None:
    call = built(start(input_tokens=1), *tool(0, "c1", "{" + "x" * 9_000)).partial().content[0]
    assert len(call["invalid"]) == 2_000


def test_arguments_in_pieces_and_without_any_are_read() -> None:
    whole = built(start(input_tokens=1), *tool(0, "c1", '{"a": "b', '學"}'), *tool(1, "c2")).partial()
    assert [call["input"] for call in whole.content] == [{"a": "b學"}, {}]


def test_a_repeated_call_is_dropped_and_another_call_with_its_id_gets_its_own() -> None:
    calls = [*tool(0, "c1", '{"n": 1}'), *tool(1, "c1", '{"n": 1}'), *tool(2, "c1", '{"n": 2}')]
    content = built(start(input_tokens=1), *calls, end("tool_use", output_tokens=9)).whole().content
    assert [(call["id"], call["input"]) for call in content] == [("c1", {"n": 1}), ("c1_2", {"n": 2})]


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("tool_use", "tool_use"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("refusal", "refusal"),
        ("pause_turn", "stopped"),
        ("a_reason_of_next_year", "end"),
    ],
)
def test_each_stop_reason_has_its_meaning(reason: str, stop: str) -> None:
    assert built(start(input_tokens=1), *text(0, "x"), end(reason, output_tokens=1)).whole().stop == stop


def test_a_cut_answer_costs_at_least_what_arrived_and_what_may_have_been_under_way() -> None:
    builder = built(start(input_tokens=50, cache_read_input_tokens=7, output_tokens=1), *text(0, "一二三四五" * 100))
    usage = builder.partial().usage
    assert (usage.input, usage.cache_read, usage.estimated) == (50, 7, True)
    assert 500 < usage.output <= 1_000


def test_a_cut_answer_never_costs_more_than_its_limit() -> None:
    builder = built(start(input_tokens=50, output_tokens=1), *text(0, "word " * 4_000), max_tokens=300)
    assert builder.partial().usage.output == 300


def test_a_cut_after_the_last_figures_is_charged_by_them() -> None:
    builder = built(start(input_tokens=5, output_tokens=1), *text(0, "x"), end(output_tokens=42))
    assert builder.partial().usage == Usage(5, output=42)


def test_an_error_event_is_raised_with_its_kind() -> None:
    with pytest.raises(ModelError) as caught:
        built(start(input_tokens=1), {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert caught.value.kind is ModelFault.OVERLOADED


def test_unknown_events_and_blocks_are_passed_over() -> None:
    novel = [{"type": "content_block_start", "index": 0, "content_block": {"type": "hologram"}}, {"type": "news"}]
    assert built(start(input_tokens=1), *novel, *text(1, "x"), end(output_tokens=1)).whole().content == (
        {"type": "text", "text": "x"},
    )


def test_an_answer_without_end_is_noticed() -> None:
    builder = built(start(input_tokens=1), *text(0, "x" * 200_000), max_tokens=100)
    assert builder.overflowing()
    assert not built(start(input_tokens=1), *text(0, "x" * 400), max_tokens=100).overflowing()


def test_an_answer_can_be_stored_as_a_transcript_line() -> None:
    whole = built(start(input_tokens=1), *text(0, "a\ud83d"), end(output_tokens=1)).whole()
    assert json.loads(json.dumps(whole.content))[0]["text"] == "a\ud83d"
