"""A redirect, or a name whose answer changes, led a fetch to private addresses."""

import asyncio

import pytest

from appliance.errors import AddressError
from appliance.network.client import Client
from appliance.network.wall import Wall
from appliance.testing.loopback import LoopbackServer, Request, Response
from appliance.testing.names import FakeNames

INSIDE = ["http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://0x7f000001/", "http://198.18.0.1/"]


@pytest.mark.parametrize("target", INSIDE)
async def test_the_hop_is_refused(target: str) -> None:
    async def answer(request: Request) -> Response:
        return Response(302, {"location": target})

    async with asyncio.timeout(10):
        server = LoopbackServer(answer)
        port = await server.start()
        wall = Wall([f"site.example:{port}"], FakeNames({"site.example": ["127.0.0.1"]}))
        with pytest.raises(AddressError):
            await Client(wall, seconds=5).get(f"http://site.example:{port}/")
        await server.stop()


async def test_a_name_is_judged_each_time_it_is_connected_to() -> None:
    met: list[int] = []

    async def answer(request: Request) -> Response:
        met.append(1)
        return Response(200)

    server = LoopbackServer(answer)
    port = await server.start()
    names = FakeNames({"site.example": [["203.0.112.1"], ["127.0.0.1"]]})
    client = Client(Wall(resolve=names), seconds=0.5)
    with pytest.raises((ConnectionError, TimeoutError)):
        await client.get(f"http://site.example:{port}/")
    with pytest.raises(AddressError):
        await client.get(f"http://site.example:{port}/")
    await server.stop()
    assert met == []
