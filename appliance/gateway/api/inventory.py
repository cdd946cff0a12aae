"""What the house is set to and which models it has: the pages /settings and /models, and their JSON."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post

from appliance.gateway.api.deciding import page_of
from appliance.gateway.api.http import AnyRequest, language_asked, reply
from appliance.gateway.api.pages import language_of
from appliance.gateway.services import Services
from appliance.texts import say
from appliance.texts.settings import described


def routes(services: Services) -> list[Any]:
    """The handlers of this module: only pages of parts that were handed over."""
    return [*_settings(services), *_models(services)]


def _settings(services: Services) -> list[Any]:
    listed = services.settings_listed
    if listed is None:
        return []

    @get("/settings")
    async def page(request: AnyRequest) -> Response[str]:
        sections = _in_language(listed(), language_of(request, services))
        changed = [row for section in sections for row in section["rows"] if row["set"]]
        return page_of(
            "settings", request, services, sections=sections, changed=changed, first_run=services.first_run is not None
        )

    @get("/api/settings")
    async def values(request: AnyRequest) -> Response[Any]:
        return reply({"sections": _in_language(listed(), language_asked(request))})

    return [page, values]


def _in_language(sections: list[dict[str, Any]], language: str) -> list[dict[str, Any]]:
    """The sections with a title, and with what each setting is for, as a reader of `language` understands them."""
    return [
        {
            "name": section["name"],
            "title": say(f"section_{section['name']}", language),
            "rows": [row | {"description": described(row["description"], language)} for row in section["rows"]],
        }
        for section in sections
    ]


def _models(services: Services) -> list[Any]:
    shelf = services.model_shelf
    if shelf is None:
        return []

    @get("/models")
    async def page(request: AnyRequest) -> Response[str]:
        return page_of("models", request, services, **shelf.shown())

    @get("/api/models/catalogue")
    async def listed() -> Response[Any]:
        return reply(shelf.shown())

    @post("/api/models/{name:str}/pull", status_code=202)
    async def pull(name: str) -> Response[Any]:
        shelf.fetch(name)
        return reply({"name": name, "phase": "fetching"}, 202)

    return [page, listed, pull]
