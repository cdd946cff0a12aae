"""What runs by itself: the jobs, the heartbeat, and a deed to one of them."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, get, post

from appliance.gateway.api.http import AnyRequest, decode, read_body, reply
from appliance.gateway.services import Services
from appliance.messages import MAIN

_BODY_LIMIT = 4 * 1024


class GivenAction(msgspec.Struct, forbid_unknown_fields=True):
    """`approve`, `pause`, `resume`, `run` or `remove`."""

    action: str


def routes(services: Services) -> list[Any]:
    """The handlers of this module, when something can be scheduled."""
    schedules = services.schedules
    if schedules is None:
        return []

    @get("/api/schedules")
    async def show() -> Response[Any]:
        beats = schedules.heartbeats()
        return reply({"schedules": schedules.rows(), "heartbeat": beats[MAIN], "heartbeats": beats})

    @post("/api/schedules/{job:str}", status_code=200)
    async def act(request: AnyRequest, job: str) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenAction)
        return reply(await schedules.act(job, given.action))

    return [show, act]
