"""What probes and Prometheus read."""

from __future__ import annotations

from typing import Any

from litestar import Response, get

from appliance.gateway.api.http import reply
from appliance.gateway.services import Services


def routes(services: Services) -> list[Any]:
    """The handlers of this module. Health names parts and states only: it is read without a login."""

    @get("/healthz")
    async def alive() -> Response[Any]:
        return reply({"status": "ok"})

    @get("/readyz")
    async def ready() -> Response[Any]:
        parts = {part.name: part.state.value for part in services.health.parts()}
        is_ready = services.health.ready
        return reply({"status": "ready" if is_ready else "starting", "parts": parts}, 200 if is_ready else 503)

    handlers: list[Any] = [alive, ready]
    render = services.metrics
    if render is not None:

        @get("/metrics")
        async def metrics() -> Response[bytes]:
            return Response(render(), media_type="text/plain; version=0.0.4; charset=utf-8")

        handlers.append(metrics)
    return handlers
