"""What the house spends, keeps and waits for: context, spend, budget, status, models, approvals, agents."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import msgspec
from litestar import Response, get, post

from appliance.errors import InputError
from appliance.gateway.api.http import AnyRequest, decode, dollars, language_asked, read_body, reply
from appliance.gateway.api.sessions import find
from appliance.gateway.services import Services
from appliance.texts.sentences import in_language

_BODY_LIMIT = 64 * 1024
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_SPEND_BY = ("model", "purpose", "session", "channel", "agent")
_LEAST_RAISE = Decimal("0.000001")  # US dollars


class GivenRaise(msgspec.Struct, forbid_unknown_fields=True):
    """How many dollars more today; `scope` is one of GET /api/budget."""

    usd: str | float
    scope: str = "day"


class GivenDecision(msgspec.Struct, forbid_unknown_fields=True):
    decision: str


def routes(services: Services) -> list[Any]:
    """The handlers of this module: only those whose part was handed over."""
    handlers: list[Any] = []
    for build in (_context, _budget, _spend, _status, _models, _approvals, _agents, _alerts):
        handlers.extend(build(services))
    return handlers


def _context(services: Services) -> list[Any]:
    report = services.context
    if report is None:
        return []

    @get("/api/context")
    async def context(request: AnyRequest) -> Response[Any]:
        return reply(report(find(services, request.query_params.get("session", "main"))))

    return [context]


def _budget(services: Services) -> list[Any]:
    budget = services.budget
    if budget is None:
        return []

    @get("/api/budget")
    async def status() -> Response[Any]:
        return reply(budget.status())

    @post("/api/budget/raise", status_code=200)
    async def more(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenRaise)
        await budget.raise_today(dollars(given.usd, "usd", _LEAST_RAISE), given.scope)
        return reply(budget.status())

    return [status, more]


def _spend(services: Services) -> list[Any]:
    spending = services.spending
    if spending is None:
        return []

    @get("/api/spend")
    async def spend(request: AnyRequest) -> Response[Any]:
        day, by = request.query_params.get("day"), request.query_params.get("by", "model")
        if day is not None and not _DAY.fullmatch(day):
            raise InputError("day must be like 2026-11-30.")
        if by not in _SPEND_BY:
            raise InputError(f"by must be one of {', '.join(_SPEND_BY)}.")
        return reply(spending.spend(day, by))

    return [spend]


def _status(services: Services) -> list[Any]:
    status = services.status
    if status is None:
        return []

    @get("/api/status")
    async def show() -> Response[Any]:
        return reply({**status(), "parts": [part.as_json() for part in services.health.parts()]})

    return [show]


def _models(services: Services) -> list[Any]:
    models = services.models
    if models is None:
        return []

    @get("/api/models")
    async def show(request: AnyRequest) -> Response[Any]:
        status = models()
        return reply(status | {"detail": in_language(status.get("detail") or "", language_asked(request))})

    return [show]


def _approvals(services: Services) -> list[Any]:
    approvals = services.approvals
    if approvals is None:
        return []

    @get("/api/approvals")
    async def waiting(request: AnyRequest) -> Response[Any]:
        language = language_asked(request)
        return reply({"approvals": [one | {"why": in_language(one["why"], language)} for one in approvals.list()]})

    @post("/api/approvals/{approval:str}", status_code=200)
    async def decide(request: AnyRequest, approval: str) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT), GivenDecision)
        if given.decision not in ("once", "always", "deny"):
            raise InputError("decision must be once, always or deny.")
        return reply(await approvals.decide(approval, given.decision))

    return [waiting, decide]


def _agents(services: Services) -> list[Any]:
    agents = services.agents
    if agents is None:
        return []

    @get("/api/agents")
    async def listed() -> Response[Any]:
        return reply({"agents": agents()})

    return [listed]


def _alerts(services: Services) -> list[Any]:
    alerts = services.alerts
    if alerts is None:
        return []

    @post("/api/alerts", status_code=200)
    async def receive(request: AnyRequest) -> Response[Any]:
        await alerts(decode(await read_body(request, _BODY_LIMIT * 4), dict[str, Any]))
        return reply({"accepted": True})

    return [receive]
