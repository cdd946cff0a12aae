"""What a platform's own servers call at /hooks/<name>. Each webhook proves its caller; no login stands before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass


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
