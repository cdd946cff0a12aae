"""Notices to a phone by ntfy: the owner's notices are pushed to a topic, nothing is heard from there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.channels.rendering import tidy
from appliance.gateway.delivery import Carrier
from appliance.gateway.posting import post
from appliance.messages import Button

MESSAGE_BYTES = 4096  # a longer one would become an attachment


class NtfyCarrier(Carrier):
    """gateway.delivery.Carrier for `ntfy` rows. A place is {"url"}; `token` is the topic's access token, if it has one.

    At most once: a push whose answer was lost is not sent again.
    """

    name = "ntfy"
    edits = False
    nonces = False

    def __init__(self, token: str = "") -> None:
        self._token = token

    def split(self, text: str) -> list[dict[str, Any]]:
        """One push; of a long text the beginning."""
        body = tidy(text).encode()
        if len(body) > MESSAGE_BYTES:
            body = body[: MESSAGE_BYTES - 3].decode(errors="ignore").rstrip().encode() + "…".encode()
        return [{"body": body.decode()}]

    async def send(
        self, place: dict[str, Any], part: dict[str, Any], nonce: str, buttons: Sequence[Button] = ()
    ) -> str:
        headers = {"title": "Home agent appliance", "content-type": "text/plain; charset=utf-8", "markdown": "yes"}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        await post(str(place["url"]), part["body"].encode(), headers)
        return nonce
