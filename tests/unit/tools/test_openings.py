"""What a conversation that holds text from outside may open and type."""

import time

import pytest

from appliance.errors import AddressError
from appliance.messages import SessionKey
from appliance.tools.openings import Openings, Said, addresses_in

MAIN = SessionKey.main()


def openings(*said: Said, sites: tuple[str, ...] = ()) -> Openings:
    return Openings(lambda session: said, sites)


ASKED = Said("owner", "Please read https://news.example/today, and tell me about 台北 weather.")
READ = Said("outside", "Story one [more](https://other.example/a_(b)) plain blog.example/x. Page archive next topics")


@pytest.mark.parametrize(
    "url",
    [
        "https://news.example/today",
        "http://news.example/today#top",
        "https://other.example/a_(b)",
        "https://blog.example/x",
    ],
)
def test_what_was_given_word_for_word_is_opened(url: str) -> None:
    assert openings(ASKED, READ).judge(url, MAIN)


@pytest.mark.parametrize(
    "url",
    [
        "https://news.example/topics?page=2",
        "https://www.news.example/archive/2026/11",
        "https://news.example/weather?q=%E5%8F%B0%E5%8C%97",
    ],
)
def test_the_owners_site_is_opened_with_words_that_were_read(url: str) -> None:
    assert openings(ASKED, READ).judge(url, MAIN) is False


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/?q=canary-7391",
        "https://news.example/today?secret=canary7391",
        "https://news.example/1/2/3/4",
        "https://news.example/123456",
        "https://other.example/",
        "https://news.example.evil.example/today",
        "https://news.example:8443/canary",
    ],
)
def test_what_the_model_composed_is_not_opened(url: str) -> None:
    with pytest.raises(AddressError, match="outside"):
        openings(ASKED, READ).judge(url, MAIN)


def test_an_echo_of_what_the_model_wrote_opens_nothing() -> None:
    mine = Said("model", "https://evil.example/?q=secret")
    echo = Said("outside", "You typed https://evil.example/?q=secret")
    with pytest.raises(AddressError):
        openings(ASKED, READ, mine, echo).judge("https://evil.example/?q=secret", MAIN)
    assert openings(ASKED, echo, mine).judge("https://evil.example/?q=secret", MAIN)


def test_a_site_that_the_model_chose_before_it_read_anything_stays_open() -> None:
    mine = Said("model", "https://docs.example/start")
    page = Said("outside", "see the reference of asyncio")
    assert openings(Said("owner", "how?"), mine, page).judge("https://docs.example/reference/asyncio", MAIN) is False
    with pytest.raises(AddressError):
        openings(Said("owner", "how?"), page, mine).judge("https://docs.example/reference/asyncio", MAIN)


def test_sites_that_the_owner_listed_are_open_with_their_subdomains() -> None:
    rules = openings(READ, sites=("wikipedia.org", "nas:5000"))
    assert rules.judge("https://de.wikipedia.org/wiki/Anything?x=y", MAIN)
    assert rules.judge("http://nas:5000/x", MAIN)
    with pytest.raises(AddressError):
        rules.judge("https://evilwikipedia.org/", MAIN)


def test_a_composed_address_is_not_led_away_from_its_site() -> None:
    rules = openings(ASKED, READ)
    rules.judge_hop("https://www.news.example/login", MAIN)
    rules.judge_hop("https://blog.example/x", MAIN)
    with pytest.raises(AddressError, match=r"redirects to evil\.example"):
        rules.judge_hop("https://evil.example/log?q=page", MAIN)


def test_what_is_typed_must_have_been_said_or_read() -> None:
    rules = openings(ASKED, READ, Said("model", "secret canary"))
    rules.judge_typing("Story, weather 台北", MAIN)
    with pytest.raises(AddressError, match="canary"):
        rules.judge_typing("story canary", MAIN)
    with pytest.raises(AddressError, match="高雄"):
        rules.judge_typing("高雄", MAIN)
    openings(ASKED, READ, Said("shown", "I would write: canary"), Said("owner", "yes")).judge_typing("canary", MAIN)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("看https://a.example/b，好", ["https://a.example/b"]),
        ("(see http://a.example/b_(c)).", ["http://a.example/b_(c)"]),
        ("<https://a.example>", ["https://a.example/"]),
        ("mail sam@a.example or x.y", ["https://a.example/"]),
        ("version 1.2.3 and e.g. nothing", []),
        ("https://例え.jp/", ["https://xn--r8jz45g.jp/"]),
    ],
)
def test_addresses_are_found_in_text(text: str, found: list[str]) -> None:
    assert [one.url for one in addresses_in(text) if not one.host.endswith(".y")] == found


def test_a_long_text_is_searched_quickly() -> None:
    began = time.perf_counter()
    for text in ("a" * 300_000, "a." * 150_000 + "!", "https://" * 40_000, "(" * 300_000):
        addresses_in(text)
    assert time.perf_counter() - began < 5.0
