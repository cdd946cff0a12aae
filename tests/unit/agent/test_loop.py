"""The loop: events in a documented order, limits that end a turn, steering that loses nothing."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from appliance.agent.limits import Limits
from appliance.agent.loop import Ended, Injected, LoopEvent, Said, Text, ToolEnded, ToolStarted, run_loop
from appliance.messages import Block, Message, Usage
from appliance.testing.manual_clock import ManualClock
from appliance.tools.base import ToolResult

Answer = list[Text | Said]


class Steering:
    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.queue: list[Message] = []

    @property
    def interrupted(self) -> asyncio.Event:
        return self.event

    async def take(self) -> Sequence[Message]:
        self.event.clear()
        taken, self.queue = self.queue, []
        return taken


def said(*content: Block, stop: str = "end") -> Said:
    return Said(content, "m", Usage(), 0, stop)


def text(value: str) -> Block:
    return {"type": "text", "text": value}


def call(identity: str, name: str = "tally", **arguments: Any) -> Block:
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


async def drive(
    answers: list[Answer], run_tool: Any = None, steering: Steering | None = None, **limits: Any
) -> tuple[list[LoopEvent], list[Message], list[list[Message]]]:
    """Run the loop against scripted answers; return its events, the messages, and what each call was asked with."""
    asked: list[list[Message]] = []
    left = iter(answers)

    async def ask(messages: list[Message]) -> AsyncIterator[Any]:
        asked.append([dict(m) for m in messages])
        for event in next(left):
            yield event

    async def ok(block: Block) -> ToolResult:
        return ToolResult("done")

    messages: list[Message] = [{"role": "user", "content": [text("go")]}]
    loop = run_loop(messages, ask, run_tool or ok, steering or Steering(), Limits(ManualClock(), **limits))
    return [event async for event in loop], messages, asked


async def test_a_plain_answer_is_text_then_said_then_ended() -> None:
    events, messages, _ = await drive([[Text("he"), Text("llo"), said(text("hello"))]])
    assert [type(e) for e in events] == [Text, Text, Said, Ended]
    assert events[-1] == Ended("answered", "end")
    assert messages[-1] == {"role": "assistant", "content": [text("hello")]}


async def test_tools_run_in_order_between_two_answers_and_their_results_follow() -> None:
    ran: list[str] = []

    async def run(block: Block) -> ToolResult:
        ran.append(block["id"])
        return ToolResult(f"result {block['id']}")

    events, messages, _ = await drive([[said(call("a"), call("b"))], [said(text("ok"))]], run)
    assert [type(e) for e in events] == [Said, ToolStarted, ToolEnded, ToolStarted, ToolEnded, Said, Ended]
    assert ran == ["a", "b"]
    assert [b["content"] for b in messages[2]["content"]] == ["result a", "result b"]


async def test_the_step_limit_ends_as_a_failure_not_as_an_answer() -> None:
    events, _, asked = await drive([[said(call(str(n), n=n))] for n in range(9)], max_steps=4)
    assert events[-1] == Ended("steps")
    assert len(asked) == 4


async def test_the_same_failure_three_times_ends_the_turn() -> None:
    async def fail(block: Block) -> ToolResult:
        return ToolResult("no such tool", ok=False)

    events, messages, asked = await drive([[said(call(str(n), "nope"))] for n in range(9)], fail)
    assert events[-1] == Ended("failures", "nope")
    assert len(asked) == 3
    assert messages[-1]["content"][-1]["is_error"]


async def test_two_failing_calls_in_turn_end_too() -> None:
    async def fail(block: Block) -> ToolResult:
        return ToolResult("no", ok=False)

    answers: list[Answer] = [[said(call(str(n), "ab"[n % 2]))] for n in range(20)]
    events, _, asked = await drive(answers, fail)
    assert isinstance(events[-1], Ended)
    assert events[-1].reason == "failures"
    assert len(asked) == 5


async def test_wall_time_ends_the_turn_between_steps() -> None:
    clock = ManualClock()
    limits = Limits(clock, wall_seconds=10.0)
    assert limits.next_step() == ""
    await clock.advance(11.0)
    assert limits.next_step() == "time"


async def test_a_message_that_arrives_during_a_tool_joins_before_the_next_call() -> None:
    steering = Steering()

    async def run(block: Block) -> ToolResult:
        steering.queue.append({"role": "user", "content": [text("also this")]})
        return ToolResult("done")

    events, _, asked = await drive([[said(call("a"))], [said(text("both"))]], run, steering)
    assert [type(e) for e in events] == [Said, ToolStarted, ToolEnded, Injected, Said, Ended]
    assert [b["type"] for b in asked[1][-1]["content"]] == ["tool_result", "text"]


async def test_a_message_that_arrives_during_the_final_answer_is_answered_in_the_same_turn() -> None:
    steering = Steering()
    steering.queue.append({"role": "user", "content": [text("one more")]})
    events, _, asked = await drive([[said(text("first"))], [said(text("second"))]], None, steering)
    assert [type(e) for e in events] == [Said, Injected, Said, Ended]
    assert asked[1][-1] == {"role": "user", "content": [text("one more")]}


async def test_an_interrupt_cuts_the_stream_and_keeps_what_had_arrived() -> None:
    steering = Steering()
    closed = asyncio.Event()
    asked: list[int] = []

    async def ask(messages: list[Message]) -> AsyncIterator[Any]:
        asked.append(len(messages))
        if len(asked) == 2:
            yield said(text("new answer"))
            return
        try:
            yield Text("half a sent")
            steering.queue.append({"role": "user", "content": [text("stop, do this")]})
            steering.event.set()
            await asyncio.sleep(60)
        finally:
            closed.set()

    async def run(block: Block) -> ToolResult:
        raise AssertionError("no tool here")

    messages: list[Message] = [{"role": "user", "content": [text("go")]}]
    events = [e async for e in run_loop(messages, ask, run, steering, Limits(ManualClock()))]
    assert closed.is_set()
    assert [type(e) for e in events] == [Text, Said, Injected, Said, Ended]
    assert isinstance(events[1], Said)
    assert events[1].cut
    assert messages[1]["content"] == [text("half a sent")]


async def test_an_interrupt_stops_a_running_tool_and_skips_the_rest() -> None:
    steering = Steering()
    cancelled: list[str] = []

    async def run(block: Block) -> ToolResult:
        steering.event.set()
        steering.queue.append({"role": "user", "content": [text("wait")]})
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(block["id"])
            raise
        return ToolResult("never")

    events, messages, _ = await drive([[said(call("a"), call("b"))], [said(text("ok"))]], run, steering)
    assert cancelled == ["a"]
    assert ["unknown" in b["content"] or "skipped" in b["content"] for b in messages[2]["content"][:2]] == [True, True]
    assert events[-1] == Ended("answered", "end")


async def test_an_empty_answer_and_a_refusal_are_no_success() -> None:
    events, _, _ = await drive([[said(stop="max_tokens")]])
    assert events[-1] == Ended("empty", "max_tokens")
    events, _, _ = await drive([[said(text("no"), stop="refusal")]])
    assert events[-1] == Ended("refused")
