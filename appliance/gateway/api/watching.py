"""Following a turn: what a waiting client gets, whether the turn starts now, runs already or is long answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import Any

from appliance.gateway.auth import Principal
from appliance.gateway.closing import Closing
from appliance.gateway.services import Reply, Services
from appliance.messages import Event, Inbound
from appliance.tasks import end
from appliance.texts.sentences import in_language

_CHECK_SECONDS = 2.0  # how soon a rotated token or a revoked login ends an open stream
_KEEP_ALIVE_CHECKS = 7


async def follow(services: Services, principal: Principal, inbound: Inbound) -> AsyncIterator[Event | None]:
    """Accept a message and return what happens from `accepted` on; the last event is `done` or `error`.

    When this returns the message is on disk; when it raises (as Intake.accept does) it is not, and no answer has begun,
    so the failure still has a status of its own.
    """
    events = _Watch(services, principal, inbound).events()
    first = await anext(events)
    return _after(first, events)


async def _after(first: Event | None, rest: AsyncGenerator[Event | None, None]) -> AsyncIterator[Event | None]:
    async with aclosing(rest):
        yield first
        async for event in rest:
            yield event


class _Watch:
    """One accepted message on its way to its end. `done` always carries the whole stored reply.

    When the server stops, the stream just ends: a client that asks again with the same id gets the answer.
    """

    def __init__(self, services: Services, principal: Principal, inbound: Inbound) -> None:
        self._services = services
        self._principal = principal
        self._inbound = inbound
        self._queue: asyncio.Queue[Event] = asyncio.Queue()

    async def events(self) -> AsyncGenerator[Event | None, None]:
        """Yield `accepted` once the message is on disk, then what its turn does; None is a sign of life."""
        inbound, services = self._inbound, self._services
        async with services.events.subscribe(inbound.session) as source:
            receipt = await services.intake.accept(inbound)
            yield Event("accepted", inbound.session, {"message_id": inbound.id, "new": receipt.new})
            pump = asyncio.create_task(_pump(source, receipt.row, self._queue))
            answer = asyncio.create_task(services.replies.wait(receipt.row))
            closing = asyncio.create_task(services.closing.event.wait())
            try:
                async for event in self._until_answered(answer, closing):
                    yield event
                if not answer.done():
                    return
                await asyncio.sleep(0)  # let the pump hand over what was emitted before the answer
                while not self._queue.empty():
                    yield self._queue.get_nowait()
                yield final_event(answer.result(), inbound)
            finally:
                await end([pump, answer, closing])

    async def _until_answered(
        self, answer: asyncio.Task[Reply], closing: asyncio.Task[Any]
    ) -> AsyncGenerator[Event | None, None]:
        following: asyncio.Task[Event] | None = None
        quiet = 0
        try:
            while not answer.done() and not closing.done():
                following = following or asyncio.create_task(self._queue.get())
                waited: set[asyncio.Task[Any]] = {following, answer, closing}
                done, _ = await asyncio.wait(waited, timeout=_CHECK_SECONDS, return_when="FIRST_COMPLETED")
                if following.done():
                    yield following.result()
                    following, quiet = None, 0
                if done:
                    continue
                if not self._services.auth.valid(self._principal):
                    yield _gone(self._inbound)
                    return
                quiet += 1
                if quiet % _KEEP_ALIVE_CHECKS == 0:
                    yield None
            if following is not None and following.done():
                yield following.result()
        finally:
            if following is not None:
                await end([following])


def _gone(inbound: Inbound) -> Event:
    told = {"message": "This login has ended.", "fix": "Log in again; the answer is kept."}
    return Event("error", inbound.session, {k: in_language(text, inbound.person.language) for k, text in told.items()})


async def _pump(source: AsyncIterator[Event], row: int, queue: asyncio.Queue[Event]) -> None:
    async for event in source:
        if event.type in ("text", "tool_start", "tool_end", "notice") and row in event.data.get("message_ids", ()):
            queue.put_nowait(event)


def final_event(reply: Reply, inbound: Inbound) -> Event:
    """The stored reply as the last event of a stream."""
    if reply.error and not reply.text:
        return Event("error", inbound.session, {"message": reply.error, "fix": "", "message_id": inbound.id})
    return Event("done", inbound.session, reply_json(reply, inbound))


def reply_json(reply: Reply, inbound: Inbound) -> dict[str, Any]:
    """The stored reply as POST /api/messages returns it."""
    answer: dict[str, Any] = {
        "reply": reply.text,
        "session": inbound.session.value,
        "message_id": reply.message_id or inbound.id,
        "model": reply.model,
        "usage": dict(reply.usage),
        "cost_usd": reply.cost_usd,
    }
    if reply.error:
        answer["error"] = reply.error
    if reply.attachments:
        answer["files"] = [one.shown() for one in reply.attachments]
    return answer


def event_json(event: Event) -> dict[str, Any]:
    """An event as a stream shows it: how many messages its turn answers, without their inbox row numbers, which are
    nobody's business."""
    data = {key: value for key, value in event.data.items() if key != "message_ids"}
    if "message_ids" in event.data:
        data["answers"] = len(event.data["message_ids"])
    return {**data, "session": event.session.value}


async def guarded(
    source: AsyncIterator[Event], still: Callable[[], bool], closing: Closing
) -> AsyncIterator[Event | None]:
    """Pass events on for as long as `still` says so and the server runs; None is a sign of life in silence."""
    following: asyncio.Future[Event] | None = None
    closed = asyncio.create_task(closing.event.wait())
    quiet = 0
    try:
        while still():
            if following is None:
                following = asyncio.ensure_future(anext(source))
            waited: set[asyncio.Future[Any]] = {following, closed}
            done, _ = await asyncio.wait(waited, timeout=_CHECK_SECONDS, return_when="FIRST_COMPLETED")
            if closed in done:
                return
            if done:
                quiet = 0
                try:
                    event = following.result()
                except StopAsyncIteration:
                    return
                following = None
                yield event
            else:
                quiet += 1
                if quiet % _KEEP_ALIVE_CHECKS == 0:
                    yield None
    finally:
        closed.cancel()
        if following is not None:
            following.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await following
