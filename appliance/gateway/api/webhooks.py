"""The calls of platforms (Telegram's and WhatsApp's webhooks): handed to the channel, which proves the caller."""

from __future__ import annotations

from typing import Any

from litestar import Response, route

from appliance.errors import NotFoundError
from appliance.gateway.api.http import AnyRequest, read_body
from appliance.gateway.services import Services
from appliance.gateway.webhooks import WebhookRequest

BODY_LIMIT = 1024 * 1024


def routes(services: Services) -> list[Any]:
    """One route for all of them; without a channel that has one there is none."""
    if not services.webhooks:
        return []

    @route("/hooks/{name:str}", http_method=["GET", "POST"])
    async def called(request: AnyRequest, name: str) -> Response[str]:
        webhook = services.webhooks.get(name)
        if webhook is None:
            raise NotFoundError("There is no such webhook.")
        body = await read_body(request, BODY_LIMIT) if request.method == "POST" else b""
        answer = await webhook(WebhookRequest(request.method, dict(request.headers), dict(request.query_params), body))
        return Response(answer.text, status_code=answer.status, media_type="text/plain")

    return [called]
