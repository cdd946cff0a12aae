"""`python -m appliance.browser.service`: Playwright and Chromium in a process of their own, behind a small RPC.

    GET  /healthz    no token: 200 while it serves
    GET  /status     whether pages can be opened, and whether Chromium keeps its own sandbox
    POST /act        a Step; answers with an Outcome, or 422 with a Fault

All but /healthz want the bearer token of `--token-file`. Its way out is the proxy of `--proxy`, which judges addresses
where connections are made. It is given nothing of the gateway's environment, settings or files.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hmac
import os
import socket
import stat
import sys
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import uvicorn

from appliance.browser import chromium
from appliance.browser.driver import Driver
from appliance.browser.session import Browser
from appliance.browser.wire import MOST_BODY, Condition, Fault, Outcome, Step
from appliance.clock import SystemClock
from appliance.errors import AddressError, ToolError
from appliance.lifeline import die_with_parent
from appliance.network.wall import Wall
from appliance.tasks import GoneError, unless

T = TypeVar("T")
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
_UNUSED_CHECK_SECONDS = 15.0  # a new process is only a second away
_TOKEN_BYTES = 16  # shortest that is taken


class Service:
    """Given the browser and the token, answer requests (an ASGI application)."""

    def __init__(self, browser: Browser, token: str, executable: str = "") -> None:
        self._browser = browser
        self._driver = Driver(browser)
        self._token = token.encode()
        self._executable = executable
        self._requests = 0
        self.used = False

    @property
    def unused(self) -> bool:
        """Whether no window is open and nobody asked for anything since the last look."""
        used, self.used = self.used, False
        return not (used or self._requests or self._browser.open)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            status, body = await self._answer(scope, receive)
            headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})

    async def _live(self, receive: Receive, send: Send) -> None:
        """Close the windows when the server ends: uvicorn raises the signal that ended it again right after."""
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._browser.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: MutableMapping[str, Any], receive: Receive) -> tuple[int, bytes]:
        route = (scope["method"], scope["path"])
        if route == ("GET", "/healthz"):
            return 200, b'{"status":"ok"}'
        headers = dict(scope["headers"])
        given = headers.get(b"authorization", b"").removeprefix(b"Bearer ")
        if not hmac.compare_digest(given, self._token):
            return _fault(401, "The token is missing or wrong.")
        if route == ("GET", "/status"):
            return 200, msgspec.json.encode(await asyncio.to_thread(self._condition))
        if route != ("POST", "/act"):
            return _fault(404, "There is nothing here.")
        self._requests += 1
        self.used = True
        try:
            return await self._act(receive)
        finally:
            self._requests -= 1

    async def _act(self, receive: Receive) -> tuple[int, bytes]:
        try:
            step = msgspec.json.decode(await _body(receive), type=Step)
            wall = Wall(step.allowed)
        except (ValueError, AddressError) as error:  # msgspec's errors are ValueErrors
            return _fault(400, f"The request cannot be read: {error}")
        self._browser.wall = wall
        try:
            outcome: Outcome = await _until_gone(receive, self._driver.act(step))
        except ToolError as error:
            return _fault(422, error.what, error.fix)
        except Exception as error:  # noqa: BLE001 - the service's edge: whatever broke, the model is told in words
            sys.stderr.write(f"browser: {step.action}: {type(error).__name__}: {error}\n")
            return _fault(500, f"The browser failed: {type(error).__name__}.", "Try again, or close the window.")
        return 200, msgspec.json.encode(outcome)

    def _condition(self) -> Condition:
        return Condition(
            missing=chromium.missing(self._executable),
            weak=chromium.own_sandbox(),
            program=chromium.executable(self._executable),
            open=self._browser.open,
        )


async def _body(receive: Receive) -> bytes:
    pieces, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ValueError("it was cut off")
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > MOST_BODY:
            raise ValueError(f"it is larger than {MOST_BODY // 1_000_000} MB")
        if not message.get("more_body"):
            return b"".join(pieces)


async def _until_gone(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Await `work`; when the client hangs up, because the turn was stopped, it is cancelled."""
    try:
        return await unless(_hung_up(receive), work)
    except GoneError:
        raise ToolError("The client hung up.") from None


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def _fault(status: int, what: str, fix: str = "") -> tuple[int, bytes]:
    return status, msgspec.json.encode(Fault(what, fix))


def _listener(given: argparse.Namespace) -> socket.socket:
    """A socket file that only this user may open, or a port. Raises OSError."""
    if not given.socket:
        return socket.create_server((given.host, given.port), backlog=64)
    path = Path(given.socket)
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode):  # what a service that was killed left
            path.unlink()
    before = os.umask(0o177)
    try:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(64)
    finally:
        os.umask(before)
    return listener


async def serve(given: argparse.Namespace, token: str) -> None:
    """Run until SIGTERM or SIGINT, or, with `--leave-unused`, until nobody needs it."""
    browser = Browser(
        Wall(), SystemClock(), given.proxy, executable=given.executable, close_idle=given.close_idle_seconds
    )
    service = Service(browser, token, given.executable)
    with _listener(given) as listener:
        if given.parent:
            os.write(sys.stdout.fileno(), b"listening\n")
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads on: a full pipe would block us
        config = uvicorn.Config(
            service, log_level="warning", access_log=False, lifespan="on", timeout_graceful_shutdown=2,
            server_header=False, h11_max_incomplete_event_size=16_384,
        )  # fmt: skip
        server = uvicorn.Server(config)
        watch = asyncio.create_task(_leave_unused(service, server)) if given.leave_unused else None
        try:
            await server.serve(sockets=[listener])
        finally:
            if watch is not None:
                watch.cancel()
                await asyncio.gather(watch, return_exceptions=True)


async def _leave_unused(service: Service, server: uvicorn.Server) -> None:
    while True:
        await asyncio.sleep(_UNUSED_CHECK_SECONDS)
        if service.unused:
            server.should_exit = True
            return


def main(arguments: list[str] | None = None) -> int:
    """Return the exit code; what cannot be used is named on standard error."""
    parser = argparse.ArgumentParser(prog="appliance-browser", description=__doc__)
    parser.add_argument("--socket", default="", help="listen on this socket file")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8323)
    parser.add_argument("--token-file", type=Path, required=True)
    parser.add_argument("--proxy", required=True, help="the only way out, as http://host:port")
    parser.add_argument("--executable", default="", help="path of Chromium")
    parser.add_argument("--close-idle-seconds", type=float, default=600.0)
    parser.add_argument("--leave-unused", action="store_true", help="end when no window is open")
    parser.add_argument("--parent", type=int, default=0, help="end when this process ends")
    given = parser.parse_args(arguments)
    if given.parent:
        die_with_parent(given.parent)
    try:
        token = given.token_file.read_text(encoding="ascii").strip()
        if len(token) < _TOKEN_BYTES:
            raise ValueError(f"the token must have at least {_TOKEN_BYTES} characters")
        asyncio.run(serve(given, token))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"The browser's service cannot start: {error}.\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
