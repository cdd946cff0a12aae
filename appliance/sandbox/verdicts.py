"""What a rule says about a command: allow < ask < deny, with the reason that a person reads."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple


class Strictness(IntEnum):
    """Ordered by strictness, so that the strictest of several is their `max`."""

    ALLOW = 0
    ASK = 1
    DENY = 2


class Ruling(NamedTuple):
    """One rule's verdict and its reason."""

    verdict: Strictness
    why: str


def allow(why: str) -> Ruling:
    return Ruling(Strictness.ALLOW, why)


def ask(why: str) -> Ruling:
    return Ruling(Strictness.ASK, why)


def deny(why: str) -> Ruling:
    return Ruling(Strictness.DENY, why)


def strictest(rulings: Iterable[Ruling]) -> Ruling:
    """The first of the strictest rulings. Raises ValueError when there is none."""
    return max(rulings, key=lambda ruling: ruling.verdict)
