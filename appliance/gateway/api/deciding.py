"""The pages where one sees and decides: approvals, memory, schedules, context, health. Their buttons use the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from litestar import Response, get

from appliance.gateway.api.http import AnyRequest, agent_of, language_asked, reply
from appliance.gateway.api.pages import language_of, links, page
from appliance.gateway.api.sessions import find
from appliance.gateway.services import MemoryView, Services, Sessions
from appliance.texts import part_name, say
from appliance.texts.sentences import in_language

_ITEMS = 50
_HITS = 10
_QUERY_CHARS = 2_000
_LOOKED_BACK = 1_000  # messages of a session among which the words of an item are looked for


def routes(services: Services) -> list[Any]:
    """The handlers of this module: only pages of parts that were handed over."""
    handlers: list[Any] = []
    for build in (_approvals, _memory, _schedules, _context, _health):
        handlers.extend(build(services))
    return handlers


def page_of(name: str, request: AnyRequest, services: Services, **values: Any) -> Response[str]:
    """A page in the form of desk.html, with the links to the others."""
    return page(
        f"{name}.html", request, services, say=say, in_language=in_language, here=f"/{name}", links=links(services),
        when=lambda text: when(text, services), **values,
    )  # fmt: skip


def when(text: str, services: Services) -> str:
    """An instant of the API in the owner's zone, to the minute."""
    return f"{datetime.fromisoformat(text).astimezone(services.settings.owner.zone):%Y-%m-%d %H:%M}"


def _approvals(services: Services) -> list[Any]:
    approvals = services.approvals
    if approvals is None:
        return []
    rules = services.rules

    @get("/approvals")
    async def show(request: AnyRequest) -> Response[str]:
        remembered = rules.rules() if rules is not None else ()
        return page_of("approvals", request, services, waiting=approvals.list(), rules=remembered)

    return [show]


def _memory(services: Services) -> list[Any]:
    memory_of = services.memory
    if memory_of is None:
        return []

    @get("/memory")
    async def show(request: AnyRequest) -> Response[str]:
        agent = agent_of(request)
        memory = memory_of(agent)
        query = request.query_params.get("q", "").strip()[:_QUERY_CHARS]
        hits = await memory.search(query, _HITS) if query else []
        return page_of(
            "memory", request, services, query=query, hits=hits, agent=agent, agents=services.settings.agent_ids,
            waiting=memory.waiting(), forgotten=memory.last_forgotten(), **captured(memory, services.sessions),
        )  # fmt: skip

    return [show]


def captured(memory: MemoryView, sessions: Sessions) -> dict[str, Any]:
    """The newest items, each with the whole message it was said in (`said`; empty when that is not at hand)."""
    items = memory.captured()
    said: dict[str, dict[str, str]] = {}
    shown = []
    for item in items[:_ITEMS]:
        key = str(item["session"])
        if key not in said:
            said[key] = _words(sessions, key)
        shown.append({**item, "said": said[key].get(str(item["message"]), "")})
    return {"items": shown, "total": len(items)}


def _words(sessions: Sessions, key: str) -> dict[str, str]:
    found = sessions.find(key)
    if found is None:  # a session that is gone
        return {}
    rows = sessions.messages(found, _LOOKED_BACK)
    return {
        str(identity): str(row["text"])
        for row in rows
        if row.get("role") == "user"
        for identity in row.get("ids", [row["id"]])
    }


def _schedules(services: Services) -> list[Any]:
    schedules = services.schedules
    if schedules is None:
        return []

    @get("/schedules")
    async def show(request: AnyRequest) -> Response[str]:
        return page_of("schedules", request, services, jobs=schedules.rows(), heartbeats=schedules.heartbeats())

    return [show]


def _context(services: Services) -> list[Any]:
    account = services.context
    if account is None:
        return []

    @get("/context")
    async def show(request: AnyRequest) -> Response[str]:
        session = request.query_params.get("session", "main")
        names = [str(row["name"]) for row in services.sessions.list()]
        found = account(find(services, session))
        rows = [{**row, "tool": kind == "tools"} for kind in ("sections", "tools") for row in found[kind]]
        return page_of("context", request, services, session=session, names=names, account=found, rows=rows)

    return [show]


def _health(services: Services) -> list[Any]:
    doctor = services.doctor
    if doctor is None:
        return []

    @get("/health")
    async def show(request: AnyRequest) -> Response[str]:
        findings = await doctor(language_of(request, services))
        count = {status: sum(one["status"] == status for one in findings) for status in ("fail", "warn", "pass")}
        worst_first = sorted(findings, key=lambda one: ("fail", "warn", "pass").index(one["status"]))
        parts = [part.as_json() for part in services.health.parts()]
        return page_of("health", request, services, findings=worst_first, count=count, parts=parts, part_name=part_name)

    @get("/api/doctor")
    async def checks(request: AnyRequest) -> Response[Any]:
        return reply({"findings": await doctor(language_asked(request))})

    return [show, checks]
