"""Webhooks: the answer of a job as JSON to an address that the owner gave.

The outbox carries them, so they survive a restart and are tried again; the same `Idempotency-Key` marks a repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.errors import DeliveryError
from appliance.gateway.delivery import Carrier
from appliance.messages import Button

_TIMEOUT_SECONDS = 20.0
_TRY_AGAIN = {408, 425, 429}


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
        """Post the body. Raises DeliveryError: for good when the address refuses it, else to be tried again."""
        import httpx2

        headers = {"content-type": "application/json", "idempotency-key": f"appliance-{nonce}"}
        try:
            # No redirects: the owner gave one address, and a redirect could lead anywhere.
            async with httpx2.AsyncClient(timeout=_TIMEOUT_SECONDS, follow_redirects=False, trust_env=False) as client:
                response = await client.post(str(place["url"]), content=part["body"].encode(), headers=headers)
        except httpx2.HTTPError as error:
            raise DeliveryError(f"{place['url']} cannot be reached: {error}.") from error
        if response.status_code < 300:
            return nonce
        permanent = response.status_code < 500 and response.status_code not in _TRY_AGAIN
        raise DeliveryError(f"{place['url']} answered {response.status_code}.", permanent=permanent)
