"""The pages: one for logging in, one for talking. Everything they need comes from here, nothing from elsewhere."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from litestar import Response, get
from litestar.response import Redirect

from appliance.errors import NotFoundError
from appliance.gateway.api.http import AnyRequest
from appliance.gateway.services import Services

_WEB = Path(__file__).resolve().parents[2] / "web"
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".png": "image/png",
}


def routes(services: Services) -> list[Any]:
    """The handlers of this module."""

    @get("/")
    async def chat(request: AnyRequest) -> Response[Any]:
        if services.first_run is not None and services.first_run.due:
            return Redirect("/first-run", status_code=303)
        return page(
            "chat.html", request, services, links=links(services), asks=services.approvals is not None,
            agents=services.settings.agent_ids, first_run=services.first_run is not None,
        )  # fmt: skip

    @get("/login")
    async def login(request: AnyRequest) -> Response[Any]:
        if request.scope.get("principal") is not None and "again" not in request.query_params:
            return Redirect("/", status_code=303)
        return page("login.html", request, services, has_password=services.auth.has_password)

    @get("/static/{name:str}")
    async def static(request: AnyRequest, name: str) -> Response[bytes]:
        found = _files().get(name)
        if found is None:
            raise NotFoundError("There is no such file.")
        body, media_type, tag = found
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(b"", status_code=304, headers=headers, media_type=media_type)
        return Response(body, headers=headers, media_type=media_type)

    @get("/favicon.ico")
    async def icon() -> Response[bytes]:
        body, media_type, _ = _files()["icon.svg"]
        return Response(body, media_type=media_type, headers={"cache-control": "max-age=86400"})

    @get("/robots.txt")
    async def robots() -> Response[str]:
        return Response("User-agent: *\nDisallow: /\n", media_type="text/plain")

    return [chat, login, static, icon, robots]


def links(services: Services) -> list[tuple[str, str]]:
    """(address, name) of the pages beside the conversation; the name is a key of both tables of texts."""
    there = {
        "approvals": services.approvals,
        "memory": services.memory,
        "schedules": services.schedules,
        "spend": services.spending,
        "context": services.context,
        "models": services.model_shelf,
        "settings": services.settings_listed,
        "health": services.doctor,
    }
    return [(f"/{name}", f"page_{name}") for name, part in there.items() if part is not None]


@functools.cache
def _files() -> dict[str, tuple[bytes, str, str]]:
    """The static files by name: few and small, so they are held whole and no path ever comes from a request."""
    found = {}
    for path in sorted((_WEB / "static").iterdir()):
        if path.suffix in _TYPES:
            body = path.read_bytes()
            found[path.name] = (body, _TYPES[path.suffix], f'"{hashlib.sha256(body).hexdigest()[:20]}"')
    return found


@functools.cache
def _templates() -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_WEB / "templates"), autoescape=True, undefined=jinja2.StrictUndefined
    )


def page(name: str, request: AnyRequest, services: Services, **values: Any) -> Response[str]:
    """Given a template and its values, answer with the page in the reader's language."""
    html = (
        _templates()
        .get_template(name)
        .render(language=language_of(request, services), version=services.version, **values)
    )
    return Response(html, media_type="text/html; charset=utf-8")


def language_of(request: AnyRequest, services: Services) -> str:
    """What the person chose on the page, else the owner's setting, else what the browser asks for."""
    chosen = request.cookies.get("appliance_language", "")
    if chosen in ("en", "zh-Hant", "zh-Hans"):
        return chosen
    wanted = services.settings.owner.language
    if wanted != "auto":
        return wanted
    for entry in request.headers.get("accept-language", "").split(","):
        tag = entry.partition(";")[0].strip().lower()
        if tag.startswith("zh"):
            traditional = any(mark in tag for mark in ("hant", "-tw", "-hk", "-mo"))
            return "zh-Hant" if traditional else "zh-Hans"
        if tag.startswith("en"):
            return "en"
    return "en"
