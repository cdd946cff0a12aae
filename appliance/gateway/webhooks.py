"""What a platform's own servers call at /hooks/<name>. Each webhook proves its caller; no login stands before it."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Never


@dataclass(frozen=True, slots=True)
class WebhookRequest:
    """One call. Names of headers are lower case."""

    method: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class WebhookAnswer:
    """What the platform is told. It repeats a call that is not answered with 2xx."""

    status: int = 200
    text: str = ""


Webhook = Callable[[WebhookRequest], Awaitable[WebhookAnswer]]


def read_object(body: bytes | str) -> dict[str, Any]:
    """Given JSON of a platform's, return its object. Raises ValueError for everything else: other values, numbers
    that are none or too large for one, nesting without end."""
    try:
        text = body if isinstance(body, str) else body.decode()
        found = json.loads(text, parse_float=_finite, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written} is too large for a number")
    return number


def _no_number(written: str) -> Never:
    raise ValueError(f"{written} is no number")
