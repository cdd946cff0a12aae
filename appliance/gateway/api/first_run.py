"""The first run: three steps on a page, each kept by itself."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import msgspec
from litestar import Response, get, post

from appliance.errors import InputError
from appliance.gateway.api.http import AnyRequest, decode, dollars, read_body, reply
from appliance.gateway.api.pages import language_of, page
from appliance.gateway.api.people import role_of
from appliance.gateway.services import FirstRun, Services
from appliance.messages import Role
from appliance.texts import say

_BODY_LIMIT = 4 * 1024


class GivenModel(msgspec.Struct, forbid_unknown_fields=True):
    """A key, or who answers: `local` alone, or `claude` with the key that is there."""

    key: str = ""
    answers: Literal["claude", "local"] = "claude"


class GivenBudget(msgspec.Struct, forbid_unknown_fields=True):
    daily_usd: str | float
    at_limit: str


class GivenBot(msgspec.Struct, forbid_unknown_fields=True):
    token: str


class GivenInvite(msgspec.Struct, forbid_unknown_fields=True):
    role: str | None = None


def routes(services: Services) -> list[Any]:
    """The handlers of this module, where settings can be changed."""
    first_run = services.first_run
    return [] if first_run is None else [*_shown(services, first_run), *_steps(services, first_run)]


def _shown(services: Services, first_run: FirstRun) -> list[Any]:
    @get("/first-run")
    async def show(request: AnyRequest) -> Response[str]:
        return page("first-run.html", request, services, say=say, state=first_run.state(language_of(request, services)))

    @get("/api/first-run")
    async def state(request: AnyRequest) -> Response[Any]:
        return reply(first_run.state(language_of(request, services)))

    @post("/api/first-run/leave", status_code=200)
    async def leave() -> Response[Any]:
        await first_run.leave()
        return reply({"ok": True})

    return [show, state, leave]


def _steps(services: Services, first_run: FirstRun) -> list[Any]:
    @post("/api/first-run/model", status_code=200)
    async def model(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenModel)
        language = language_of(request, services)
        if given.key:
            await first_run.use_key(given.key, language)
        else:
            await first_run.answer_with(given.answers, language)
        return reply(first_run.state(language))

    @post("/api/first-run/budget", status_code=200)
    async def budget(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenBudget)
        daily = dollars(given.daily_usd, "daily_usd", Decimal(0))
        language = language_of(request, services)
        await first_run.set_budget(daily, given.at_limit, language)
        return reply(first_run.state(language))

    @post("/api/first-run/telegram", status_code=200)
    async def telegram(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenBot)
        return reply(await first_run.use_bot(given.token, language_of(request, services)))

    @post("/api/first-run/invite", status_code=201)
    async def invite(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenInvite)
        language = language_of(request, services)
        if not first_run.state(language)["telegram"]["token"]:
            raise InputError(say("first_no_bot", language))
        return reply(await first_run.invite(role_of(given.role) or Role.OWNER), 201)

    return [model, budget, telegram, invite]
