"""Whatever the records say, what is sent is well formed."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from appliance.agent.history import messages_of, repair
from appliance.messages import Message


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def call(identity: str, name: str = "read") -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": {}}


def result(identity: str, value: str = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "content": value, "is_error": False}


def user(*content: dict[str, Any]) -> Message:
    return {"role": "user", "content": list(content)}


def assistant(*content: dict[str, Any]) -> Message:
    return {"role": "assistant", "content": list(content)}


def assert_well_formed(messages: list[Message]) -> None:
    """What a strict provider demands."""
    seen: set[str] = set()
    for index, message in enumerate(messages):
        assert message["content"]
        assert message["role"] == ("user" if index % 2 == 0 else "assistant")
        for block in message["content"]:
            assert block["type"] != "text" or block["text"].strip()
        calls = [b["id"] for b in message["content"] if b["type"] == "tool_use"]
        assert len(calls) == len(set(calls))
        assert not seen & set(calls)
        seen |= set(calls)
        if calls:
            following = messages[index + 1]["content"]
            assert [b["tool_use_id"] for b in following[: len(calls)]] == calls
        results = [b["tool_use_id"] for b in message["content"] if b["type"] == "tool_result"]
        before = messages[index - 1]["content"] if index else []
        assert results == [b["id"] for b in before if b["type"] == "tool_use"]


def test_a_call_without_a_result_is_answered_as_interrupted() -> None:
    fixed = repair([user(text("go")), assistant(call("a"), call("b")), user(result("b"))])
    assert_well_formed(fixed)
    assert "unknown" in fixed[2]["content"][0]["content"]
    assert fixed[2]["content"][1]["content"] == "ok"


def test_results_in_records_of_their_own_belong_to_one_answer() -> None:
    fixed = repair([user(text("go")), assistant(call("a"), call("b")), user(result("a")), user(result("b", "two"))])
    assert_well_formed(fixed)
    assert [b["content"] for b in fixed[2]["content"]] == ["ok", "two"]


def test_a_result_without_a_call_is_dropped() -> None:
    fixed = repair([user(text("go")), user(result("ghost"), text("hi"))])
    assert fixed == [user(text("go"), text("hi"))]


def test_the_same_id_twice_is_answered_once() -> None:
    fixed = repair([user(text("go")), assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))])
    assert_well_formed(fixed)


def test_null_content_and_empty_texts_are_left_out() -> None:
    records: list[Any] = [
        {"role": "user", "content": [text("go"), None, {"type": None}, text("  ")]},
        {"role": "assistant", "content": [text("")]},
        {"role": "user", "content": [text("again")]},
    ]
    assert messages_of(records) == [user(text("go"), text("again"))]


def test_a_summary_stands_first() -> None:
    records = [{"type": "marker", "kind": "compaction", "summary": "The door code is 4711."}, user(text("and now?"))]
    messages = messages_of(records)
    assert "4711" in messages[0]["content"][0]["text"]
    assert_well_formed(messages)


blocks = st.one_of(
    st.builds(text, st.sampled_from(["", " ", "hello", "你好"])),
    st.builds(call, st.sampled_from("abc")),
    st.builds(result, st.sampled_from("abc"), st.sampled_from(["", "x"])),
)
any_message = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(["user", "assistant"]),
    st.lists(blocks, max_size=4),
)


@given(st.lists(any_message, max_size=12))
def test_any_history_becomes_well_formed(history: list[Message]) -> None:
    assert_well_formed(messages_of(history))


@given(st.lists(any_message, max_size=12))
def test_repairing_twice_changes_nothing(history: list[Message]) -> None:
    once = messages_of(history)
    assert repair(once) == once
