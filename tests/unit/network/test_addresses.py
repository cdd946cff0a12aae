"""What an address is, however it is written."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.errors import AddressError
from appliance.network.addresses import is_public, parse, plain_host


@pytest.mark.parametrize(
    ("written", "opened"),
    [
        ("https://Example.COM", "https://example.com/"),
        ("http://example.com.:80/a?b=c#d", "http://example.com/a?b=c"),
        ("https://example.com:8443/a b", None),
        ("https://例え.jp/道?q=値", "https://xn--r8jz45g.jp/%E9%81%93?q=%E5%80%A4"),
        ("http://[2606:4700::1111]:8080/x", "http://[2606:4700::1111]:8080/x"),
        ("https://en.wikipedia.org/wiki/Foo_(bar)", "https://en.wikipedia.org/wiki/Foo_(bar)"),
        ("https://x.example/a%2Fb", "https://x.example/a%2Fb"),
        ("https://x.example:0/", None),
        ("https://x.example:99999/", None),
        ("https://x.example:８０/", None),
        ("https://exa\tmple.com/", None),
        ("https://example.com\\@evil.example/", None),
        ("https://-x.example/", None),
        ("https://x..example/", None),
        ("https://" + "a" * 64 + ".example/", None),
        ("https://[::1%25eth0]/", None),
        ("https://[::1", None),
        ("", None),
        ("https://x.example/" + "a" * 5000, None),
    ],
)
def test_an_address_has_one_form(written: str, opened: str | None) -> None:
    if opened is None:
        with pytest.raises(AddressError):
            parse(written)
    else:
        assert parse(written).url == opened


@pytest.mark.parametrize(
    "inside",
    [
        "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "100.100.100.200", "198.18.0.1", "198.19.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "168.63.129.16",
        "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1",
        "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1", "2002:7f00:1::", "2001::1",
        "100::1", "3fff::1", "2606:4700:0:0:0:5efe:7f00:1", "2606:4700:0:0:200:5efe:7f00:1", "5f00::1",
    ],
)  # fmt: skip
def test_an_address_inside_is_not_public(inside: str) -> None:
    assert not is_public(ipaddress.ip_address(inside))


@pytest.mark.parametrize(
    "outside", ["1.1.1.1", "93.184.216.34", "100.63.0.1", "100.128.0.1", "198.17.0.1", "2606:4700::1111",
                "::ffff:1.1.1.1", "64:ff9b::101:101"],
)  # fmt: skip
def test_an_address_outside_is_public(outside: str) -> None:
    assert is_public(ipaddress.ip_address(outside))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0xFFFF << 32, 0x64FF9B << 96]))
def test_an_address_that_carries_another_is_as_public_as_that(number: int, prefix: int) -> None:
    carried = ipaddress.IPv4Address(number)
    assert is_public(ipaddress.IPv6Address(prefix | number)) == is_public(carried)


@given(st.text(max_size=30))
def test_any_host_is_plain_or_refused(text: str) -> None:
    try:
        plain = plain_host(text)
    except AddressError:
        return
    assert plain == plain_host(plain)
    assert plain.isascii()
    assert not set(plain) & set("/\\@#? \t")
