"""Telegram calls us instead: each update is on disk before it is answered with 200, and is taken from there in order.

So a turn of any length holds nothing up, and a call that Telegram repeats is one update.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from typing import Any

import structlog

from appliance.channels.base import Counts
from appliance.channels.held import HeldCalls
from appliance.channels.telegram.api import TelegramApi
from appliance.channels.telegram.taking import BACKOFF, Handle, Taker
from appliance.channels.telegram.updates import ALLOWED
from appliance.clock import Clock
from appliance.database import Database
from appliance.errors import ApplianceError
from appliance.gateway.webhooks import WebhookAnswer, WebhookRequest, read_object
from appliance.observability.health import Health, State

log = structlog.get_logger(__name__)

_LOOK_SECONDS = 60.0
_TROUBLE_SECONDS = 180.0  # an error that Telegram had with us is shown for so long
_LARGEST_NUMBER = 2**63  # what a column of the database holds
_HEADER = "x-telegram-bot-api-secret-token"


def secret_of(token: str) -> str:
    """The secret that Telegram sends with each call; made of the token, so that it needs no place of its own."""
    return hmac.new(token.encode(), b"webhook", hashlib.sha256).hexdigest()


class Webhook:
    """Give it the address under which Telegram reaches /hooks/telegram, and what handles an update."""

    name = "telegram"

    def __init__(
        self,
        api: TelegramApi,
        database: Database,
        clock: Clock,
        handle: Handle,
        health: Health,
        counts: Counts,
        *,
        address: str,
        secret: str,
    ) -> None:
        self._api = api
        self._held = HeldCalls(database, self.name)
        self._clock = clock
        self._health = health
        self._counts = counts
        self._taker = Taker(clock, handle, health, counts)
        self._address = address
        self._secret = secret
        self._account = ""

    async def receive(self, request: WebhookRequest) -> WebhookAnswer:
        """Telegram's call: 200 once the update is on disk, 403 for somebody else's, 503 before we know who we are."""
        if not hmac.compare_digest(request.headers.get(_HEADER, "").encode(), self._secret.encode()):
            self._counts.message(self.name, "in", "forged")  # no line in the log: anybody could fill it
            return WebhookAnswer(403)
        if not self._account:
            return WebhookAnswer(503)
        try:
            number = read_object(request.body).get("update_id")
        except ValueError:
            return WebhookAnswer(400)
        if not isinstance(number, int) or not 0 <= number < _LARGEST_NUMBER:
            return WebhookAnswer(400)
        body = request.body.decode("utf-8", "replace")
        await self._held.hold(f"{self._account}:{number}", body, number)
        self._counts.polled(self.name, self._clock.now())
        return WebhookAnswer(200)

    async def run(self, account: str) -> None:
        """Tell Telegram where we are, take what it brings, and look whether it reaches us, until cancelled."""
        self._account = account
        async with asyncio.TaskGroup() as group:
            group.create_task(self._take())
            group.create_task(self._watch())

    async def _take(self) -> None:
        while True:
            number, body = await self._held.next()
            update = _read(body)
            if update is None:
                log.error("an update that cannot be read was left out", channel=self.name)
            elif not await self._taker.take(update):
                continue
            await self._held.drop(number)

    async def _watch(self) -> None:
        tries = 0
        standing = False
        while True:
            try:
                if not standing:
                    # One call at a time keeps the order.
                    await self._api.call(
                        "set_webhook",
                        url=self._address,
                        secret_token=self._secret,
                        allowed_updates=ALLOWED,
                        max_connections=1,
                        drop_pending_updates=False,
                    )
                    standing = True
                info = await self._api.call("get_webhook_info")
                standing = info.url == self._address
            except ApplianceError as trouble:
                self._health.set(self.name, State.DEGRADED, trouble.what)
                await self._clock.sleep(BACKOFF[min(tries, len(BACKOFF) - 1)])
                tries += 1
                continue
            tries = 0
            self._show(info)
            await self._clock.sleep(_LOOK_SECONDS)

    def _show(self, info: Any) -> None:
        failed = info.last_error_date
        at = failed.timestamp() if hasattr(failed, "timestamp") else float(failed or 0)
        if at and self._clock.now() - at < _TROUBLE_SECONDS:
            words = f"Telegram does not reach {self._address}: {info.last_error_message}"
            self._health.set(self.name, State.DEGRADED, words)
        else:
            self._health.set(self.name, State.READY, "Telegram calls us.")


def _read(body: str) -> Any:
    from aiogram.types import Update
    from pydantic import ValidationError

    try:
        return Update.model_validate_json(body)
    except ValidationError:
        return None
