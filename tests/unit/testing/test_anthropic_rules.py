"""The fake refuses what the API refuses, so that a test that passes here would pass there."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from appliance.testing.anthropic_rules import RefusedError, check, generation, sign

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    default = ({"role": "user", "content": "hi"},)
    return {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": list(messages or default), **more}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(value: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def use(call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "exec", "input": {}, **more}


def result(call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "out", **more}


def image(data: str = PNG, media_type: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


MARK = {"cache_control": {"type": "ephemeral"}}
TOOL = {"name": "exec", "description": "d", "input_schema": {"type": "object"}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": sign("hm")}


@pytest.mark.parametrize(
    "request_body",
    [
        body(),
        body(user(text()), said(text(), use()), user(result(), text())),
        body(user(text()), said(THOUGHT, use("a"), use("b")), user(result("b"), result("a"))),
        body(user(text(), image()), system=[text(**MARK)], tools=[{**TOOL, **MARK}]),
        body(user(text()), said(use()), user(result(content=[text(), image()], is_error=True))),
        body(model="claude-sonnet-4-5", temperature=0.2),
        body(model="claude-haiku-5-5", tool_choice={"type": "any"}, tools=[TOOL]),
    ],
)
def test_what_the_api_takes_is_taken(request_body: dict[str, Any]) -> None:
    check(request_body)


@pytest.mark.parametrize(
    ("request_body", "why"),
    [
        ({"model": "m", "messages": [user(text())]}, "max_tokens: Field required"),
        ({"max_tokens": 1, "messages": [user(text())]}, "model: Field required"),
        (body(max_tokens=0), "max_tokens"),
        (body(max_tokens=128_001), "maximum"),
        (body(temperature=0.5), "temperature: not supported"),
        (body(model="claude-opus-4-7", top_p=0.5), "top_p: not supported"),
        (body(model="claude-haiku-5-5", top_k=5), "top_k: not supported"),
        (body(tool_choice={"type": "tool", "name": "exec"}, tools=[TOOL]), "tool_choice"),
        (body(novel=1), "novel: Extra inputs"),
        (body(said(text())), "first message"),
        (body(user(text()), user(text())), "alternate"),
        (body(user(text()), said(text())), "prefill"),
        (body(user()), "must not be empty"),
        (body({"role": "user", "content": "  "}), "non-whitespace"),
        (body(user(text("\n"))), "non-whitespace"),
        (body(user(text("")), system="s"), "non-whitespace"),
        (body(system=[text(" ")]), "non-whitespace"),
        (body({"role": "system", "content": "x"}), "role"),
        (body(user(use())), "not allowed here"),
        (body(user(text()), said(result()), user(text())), "not allowed here"),
        (body(user(result())), "unexpected `tool_use_id`"),
        (body(user(text()), said(use()), user(text())), "without `tool_result` blocks immediately after"),
        (body(user(text()), said(use("a"), use("b")), user(result("a"))), "without `tool_result`"),
        (body(user(text()), said(use("a"), use("a")), user(result("a"))), "unique"),
        (body(user(text()), said(use()), user(result(), result())), "single result"),
        (body(user(text()), said(use()), user(text(), result())), "come first"),
        (
            body(user(text()), said(use()), user(result()), said(use()), user(result())),
            "unique",
        ),
        (body(user(text()), said(use("a:b")), user(result("a:b"))), "pattern"),
        (body(user(text()), said(use(invalid="x")), user(result())), "invalid: Extra inputs"),
        (body(user(text()), said(use(input=[])), user(result())), "dictionary"),
        (body(user(text()), said({**THOUGHT, "thinking": "changed"}, use()), user(result())), "cannot be modified"),
        (body(user(*[text(**MARK)] * 3), system=[text(**MARK)], tools=[{**TOOL, **MARK}]), "maximum of 4"),
        (body(user(image("%%%"))), "invalid base64"),
        (body(user(image(base64.b64encode(b"GIF89a").decode()))), "Could not process"),
        (body(user(image(media_type="image/bmp"))), "media_type"),
        (body(user(image(PNG + "A" * 6_000_000))), "5 MB"),
        (body(tools=[TOOL, TOOL]), "unique"),
        (body(tools=[{**TOOL, "name": "a b"}]), "pattern"),
        (body(tools=[{"name": "x", "input_schema": {}}]), "input_schema"),
    ],
)
def test_what_the_api_refuses_is_refused(request_body: dict[str, Any], why: str) -> None:
    with pytest.raises(RefusedError, match=why.replace("(", r"\(")):
        check(request_body)


def test_counting_needs_no_output_limit() -> None:
    request_body = body()
    del request_body["max_tokens"]
    check(request_body, counting=True)


@pytest.mark.parametrize(
    ("model", "numbers"),
    [
        ("claude-opus-4-7", (4, 7)),
        ("claude-sonnet-5", (5, 0)),
        ("claude-haiku-4-5-20251001", (4, 5)),
        ("other", (0, 0)),
    ],
)
def test_generations_are_read_from_names(model: str, numbers: tuple[int, int]) -> None:
    assert generation(model) == numbers
