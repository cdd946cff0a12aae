"""Skills: listed, shown, approved by their hash, revoked."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, get, post

from appliance.gateway.api.http import AnyRequest, decode, read_body, reply
from appliance.gateway.services import Services

_BODY_LIMIT = 16 * 1024


class GivenApproval(msgspec.Struct):
    name: str
    hash: str


class GivenName(msgspec.Struct):
    name: str


def routes(services: Services) -> list[Any]:
    """The routes of skills, when there are any."""
    skills = services.skills
    if skills is None:
        return []

    @get("/api/skills")
    async def listed() -> Response[Any]:
        return reply(skills.listed())

    @get("/api/skills/show")
    async def shown(request: AnyRequest) -> Response[Any]:
        asked = request.query_params
        return reply(skills.shown(asked.get("name", ""), asked.get("file", "")))

    @post("/api/skills/approve", status_code=200)
    async def approve(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenApproval)
        return reply(await skills.approve(given.name, given.hash))

    @post("/api/skills/revoke", status_code=200)
    async def revoke(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenName)
        return reply(await skills.revoke(given.name))

    return [listed, shown, approve, revoke]
