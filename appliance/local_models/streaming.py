"""From the worker's thread to the client: pieces as they come, a sign of life while waiting, an end when it leaves."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from collections.abc import AsyncIterator
from typing import Any

from appliance.errors import ApplianceError
from appliance.local_models import wire
from appliance.local_models.chat import Call, ChatJob, Done, Piece, Text
from appliance.local_models.errors import LocalModelError, StoppedError
from appliance.local_models.node import Node

ALIVE_SECONDS = 5.0  # between two signs of life while a request waits or a prompt is read


async def pieces(node: Node, job: ChatJob) -> AsyncIterator[Piece | None]:
    """Yield the answer's pieces, and None every few seconds without one. Leaving early cancels the generation."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[Piece | BaseException] = asyncio.Queue()
    cancelled = threading.Event()

    def put(item: Piece | BaseException) -> None:
        try:
            loop.call_soon_threadsafe(arrived.put_nowait, item)
        except RuntimeError:
            cancelled.set()  # the service has ended; nobody reads

    def work() -> None:
        try:
            engine = node.chat_engine
            if cancelled.is_set() or engine is None:
                raise StoppedError("The request was cancelled.")
            for piece in engine.answer(job, cancelled):
                put(piece)
        except Exception as error:  # noqa: BLE001 - carried to the client: the thread's edge
            put(error)

    node.chat_worker.submit(work)
    try:
        while True:
            try:
                item = await asyncio.wait_for(arrived.get(), ALIVE_SECONDS)
            except TimeoutError:
                yield None
                continue
            if isinstance(item, BaseException):
                raise item
            yield item
            if isinstance(item, Done):
                return
    finally:
        cancelled.set()


async def collect(node: Node, job: ChatJob) -> dict[str, Any]:
    """The whole answer at once."""
    text: list[str] = []
    calls: list[dict[str, Any]] = []
    async for piece in pieces(node, job):
        match piece:
            case Text():
                text.append(piece.text)
            case Call():
                calls.append(piece.call)
            case Done():
                return wire.chat_answer(_identity(), node.chat.model, "".join(text), calls, piece.finish, piece.counts)
    raise LocalModelError("The model ended without an answer.")


async def events(node: Node, job: ChatJob, *, usage: bool) -> AsyncIterator[str]:
    """The answer as server-sent events; an error becomes an event, since the status line is gone by then."""
    identity, model = _identity(), node.chat.model
    yield _event(wire.chat_chunk(identity, model, {"role": "assistant", "content": ""}))
    calls = 0
    try:
        async for piece in pieces(node, job):
            match piece:
                case None:
                    yield ": waiting\n\n"
                case Text():
                    yield _event(wire.chat_chunk(identity, model, {"content": piece.text}))
                case Call():
                    yield _event(wire.chat_chunk(identity, model, {"tool_calls": [{"index": calls, **piece.call}]}))
                    calls += 1
                case Done():
                    yield _event(wire.chat_chunk(identity, model, {}, piece.finish))
                    if usage:
                        last = wire.chat_chunk(identity, model, {})
                        yield _event({**last, "choices": [], "usage": wire.usage(piece.counts)})
    except (ApplianceError, RuntimeError, ValueError) as error:
        yield _event({"error": {"message": str(error), "type": "server_error", "code": "server_error"}})
    yield "data: [DONE]\n\n"


def _identity() -> str:
    return f"chatcmpl-{secrets.token_hex(12)}"


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"
