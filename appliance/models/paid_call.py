"""One call that is paid for: reserve, stream, settle, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.errors import BudgetError, ModelError, ModelFault
from appliance.messages import Usage
from appliance.models import estimate
from appliance.models.base import (
    Answer,
    Finished,
    Model,
    ModelEvent,
    ModelRequest,
    Started,
    TextDelta,
    characters,
)
from appliance.spending.calls import CallSpec, Reservation

T = TypeVar("T")
_NARROW_AFTER = 0.25  # seconds; an answer that is over by then need not be held to less


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One attempt, for metrics. `outcome` is ok, cancelled, unusable or a ModelFault; `first_token` is seconds to the
    first text, None when there was none."""

    request: ModelRequest
    model: str
    provider: str
    outcome: str
    seconds: float
    first_token: float | None


class Watcher(Protocol):
    """Who counts calls and fallbacks (observability, handed in by app.py)."""

    def model_called(self, record: CallRecord) -> None: ...
    def model_fell_back(self, from_model: str, to_model: str, reason: str) -> None: ...


class Purse(Protocol):
    """What this needs of spending.budget.Budget."""

    async def reserve(self, call: CallSpec) -> Reservation: ...
    def tight(self, call: CallSpec) -> bool: ...
    async def narrow(self, reservation: Reservation, usage: Usage) -> None: ...
    async def settle(
        self, reservation: Reservation, usage: Usage, *, model: str | None = None, outcome: str = "ok"
    ) -> int: ...
    async def release(self, reservation: Reservation, *, outcome: str = "error") -> None: ...


class PaidCalls:
    """Given the budget, make calls that cannot go unpaid."""

    def __init__(self, purse: Purse, clock: Clock, watcher: Watcher | None) -> None:
        self._purse = purse
        self._clock = clock
        self._watcher = watcher
        self._background: set[asyncio.Future[Any]] = set()

    async def reserve(self, request: ModelRequest, model: Model, max_tokens: int) -> Reservation:
        """Set aside the worst case; count exactly first when money is tight. Raises BudgetError.

        When cancelled meanwhile, what is still granted is given back: nothing was sent.
        """
        call = CallSpec(
            model=model.billed_as,
            provider=model.provider,
            local=model.local,
            purpose=request.purpose,
            session=request.session.value,
            agent=request.agent,
            channel=request.channel,
            turn=request.turn,
            characters=characters(request),
            input_tokens=None,
            max_tokens=max_tokens,
            cache_write=not model.local,
            byte_bound=estimate.request_bytes(request),
        )
        if not model.local and self._purse.tight(call):
            call = replace(call, input_tokens=await model.count(request))
        task: asyncio.Future[Reservation] = asyncio.ensure_future(self._purse.reserve(call))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._begin(self._give_back(task))
            raise

    async def make(
        self, request: ModelRequest, model: Model, held: Reservation
    ) -> AsyncGenerator[Started | TextDelta | Answer, None]:
        """Stream one call: the model's events, then Answer. Raises ModelError, after the charge.

        From here on the reservation is settled or released, also when the reader goes away.
        """
        request = replace(request, max_tokens=held.max_tokens)
        attempt = _Attempt(request, model, self._clock)
        crash_point("model.before_call")
        stream = model.stream(request)
        try:
            async for event in stream:
                if isinstance(event, Finished):
                    attempt.ended(event)
                    break
                if attempt.saw(event):
                    self._begin(self._purse.narrow(held, attempt.accepted))
                yield event
                if isinstance(event, TextDelta):
                    crash_point("model.mid_stream")
            else:
                partial = attempt.arrived()
                raise ModelError(f"{model.name} ended without an answer.", kind=ModelFault.NETWORK, partial=partial)
        except ModelError as error:
            attempt.failed(error)
            raise
        finally:
            crash_point("model.after_usage")
            await _close(stream)
            cost = await asyncio.shield(self._begin(self._charge(held, attempt)))
        crash_point("model.after_settle")
        finished = attempt.arrived()
        if attempt.outcome == "unusable":
            raise ModelError(f"{model.name} answered with nothing.", kind=ModelFault.UNUSABLE, partial=finished)
        yield Answer(finished, cost, finished.model or model.name, model.local, model.provider)

    async def close(self) -> None:
        """Wait for what still has to be given back or settled."""
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)

    async def _charge(self, held: Reservation, attempt: _Attempt) -> int:
        """Settle with what arrived, or give everything back when the provider never accepted the call."""
        if self._watcher is not None:
            self._watcher.model_called(attempt.record())
        if not attempt.billed:
            await self._purse.release(held, outcome=attempt.outcome)
            return 0
        finished = attempt.arrived()
        return await self._purse.settle(held, finished.usage, model=finished.model or None, outcome=attempt.outcome)

    async def _give_back(self, task: asyncio.Future[Reservation]) -> None:
        with suppress(BudgetError):
            await self._purse.release(await task)

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
        """Start work that goes on to its end, also when the one who waits for it is cancelled."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task


class _Attempt:
    """What is known of one call while it runs: what arrived, how it ended, how long it took."""

    def __init__(self, request: ModelRequest, model: Model, clock: Clock) -> None:
        self.outcome = "cancelled"
        self.billed = True
        self.accepted = Usage(estimated=True)
        self._request = request
        self._model = model
        self._clock = clock
        self._began = clock.monotonic()
        self._started: float | None = None
        self._first_token: float | None = None
        self._narrowed = False
        self._partial: Callable[[], Finished] | None = None

    def saw(self, event: ModelEvent) -> bool:
        """Note an event; True once, when it is worth telling the budget what the prompt came to."""
        now = self._clock.monotonic()
        if isinstance(event, Started):
            self.accepted, self._partial, self._started = event.usage, event.partial, now
        elif self._first_token is None:
            self._first_token = now - self._began
        if self._narrowed or self._started is None or now - self._started < _NARROW_AFTER:
            return False
        self._narrowed = True
        return True

    def ended(self, finished: Finished) -> None:
        self.outcome = "unusable" if _useless(finished) else "ok"
        self._partial = lambda: finished

    def failed(self, error: ModelError) -> None:
        self.outcome, self.billed = error.kind.value, error.partial is not None
        partial = error.partial
        if isinstance(partial, Finished):
            self._partial = lambda: partial

    def arrived(self) -> Finished:
        """What there is of an answer, and what it is billed."""
        if self._partial is not None:
            return self._partial()
        seconds = self._clock.monotonic() - self._began
        return estimate.unheard(self._model.billed_as, self._request.max_tokens, seconds)

    def record(self) -> CallRecord:
        seconds = self._clock.monotonic() - self._began
        return CallRecord(
            self._request, self._model.name, self._model.provider, self.outcome, seconds, self._first_token
        )


def _useless(finished: Finished) -> bool:
    """An answer that ended by itself and says nothing. (One cut by its limit or a refusal is an answer.)"""
    return finished.stop in ("end", "tool_use") and not any(
        block["type"] == "tool_use" or (block["type"] == "text" and block["text"].strip()) for block in finished.content
    )


async def _close(stream: AsyncIterator[ModelEvent]) -> None:
    """Close the model's stream now, so that the provider stops writing (and billing)."""
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
