"""A web of our own on loopback: sites by name, a book of what was asked of them, and a listener nobody may reach."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from appliance.network.wall import Wall
from appliance.testing.loopback import LoopbackServer, Request, Response
from appliance.testing.names import FakeNames

Page = Response | Callable[[Request], Response]


class World:
    """Sites on one loopback port, told apart by Host. `book` lists (host, path) of every request."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.book: list[tuple[str, str]] = []
        self.hosts = {f"{name}.example" for name in "a b h r news evil tides long big shop".split()}
        self.names = FakeNames()
        self.port = 0
        self._server = LoopbackServer(self._answer)

    async def start(self) -> None:
        self.port = await self._server.start()

    async def stop(self) -> None:
        await self._server.stop()

    def page(self, url: str, body: bytes | str = b"", kind: str = "text/html; charset=utf-8", **headers: str) -> str:
        """Put a page at `host/path`; return its address. `status` and `location` are given as headers."""
        host, slash, path = url.partition("/")
        assert host in self.hosts, "name the site above, so that a wall made earlier knows it"
        status = int(headers.pop("status", "200"))
        data = body.encode() if isinstance(body, str) else body
        self.pages[host + slash + path] = Response(status, {"content-type": kind, **headers}, data)
        return f"http://{host}:{self.port}/{path}"

    def wall(self, *more: str) -> Wall:
        """A wall behind which the sites of this world are public: listed on this port, and found on loopback."""
        names = FakeNames({host: ["127.0.0.1"] for host in self.hosts})
        self.names = names
        return Wall([*(f"{host}:{self.port}" for host in self.hosts), *more], names)

    async def _answer(self, request: Request) -> Response:
        host = request.headers.get("host", "").partition(":")[0]
        path = request.path.partition("?")[0]
        self.book.append((host, request.path))
        found = self.pages.get(host + path, Response(404, {"content-type": "text/plain"}, b"no such page"))
        answer = found(request) if callable(found) else found
        return Response(answer.status, dict(answer.headers), answer.body)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    world = World()
    await world.start()
    yield world
    await world.stop()


class Forbidden:
    """A listener on an address that must not be reached; `reached` counts connections to it."""

    def __init__(self) -> None:
        self.reached = 0
        self.port = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._met, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reached += 1
        writer.close()


@pytest.fixture
async def forbidden() -> AsyncIterator[Forbidden]:
    listener = Forbidden()
    await listener.start()
    yield listener
    await listener.stop()
