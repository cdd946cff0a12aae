"""MCP servers: how they stand, and a connection to each on request."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, get, post

from appliance.gateway.api.http import AnyRequest, decode, read_body, reply
from appliance.gateway.services import Services

_BODY_LIMIT = 4 * 1024


class GivenServer(msgspec.Struct):
    name: str = ""


def routes(services: Services) -> list[Any]:
    """The routes of MCP servers, when there are any."""
    servers = services.mcp
    if servers is None:
        return []

    @get("/api/mcp")
    async def listed() -> Response[Any]:
        return reply(servers.listed())

    @post("/api/mcp/check", status_code=200)
    async def check(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenServer)
        return reply(await servers.check(given.name))

    return [listed, check]
