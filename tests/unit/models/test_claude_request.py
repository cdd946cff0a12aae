"""What is sent to the Messages API: marks, order, and nothing that is known to be refused."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ModelError, ModelFault
from appliance.messages import Purpose
from appliance.models.base import ModelRequest, PromptPart, ToolSpec
from appliance.models.claude_request import has_images, to_anthropic
from appliance.testing.anthropic_rules import check

MODEL = "claude-sonnet-5-5"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def user(*blocks: dict[str, Any] | str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]}


def assistant(*blocks: dict[str, Any] | str) -> dict[str, Any]:
    return {**user(*blocks), "role": "assistant"}


def use(call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "exec", "input": arguments}


def result(call_id: str, content: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": False, **more}


def build(*messages: dict[str, Any], system: tuple[PromptPart, ...] = (), **more: Any) -> dict[str, Any]:
    body = to_anthropic(ModelRequest(system, messages, **more), MODEL, 1_000)
    check(body)  # the strict fake's rules: whatever is built here would be taken
    return body


def marks(body: dict[str, Any]) -> list[str]:
    found = [f"tool {t['name']}" for t in body.get("tools", []) if "cache_control" in t]
    found += [f"system {i}" for i, b in enumerate(body.get("system", [])) if "cache_control" in b]
    for i, message in enumerate(body["messages"]):
        found += [f"message {i}.{j}" for j, block in enumerate(message["content"]) if "cache_control" in block]
    return found


TOOL = ToolSpec("exec", "Run a command.", {"type": "object", "properties": {}})
READ = ToolSpec("read", "Read a file.", {"type": "object", "properties": {}})


def test_marks_stand_on_flagged_system_parts_the_last_tool_and_the_last_user_message() -> None:
    system = (PromptPart("stable", mark=True), PromptPart("today is Monday"))
    body = build(user("a"), assistant("b"), user("c"), system=system, tools=(TOOL, READ))
    assert marks(body) == ["tool read", "system 0", "message 0.0", "message 2.0"]


def test_there_are_never_more_than_four_marks() -> None:
    system = tuple(PromptPart(f"part {n}", mark=True) for n in range(6))
    body = build(user("a"), assistant("b"), user("c"), system=system, tools=(TOOL, READ))
    assert marks(body) == ["tool read", "system 4", "system 5", "message 2.0"]


@pytest.mark.parametrize("purpose", [Purpose.FLUSH, Purpose.COMPACTION, Purpose.HEARTBEAT, Purpose.TITLE])
def test_a_call_that_nothing_follows_does_not_pay_for_caching_its_conversation(purpose: Purpose) -> None:
    assert marks(build(user("a"), purpose=purpose)) == []


def test_empty_text_and_empty_messages_are_left_out_and_neighbours_joined() -> None:
    body = build(user("hello", "  \n"), assistant(""), user("again"))
    assert [m["role"] for m in body["messages"]] == ["user"]
    assert [b["text"] for b in body["messages"][0]["content"]] == ["hello", "again"]


def test_an_empty_system_part_is_left_out() -> None:
    assert "system" not in build(user("a"), system=(PromptPart(" "),))


def test_results_come_first_in_the_message_that_answers_a_call() -> None:
    body = build(user("a"), assistant(use("c1")), user("also this", result("c1", "out")))
    assert [b["type"] for b in body["messages"][2]["content"]] == ["tool_result", "text"]


def test_ids_of_other_models_are_made_acceptable_on_both_sides() -> None:
    calls, results = ["call:1/x", "call_1_x", "呼叫"], [result(i, "out") for i in ("call:1/x", "call_1_x", "呼叫")]
    body = build(user("a"), assistant(*(use(call_id) for call_id in calls)), user(*results))
    made = [block["id"] for block in body["messages"][1]["content"]]
    assert made == [block["tool_use_id"] for block in body["messages"][2]["content"]]
    assert len(set(made)) == 3
    assert made[1] == "call_1_x"


def test_thinking_goes_back_word_for_word_to_the_model_that_wrote_it_and_to_no_other() -> None:
    from appliance.testing.anthropic_rules import sign

    thought = {"type": "thinking", "thinking": "嗯…", "signature": sign("嗯…")}
    body = build(user("a"), assistant({**thought, "model": MODEL}, use("c1")), user(result("c1", "x")))
    assert body["messages"][1]["content"][0] == thought
    other = build(user("a"), assistant({**thought, "model": "claude-haiku-5-5"}, use("c1")), user(result("c1", "x")))
    assert [b["type"] for b in other["messages"][1]["content"]] == ["tool_use"]


def test_the_marker_of_a_broken_call_is_not_sent() -> None:
    body = build(user("a"), assistant({**use("c1"), "invalid": '{"com'}), user(result("c1", "bad JSON")))
    assert "invalid" not in body["messages"][1]["content"][0]


def test_an_empty_result_is_sent_without_content() -> None:
    body = build(user("a"), assistant(use("c1")), user(result("c1", "")))
    assert "content" not in body["messages"][2]["content"][0]


def test_a_failed_result_says_so() -> None:
    body = build(user("a"), assistant(use("c1")), user(result("c1", "no such file", is_error=True)))
    assert body["messages"][2]["content"][0]["is_error"] is True


def test_images_are_read_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    image = {"type": "image", "media_type": "image/png", "path": str(path)}
    source = build(user("look", image))["messages"][0]["content"][1]["source"]
    assert base64.b64decode(source["data"]) == PNG
    with_result = build(user("a"), assistant(use("c1")), user(result("c1", "shot", images=[image])))
    assert [p["type"] for p in with_result["messages"][2]["content"][0]["content"]] == ["text", "image"]


@pytest.mark.parametrize(
    ("name", "media_type", "data", "why"),
    [
        ("gone.png", "image/png", None, "No such file"),
        ("a.bmp", "image/bmp", b"BM", "image/bmp"),
        ("empty.png", "image/png", b"", "0 bytes"),
        ("huge.png", "image/png", b"\x89PNG" + bytes(4_000_000), "at most"),
    ],
)
def test_an_image_that_cannot_be_shown_is_said_to_be_missing(
    tmp_path: Path, name: str, media_type: str, data: bytes | None, why: str
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    image = {"type": "image", "media_type": media_type, "path": str(path)}
    block = build(user("look", image))["messages"][0]["content"][1]
    assert block["type"] == "text"
    assert name in block["text"]
    assert why in block["text"]


def test_files_are_read_only_for_requests_that_have_images() -> None:
    assert not has_images(ModelRequest((), (user("a"),)))
    image = {"type": "image", "media_type": "image/png", "path": "/x"}
    assert has_images(ModelRequest((), (user(image),)))
    assert has_images(ModelRequest((), (user(result("c", "x", images=[image])),)))


@pytest.mark.parametrize("messages", [(), (assistant("hi"),), (user("a"), assistant("prefill"))])
def test_a_conversation_that_does_not_begin_and_end_with_the_user_is_refused_here(
    messages: tuple[dict[str, Any], ...],
) -> None:
    with pytest.raises(ModelError) as caught:
        to_anthropic(ModelRequest((), messages), MODEL, 1_000)
    assert caught.value.kind is ModelFault.FORMAT


def test_no_sampling_no_forced_choice_no_prefill_is_ever_sent() -> None:
    body = build(user("a"), tools=(TOOL,))
    assert set(body) == {"model", "max_tokens", "messages", "tools"}
