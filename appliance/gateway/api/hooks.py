"""The calls of platforms (Telegram's and WhatsApp's webhooks): handed to the channel, which proves the caller."""

from __future__ import annotations

from typing import Any

from litestar import Response, route

from appliance.errors import NotFoundError
from appliance.gateway.api.http import AnyRequest, read_body
from appliance.gateway.hooks import HookRequest
from appliance.gateway.services import Services

BODY_LIMIT = 1024 * 1024


def routes(services: Services) -> list[Any]:
    """One route for all hooks; without a channel that has one there is none."""
    if not services.hooks:
        return []

    @route("/hooks/{name:str}", http_method=["GET", "POST"])
    async def called(request: AnyRequest, name: str) -> Response[str]:
        hook = services.hooks.get(name)
        if hook is None:
            raise NotFoundError("There is no such hook.")
        body = await read_body(request, BODY_LIMIT) if request.method == "POST" else b""
        answer = await hook(HookRequest(request.method, dict(request.headers), dict(request.query_params), body))
        return Response(answer.text, status_code=answer.status, media_type="text/plain")

    return [called]
