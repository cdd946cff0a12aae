"""A scripted model fails on what its script does not say."""

from __future__ import annotations

import pytest

from appliance.models.base import Finished, ModelRequest, TextDelta
from appliance.testing.scripted_model import ScriptedModel, call, text

REQUEST = ModelRequest((), ({"role": "user", "content": [{"type": "text", "text": "hi"}]},))


async def test_it_plays_its_steps_in_order() -> None:
    model = ScriptedModel([text("a", "b"), call("exec", {"x": 1}, say="ok")])
    one = [event async for event in model.stream(REQUEST)]
    two = [event async for event in model.stream(REQUEST)]
    assert [event.text for event in one if isinstance(event, TextDelta)] == ["a", "b"]
    assert isinstance(two[-1], Finished)
    assert [block["type"] for block in two[-1].content] == ["text", "tool_use"]
    model.finish()


async def test_a_call_too_many_fails() -> None:
    model = ScriptedModel([])
    with pytest.raises(AssertionError, match="one more than the script has"):
        [event async for event in model.stream(REQUEST)]


async def test_an_unexpected_request_fails() -> None:
    model = ScriptedModel([text("a", expect=lambda request: bool(request.tools))])
    with pytest.raises(AssertionError, match="not as expected"):
        [event async for event in model.stream(REQUEST)]


def test_a_step_that_nobody_asked_for_fails() -> None:
    with pytest.raises(AssertionError, match="1 steps were never asked for"):
        ScriptedModel([text("a")]).finish()
