"""A model in the process that plays a script and fails on anything the script does not say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from appliance.errors import ModelError
from appliance.messages import Usage
from appliance.models import estimate
from appliance.models.base import Finished, ModelEvent, ModelRequest, Started, StopReason, TextDelta


@dataclass(frozen=True, slots=True)
class Step:
    """One answer. `expect`, when given, must hold of the request. `break_after`: raise `error` after so many pieces.
    `hang`: after the pieces, nothing comes for ever."""

    pieces: tuple[str, ...] = ()
    calls: tuple[dict[str, Any], ...] = ()
    stop: StopReason | None = None
    usage: Usage | None = None
    error: ModelError | None = None
    break_after: int = 0
    expect: Callable[[ModelRequest], bool] | None = None
    hang: bool = False


def text(*pieces: str, usage: Usage | None = None, expect: Callable[[ModelRequest], bool] | None = None) -> Step:
    """Answer with text, in these pieces."""
    return Step(pieces=pieces, usage=usage, expect=expect)


def call(name: str, arguments: dict[str, Any], *, call_id: str = "call_1", say: str = "") -> Step:
    """Ask for one tool."""
    block = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
    return Step(pieces=(say,) if say else (), calls=(block,))


def failure(error: ModelError, *pieces: str) -> Step:
    """Say the pieces, then break. What was said is charged when `error.partial` is set."""
    return Step(pieces=pieces, error=error, break_after=len(pieces))


@dataclass
class ScriptedModel:
    """models.base.Model. After the test call `finish`: it fails when steps are left over."""

    steps: Sequence[Step]
    name: str = "scripted"
    provider: str = "scripted"
    window: int = 200_000
    max_output: int = 64_000
    local: bool = False
    vision: bool = True
    exact: int | None = None
    requests: list[ModelRequest] = field(default_factory=list)
    counted: int = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play the next step. Raises AssertionError for a call that the script does not expect."""
        number = len(self.requests)
        self.requests.append(request)
        assert number < len(self.steps), f"{self.name}: call {number + 1} is one more than the script has"
        step = self.steps[number]
        assert step.expect is None or step.expect(request), f"{self.name}: call {number + 1} is not as expected"
        if step.error is not None and not step.pieces:
            raise step.error
        usage = step.usage or Usage(estimate.request_tokens(request), output=sum(map(len, step.pieces)) or 1)
        content: list[dict[str, Any]] = [{"type": "text", "text": "".join(step.pieces)}] if step.pieces else []
        finished = Finished((*content, *step.calls), self._stop(step), usage, self.name)
        yield Started(Usage(usage.input, usage.cache_read, usage.cache_write_5m), lambda: finished)
        for position, piece in enumerate(step.pieces):
            if step.error is not None and position == step.break_after:
                break
            yield TextDelta(piece)
        if step.error is not None:
            raise step.error
        if step.hang:
            await asyncio.Event().wait()
        yield finished

    @property
    def billed_as(self) -> str:
        return self.name

    async def count(self, request: ModelRequest) -> int | None:
        self.counted += 1
        return self.exact

    async def close(self) -> None:
        return None

    def finish(self) -> None:
        """Fail when the script was not played to its end."""
        left = len(self.steps) - len(self.requests)
        assert left <= 0, f"{self.name}: {left} steps were never asked for"

    @staticmethod
    def _stop(step: Step) -> StopReason:
        return step.stop or ("tool_use" if step.calls else "end")
