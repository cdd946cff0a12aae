"""Delivery's way to Discord: placeholder, edits of it, files; paced per channel, refusals understood.

What holds: an edit can be repeated, and a placeholder carries a nonce, so that one whose id a kill lost is given again
by Discord instead of being sent twice. Discord remembers nonces for minutes; after that a lost placeholder is found in
the channel's history and deleted. A file is sent at most once.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from appliance.channels.discord.api import DiscordApi, RefusedError
from appliance.channels.fences import split_fenced
from appliance.channels.known import remember
from appliance.channels.outgoing import file_of, noted
from appliance.channels.pacer import Pacer, Rate
from appliance.channels.rendering import tidy
from appliance.channels.tables import without_tables
from appliance.clock import Clock
from appliance.errors import ApplianceError, DeliveryError
from appliance.gateway.delivery import Carrier
from appliance.messages import Attachment, Button
from appliance.texts import say

log = structlog.get_logger(__name__)

Place = dict[str, Any]
Part = dict[str, Any]
PLACEHOLDER = say("thinking")
MESSAGE_UNITS = 2000
UPLOAD_BYTES = 10 * 1024 * 1024
RATE = Rate(burst=4, interval=1.0, edit_gap=1.2)  # Discord takes five in five seconds
_NOBODY = {"parse": [], "replied_user": False}  # whatever a model writes, nobody is rung
_NO_EMBEDS = 1 << 2  # a preview would fetch the address: a way out for what a model read
_NO_SOUND = 1 << 12  # only of a new message
_TYPING_SECONDS = 8.0
_SWEEP = 100
_BUTTONS_A_ROW, _ROWS = 5, 5
_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"


class DiscordCarrier(Carrier):
    """Implements gateway.delivery.Carrier. A place is {"chat": int, "message"?: int, "private": bool, "silent"?: bool};
    delivery adds "nonce" and "part" when it places.

    `known` gives the message ids that the outbox knows in a channel, `me` the bot's user id.
    """

    edits = True
    nonces = True

    def __init__(
        self,
        api: DiscordApi,
        clock: Clock,
        *,
        name: str = "discord",
        me: Callable[[], int],
        known: Callable[[int], set[str]] = lambda chat: set(),
        outcome: Callable[[str], None] = lambda outcome: None,
    ) -> None:
        self.name = name
        self._api = api
        self._clock = clock
        self._pacer = Pacer(clock)
        self._me = me
        self._known = known
        self._outcome = outcome
        self._shown: OrderedDict[tuple[int, int], Any] = OrderedDict()
        self._instead: OrderedDict[tuple[int, int], int] = OrderedDict()
        self._typed: OrderedDict[int, float] = OrderedDict()
        self._deferring: OrderedDict[str, asyncio.Task[None]] = OrderedDict()

    def deferring(self, token: str, task: asyncio.Task[None]) -> None:
        """An interaction is being told that its answer comes; only after that can it be answered."""
        remember(self._deferring, token, task)

    def split(self, text: str) -> list[Part]:
        """Markdown to parts; there is always one, because a message cannot be empty."""
        return [{"text": part} for part in split_fenced(without_tables(tidy(text)), MESSAGE_UNITS)] or [
            {"text": PLACEHOLDER}
        ]

    async def place(self, place: Place) -> str:
        if place.get("interaction") and not place.get("part"):
            with contextlib.suppress(RefusedError):
                return await self._answer(place)
        body = _new({"text": PLACEHOLDER}, (), place) | _nonce(place, str(place.get("nonce", "")))
        # Only the first part answers to the message; the others stand below it.
        if place.get("message") and not place.get("private") and not place.get("part"):
            body["message_reference"] = {"message_id": str(place["message"]), "fail_if_not_exists": False}
        return str((await self._call("POST", _MESSAGES, place, body))["id"])

    async def _answer(self, place: Place) -> str:
        """The placeholder of a slash command's answer: Discord's own, which says that the bot is thinking.

        Setting it can be repeated. Raises RefusedError when it is over (15 minutes) or never was.
        """
        deferred = self._deferring.get(str(place["interaction"]))
        if deferred is not None:
            await asyncio.wait({deferred})
        try:
            shown = await self._call(
                "PATCH",
                "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
                place,
                _body({"text": PLACEHOLDER}, ()),
                webhook_id=int(place["application"]),
                webhook_token=str(place["interaction"]),
            )
        except RefusedError as refusal:
            if not refusal.interaction_gone:
                log.warning("a slash command cannot be answered in its place", reason=refusal.what)
            raise
        return str(shown["id"])

    async def edit(self, place: Place, message: str, part: Part, buttons: Sequence[Button] = ()) -> None:
        chat = int(place["chat"])
        number = self._instead.get((chat, int(message)), int(message))
        body = _body(part, buttons)
        if self._shown.get((chat, number)) == body:
            return
        try:
            await self._call("PATCH", _MESSAGE, place, body, edit=True, message_id=number)
        except RefusedError as refusal:
            if not refusal.message_gone:
                raise
            # The person deleted the placeholder while we worked: the answer still has to arrive.
            log.info("the message to edit is gone, sending a new one", channel=self.name)
            number = int(await self.send(place, part, f"instead-{message}", buttons))
            remember(self._instead, (chat, int(message)), number)
        remember(self._shown, (chat, number), body)

    async def send(self, place: Place, part: Part, nonce: str, buttons: Sequence[Button] = ()) -> str:
        """Send at once; Discord drops a repeat of the same nonce and returns the first message."""
        body = _new(part, buttons, place) | _nonce(place, nonce)
        return str((await self._call("POST", _MESSAGES, place, body))["id"])

    async def send_file(self, place: Place, attachment: Attachment) -> str:
        path, name, size = await file_of(attachment)
        if size > UPLOAD_BYTES:
            raise DeliveryError(f"{name} is larger than the 10 MB that Discord takes.", permanent=True)
        chat = int(place["chat"])
        await self._pacer.wait(str(chat), RATE)
        try:
            sent = await self._api.upload(chat, str(path), name, {"allowed_mentions": _NOBODY} | _sound(place, 0))
        except ApplianceError as trouble:
            raise self._trouble(place, trouble) from trouble
        self._outcome("ok")
        return str(sent["id"])

    async def typing(self, place: Place) -> None:
        chat = int(place["chat"])
        now = self._clock.monotonic()
        if now - self._typed.get(chat, float("-inf")) < _TYPING_SECONDS:
            return
        remember(self._typed, chat, now)
        try:
            await self._api.call("POST", "/channels/{channel_id}/typing", channel_id=chat)
        except ApplianceError as trouble:
            log.debug("typing not shown", channel=self.name, reason=str(trouble))

    async def sweep(self, place: Place, after: str | None, before: str) -> int:
        """Delete our placeholders between two ids, or between the answered message and `before`.

        Messages that the outbox knows are left alone. Returns how many went.
        """
        chat, known = int(place["chat"]), self._known(int(place["chat"]))
        floor = after or place.get("message")
        query = {"limit": _SWEEP} | ({"after": str(floor)} if floor else {"before": before})
        count = 0
        try:
            for found in await self._api.call("GET", _MESSAGES, channel_id=chat, query=query):
                number = int(found["id"])
                ours = int(found["author"]["id"]) == self._me() and found["content"] == PLACEHOLDER
                if ours and number < int(before) and found["id"] not in known:
                    await self._api.call("DELETE", _MESSAGE, channel_id=chat, message_id=number)
                    count += 1
        except ApplianceError as trouble:
            log.warning("placeholders not all swept", channel=self.name, reason=str(trouble))
        return count

    async def _call(
        self, method: str, path: str, place: Place, body: dict[str, Any], *, edit: bool = False, **params: Any
    ) -> Any:
        """One call, paced; a wait that Discord asks for holds this channel alone."""
        chat = int(place["chat"])
        await self._pacer.wait(str(chat), RATE, edit=edit)
        try:
            result = await self._api.call(method, path, body, channel_id=chat, **params)
        except ApplianceError as trouble:
            raise self._trouble(place, trouble) from trouble
        self._outcome("ok")
        return result

    def _trouble(self, place: Place, trouble: ApplianceError) -> DeliveryError:
        return noted(trouble, self._outcome, self._pacer, place["chat"])


def _body(part: Part, buttons: Sequence[Button]) -> dict[str, Any]:
    shown = list(buttons)[: _BUTTONS_A_ROW * _ROWS]
    rows = [shown[i : i + _BUTTONS_A_ROW] for i in range(0, len(shown), _BUTTONS_A_ROW)]
    return {
        "content": part["text"],
        "allowed_mentions": _NOBODY,
        "flags": _NO_EMBEDS,
        "components": [
            {
                "type": 1,
                "components": [{"type": 2, "style": 2, "label": b.label[:80], "custom_id": b.action} for b in row],
            }
            for row in rows
        ],
    }


def _new(part: Part, buttons: Sequence[Button], place: Place) -> dict[str, Any]:
    """The body of a message that is not there yet."""
    return _body(part, buttons) | _sound(place, _NO_EMBEDS)


def _sound(place: Place, flags: int) -> dict[str, Any]:
    return {"flags": flags | _NO_SOUND if place.get("silent") else flags}


def _nonce(place: Place, given: str) -> dict[str, Any]:
    """The nonce as Discord takes it (25 characters); bound to the answered message, so that a restored backup, whose
    rows count from an older number, does not hit a nonce of the same minutes."""
    if not given:
        return {}
    made = hashlib.sha256(f"{place['chat']}:{place.get('message', '')}:{given}".encode()).hexdigest()[:24]
    return {"nonce": made, "enforce_nonce": True}
