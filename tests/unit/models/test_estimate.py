"""Estimates lean high, and the byte bound is one."""

from __future__ import annotations

import base64

import pytest

from appliance.models.base import ModelRequest, PromptPart, ToolSpec
from appliance.models.estimate import in_flight, request_bytes, request_tokens, tokens, unheard


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("a", 1, 2),
        ("The garage door has been open for ten minutes. " * 20, 200, 320),  # about 220 real tokens
        ("明天下午三点开项目评审会议讨论排期" * 10, 170, 260),
        ("👍🏽" * 50, 100, 200),
        (base64.b64encode(bytes(range(256)) * 4).decode(), 1_000, 1_400),
    ],
)
def test_a_guess_leans_high_in_every_script(text: str, least: int, most: int) -> None:
    assert least <= tokens(text) <= most


def test_a_request_counts_its_system_tools_messages_and_images() -> None:
    image = {"type": "image", "media_type": "image/png", "path": "/x.png"}
    call = {"type": "tool_use", "id": "c", "name": "exec", "input": {"command": "ls " * 100}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "out " * 100, "images": [image]}
    thinking = {"type": "thinking", "thinking": "hm " * 100, "signature": "s"}
    parts = [
        ModelRequest((PromptPart("a " * 100),), ()),
        ModelRequest((), (), tools=(ToolSpec("exec", "run " * 100, {"type": "object"}),)),
        *(ModelRequest((), ({"role": "user", "content": [block]},)) for block in (image, call, result, thinking)),
    ]
    for request in parts:
        assert request_tokens(request) > 50
        assert request_bytes(request) >= request_tokens(request)


def test_the_byte_bound_counts_bytes_and_not_characters() -> None:
    request = ModelRequest((PromptPart("評審👍"),), ())
    assert request_bytes(request) >= len("評審👍".encode())


def test_what_was_sent_and_never_answered_costs_more_the_longer_it_ran_up_to_its_limit() -> None:
    assert 0 < in_flight(0, 1_000) < in_flight(3, 1_000) < in_flight(60, 1_000) == 1_000
    assert in_flight(60, 1_000, hidden=False) < 100
    finished = unheard("m", 500, 1.0)
    assert finished.usage.estimated
    assert finished.usage.output > 100
