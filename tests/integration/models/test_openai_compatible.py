"""Servers that speak OpenAI's protocol, over real HTTP."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ModelError, ModelFault, UnpricedModelError
from appliance.models.base import Finished, ModelEvent, ModelRequest, PromptPart, TextDelta, ToolSpec
from appliance.models.openai_compatible import Endpoint, OpenAICompatible
from appliance.settings import OpenAICompatibleSettings
from appliance.testing.anthropic_replies import Fault, Reply, rate_limited
from appliance.testing.fake_openai import FakeOpenAI

from ...unit.models.desk import open_desk

TOOL = ToolSpec("exec", "Run a command.", {"type": "object"})


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    async with FakeOpenAI() as fake:
        yield fake


@pytest.fixture
async def model(server: FakeOpenAI) -> AsyncIterator[OpenAICompatible]:
    made = OpenAICompatible("local", lambda: Endpoint(server.url, "tiny", 8_192), local=True, timeout=10)
    yield made
    await made.close()


def user(*blocks: dict[str, Any] | str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]}


def request(*messages: dict[str, Any], **more: Any) -> ModelRequest:
    return ModelRequest((PromptPart("Be kind."), PromptPart("It is Monday.")), messages or (user("hello"),), **more)


async def read(model: OpenAICompatible, wanted: ModelRequest | None = None) -> list[ModelEvent]:
    return [event async for event in model.stream(wanted or request())]


async def finish(model: OpenAICompatible, wanted: ModelRequest | None = None) -> Finished:
    last = (await read(model, wanted))[-1]
    assert isinstance(last, Finished)
    return last


async def trouble(model: OpenAICompatible, wanted: ModelRequest | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await read(model, wanted)
    return caught.value


async def test_an_answer_streams_with_the_server_s_usage(server: FakeOpenAI, model: OpenAICompatible) -> None:
    server.script(Reply(text="你好，世界", pieces=3, last_usage={"prompt_tokens_details": {"cached_tokens": 5}}))
    events = await read(model)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "你好，世界"
    usage = events[-1].usage  # type: ignore[union-attr]
    call = server.calls[0]
    assert (usage.prompt, usage.cache_read, usage.output) == (call.prompt_tokens, 5, call.completion_tokens)
    assert not usage.estimated
    assert server.calls[0].request["messages"][0] == {"role": "system", "content": "Be kind.\n\nIt is Monday."}


async def test_tool_calls_are_put_together_and_answered(server: FakeOpenAI, model: OpenAICompatible) -> None:
    server.script(Reply(text="ok", tools=[("exec", {"command": "ls 檔案"}), ("exec", {"command": "pwd"})]))
    first = await finish(model, request(tools=(TOOL,)))
    calls = [block for block in first.content if block["type"] == "tool_use"]
    assert first.stop == "tool_use"
    assert [call["input"] for call in calls] == [{"command": "ls 檔案"}, {"command": "pwd"}]
    results = [{"type": "tool_result", "tool_use_id": c["id"], "content": "", "is_error": False} for c in calls]
    history = (user("hello"), {"role": "assistant", "content": list(first.content)}, user(*results, "and?"))
    await finish(model, request(*history, tools=(TOOL,)))
    assert [m["role"] for m in server.calls[1].request["messages"][1:]] == ["user", "assistant", "tool", "tool", "user"]


async def test_call_ids_are_unique_across_answers_though_the_server_counts_anew(
    server: FakeOpenAI, model: OpenAICompatible
) -> None:
    server.script(*[Reply(tools=[("exec", {"n": n})]) for n in range(2)])
    ids = {(await finish(model, request(tools=(TOOL,)))).content[0]["id"] for _ in range(2)}
    assert len(ids) == 2


async def test_broken_arguments_become_an_empty_object_with_the_raw_text(
    server: FakeOpenAI, model: OpenAICompatible
) -> None:
    server.script(Reply(tools=[("exec", {"command": "ls"})], fault="broken_tool_json", after=99))
    call = (await finish(model, request(tools=(TOOL,)))).content[0]
    assert call["input"] == {}
    assert call["invalid"].startswith('{"comm')


async def test_thinking_aloud_is_left_out() -> None:
    async with FakeOpenAI(think="The user greets me. I could say <b>hi</b>.") as server:
        model = OpenAICompatible("local", lambda: Endpoint(server.url, "tiny", 8_192), local=True)
        server.script(Reply(text="Hi there", pieces=8))
        events = await read(model)
        assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "Hi there"
        await model.close()


async def test_a_stream_without_usage_is_estimated_and_marked(server: FakeOpenAI, model: OpenAICompatible) -> None:
    server.script(Reply(text="word " * 40, fault="no_usage", after=99))
    usage = (await finish(model)).usage
    assert usage.estimated
    assert usage.output >= 40
    assert usage.prompt > 0


@pytest.mark.parametrize("fault", ["cut", "eof"])
async def test_a_broken_stream_carries_what_arrived(server: FakeOpenAI, model: OpenAICompatible, fault: Fault) -> None:
    server.script(Reply(text="one two three", pieces=3, after=3, fault=fault))
    error = await trouble(model)
    assert error.kind is ModelFault.NETWORK
    assert isinstance(error.partial, Finished)
    assert error.partial.content[0]["text"].startswith("one")
    assert error.partial.usage.output >= server.calls[0].completion_tokens > 0


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (rate_limited("2"), ModelFault.RATE_LIMIT),
        (Reply(status=401, error="invalid_api_key"), ModelFault.AUTH),
        (Reply(status=404, error="model_not_found"), ModelFault.NOT_FOUND),
        (Reply(status=400, error="exceed_context_size_error"), ModelFault.TOO_LONG),
        (Reply(status=400, error="invalid_request_error", message="context length"), ModelFault.FORMAT),
        (Reply(status=503, error="model_not_ready", message="loading 40%"), ModelFault.UNAVAILABLE),
        (Reply(status=500, error="server_error"), ModelFault.OVERLOADED),
    ],
)
async def test_each_refusal_has_its_kind(
    server: FakeOpenAI, model: OpenAICompatible, reply: Reply, kind: ModelFault
) -> None:
    server.script(reply)
    error = await trouble(model)
    assert (error.kind, error.partial) == (kind, None)


async def test_a_prompt_over_the_window_is_too_long(server: FakeOpenAI, model: OpenAICompatible) -> None:
    assert (await trouble(model, request(user("word " * 20_000)))).kind is ModelFault.TOO_LONG


async def test_a_silent_server_is_left_after_the_time_limit(server: FakeOpenAI) -> None:
    model = OpenAICompatible("local", lambda: Endpoint(server.url, "tiny", 8_192), local=True, timeout=0.4)
    server.script(Reply(text="a b", pieces=2, fault="silent"))
    error = await trouble(model)
    assert error.kind is ModelFault.NETWORK
    assert "took too long" in error.what
    await model.close()


async def test_a_local_model_that_is_down_is_not_ready_and_a_remote_one_unreachable() -> None:
    kinds = []
    for local in (True, False):
        model = OpenAICompatible("x", lambda: Endpoint("http://127.0.0.1:9/v1", "tiny", 8_192), local=local, timeout=2)
        kinds.append((await trouble(model)).kind)
        await model.close()
    assert kinds == [ModelFault.UNAVAILABLE, ModelFault.NETWORK]


class Service:
    """A models service in whatever state a test puts it."""

    token = "secret"

    def __init__(self, url: str, state: dict[str, Any]) -> None:
        self.url = url
        self.state = state

    def base_url(self) -> str | None:
        return self.url

    def status(self) -> dict[str, Any]:
        return self.state


async def test_a_local_model_says_how_far_it_is_until_it_answers(server: FakeOpenAI) -> None:
    service = Service(server.url, {"phase": "fetching", "percent": 41.7, "detail": "qwen3-4b"})
    model = OpenAICompatible.local_service(service)
    error = await trouble(model)
    assert error.kind is ModelFault.UNAVAILABLE
    assert "fetching 42%: qwen3-4b" in error.what
    service.state = {"phase": "ready", "percent": 100, "model": "qwen3-4b", "window": 4_096}
    assert (await finish(model)).content[0]["text"] == "You said: hello"
    assert (model.window, model.max_output, model.local) == (4_096, 2_048, True)
    assert server.calls[0].request["model"] == "qwen3-4b"
    await model.close()


@pytest.mark.parametrize(("paid", "local"), [(False, True), (True, False)])
async def test_a_server_of_the_settings_is_free_unless_it_is_paid_for(
    server: FakeOpenAI, paid: bool, local: bool
) -> None:
    settings = OpenAICompatibleSettings(base_url=server.url, model="qwen3:8b", window=4_000, paid=paid)
    model = OpenAICompatible.server("nas", settings, 10.0)
    assert (model.name, model.local, model.window) == ("nas", local, 4_000)
    assert (await finish(model)).model == ("qwen3:8b" if paid else "nas")
    assert model.billed_as == ("qwen3:8b" if paid else "nas")
    assert server.calls[0].request["model"] == "qwen3:8b"
    await model.close()


@pytest.mark.parametrize(("vision", "kind"), [(True, list), (False, str)])
async def test_images_go_only_to_models_that_see(
    server: FakeOpenAI, tmp_path: Path, vision: bool, kind: Callable[..., object]
) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(base64.b64decode("iVBORw0KGgo="))
    image = {"type": "image", "media_type": "image/png", "path": str(path)}
    model = OpenAICompatible("local", lambda: Endpoint(server.url, "tiny", 8_192, vision=vision), local=True)
    server.script(Reply(text="I see"))
    await finish(model, request(user("look", image)))
    content = server.calls[0].request["messages"][1]["content"]
    assert type(content) is kind
    assert ("data:image/png;base64,iVBORw0KGgo=" in str(content)) is vision
    await model.close()


async def test_a_paid_server_is_charged_at_the_price_of_its_own_model(server: FakeOpenAI, tmp_path: Path) -> None:
    settings = OpenAICompatibleSettings(base_url=server.url, model="gpt-5-mini", window=64_000, paid=True)
    model = OpenAICompatible.server("cloud", settings, 10.0)
    async with open_desk(tmp_path, model) as desk:
        server.script(Reply(text="hi"))
        answer = (await desk.ask(request())).answer
        call = server.calls[0]
        # 0.25 and 2.00 US dollars a million tokens
        assert answer.cost == call.prompt_tokens * 250_000 + call.completion_tokens * 2_000_000
        assert [(row["model"], row["cost"]) for row in desk.rows()] == [("gpt-5-mini", answer.cost)]
    await model.close()


async def test_a_paid_server_without_a_known_price_is_not_called(server: FakeOpenAI, tmp_path: Path) -> None:
    settings = OpenAICompatibleSettings(base_url=server.url, model="qwen3:8b", window=64_000, paid=True)
    model = OpenAICompatible.server("cloud", settings, 10.0)
    async with open_desk(tmp_path, model) as desk:
        with pytest.raises(UnpricedModelError, match="qwen3:8b"):
            await desk.ask(request())
    assert server.calls == []
    await model.close()
