"""What a name resolves to decides, and only listed hosts lead inside."""

import ipaddress

import pytest

from appliance.errors import AddressError
from appliance.network import wall as wall_module
from appliance.network.wall import Wall, is_ours, system_resolve


class Names:
    """A resolver with answers by name; counts how often it was asked."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers = {name.replace("_", "."): found for name, found in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host not in self.answers:
            raise OSError(-2, "Name or service not known")
        return self.answers[host]


async def test_a_public_name_is_answered_with_its_addresses() -> None:
    wall = Wall(resolve=Names(site_example=["93.184.216.34", "2606:4700::1111"]))
    assert await wall.addresses("Site.Example.", 443) == ["93.184.216.34", "2606:4700::1111"]


@pytest.mark.parametrize("inside", ["127.0.0.1", "192.168.1.5", "::1", "fd12::1", "169.254.169.254", "fe80::1%eth0"])
async def test_a_public_name_that_leads_inside_is_refused(inside: str) -> None:
    wall = Wall(resolve=Names(site_example=["93.184.216.34", inside]))
    with pytest.raises(AddressError, match=r"site\.example leads to"):
        await wall.addresses("site.example", 80)


@pytest.mark.parametrize("name", ["localhost", "db", "nas.local", "x.localhost", "router.lan", "ha.home.arpa"])
async def test_a_name_of_the_house_is_not_even_looked_up(name: str) -> None:
    names = Names()
    with pytest.raises(AddressError, match="inside this machine"):
        await Wall(resolve=names).addresses(name, 80)
    assert names.asked == []


async def test_a_listed_host_leads_home_and_on_its_port_only() -> None:
    wall = Wall(["ha.local:8123", "nas", "10.0.0.5"], Names(ha_local=["192.168.1.9"], nas=["fd00::9"]))
    assert await wall.addresses("ha.local", 8123) == ["192.168.1.9"]
    assert await wall.addresses("nas", 1234) == ["fd00::9"]
    assert await wall.addresses("10.0.0.5", 80) == ["10.0.0.5"]
    assert wall.check("http://nas:5000/").port == 5000
    with pytest.raises(AddressError):
        await wall.addresses("ha.local", 22)
    with pytest.raises(AddressError):
        await wall.addresses("10.0.0.6", 80)


@pytest.mark.parametrize("metadata", ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "0.0.0.0", "224.0.0.1"])
async def test_not_even_a_listed_name_leads_to_metadata(metadata: str) -> None:
    wall = Wall(["ha.local"], Names(ha_local=[metadata]))
    with pytest.raises(AddressError):
        await wall.addresses("ha.local", 80)


async def test_an_unknown_name_is_said_to_be_unknown() -> None:
    with pytest.raises(AddressError, match="cannot be found"):
        await Wall(resolve=Names()).addresses("nowhere.example", 80)


async def test_a_name_server_that_does_not_answer_is_said_so() -> None:
    async def slow(host: str, port: int) -> list[str]:
        raise TimeoutError

    with pytest.raises(AddressError, match="did not answer"):
        await Wall(resolve=slow).addresses("site.example", 80)


async def test_public_addresses_of_this_machine_and_its_network_are_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {
        "/proc/net/if_inet6": ["26064700000012340000000000000005 02 40 00 80     eth0"],
        "/proc/net/fib_trie": [
            "Local:",
            "  +-- 0.0.0.0/0 3 0 5",
            "        |-- 93.184.216.34",
            "           /32 host LOCAL",
        ],
    }
    monkeypatch.setattr(wall_module, "_lines", tables.__getitem__)
    assert is_ours(ipaddress.ip_address("2606:4700:0:1234::99"))
    assert not is_ours(ipaddress.ip_address("2606:4700:0:1235::99"))
    assert is_ours(ipaddress.ip_address("93.184.216.34"))
    wall = Wall(resolve=Names(site_example=["2606:4700:0:1234::99"]))
    with pytest.raises(AddressError):
        await wall.addresses("site.example", 80)
    with pytest.raises(AddressError):
        wall.check("http://93.184.216.34/")


def test_this_machine_knows_its_own_addresses() -> None:
    assert is_ours(ipaddress.ip_address("127.0.0.1"))


async def test_the_systems_resolver_is_asked() -> None:
    assert set(await system_resolve("localhost", 80)) <= {"127.0.0.1", "::1"}
