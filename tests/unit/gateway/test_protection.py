"""Names under which the page may be opened."""

from __future__ import annotations

import socket

import pytest

from appliance.gateway.protection import Hosts
from appliance.gateway.throttle import client_key


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8321", "LOCALHOST.", "127.0.0.1:8321", "[::1]:8321", "192.168.1.20:8321", "a.localhost"],
)
def test_this_machine_and_plain_addresses_are_allowed(host: str) -> None:
    assert Hosts("127.0.0.1", []).allow(host)


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "127.0.0.1.nip.io", "localhost.evil.example", "evil.example:8321", "2130706433", "[evil]"],
)
def test_a_name_that_could_be_rebound_is_not(host: str) -> None:
    assert not Hosts("127.0.0.1", []).allow(host)


def test_a_configured_name_is_allowed_in_any_case_and_with_any_port() -> None:
    hosts = Hosts("127.0.0.1", ["Agent.Home.example"])
    assert hosts.allow("agent.home.example")
    assert hosts.allow("AGENT.home.example.:443")
    assert not hosts.allow("x.agent.home.example")


def test_the_machines_own_name_counts_only_when_the_network_can_reach_it() -> None:
    mine = socket.gethostname()
    assert Hosts("0.0.0.0", []).allow(f"{mine}:8321")
    assert Hosts("0.0.0.0", []).allow(f"{mine}.local")


def test_a_client_is_counted_by_address_and_ipv6_by_network() -> None:
    assert client_key("::ffff:1.2.3.4") == client_key("1.2.3.4") == "1.2.3.4"
    assert client_key("2001:db8::1") == client_key("2001:db8::ffff:2")
    assert client_key("2001:db8::1") != client_key("2001:db8:0:1::1")
    assert client_key("fe80::1%eth0") == client_key("fe80::2")
    assert client_key("unknown") == "unknown"
