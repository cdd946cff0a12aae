"""Who is let in: invitations, requests, people and their roles."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, get, post

from appliance.errors import InputError, NotFoundError
from appliance.gateway.api.http import AnyRequest, decode, read_body, reply
from appliance.gateway.services import People, Services
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
    """Pairing; 404 while there is no channel to pair with."""
    people = services.people
    if people is None:
        return []

    def paired_with() -> People:
        if not services.settings.chats:
            raise NotFoundError(
                "No chat channel is set up, so there is nobody to pair.", fix="Begin with docs/how-to/telegram.md."
            )
        return people

    @get("/api/people")
    async def listed() -> Response[Any]:
        return reply(paired_with().listed())

    @post("/api/people/invite", status_code=201)
    async def invite(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenInvite)
        return reply({"code": await paired_with().invite(role_of(given.role))}, 201)

    @post("/api/people/approve", status_code=200)
    async def approve(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenApproval)
        channel, person = await paired_with().approve(given.code, role_of(given.role))
        return reply({"channel": channel, "id": person.id, "name": person.name, "role": person.role})

    @post("/api/people/role", status_code=200)
    async def change(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenRole)
        await paired_with().set_role(given.channel, given.id, _named(given.role))
        return reply(paired_with().listed())

    @post("/api/people/remove", status_code=200)
    async def remove(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenPerson)
        await paired_with().remove(given.channel, given.id)
        return reply(paired_with().listed())

    return [listed, invite, approve, change, remove]


def role_of(name: str | None) -> Role | None:
    """A role by its name. Raises InputError."""
    return None if name is None else _named(name)


def _named(name: str) -> Role:
    if name not in list(Role):
        raise InputError(f"{name!r} is no role.", fix="Use owner, member or guest.")
    return Role(name)
