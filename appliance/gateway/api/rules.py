"""What commands always may: the owner's list."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, delete, get, post

from appliance.errors import InputError
from appliance.gateway.api.http import AnyRequest, decode, read_body, reply
from appliance.gateway.services import Services

_BODY_LIMIT = 16 * 1024


class GivenRule(msgspec.Struct):
    entry: str
    host: str = "host"
    network: str = "none"


def routes(services: Services) -> list[Any]:
    """The list, when commands can be approved at all."""
    rules = services.rules
    if rules is None:
        return []

    @get("/api/policy/rules")
    async def listed() -> Response[Any]:
        return reply({"rules": list(rules.rules())})

    @post("/api/policy/rules", status_code=201)
    async def allow(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenRule)
        if given.host not in ("host", "sandbox", "remote") or given.network not in ("none", "allowlist"):
            raise InputError("host is host, sandbox or remote; network is none or allowlist.")
        return reply(await rules.allow(given.entry, host=given.host, network=given.network), 201)

    @delete("/api/policy/rules/{rule:str}", status_code=200)
    async def revoke(rule: str) -> Response[Any]:
        await rules.revoke(rule)
        return reply({"revoked": rule})

    return [listed, allow, revoke]
