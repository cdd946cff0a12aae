"""What is remembered: history, forgetting, taking that back, what waits in quarantine."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, get, post

from appliance.errors import InputError
from appliance.gateway.api.http import AnyRequest, decode, read_body, reply
from appliance.gateway.services import Services

_BODY_LIMIT = 16 * 1024


class GivenForget(msgspec.Struct):
    what: str
    erase: bool = False


class GivenDecision(msgspec.Struct):
    decision: str


def routes(services: Services) -> list[Any]:
    """Memory, when the house has one."""
    memory = services.memory
    if memory is None:
        return []

    @get("/api/memory/history")
    async def history(request: AnyRequest) -> Response[Any]:
        return reply({"entries": memory.history(request.query_params.get("what", ""))})

    @get("/api/memory/status")
    async def status() -> Response[Any]:
        return reply(await memory.status())

    @post("/api/memory/forget", status_code=200)
    async def forget(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenForget)
        if not given.what.strip():
            raise InputError("Say what to forget: words of it, or its id.")
        return reply(await memory.forget(given.what, given.erase))

    @post("/api/memory/undo", status_code=200)
    async def undo() -> Response[Any]:
        return reply(await memory.undo())

    @post("/api/memory/reindex", status_code=200)
    async def reindex() -> Response[Any]:
        return reply(await memory.reindex())

    @post("/api/memory/tidy", status_code=200)
    async def tidy() -> Response[Any]:
        return reply(await memory.tidy())

    @get("/api/memory/quarantine")
    async def waiting() -> Response[Any]:
        return reply({"waiting": memory.waiting()})

    @post("/api/memory/quarantine/{held:str}", status_code=200)
    async def decide(request: AnyRequest, held: str) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenDecision)
        if given.decision not in ("keep", "drop"):
            raise InputError("decision must be keep or drop.")
        return reply(await memory.decide(held, given.decision == "keep"))

    return [history, status, forget, undo, reindex, tidy, waiting, decide]
