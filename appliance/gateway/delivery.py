"""The durable outbox: what is to be said is on disk before it is said, and is said once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from appliance.messages import Attachment, Button

Place = dict[str, Any]
Part = dict[str, Any]


class Carrier(Protocol):
    """A platform as delivery sees it (a channel implements it).

    `edits`: replies are a placeholder first, then edits of it, which can be repeated safely. Otherwise `send` with a
    nonce. Every method may raise DeliveryError: `permanent` ends the attempts (dead letter), `retry_after` is obeyed,
    `ambiguous` (the platform may have taken it) is never blindly repeated.

    split: Markdown to parts within the platform's limits; a part is a JSON-able dict, opaque to delivery.
    place: send the placeholder; returns the platform's message id.
    edit: put a part into a message; the same content twice is success.
    send: send a part; `nonce` is the same in every attempt at it.
    send_file: send an attachment, at most once.
    typing: show that work goes on; failures are the carrier's own affair.
    sweep: remove placeholders of ours strictly between two message ids whose ids a kill lost; returns how many.
    """

    name: str
    edits: bool

    def split(self, text: str) -> list[Part]: ...

    async def place(self, place: Place) -> str: ...

    async def edit(self, place: Place, message: str, part: Part, buttons: Sequence[Button] = ()) -> None: ...

    async def send(self, place: Place, part: Part, nonce: str, buttons: Sequence[Button] = ()) -> str: ...

    async def send_file(self, place: Place, attachment: Attachment) -> str: ...

    async def typing(self, place: Place) -> None: ...

    async def sweep(self, place: Place, after: str | None, before: str) -> int: ...
