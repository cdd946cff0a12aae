"""What is remembered: search, history, forgetting, taking that back, what waits in quarantine."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, get, post

from appliance.errors import InputError
from appliance.gateway.api.http import (
    AnyRequest,
    agent_of,
    decode,
    language_asked,
    query_int,
    query_words,
    read_body,
    reply,
)
from appliance.gateway.services import MemoryOf, Services
from appliance.messages import MAIN
from appliance.texts.sentences import in_language

_BODY_LIMIT = 16 * 1024


class GivenForget(msgspec.Struct):
    what: str
    erase: bool = False


class GivenDecision(msgspec.Struct):
    decision: str


def routes(services: Services) -> list[Any]:
    """Memory, when the house has one. `?agent=` names whose."""
    memory_of = services.memory
    return [] if memory_of is None else [*_reading(memory_of), *_changing(memory_of)]


def _reading(memory_of: MemoryOf) -> list[Any]:
    @get("/api/memory/search")
    async def search(request: AnyRequest) -> Response[Any]:
        limit = query_int(request, "limit", 6, 1, 50)
        return reply({"results": await memory_of(agent_of(request)).search(query_words(request), limit)})

    @get("/api/memory/history")
    async def history(request: AnyRequest) -> Response[Any]:
        what = request.query_params.get("what", "")
        return reply({"entries": memory_of(agent_of(request)).history(what)})

    @get("/api/memory/status")
    async def status(request: AnyRequest) -> Response[Any]:
        found = await memory_of(MAIN).status()
        return reply(found | {"problem": in_language(found["problem"], language_asked(request))})

    @get("/api/memory/quarantine")
    async def waiting(request: AnyRequest) -> Response[Any]:
        return reply({"waiting": memory_of(agent_of(request)).waiting()})

    return [search, history, status, waiting]


def _changing(memory_of: MemoryOf) -> list[Any]:
    @post("/api/memory/forget", status_code=200)
    async def forget(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenForget)
        if not given.what.strip():
            raise InputError("Say what to forget: words of it, or its id.")
        return reply(await memory_of(agent_of(request)).forget(given.what, given.erase))

    @post("/api/memory/undo", status_code=200)
    async def undo(request: AnyRequest) -> Response[Any]:
        return reply(await memory_of(agent_of(request)).undo())

    @post("/api/memory/reindex", status_code=200)
    async def reindex() -> Response[Any]:
        return reply(await memory_of(MAIN).reindex())

    @post("/api/memory/tidy", status_code=200)
    async def tidy(request: AnyRequest) -> Response[Any]:
        return reply(await memory_of(agent_of(request)).tidy())

    @post("/api/memory/quarantine/{held:str}", status_code=200)
    async def decide(request: AnyRequest, held: str) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenDecision)
        if given.decision not in ("keep", "drop"):
            raise InputError("decision must be keep or drop.")
        return reply(await memory_of(agent_of(request)).decide(held, given.decision == "keep"))

    return [forget, undo, reindex, tidy, decide]
