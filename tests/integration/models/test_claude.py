"""The real SDK against a strict API on loopback: streaming, caching, every fault, and books that agree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ModelError, ModelFault
from appliance.models.base import Finished, ModelEvent, ModelRequest, PromptPart, Started, TextDelta, ToolSpec
from appliance.models.claude import Claude, ClaudeConnection
from appliance.testing.anthropic_replies import (
    Fault,
    Reply,
    bad_gateway,
    bad_request,
    no_such_model,
    overloaded,
    rate_limited,
    refused_key,
    server_error,
)
from appliance.testing.fake_anthropic import FakeAnthropic

MODEL = "claude-sonnet-5-5"
TOOL = ToolSpec("exec", "Run a command.", {"type": "object", "properties": {"command": {"type": "string"}}})


@pytest.fixture
async def api() -> AsyncIterator[FakeAnthropic]:
    async with FakeAnthropic() as fake:
        yield fake


@pytest.fixture
async def claude(api: FakeAnthropic) -> AsyncIterator[Claude]:
    connection = ClaudeConnection("sk-ant-test", api.url, timeout=20)
    yield Claude(MODEL, connection)
    await connection.close()


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def request(*messages: dict[str, Any], system: str = "Be kind.", **more: Any) -> ModelRequest:
    return ModelRequest((PromptPart(system, mark=True),), messages or (user("hello"),), tools=(TOOL,), **more)


async def read(claude: Claude, wanted: ModelRequest | None = None) -> list[ModelEvent]:
    return [event async for event in claude.stream(wanted or request())]


async def finish(claude: Claude, wanted: ModelRequest | None = None) -> Finished:
    last = (await read(claude, wanted))[-1]
    assert isinstance(last, Finished)
    return last


async def trouble(claude: Claude, wanted: ModelRequest | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await read(claude, wanted)
    return caught.value


async def test_an_answer_streams_and_its_usage_is_what_the_book_says(api: FakeAnthropic, claude: Claude) -> None:
    api.script(Reply(text="明天下午三点开会。👍", pieces=4))
    events = await read(claude)
    assert isinstance(events[0], Started)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "明天下午三点开会。👍"
    last = events[-1]
    assert isinstance(last, Finished)
    billed = api.calls[0].usage
    assert (last.usage.input, last.usage.output) == (billed["input_tokens"], billed["output_tokens"])
    assert last.model == MODEL
    assert not last.usage.estimated


async def test_a_tool_loop_goes_through_a_strict_api(api: FakeAnthropic, claude: Claude) -> None:
    api.script(
        Reply(thinking="先看看", text="Looking.", tools=[("exec", {"command": "ls"}), ("exec", {"command": "pwd"})])
    )
    first = await finish(claude)
    assert first.stop == "tool_use"
    assert [block["type"] for block in first.content] == ["thinking", "text", "tool_use", "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "out", "is_error": False}
        for block in first.content
        if block["type"] == "tool_use"
    ]
    history = (
        user("hello"),
        {"role": "assistant", "content": list(first.content)},
        {"role": "user", "content": results},
    )
    assert (await finish(claude, request(*history))).stop == "end"
    assert [call.status for call in api.calls] == [200, 200]


async def test_a_second_turn_reads_from_the_cache_what_the_first_wrote(api: FakeAnthropic, claude: Claude) -> None:
    system = "The rules of this house are many and firm. " * 100
    one = await finish(claude, request(system=system))
    history = (user("hello"), {"role": "assistant", "content": list(one.content)}, user("and then?"))
    two = await finish(claude, request(*history, system=system))
    assert one.usage.cache_read == 0
    assert one.usage.cache_write_5m > 1_000
    assert two.usage.cache_read == one.usage.cache_write_5m
    assert two.usage.input + two.usage.cache_write_5m < 100


async def test_counting_is_exact(api: FakeAnthropic, claude: Claude) -> None:
    wanted = request(user("算一下有多少"))
    counted = await claude.count(wanted)
    assert counted == (await finish(claude, wanted)).usage.prompt
    assert len(api.counted) == 1


async def test_counting_says_nothing_when_the_api_cannot_be_asked() -> None:
    connection = ClaudeConnection("k", "http://127.0.0.1:9", timeout=2)
    assert await Claude(MODEL, connection).count(request()) is None
    await connection.close()


@pytest.mark.parametrize(
    ("reply", "kind", "wait"),
    [
        (rate_limited("3"), ModelFault.RATE_LIMIT, 3.0),
        (rate_limited(""), ModelFault.RATE_LIMIT, None),
        (overloaded(), ModelFault.OVERLOADED, None),
        (server_error(), ModelFault.OVERLOADED, None),
        (bad_gateway(), ModelFault.OVERLOADED, None),
        (refused_key(), ModelFault.AUTH, None),
        (no_such_model("x"), ModelFault.NOT_FOUND, None),
        (bad_request("messages.1: unexpected tool_use_id"), ModelFault.FORMAT, None),
        (bad_request("prompt is too long: 1200000 tokens > 1000000 maximum"), ModelFault.TOO_LONG, None),
    ],
)
async def test_each_refusal_has_its_kind_is_not_repeated_and_bills_nothing(
    api: FakeAnthropic, claude: Claude, reply: Reply, kind: ModelFault, wait: float | None
) -> None:
    api.script(reply)
    error = await trouble(claude)
    assert (error.kind, error.retry_after, error.partial) == (kind, wait, None)
    assert len(api.calls) == 1
    assert api.billed == 0


async def test_a_refused_prompt_that_fills_the_window_is_too_long_whatever_the_words(api: FakeAnthropic) -> None:
    connection = ClaudeConnection("k", api.url, timeout=20)
    small = Claude("claude-haiku-4-5", connection)
    api.script(bad_request("the context is exhausted"), bad_request("something else"))
    assert (await trouble(small, request(user("word " * 110_000)))).kind is ModelFault.TOO_LONG
    assert (await trouble(small)).kind is ModelFault.FORMAT
    await connection.close()


async def test_a_date_to_wait_for_is_understood(api: FakeAnthropic, claude: Claude) -> None:
    import time

    api.script(rate_limited(formatdate(time.time() + 20, usegmt=True)))
    error = await trouble(claude)
    assert error.retry_after is not None
    assert 15 < error.retry_after <= 20


@pytest.mark.parametrize("fault", ["cut", "eof", "error_event"])
async def test_a_broken_stream_is_charged_at_least_what_the_provider_bills(
    api: FakeAnthropic, claude: Claude, fault: Fault
) -> None:
    api.script(Reply(text="one two three four five six " * 20, pieces=6, after=3, fault=fault))
    error = await trouble(claude)
    assert error.kind in (ModelFault.NETWORK, ModelFault.OVERLOADED)
    assert isinstance(error.partial, Finished)
    assert error.partial.usage.estimated
    billed = api.calls[0].usage
    assert error.partial.usage.prompt == sum(
        billed[k] for k in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    assert error.partial.usage.output >= billed["output_tokens"] > 0
    assert error.partial.content[0]["text"].startswith("one two")


async def test_a_connection_that_closes_without_a_word_may_have_been_billed(api: FakeAnthropic, claude: Claude) -> None:
    api.script(Reply(fault="refuse_connection"))
    error = await trouble(claude)
    assert error.kind is ModelFault.NETWORK
    assert isinstance(error.partial, Finished)
    assert error.partial.usage.output > 0


async def test_a_server_that_is_not_there_bills_nothing() -> None:
    connection = ClaudeConnection("k", "http://127.0.0.1:9", timeout=2)
    error = await trouble(Claude(MODEL, connection))
    assert (error.kind, error.partial) == (ModelFault.NETWORK, None)
    await connection.close()


@pytest.mark.parametrize("fault", ["silent", "endless"])
async def test_a_body_without_end_is_left_after_the_time_limit(api: FakeAnthropic, fault: Fault) -> None:
    connection = ClaudeConnection("k", api.url, timeout=0.5)
    api.script(Reply(text="a b c", pieces=3, fault=fault))
    error = await trouble(Claude(MODEL, connection))
    assert error.kind is ModelFault.NETWORK
    assert isinstance(error.partial, Finished)
    await connection.close()


async def test_a_stream_without_usage_is_estimated_and_marked(api: FakeAnthropic, claude: Claude) -> None:
    api.script(Reply(text="word " * 40, fault="no_usage"))
    usage = (await finish(claude)).usage
    assert usage.estimated
    assert usage.output >= 40
    assert usage.prompt > 0


async def test_a_slow_answer_is_waited_for(api: FakeAnthropic, claude: Claude) -> None:
    api.script(Reply(text="a b c d", pieces=4, delay=0.05, pace=0.02))
    assert (await finish(claude)).content[0]["text"] == "a b c d"


async def test_leaving_early_ends_the_provider_s_work(api: FakeAnthropic, claude: Claude) -> None:
    api.script(Reply(text="word " * 2_000, pieces=1_000, pace=0.005))
    async with aclosing(claude.stream(request())) as stream:  # type: ignore[type-var]
        async for event in stream:
            if isinstance(event, TextDelta):
                break
    for _ in range(200):
        if api.calls:
            break
        await asyncio.sleep(0.01)
    assert api.calls[0].outcome == "left"
    assert api.calls[0].usage["output_tokens"] < 2_000


async def test_two_models_share_one_loading_of_the_sdk(api: FakeAnthropic) -> None:
    connection = ClaudeConnection("k", api.url)
    one, two = Claude(MODEL, connection), Claude("claude-haiku-5-5", connection)
    await asyncio.gather(finish(one), finish(two), connection.warm())
    assert await connection.client() is await connection.client()
    assert {call.model for call in api.calls} == {MODEL, "claude-haiku-5-5"}
    await connection.close()


async def test_who_asks_as_the_loading_ends_gets_the_same_client(api: FakeAnthropic) -> None:
    connection = ClaudeConnection("k", api.url)
    asked = [asyncio.create_task(connection.client())]
    while not asked[0].done():
        asked.append(asyncio.create_task(connection.client()))
        await asyncio.sleep(0)
    assert len(set(await asyncio.gather(*asked))) == 1
    await connection.close()


async def test_a_proxy_s_login_page_is_no_answer(tmp_path: Path) -> None:
    from appliance.testing.loopback import LoopbackServer, Request, Response

    async def portal(_: Request) -> Response:
        return Response(200, {"content-type": "text/html"}, b"<html>Please log in</html>")

    server = LoopbackServer(portal)
    connection = ClaudeConnection("k", f"http://127.0.0.1:{await server.start()}", timeout=5)
    error = await trouble(Claude(MODEL, connection))
    assert (error.kind, error.partial) == (ModelFault.NETWORK, None)
    await connection.close()
    await server.stop()
