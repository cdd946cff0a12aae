"""Commands with network: only through the proxy, only to listed domains, never to a private address."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from appliance import __version__
from appliance.sandbox.client import SandboxClient
from appliance.sandbox.template import egress_network

from .conftest import House, docker

EGRESS = f"appliance-egress:{__version__}"
pytestmark = [pytest.mark.docker]


@pytest.fixture
async def online(house: House) -> AsyncIterator[House]:
    if not docker("image", "inspect", "--format", "{{.Id}}", EGRESS):
        pytest.skip(f"no {EGRESS}: run scripts/images egress")
    config = replace(house.config, allow_domains=("example.org", "localtest.invalid"), egress_image=EGRESS)
    made = House(config, SandboxClient(config))
    yield made
    await made.end()
    docker("rm", "-f", f"{egress_network(made.owner)}-proxy")
    docker("network", "rm", egress_network(made.owner))


async def status(house: House, url: str, *more: str) -> bytes:
    words = ["curl", "-s", "-o", "/dev/null", "-m", "20", "-w", "%{http_code} %{http_connect}", *more, url]
    result = await house.client.run("main", argv=words, profile="allowlist", limit=60)
    return result.stdout


async def test_what_is_not_listed_is_refused_by_the_proxy(online: House) -> None:
    assert await status(online, "http://example.com/") == b"403 000"
    assert await status(online, "https://example.com/") == b"000 403"
    assert await status(online, "http://example.org.evil.example/") == b"403 000"
    assert await status(online, "http://notexample.org/") == b"403 000"


async def test_a_listed_name_passes_the_rules(online: House) -> None:
    """Here no name resolves, and the proxy says so: 503 is behind the rules, 403 would be one of them."""
    assert (await status(online, "http://localtest.invalid/")).startswith((b"503", b"502", b"500"))
    assert (await status(online, "http://sub.localtest.invalid/")).startswith((b"503", b"502", b"500"))


PRIVATE = (
    "127.0.0.1 10.0.0.1 172.17.0.1 192.168.0.1 169.254.169.254 100.100.100.200 198.18.0.1 0x7f000001 "
    "2130706433 0.0.0.0 [::1] [::ffff:127.0.0.1] [fd00:ec2::254] [64:ff9b::7f00:1]"
).split()


async def test_private_and_bare_addresses_are_refused(online: House) -> None:
    words = " ".join(f"'http://{address}/'" for address in PRIVATE)
    script = f"for url in {words}; do curl -gs -o /dev/null -m 20 -w '%{{http_code}} ' \"$url\"; done"
    result = await online.client.run("main", script, profile="allowlist", limit=120)
    assert result.stdout.split() == [b"403"] * len(PRIVATE)


async def test_other_ports_and_other_ways_are_shut(online: House) -> None:
    assert await status(online, "http://example.org:22/") == b"403 000"
    assert await status(online, "https://example.org:8443/") == b"000 403"
    script = """
timeout 3 bash -c 'exec 3<>/dev/tcp/192.0.2.1/80' && echo direct
timeout 3 bash -c 'exec 3<>/dev/tcp/egress/3129' && echo public
timeout 3 bash -c 'exec 3<>/dev/udp/10.255.255.53/53; echo x >&3; head -c 1 <&3' && echo dns
getent hosts example.org && echo resolved
true
"""
    result = await online.client.run("main", script, profile="allowlist", limit=30)
    assert result.stdout == b""


async def test_the_machines_own_services_are_out_of_reach(online: House) -> None:
    """The bridge gives the machine an address on the internal network; nothing that listens may answer there."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        form = "{{(index .IPAM.Config 0).Gateway}}"
        await online.client.run("main", "true", profile="allowlist", limit=60)
        gateway = docker("network", "inspect", "-f", form, egress_network(online.owner))
        assert gateway
        result = await online.client.run(
            "main", f"timeout 3 bash -c 'exec 3<>/dev/tcp/{gateway}/{port}' && echo open", profile="allowlist"
        )
        assert b"open" not in result.stdout
        assert result.outcome == "exited"


async def test_a_command_without_network_still_has_none(online: House) -> None:
    result = await online.client.run("main", "ls /sys/class/net; env | grep -ci proxy")
    assert result.stdout == b"lo\n0\n"


async def test_the_proxy_itself_is_locked_down(online: House) -> None:
    await online.client.run("main", "true", profile="allowlist", limit=60)
    name = f"{egress_network(online.owner)}-proxy"
    form = "{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.Config.User}} {{.HostConfig.Memory}}"
    assert docker("inspect", "-f", form, name) == "true [ALL] proxy 201326592"
    assert subprocess.run(["docker", "exec", name, "id", "-u"], capture_output=True, text=True).stdout.strip() != "0"
