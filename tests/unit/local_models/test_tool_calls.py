from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.errors import InputError
from appliance.local_models.tool_calls import HeldText, Toolbox

EXEC = {
    "type": "function",
    "function": {
        "name": "exec",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}
READ = {"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "exec", "arguments": {"command": "ls 文件 🗂"}}',
        '```json\n{"name": "exec", "arguments": {"command": "ls 文件 🗂"}}\n```',
        '{"name": "exec", "parameters": {"command": "ls 文件 🗂"}}',
        '{"name": "exec", "arguments": "{\\"command\\": \\"ls 文件 🗂\\"}"}',
        '{"type": "function", "function": {"name": "exec", "arguments": {"command": "ls 文件 🗂"}}}',
    ],
)
def test_the_usual_ways_to_write_a_call_are_read(text: str) -> None:
    call = Toolbox([EXEC, READ], None).read(text)
    assert call is not None
    assert call["function"]["name"] == "exec"
    assert json.loads(call["function"]["arguments"]) == {"command": "ls 文件 🗂"}


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        '{"name": "exec", "arguments": {"command": "ls"',
        '{"name": "format_disk", "arguments": {}}',
        '{"name": "exec", "arguments": {}}',
        '{"name": "exec", "arguments": ["ls"]}',
        '{"name": "exec", "arguments": "not json"}',
        "[1]",
        "null",
        "[" * 5000,
        '{"a": 1}',
    ],
)
def test_anything_else_is_plain_text(text: str) -> None:
    assert Toolbox([EXEC, READ], None).read(text) is None


@given(st.text())
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    call = Toolbox([EXEC, READ], None).read(text)
    assert call is None or call["function"]["name"] in ("exec", "read")


def test_none_takes_the_tools_away() -> None:
    box = Toolbox([EXEC], "none")
    assert box.tools == []
    assert box.allowed == []
    assert box.read('{"name": "exec", "arguments": {"command": "ls"}}') is None


def test_a_named_tool_is_the_only_one_and_must_be_called() -> None:
    box = Toolbox([EXEC, READ], {"type": "function", "function": {"name": "read"}})
    assert box.must_call
    assert box.allowed == ["read"]
    assert box.call_schema()["properties"]["name"] == {"const": "read"}


@pytest.mark.parametrize(
    ("tools", "choice"),
    [([{}], None), ([{"function": {"name": 3}}], None), ([EXEC], {"function": {"name": "x"}}), ([EXEC], "maybe")],
)
def test_malformed_tools_are_refused(tools: object, choice: object) -> None:
    with pytest.raises(InputError):
        Toolbox(tools, choice)


def test_required_without_tools_is_free_text() -> None:
    assert not Toolbox([], "required").must_call


@given(st.lists(st.sampled_from(["<", "<tool", "_call", ">", "a", "文", "STOP", "ST", "OP "]), max_size=12))
def test_held_text_shows_everything_before_the_first_marker_and_nothing_of_it(pieces: list[str]) -> None:
    held = HeldText(["<tool_call>", "STOP"])
    shown = "".join(held.feed(piece) for piece in pieces) + held.rest()
    whole = "".join(pieces)
    hits = [whole.find(marker) for marker in ("<tool_call>", "STOP") if marker in whole]
    assert shown == (whole[: min(hits)] if hits else whole)
    assert bool(held.found) == bool(hits)


def test_a_reply_that_begins_like_json_is_held_back_whole() -> None:
    held = HeldText([], hold_all_of=("{", "```"))
    assert [held.feed(piece) for piece in (" ", '{"name"', ": 1}")] == ["", "", ""]
    assert held.holding
    assert held.rest() == ' {"name": 1}'


def test_a_reply_in_words_is_shown_at_once_even_where_json_is_looked_for() -> None:
    held = HeldText([], hold_all_of=("{", "```"))
    assert held.feed("Hi {") == "Hi {"
