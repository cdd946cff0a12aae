"""No string leads inside: not through fetch, not through the proxy that the browser must use."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from appliance.errors import AddressError, ToolError
from appliance.network.client import Client
from appliance.network.proxy import WallProxy
from appliance.network.wall import Wall
from appliance.testing.names import FakeNames

# What a resolver answers for names of the list; the others are unknown to it.
NAMES = FakeNames(
    {
        "127.0.0.1.nip.io": ["127.0.0.1"],
        "metadata.google.internal": ["169.254.169.254"],
        "host.docker.internal": ["172.17.0.1"],
        "rebind.example": [["93.184.216.34"], ["127.0.0.1"]],
    }
)
TARGETS = """
http://127.0.0.1/ http://localhost/ http://localhost./ http://LOCALHOST/ http://127.1/ http://0/ http://0.0.0.0/
http://2130706433/ http://0x7f000001/ http://0177.0.0.1/ http://127.0.0.1.nip.io/ http://[::1]/ http://[::]/
http://[::ffff:127.0.0.1]/ http://[0:0:0:0:0:ffff:7f00:1]/ http://[64:ff9b::7f00:1]/ http://169.254.169.254/
http://[fd00:ec2::254]/ http://metadata.google.internal/ http://100.100.100.200/ http://10.0.0.1/ http://172.16.0.1/
http://172.17.0.1/ http://192.168.0.1/ http://100.64.0.1/ http://[fe80::1%25eth0]/ http://[fc00::1]/ http://224.0.0.1/
http://255.255.255.255/ http://host.docker.internal/ http://gateway/ http://prometheus:9090/ http://grafana:3000/
http://a@127.0.0.1/ http://127.0.0.1#@example.com/ http://example.com@127.0.0.1/ http:127.0.0.1/ http:///127.0.0.1/
http://①②⑦.⓪.⓪.①/ http://127。0。0。1/ file:///etc/passwd FILE:///etc/passwd view-source:file:///etc/passwd
ftp://127.0.0.1/ gopher://127.0.0.1:6379/_INFO javascript:fetch('/x') data:text/html,<iframe%20src=file:///etc/passwd>
ws://127.0.0.1:18789/ http://198.18.0.1/ http://0x7f.1/ http://127.0.0.1:80@1.1.1.1/ http://[::ffff:7f00:1]/
http://1.1.1.1\\@127.0.0.1/ http://127.0.0.1%2f@example.com/ http://%31%32%37.0.0.1/ http://[::127.0.0.1]/
http://[2002:7f00:1::]/ http://017700000001/ http://127.0.0.1./ http://router.local/
""".split()  # fmt: skip


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every connection that is tried, none of which is made."""
    tried: list[Any] = []

    async def refuse(self: Any, factory: Any, host: Any = None, port: Any = None, **more: Any) -> Any:
        tried.append((host, port))
        raise OSError("no connection is made in this test")

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "create_connection", refuse)
    return tried


def test_the_whole_list_is_here() -> None:
    assert len(TARGETS) >= 57


@pytest.mark.parametrize("target", TARGETS)
async def test_fetch_opens_none_of_them(target: str, connections: list[Any]) -> None:
    with pytest.raises((AddressError, ToolError)):
        await Client(Wall(resolve=NAMES), seconds=5).get(target)
    assert connections == []


async def _ask_proxy(request: bytes) -> bytes:
    proxy = WallProxy(Wall(resolve=NAMES))
    await proxy.start()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
        writer.write(request)
        answer = await asyncio.wait_for(reader.read(4096), 5)
        writer.close()
        await writer.wait_closed()
        return answer
    finally:
        await proxy.stop()


@pytest.mark.parametrize("target", [t for t in TARGETS if t.isascii()])
async def test_the_proxy_connects_to_none_of_them(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    async def connect(host: str, port: int, **more: Any) -> Any:
        tried.append(host)
        raise OSError("not in this test")

    from appliance.network import proxy as module

    opened = asyncio.open_connection
    monkeypatch.setattr(
        module.asyncio, "open_connection", lambda h, p, **m: connect(h, p) if m.get("limit") else opened(h, p)
    )
    plain = await _ask_proxy(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert plain.startswith(b"HTTP/1.1 403 "), plain
    authority = target.partition("://")[2].partition("/")[0] or target
    tunnel = await _ask_proxy(f"CONNECT {authority.partition('#')[0]}:443 HTTP/1.1\r\n\r\n".encode())
    assert tunnel.startswith(b"HTTP/1.1 403 "), tunnel
    assert tried == []


async def test_a_name_that_changes_its_answer_is_connected_to_where_it_was_judged(connections: list[Any]) -> None:
    names = FakeNames({"rebind.example": [["93.184.216.34"], ["127.0.0.1"]]})
    client = Client(Wall(resolve=names), seconds=5)
    with pytest.raises(ConnectionError):
        await client.get("http://rebind.example/")
    assert [host for host, _ in connections] == ["93.184.216.34"]
    with pytest.raises(AddressError, match=r"leads to 127\.0\.0\.1"):
        await client.get("http://rebind.example/")
    assert names.asked == ["rebind.example", "rebind.example"]
    assert len(connections) == 1
