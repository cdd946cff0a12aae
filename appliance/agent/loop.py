"""The pure ReAct loop: messages and tools in, events out. It neither stores nor sends.

Order of events: (Text* Said (ToolStarted ToolEnded)* Injected?)* Ended. The consumer handles each event before the
loop goes on, so what it stores on `Said` is durable before a tool of that answer runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from appliance.agent.limits import Limits
from appliance.messages import Block, Message, Source, Usage
from appliance.tools.base import ToolResult


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer, as it arrives. `restart`: forget what was shown since the last Said."""

    delta: str
    restart: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A whole model answer. `cost` in picodollars. `cut`: stopped by an interrupt, only what had arrived."""

    content: tuple[Block, ...]
    model: str
    usage: Usage
    cost: int
    stop: str
    local: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """Something the user should be told once (a fallback, a limit). `passing`: news of the moment, not kept."""

    text: str
    passing: bool = False


@dataclass(frozen=True, slots=True)
class ToolStarted:
    call: Block


@dataclass(frozen=True, slots=True)
class ToolEnded:
    call: Block
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Injected:
    """User messages that joined the turn."""

    messages: tuple[Message, ...]


EndReason = Literal["answered", "steps", "time", "failures", "refused", "empty"]


@dataclass(frozen=True, slots=True)
class Ended:
    """Why the loop ended; `answered` is the only success."""

    reason: EndReason
    detail: str = ""


LoopEvent = Text | Said | Told | ToolStarted | ToolEnded | Injected | Ended

Ask = Callable[[list[Message]], AsyncIterator[Text | Told | Said]]
RunTool = Callable[[Block], Awaitable[ToolResult]]


class Steering(Protocol):
    """What may join a running turn.

    take: the messages that wait, possibly none; called between steps; must not raise.
    interrupted: an event that is set when what happens now should stop and `take` be asked.
    """

    async def take(self) -> Sequence[Message]: ...

    @property
    def interrupted(self) -> asyncio.Event: ...


async def run_loop(
    messages: list[Message], ask: Ask, run_tool: RunTool, steering: Steering, limits: Limits
) -> AsyncGenerator[LoopEvent, None]:
    """Drive model and tools until an answer or a limit. `messages` is extended in place, and stays well formed.

    Raises what `ask` raises; `run_tool` must turn every failure into a result.
    """
    while True:
        reason = limits.next_step()
        if reason:
            yield Ended("steps" if reason == "steps" else "time")
            return
        said: Said | None = None
        async for event in _until(ask(messages), steering.interrupted):
            yield event
            if isinstance(event, Said):
                said = event
        if said is not None and said.content:
            messages.append({"role": "assistant", "content": list(said.content)})
        calls = [b for b in said.content if b["type"] == "tool_use"] if said else []
        step = _Step()
        async for done in _run_calls(calls, run_tool, steering.interrupted, limits, step):
            yield done
        results = step.results
        injected = tuple(await steering.take())
        if results or injected:
            extra = [block for message in injected for block in message["content"]]
            messages.append({"role": "user", "content": [*results, *extra]})
        if injected:
            yield Injected(injected)
            continue
        if step.end is not None:
            yield step.end
            return
        if not calls and said is not None:
            yield _ending(said)
            return


@dataclass(slots=True)
class _Step:
    """What the calls of one answer came to; `end` when the turn ends with them."""

    results: list[Block] = field(default_factory=list)
    end: Ended | None = None


async def _run_calls(
    calls: Sequence[Block], run_tool: RunTool, interrupted: asyncio.Event, limits: Limits, step: _Step
) -> AsyncGenerator[ToolStarted | ToolEnded, None]:
    """Run the calls of one answer in order; after an interrupt or an end the rest is skipped, and says so."""
    for call in calls:
        if interrupted.is_set() or step.end is not None:
            why = "the turn ends here" if step.end is not None else "the user wrote again"
            result = ToolResult(f"(skipped: {why})", ok=False)
        else:
            yield ToolStarted(call)
            result = await _run(call, run_tool, interrupted)
            if not result.ok and limits.failed(call["name"], call["input"]):
                step.end = Ended("failures", call["name"])
            elif result.ends_turn:
                step.end = Ended("answered", "tool")
        yield ToolEnded(call, result)
        step.results.append(result_block(call, result))


def result_block(call: Block, result: ToolResult) -> Block:
    """A tool result as a block; images ride along for models that see."""
    block: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": call["id"],
        "content": result.text or "(no output)",
        "is_error": not result.ok,
    }
    if result.images:
        block["images"] = list(result.images)
    return block


def _ending(said: Said) -> Ended:
    if said.stop == "refusal":
        return Ended("refused")
    if not any(b["type"] == "text" and b["text"].strip() for b in said.content):
        return Ended("empty", said.stop)
    return Ended("answered", said.stop)


async def _until(
    stream: AsyncIterator[Text | Told | Said], interrupted: asyncio.Event
) -> AsyncIterator[Text | Told | Said]:
    """The stream's events; when `interrupted` is set it is closed, and what had arrived is said as cut."""
    shown: list[str] = []
    watch = asyncio.create_task(interrupted.wait())
    step: asyncio.Future[Text | Told | Said | None] | None = None
    try:
        while True:
            step = asyncio.ensure_future(anext(stream, None))
            await asyncio.wait({step, watch}, return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                await _end(step)
                yield _cut("".join(shown))
                return
            event = step.result()
            if event is None:
                return
            if isinstance(event, Text):
                if event.restart:
                    shown.clear()
                shown.append(event.delta)
            yield event
    finally:
        watch.cancel()
        if step is not None:
            await _end(step)  # a generator that still runs cannot be closed
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


async def _end(work: asyncio.Future[Any]) -> None:
    """Cancel what still runs and wait until it has ended."""
    if not work.done():
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


def _cut(text: str) -> Said:
    content: tuple[Block, ...] = ({"type": "text", "text": text},) if text.strip() else ()
    return Said(content, model="", usage=Usage(), cost=0, stop="stopped", cut=True)


async def _run(call: Block, run_tool: RunTool, interrupted: asyncio.Event) -> ToolResult:
    work = asyncio.ensure_future(run_tool(call))
    watch = asyncio.create_task(interrupted.wait())
    try:
        await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        await _end(work)
        return ToolResult("(stopped: the user wrote again; outcome unknown)", ok=False, source=Source.OWN)
    finally:
        watch.cancel()
        await _end(work)
