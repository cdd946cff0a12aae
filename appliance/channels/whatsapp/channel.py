"""The WhatsApp channel: Meta's calls, proved and held; what all platforms share stands in channels/platform.py."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Coroutine
from typing import Any

from appliance.channels.base import ChannelParts
from appliance.channels.held import HeldCalls
from appliance.channels.platform import PlatformChannel
from appliance.channels.whatsapp.api import TokenError, WhatsAppApi
from appliance.channels.whatsapp.carrier import WhatsAppCarrier
from appliance.channels.whatsapp.updates import read_call
from appliance.errors import ApplianceError
from appliance.gateway.webhooks import WebhookAnswer, WebhookRequest, read_object
from appliance.messages import Person
from appliance.observability.health import State
from appliance.settings.channels import WhatsAppSettings

_LOOK_SECONDS = 300.0


class WhatsAppChannel(PlatformChannel):
    """Give it its settings and the parts of the house; `carrier` is what delivery attaches."""

    name = "whatsapp"
    title = "WhatsApp"

    def __init__(self, settings: WhatsAppSettings, parts: ChannelParts) -> None:
        self._api = WhatsAppApi(settings.access_token.get_secret_value(), settings.api_base, settings.phone_number_id)
        super().__init__(parts, self._api.download)
        self.carrier = WhatsAppCarrier(
            self._api, parts.clock, outcome=lambda outcome: self._counts.message(self.name, "out", outcome)
        )
        self._secret = settings.app_secret.get_secret_value().encode()
        self._verify = settings.verify_token.get_secret_value().encode()
        self._held = HeldCalls(parts.database, self.name)
        self.webhooks[self.name] = self._called

    @property
    def _account(self) -> str:
        return self._api.phone

    def _loops(self) -> list[Coroutine[Any, Any, None]]:
        return [self._watch(), self._take_held(self._held, self._take_call)]

    async def _close(self) -> None:
        await self._api.close()

    async def private_place(self, person: Person) -> dict[str, Any]:
        return {"chat": person.id, "private": True}

    async def _called(self, request: WebhookRequest) -> WebhookAnswer:
        """Meta's call: its question at set-up, or messages, which are on disk before they are answered with 200."""
        if request.method == "GET":
            given = request.query.get("hub.verify_token", "").encode()
            if request.query.get("hub.mode") == "subscribe" and hmac.compare_digest(given, self._verify):
                return WebhookAnswer(200, request.query.get("hub.challenge", ""))
            return WebhookAnswer(403)
        digest = hmac.new(self._secret, request.body, hashlib.sha256).hexdigest()
        given = request.headers.get("x-hub-signature-256", "").encode()
        if not hmac.compare_digest(given, f"sha256={digest}".encode()):
            self._counts.message(self.name, "in", "forged")  # no line in the log: anybody could fill it
            return WebhookAnswer(403)
        try:
            read_object(request.body)
        except ValueError:
            return WebhookAnswer(400)
        self._counts.polled(self.name, self._clock.now())
        await self._held.hold(digest, request.body.decode("utf-8", "replace"))
        return WebhookAnswer(200)

    async def _watch(self) -> None:
        """Look whether the number can be used, now and every five minutes."""
        tries = 0
        while True:
            try:
                found = await self._api.get(f"{self._api.phone}?fields=verified_name,display_phone_number")
            except TokenError as error:
                await self._refused_token(error)
            except ApplianceError as trouble:
                await self._troubled(trouble, tries)
                tries += 1
            else:
                tries = 0
                self._opened.set()
                number = found.get("display_phone_number", "")
                self._health.set(self.name, State.READY, f"Listening as {number}." if number else "Listening.")
                await self._clock.sleep(_LOOK_SECONDS)

    async def _take_call(self, call: Any) -> None:
        for heard in read_call(call, self._api.phone):
            await self._take(heard)
