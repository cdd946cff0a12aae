"""The HTTP front: page, API, health and metrics on one port.

`build_app` puts the routes behind the door (protection.py); `Server` binds the port, runs and stops it. Nothing heavy
is imported here: the gateway answers before any model or channel library is loaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import logging
import socket
from collections.abc import Iterator
from typing import Any

import uvicorn
from litestar import Litestar, Request

from appliance.errors import StateError
from appliance.gateway.api import (
    deciding,
    first_run,
    health,
    inventory,
    login,
    mcp,
    memory,
    messages,
    openai,
    overview,
    pages,
    people,
    rules,
    schedules,
    sessions,
    skills,
    spend_page,
    webhooks,
)
from appliance.gateway.api.http import EXCEPTION_HANDLERS
from appliance.gateway.connections import GuardedProtocol
from appliance.gateway.protection import Hosts, Protection
from appliance.gateway.services import Services

__all__ = ["Server", "Services", "build_app"]

_BODY_LIMITS = {
    "/api/messages": messages.MESSAGE_BODY_LIMIT,
    "/api/attachments": messages.UPLOAD_BODY_LIMIT,
    "/v1/chat/completions": openai.BODY_LIMIT,
    **dict.fromkeys(("/hooks/telegram", "/hooks/whatsapp"), webhooks.BODY_LIMIT),
}
_log = logging.getLogger("appliance.server")


def build_app(services: Services) -> Protection:
    """Given the services, return the whole ASGI application."""
    handlers: list[Any] = []
    api = (messages, sessions, overview, openai, health, login, people, rules, skills, mcp, memory, schedules, webhooks)
    for module in (*api, pages, spend_page, deciding, inventory, first_run):
        handlers.extend(module.routes(services))
    app = Litestar(
        handlers,
        openapi_config=None,
        logging_config=None,
        debug=False,
        exception_handlers=EXCEPTION_HANDLERS,
        request_max_body_size=max(_BODY_LIMITS.values()),
    )
    hosts = Hosts(services.settings.server.host, services.settings.server.allowed_hosts)
    return Protection(
        app,  # type: ignore[arg-type]
        services.auth,
        hosts,
        _BODY_LIMITS,
        lambda scope: pages.language_of(Request(scope), services),  # type: ignore[arg-type]
    )


class _Uvicorn(uvicorn.Server):
    """Signals belong to app.py, which knows the order of stopping."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """Run the application. `bind` may be called first to learn of a taken port before anything else is started."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._socket: socket.socket | None = None
        self._uvicorn: _Uvicorn | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """The port in use; with port 0 in the settings, the one the kernel chose."""
        if self._socket is None:
            raise StateError("The server is not bound yet.")
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it."""
        host = self._services.settings.server.host
        try:
            ip = ipaddress.ip_address(host)
        except ValueError:
            return f"http://{host}:{self.port}"
        if ip.is_unspecified:
            return f"http://127.0.0.1:{self.port}"
        return f"http://[{ip}]:{self.port}" if ip.version == 6 else f"http://{ip}:{self.port}"

    @property
    def exposure(self) -> str:
        """One line about a bind wider than loopback and how it is protected; empty on loopback."""
        host = self._services.settings.server.host
        with contextlib.suppress(ValueError):
            if ipaddress.ip_address(host).is_loopback:
                return ""
        if host == "localhost":
            return ""
        return (
            f"Listening on {host}: everybody on this network can reach the login page. Protected by the token of "
            "STATE/token, one-time codes and your password; put TLS in front before opening it any wider."
        )

    def bind(self) -> None:
        """Take the port. Raises StateError with what to do when it is taken or cannot be used."""
        if self._socket is not None:
            return
        host, port = self._services.settings.server.host, self._services.settings.server.port
        bound: socket.socket | None = None
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            bound = socket.socket(family, kind, protocol)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(512)
            bound.setblocking(False)
        except OSError as error:
            if bound is not None:
                bound.close()
            raise _bind_error(host, port, error) from None
        self._socket = bound

    async def start(self) -> str:
        """Begin to answer; return the URL."""
        self.bind()
        config = uvicorn.Config(
            build_app(self._services),
            http=GuardedProtocol,
            ws="none",
            lifespan="off",
            loop="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=10,
        )
        self._uvicorn = _Uvicorn(config)
        assert self._socket is not None
        self._task = asyncio.create_task(self._uvicorn.serve(sockets=[self._socket]), name="http-server")
        while not self._uvicorn.started:
            if self._task.done():
                self._task.result()
                raise StateError("The HTTP server ended while it started.")
            await asyncio.sleep(0.002)
        return self.url

    async def stop(self) -> None:
        """End streams and waits (the messages are kept), give other requests ten seconds, end."""
        self._services.closing.close()
        if self._uvicorn is not None and self._task is not None:
            self._uvicorn.should_exit = True
            await self._task
            self._uvicorn = self._task = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _bind_error(host: str, port: int, error: OSError) -> StateError:
    if error.errno == errno.EADDRINUSE:
        return StateError(
            f"Port {port} on {host} is already in use.",
            fix="Stop the program that has it, or choose another: appliance up --port 8322 (APPLIANCE_SERVER__PORT).",
        )
    if error.errno == errno.EACCES:
        return StateError(f"Port {port} may not be used by this user.", fix="Choose a port of 1024 or higher.")
    return StateError(
        f"Cannot listen on {host}:{port}: {error.strerror or error}.", fix="Check server.host and server.port."
    )
