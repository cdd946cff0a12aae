"""What the house is set to and which models it has: the pages /settings and /models, and their JSON."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post

from appliance.gateway.api.deciding import page_of
from appliance.gateway.api.http import AnyRequest, reply
from appliance.gateway.services import Services


def routes(services: Services) -> list[Any]:
    """The handlers of this module: only pages of parts that were handed over."""
    return [*_settings(services), *_models(services)]


def _settings(services: Services) -> list[Any]:
    listed = services.settings_listed
    if listed is None:
        return []

    @get("/settings")
    async def page(request: AnyRequest) -> Response[str]:
        sections = listed()
        changed = [row for section in sections for row in section["rows"] if row["set"]]
        return page_of(
            "settings", request, services, sections=sections, changed=changed, first_run=services.first_run is not None
        )

    @get("/api/settings")
    async def values() -> Response[Any]:
        return reply({"sections": listed()})

    return [page, values]


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
