"""Chunks of many servers, put together; thinking left out; usage read or estimated."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.messages import Usage
from appliance.models.base import ModelRequest
from appliance.models.openai_stream import ChunkBuilder, ThinkFilter

REQUEST = ModelRequest((), ({"role": "user", "content": [{"type": "text", "text": "hi"}]},))


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def call(arguments: str, **fields: Any) -> dict[str, Any]:
    name = fields.pop("name", None)
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return delta(tool_calls=[{"function": function, **fields}])


def built(*chunks: dict[str, Any]) -> ChunkBuilder:
    builder = ChunkBuilder(REQUEST, "local", 1_000)
    for chunk in chunks:
        builder.feed(chunk)
    return builder


def visible(pieces: list[str]) -> str:
    thinking = ThinkFilter()
    return "".join(thinking.feed(piece) for piece in pieces) + thinking.end()


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    points = sorted({cut % (len(text) + 1) for cut in cuts} | {0, len(text)})
    return [text[a:b] for a, b in pairwise(points)]


@given(st.text(alphabet="<think>/ab 想\n", max_size=40), st.lists(st.integers(0, 200)))
def test_text_without_thinking_is_shown_whole_however_it_is_cut(text: str, cuts: list[int]) -> None:
    if not text.lstrip().startswith("<think>"):
        assert visible(pieces_of(text, cuts)) == text


@given(
    st.text(alphabet="ab<想\n ", max_size=20),
    st.text(alphabet="<think>/ab", max_size=20),
    st.lists(st.integers(0, 200)),
)
def test_thinking_at_the_start_is_left_out_however_it_is_cut(thought: str, answer: str, cuts: list[int]) -> None:
    assert visible(pieces_of(f"\n<think>{thought}</think>\n\n{answer}", cuts)) == answer


def test_thinking_that_never_ends_is_not_shown() -> None:
    assert visible(["<think>", "on and on"]) == ""


def test_what_a_server_puts_into_fields_for_reasoning_is_left_out() -> None:
    whole = built(delta(reasoning_content="hm"), delta(content="yes"), delta("stop")).whole()
    assert [block["text"] for block in whole.content] == ["yes"]


@pytest.mark.parametrize(
    "chunks",
    [
        [call('{"a"', index=0, id="x", name="exec"), call(": 1}", index=0)],
        [call('{"a"', id="x", name="exec"), call(": 1}", id="x")],
        [call('{"a": 1}', name="exec")],
    ],
)
def test_arguments_are_put_together_by_index_by_id_or_by_order(chunks: list[dict[str, Any]]) -> None:
    whole = built(*chunks, delta("tool_calls")).whole()
    assert [(block["name"], block["input"]) for block in whole.content] == [("exec", {"a": 1})]
    assert whole.stop == "tool_use"


def test_a_server_that_ends_calls_with_stop_is_understood() -> None:
    assert built(call("{}", index=0, id="x", name="exec"), delta("stop")).whole().stop == "tool_use"


def test_a_call_without_a_name_is_dropped() -> None:
    assert built(call("{}", index=0), delta("stop")).whole().content == ()


def test_usage_may_come_with_the_last_chunk_or_after_it() -> None:
    usage = {"prompt_tokens": 20, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 12}}
    for chunks in (
        [delta(content="x"), delta("stop"), {"choices": [], "usage": usage}],
        [delta(content="x"), {**delta("stop"), "usage": usage}],
    ):
        assert built(*chunks).whole().usage == Usage(8, 12, output=7)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}])
def test_usage_that_is_missing_or_nothing_is_estimated(usage: dict[str, Any] | None) -> None:
    whole = built(delta(content="word " * 40), {**delta("stop"), "usage": usage}).whole()
    assert whole.usage.estimated
    assert whole.usage.output >= 40
    assert whole.usage.input > 0


@pytest.mark.parametrize(("reason", "stop"), [("stop", "end"), ("length", "max_tokens"), ("content_filter", "refusal")])
def test_each_reason_has_its_meaning(reason: str, stop: str) -> None:
    assert built(delta(content="x"), delta(reason)).whole().stop == stop


def test_a_cut_answer_costs_at_least_what_arrived() -> None:
    partial = built(delta(content="一二三" * 100)).partial()
    assert partial.usage.estimated
    assert partial.usage.output >= 300
    assert partial.stop == "stopped"
