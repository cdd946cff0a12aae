"""The adapter and the resolver against the real local model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ModelError, ModelFault
from appliance.models.base import Answer, Finished, ModelRequest, PromptPart, TextDelta, ToolSpec
from appliance.models.openai_compatible import OpenAICompatible
from appliance.testing.local_service import LocalService
from appliance.testing.scripted_model import failure

from ...unit.models.desk import claude, fault, open_desk
from ..local_models.conftest import Supervised

pytestmark = pytest.mark.local


@pytest.fixture
async def model(service: LocalService) -> AsyncIterator[OpenAICompatible]:
    made = OpenAICompatible.local_service(Supervised(service), timeout=90)
    yield made
    await made.close()


def request(text: str, **more: Any) -> ModelRequest:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return ModelRequest((PromptPart("You are a helpful assistant."),), (message,), **{"max_tokens": 24, **more})


async def test_it_answers_for_a_paid_model_that_is_down_and_costs_nothing(
    model: OpenAICompatible, tmp_path: Path
) -> None:
    async with open_desk(tmp_path, claude(failure(fault(ModelFault.NOT_FOUND))), model) as desk:
        heard = await desk.ask(request("Say hello."))
        answer = heard.answer
        assert (answer.local, answer.cost, answer.model) == (True, 0, "local")
        assert [notice.kind for notice in heard.notices] == ["fallback"]
        assert heard.shown.strip()
        assert not answer.finished.usage.estimated
        assert 0 < answer.finished.usage.output <= 24
        assert [(row["local"], row["cost"], row["output"]) for row in desk.rows()] == [
            (1, 0, answer.finished.usage.output)
        ]


async def test_a_second_turn_reads_its_prefix_from_the_cache(model: OpenAICompatible) -> None:
    usages = []
    for _ in range(2):
        events = [event async for event in model.stream(request("Say hello. " * 40))]
        assert isinstance(events[-1], Finished)
        usages.append(events[-1].usage)
    assert usages[1].cache_read > 80
    assert usages[0].prompt == usages[1].prompt


async def test_a_call_of_a_tool_is_always_one_that_can_be_run(model: OpenAICompatible) -> None:
    schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    tools = (ToolSpec("exec", "Run a shell command.", schema),)
    events = [e async for e in model.stream(request("Run the command ls with exec.", tools=tools, max_tokens=80))]
    finished = events[-1]
    assert isinstance(finished, Finished)
    for block in finished.content:
        if block["type"] == "tool_use":
            assert block["name"] == "exec"
            assert "invalid" not in block
    assert finished.content


async def test_a_prompt_over_its_window_is_too_long_for_it(model: OpenAICompatible) -> None:
    with pytest.raises(ModelError) as caught:
        [event async for event in model.stream(request("word " * (model.window + 100)))]
    assert caught.value.kind is ModelFault.TOO_LONG


async def test_leaving_early_frees_it_for_the_next(model: OpenAICompatible, tmp_path: Path) -> None:
    async with open_desk(tmp_path, model) as desk:
        stream = desk.resolver.stream(request("Count from one to five hundred.", max_tokens=2_000))
        async for event in stream:
            if isinstance(event, TextDelta):
                break
        await stream.aclose()
        answer = (await asyncio.wait_for(desk.ask(request("Say hello.")), 30)).answer
        assert isinstance(answer, Answer)
        assert [row["outcome"] for row in desk.rows()] == ["cancelled", "ok"]
