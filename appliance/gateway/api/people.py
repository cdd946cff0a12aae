"""Who is let in: invitations, requests, people and their roles."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, get, post

from appliance.errors import InputError
from appliance.gateway.api.http import AnyRequest, decode, read_body, reply
from appliance.gateway.services import Services
from appliance.messages import Role

_BODY_LIMIT = 4 * 1024


class GivenInvite(msgspec.Struct):
    role: str | None = None


class GivenApproval(msgspec.Struct):
    code: str
    role: str | None = None


class GivenPerson(msgspec.Struct):
    channel: str
    id: str


class GivenRole(GivenPerson):
    role: str


def routes(services: Services) -> list[Any]:
    """Pairing, when there is a channel to pair with."""
    people = services.people
    if people is None:
        return []

    @get("/api/people")
    async def listed() -> Response[Any]:
        return reply(people.listed())

    @post("/api/people/invite", status_code=201)
    async def invite(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenInvite)
        return reply({"code": await people.invite(_role(given.role))}, 201)

    @post("/api/people/approve", status_code=200)
    async def approve(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenApproval)
        channel, person = await people.approve(given.code, _role(given.role))
        return reply({"channel": channel, "id": person.id, "name": person.name, "role": person.role})

    @post("/api/people/role", status_code=200)
    async def change(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenRole)
        await people.set_role(given.channel, given.id, _named(given.role))
        return reply(people.listed())

    @post("/api/people/remove", status_code=200)
    async def remove(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenPerson)
        await people.remove(given.channel, given.id)
        return reply(people.listed())

    return [listed, invite, approve, change, remove]


def _role(name: str | None) -> Role | None:
    return None if name is None else _named(name)


def _named(name: str) -> Role:
    if name not in list(Role):
        raise InputError(f"{name!r} is no role.", fix="Use owner, member or guest.")
    return Role(name)
