"""What a conversation that holds text from outside may still open and type.

Such a text may ask for an address that carries what nobody meant to tell. So the model may follow what it was given,
but not compose: an address must come from the owner or stand word for word in what was read, or lie on a site that the
owner gave, and then be made of words that were read there or that the owner wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote_plus

from appliance.errors import AddressError
from appliance.messages import SessionKey
from appliance.network.addresses import WebAddress, parse, plain_host

_URL = re.compile(
    r"(?:https?://[^\s/?#<>\"'`\\()\[\]{}|，。；、（）《》「」]{1,255}"
    r"|(?:[a-z0-9-]{1,63}\.){1,20}[a-z]{2,63}(?::\d{1,5})?)"
    r"(?:[/?#][^\s<>\"'`\\\]}|，。；、（）《》「」]{0,2000})?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_SMALL_NUMBERS, _SMALL_DIGITS = 2, 4  # pages, years and days may be counted up
# Words that say nothing: what addresses are built with.
_COMMON = frozenset("http https www q s p id page pages search query index html htm php en de zh tw cn lang".split())
_MANY = 20  # words: more are looked up in a set of all that was read
_TRAILING = ".,;:!?'\"*_"


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of a conversation in its order. `shown`: an answer that the person has replied to."""

    by: Literal["owner", "outside", "model", "shown"]
    text: str


History = Callable[[SessionKey], Sequence[Said]]


@dataclass(slots=True)
class Openings:
    """Given what was said in a session and the sites that the owner opened for good, judge addresses and typing."""

    history: History
    sites: Iterable[str] = ()
    _sites: frozenset[str] = field(init=False, default=frozenset())

    def __post_init__(self) -> None:
        self._sites = frozenset(plain_host(site.partition(":")[0]) for site in self.sites)

    def judge(self, url: str, session: SessionKey) -> bool:
        """True when the address was given word for word, False when it was composed within the rules.

        Raises AddressError when this conversation may not open it.
        """
        address = parse(url)
        if self._listed(address.host):
            return True
        said = self.history(session)
        if _first_said_by_others(address, said):
            return True
        if _site(address.host) in _chosen_sites(said) and _made_of(address.target, said):
            return False
        raise AddressError(
            f"{address.url} was not opened: this conversation holds text from outside, so only addresses that the"
            " owner gave or that stand word for word in what was read are opened.",
            fix="Ask the owner for the address, or follow a link as it is written.",
        )

    def judge_hop(self, url: str, session: SessionKey) -> None:
        """A redirect of an address that the model composed. Raises AddressError when it leaves the site."""
        address = parse(url)
        if not self._listed(address.host) and not _first_said_by_others(address, self.history(session)):
            if _site(address.host) in _chosen_sites(self.history(session)):
                return
            raise AddressError(f"It redirects to {address.host}, which nobody gave; it was not followed.")

    def judge_typing(self, text: str, session: SessionKey) -> None:
        """What is typed into a page. Raises AddressError when a word of it comes from nowhere in the conversation."""
        unknown = _unknown_words(text, [piece for piece in self.history(session) if piece.by != "model"])
        if unknown:
            raise AddressError(
                f"Not typed: {unknown[0]!r} was neither written by the owner nor read on a page, and this"
                " conversation holds text from outside.",
                fix="Show the owner the text to be typed and wait for an answer; then it can be typed.",
            )

    def judge_file(self, name: str, session: SessionKey) -> None:
        """A file that is given to a page. Raises AddressError unless the owner named it."""
        if not any(piece.by == "owner" and name.casefold() in piece.text.casefold() for piece in self.history(session)):
            raise AddressError(
                f"Not uploaded: this conversation holds text from outside, and the owner did not name {name!r}.",
                fix="Ask the owner whether this file, by its name, may be uploaded there.",
            )

    def _listed(self, host: str) -> bool:
        return host in self._sites or any(host.endswith("." + site) for site in self._sites)


def _first_said_by_others(address: WebAddress, said: Sequence[Said]) -> bool:
    """True when the owner or a text from outside wrote this address before the model did."""
    wanted = _key(address)
    for piece in said:
        if not _may_name(address.host, piece.text):
            continue
        if wanted in {_key(found) for found in addresses_in(piece.text)}:
            return piece.by in ("owner", "outside")
    return False


def _may_name(host: str, text: str) -> bool:
    """A quick look: most of a long conversation does not name this host."""
    return host in text or host in text.casefold() or ("xn--" in host and not text.isascii())


def _key(address: WebAddress) -> tuple[str, int, str]:
    """What makes two addresses the same; http and https on their own ports are not told apart."""
    return address.host, 0 if address.port in (80, 443) else address.port, address.target


def _chosen_sites(said: Sequence[Said]) -> set[str]:
    """Sites that the owner named, or that the model chose before it had read anything from outside."""
    sites: set[str] = set()
    innocent = True
    for piece in said:
        innocent = innocent and piece.by != "outside"
        if piece.by == "owner" or (innocent and piece.by == "model"):
            sites.update(_site(found.host) for found in addresses_in(piece.text))
    return sites


def _site(host: str) -> str:
    return host.removeprefix("www.")


def _made_of(target: str, said: Sequence[Said]) -> bool:
    """True when path and query hold only words that others wrote, and at most two small numbers."""
    unknown = _unknown_words(unquote_plus(target), [piece for piece in said if piece.by in ("owner", "outside")])
    return len(unknown) <= _SMALL_NUMBERS and all(w.isdecimal() and len(w) <= _SMALL_DIGITS for w in unknown)


def _unknown_words(text: str, known: Sequence[Said]) -> list[str]:
    """The words of a text that stand in none of the others; scripts without spaces are looked for inside of runs."""
    whole = "\n".join(piece.text for piece in known).casefold()
    words = [word for word in _WORD.findall(text.casefold()) if word not in _COMMON]
    if len(words) > _MANY:
        read = set(_WORD.findall(whole))
        return [w for w in words if w not in read and (w.isascii() or w not in whole)]
    return [w for w in words if not _stands_in(w, whole)]


def _stands_in(word: str, whole: str) -> bool:
    if not word.isascii():
        return word in whole
    return re.search(rf"(?<![^\W_]){word}(?![^\W_])", whole) is not None


def addresses_in(text: str) -> list[WebAddress]:
    """The web addresses that a text names, also without a scheme (then https)."""
    found = []
    for match in _URL.finditer(text):
        url = match.group().rstrip(_TRAILING)
        while url.endswith(")") and url.count(")") > url.count("("):  # the end of a Markdown link
            url = url[:-1].rstrip(_TRAILING)
        try:
            found.append(parse(url if "://" in url else f"https://{url}"))
        except AddressError:
            continue
    return found
