"""Webhooks: the answer of a job as JSON to an address that the owner gave.

The outbox carries them, so they survive a restart and are tried again; the same `Idempotency-Key` marks a repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.gateway.delivery import Carrier
from appliance.gateway.posting import post
from appliance.messages import Button


class WebhookCarrier(Carrier):
    """gateway.delivery.Carrier for `webhook` rows: place {"url"}, one part, the body."""

    name = "webhook"
    edits = False
    nonces = True

    def split(self, text: str) -> list[dict[str, Any]]:
        return [{"body": text}]

    async def send(
        self, place: dict[str, Any], part: dict[str, Any], nonce: str, buttons: Sequence[Button] = ()
    ) -> str:
        """Post the body. Raises DeliveryError as `post` does."""
        headers = {"content-type": "application/json", "idempotency-key": f"appliance-{nonce}"}
        await post(str(place["url"]), part["body"].encode(), headers)
        return nonce
