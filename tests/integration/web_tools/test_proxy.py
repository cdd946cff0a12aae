"""The proxy passes on what may pass, one request a connection, and nothing else."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from appliance.network.proxy import WallProxy
from appliance.testing.loopback import Request, Response
from tests.integration.web_tools.conftest import Forbidden, World


async def _raw(proxy: WallProxy, data: bytes, until: bytes = b"") -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
    writer.write(data)
    try:
        return await asyncio.wait_for(reader.readuntil(until) if until else reader.read(100_000), 10)
    finally:
        writer.close()
        await writer.wait_closed()


async def test_a_request_reaches_its_site_as_it_was_written(world: World) -> None:
    seen: list[Request] = []

    def echo(request: Request) -> Response:
        seen.append(request)
        return Response(200, {"x-mine": "1", "connection": "keep-alive"}, request.body[::-1])

    world.pages["a.example/x"] = echo
    proxy = WallProxy(world.wall())
    await proxy.start()
    async with httpx2.AsyncClient(proxy=proxy.url, trust_env=False) as client:
        answer = await client.post(f"http://a.example:{world.port}/x?q=%41&r", content=b"abc", headers={"x-odd": "a;b"})
    await proxy.stop()
    assert (answer.status_code, answer.content, answer.headers["connection"]) == (200, b"cba", "close")
    assert seen[0].path == "/x?q=%41&r"
    assert seen[0].headers["host"] == f"a.example:{world.port}"
    assert seen[0].headers["x-odd"] == "a;b"
    assert not any(name.startswith("proxy-") for name in seen[0].headers)


async def test_a_tunnel_carries_bytes_both_ways(world: World) -> None:
    world.page("a.example/x", "hello")
    proxy = WallProxy(world.wall())
    await proxy.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
    writer.write(f"CONNECT a.example:{world.port} HTTP/1.1\r\nHost: a.example\r\n\r\n".encode())
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
    writer.write(b"GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
    assert (await asyncio.wait_for(reader.read(), 5)).endswith(b"hello")
    writer.close()
    await writer.wait_closed()
    await proxy.stop()


async def test_a_second_request_on_a_connection_cannot_choose_another_host(world: World, forbidden: Forbidden) -> None:
    world.page("a.example/x", "first")
    proxy = WallProxy(world.wall())
    await proxy.start()
    inside = f"GET http://127.0.0.1:{forbidden.port}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    got = await _raw(proxy, f"GET http://a.example:{world.port}/x HTTP/1.1\r\nHost: a.example\r\n\r\n{inside}".encode())
    await proxy.stop()
    assert b"first" in got
    assert forbidden.reached == 0


@pytest.mark.parametrize(
    "request_line",
    ["GET / HTTP/1.1", "GET /x HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT nowhere HTTP/1.1", "x", "GET  HTTP/1.1",
     "GET https://a.example/ HTTP/1.1"],
)  # fmt: skip
async def test_what_is_no_request_to_a_proxy_is_refused(world: World, request_line: str) -> None:
    proxy = WallProxy(world.wall())
    await proxy.start()
    assert (await _raw(proxy, f"{request_line}\r\nHost: a\r\n\r\n".encode())).startswith(b"HTTP/1.1 403 ")
    await proxy.stop()


async def test_refusals_are_told(world: World) -> None:
    told: list[tuple[str, str]] = []
    proxy = WallProxy(world.wall(), lambda host, why: told.append((host, why)))
    await proxy.start()
    got = await _raw(proxy, b"CONNECT 192.168.1.1:443 HTTP/1.1\r\n\r\n")
    await proxy.stop()
    assert b"inside this machine or network" in got
    assert told[0][0] == "192.168.1.1:443"


async def test_a_site_that_is_down_is_a_bad_gateway(world: World) -> None:
    proxy = WallProxy(world.wall())
    await proxy.start()
    await world.stop()
    got = await _raw(proxy, f"GET http://a.example:{world.port}/ HTTP/1.1\r\nHost: a.example\r\n\r\n".encode())
    await proxy.stop()
    await world.start()
    assert got.startswith(b"HTTP/1.1 502 ")
