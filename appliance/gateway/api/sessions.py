"""Conversations: list, read, stop; and everything that happens, as a stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from litestar import Response, get, post

from appliance.errors import InputError, NotFoundError
from appliance.gateway.api.http import KEEP_ALIVE, AnyRequest, principal_of, query_int, query_words, reply, sse, stream
from appliance.gateway.api.watching import event_json, guarded
from appliance.gateway.auth import Principal
from appliance.gateway.services import Services
from appliance.messages import WEB_NAME, SessionKey

_KEY_LIMIT = 300


def find(services: Services, name_or_key: str) -> SessionKey:
    """The session of a name or a full key. Raises InputError (malformed) and NotFoundError (there is none)."""
    if not WEB_NAME.fullmatch(name_or_key) and not (
        ":" in name_or_key and len(name_or_key) <= _KEY_LIMIT and name_or_key.isprintable() and "/" not in name_or_key
    ):
        raise InputError(
            "This is not a session name.",
            fix="Use `main`, a name of a-z, digits and hyphens, or a key from GET /api/sessions.",
        )
    found = services.sessions.find(name_or_key)
    if found is None and name_or_key in ("main", SessionKey.main().value):
        return SessionKey.main()  # it always exists, also before the first word
    if found is None:
        raise NotFoundError(f"There is no session {name_or_key}.")
    return found


def routes(services: Services) -> list[Any]:
    """The handlers of this module."""

    @get("/api/sessions")
    async def listing() -> Response[Any]:
        return reply({"sessions": services.sessions.list()})

    @get("/api/sessions/{key:str}/messages")
    async def messages(request: AnyRequest, key: str) -> Response[Any]:
        limit = query_int(request, "limit", 200, 1, 10_000)
        session = find(services, key)
        return reply({"session": session.value, "messages": services.sessions.messages(session, limit=limit)})

    @post("/api/sessions/{key:str}/stop", status_code=200)
    async def stop(key: str) -> Response[Any]:
        return reply({"stopped": await services.sessions.stop(find(services, key))})

    @get("/api/events")
    async def events(request: AnyRequest) -> Response[Any]:
        name = request.query_params.get("session")
        session = find(services, name) if name is not None else None
        return stream(_events(services, principal_of(request), session))

    return [listing, messages, stop, events, *_search(services)]


def _search(services: Services) -> list[Any]:
    search = services.session_search
    if search is None:
        return []

    @get("/api/sessions/search")
    async def found(request: AnyRequest) -> Response[Any]:
        return reply({"sessions": await search(query_words(request))})

    return [found]


async def _events(services: Services, principal: Principal, session: SessionKey | None) -> AsyncIterator[bytes]:
    yield KEEP_ALIVE
    async with services.events.subscribe(session) as source:
        async for event in guarded(source, lambda: services.auth.valid(principal), services.closing):
            yield KEEP_ALIVE if event is None else sse(event.type, event_json(event))
