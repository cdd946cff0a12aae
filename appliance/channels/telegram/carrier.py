"""Delivery's way to Telegram: placeholder, edits of it, files; paced per chat, refusals understood.

What holds: an edit can be repeated, so text arrives once. A placeholder whose id a kill lost is found again by trying
to edit it to what it says already, which only works on our own, and is deleted. A file is sent at most once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from appliance.channels.known import remember
from appliance.channels.outgoing import file_of, noted
from appliance.channels.pacer import GROUP, PRIVATE, Pacer, Rate
from appliance.channels.rendering import plain, telegram_parts
from appliance.channels.telegram.api import FILE_SECONDS, MovedChatError, RefusedError, TelegramApi, TokenError
from appliance.channels.telegram.whole import as_document
from appliance.clock import Clock
from appliance.errors import ApplianceError, DeliveryError
from appliance.gateway.delivery import Carrier
from appliance.messages import Attachment, Button
from appliance.texts import say

log = structlog.get_logger(__name__)

Place = dict[str, Any]
Part = dict[str, Any]
PLACEHOLDER = say("thinking")
MOST_PARTS = 4
UPLOAD_BYTES = 50 * 1024 * 1024
PHOTO_BYTES = 10 * 1024 * 1024
_NO_PREVIEW = {"is_disabled": True}  # a preview would fetch the address: a way out for what a model read
_TYPING_SECONDS = 4.0
_SWEEP = 100  # ids looked at, from the older end: a lost placeholder stands right after its message
_UNKNOWN_SWEEP = 20  # the same when nothing tells where to begin


class TelegramCarrier(Carrier):
    """Implements gateway.delivery.Carrier. A place is {"chat": int, "topic"?: int, "message"?: int, "private": bool,
    "silent"?: bool}.

    `known` gives the message ids that the outbox knows in a chat. `drafts`: private chats see an answer being written
    as Telegram's draft with its stop button. `ack`: the emoji under a message while it is worked on, if any. `moved`
    knows the groups that became supergroups; `on_move` is told of one more.
    """

    edits = True
    nonces = False

    def __init__(
        self,
        api: TelegramApi,
        clock: Clock,
        *,
        name: str = "telegram",
        pacer: Pacer | None = None,
        known: Callable[[int], set[str]] = lambda chat: set(),
        outcome: Callable[[str], None] = lambda outcome: None,
        drafts: bool = False,
        ack: str = "",
        moved: dict[int, int] | None = None,
        on_move: Callable[[int, int], None] = lambda old, new: None,
    ) -> None:
        self.name = name
        self._api = api
        self._clock = clock
        self._pacer = pacer or Pacer(clock)
        self._known = known
        self._outcome = outcome
        self._shown: OrderedDict[tuple[int, int], Any] = OrderedDict()
        self._instead: OrderedDict[tuple[int, int], int] = OrderedDict()
        self._mine: OrderedDict[tuple[int, int], None] = OrderedDict()
        self._moved = moved if moved is not None else {}
        self._on_move = on_move
        self._drafts = drafts
        self._ack = ack
        self._acked: OrderedDict[tuple[int, int], None] = OrderedDict()
        self._typed: OrderedDict[int, float] = OrderedDict()
        self._locks: dict[int, asyncio.Lock] = {}

    def split(self, text: str) -> list[Part]:
        """Markdown to parts; there is always one, because a message cannot be empty. Too many become a document."""
        parts = telegram_parts(text) or [{"text": PLACEHOLDER, "entities": []}]
        return as_document(text) if len(parts) > MOST_PARTS else parts

    async def place(self, place: Place) -> str:
        return str(await self._send_text(place, {"text": PLACEHOLDER, "entities": []}, ()))

    async def edit(self, place: Place, message: str, part: Part, buttons: Sequence[Button] = ()) -> None:
        chat = self._chat(place)
        number = self._instead.get((chat, int(message)), int(message))
        content = (part["text"], part["entities"], [(b.label, b.action) for b in buttons])
        if self._shown.get((chat, number)) == content:
            return
        try:
            await self._edit(place, number, part, buttons)
        except RefusedError as refusal:
            if not refusal.message_gone:
                raise
            # The person deleted the placeholder while we worked: the answer still has to arrive.
            log.info("the message to edit is gone, sending a new one", channel=self.name)
            number = await self._send_text(place, part, buttons)
            remember(self._instead, (chat, int(message)), number)
        remember(self._shown, (chat, number), content)

    async def send(self, place: Place, part: Part, nonce: str, buttons: Sequence[Button] = ()) -> str:
        """Send at once, without a placeholder; Telegram has no nonce, so it is at most once."""
        return str(await self._send_text(place, part, buttons))

    async def send_file(self, place: Place, attachment: Attachment) -> str:
        path, name, size = await file_of(attachment)
        if size > UPLOAD_BYTES:
            raise DeliveryError(f"{name} is larger than the 50 MB that Telegram takes.", permanent=True)
        method = _method_for(attachment, size)
        field = method.removeprefix("send_")
        extra = {field: self._api.file(str(path), name)}
        try:
            sent = await self._call(method, place, {**extra, **_target(place)}, seconds=FILE_SECONDS)
        except RefusedError as refusal:
            if method == "send_document" or not refusal.permanent or refusal.chat_gone:
                raise
            # A picture or a sound that Telegram does not like as such is still a file.
            extra = {"document": self._api.file(str(path), name)}
            sent = await self._call("send_document", place, {**extra, **_target(place)}, seconds=FILE_SECONDS)
        return str(self._note(place, sent.message_id))

    async def send_document(self, place: Place, part: Part) -> str:
        data = part["file"]["text"].encode("utf-8", "replace")
        extra = {"document": self._api.file_of(data, part["file"]["name"])}
        sent = await self._call("send_document", place, {**extra, **_target(place)}, seconds=FILE_SECONDS)
        return str(self._note(place, sent.message_id))

    async def preview(self, place: Place, draft: int, part: Part) -> bool:
        """An answer being written, as Telegram's draft with its own stop button; only private chats have that."""
        if not (self._drafts and place.get("private")):
            return False
        chat = self._chat(place)
        shown = {"text": "" if part["text"] == PLACEHOLDER else part["text"], "entities": part.get("entities", [])}
        topic = {"message_thread_id": place["topic"]} if place.get("topic") else {}
        await self._pacer.wait(str(chat), PRIVATE, edit=True)
        try:
            await self._api.call("send_message_draft", chat_id=chat, draft_id=draft, can_stop=True, **shown, **topic)
        except (RefusedError, TokenError) as refusal:
            if isinstance(refusal, RefusedError) and refusal.retry_after is not None:
                self._pacer.hold(str(chat), refusal.retry_after)
                return True
            # An older Bot API server answers as if the token were unknown when it does not know the method.
            log.warning("drafts are refused, editing messages instead", channel=self.name, reason=refusal.what)
            self._drafts = False
            return False
        except ApplianceError as trouble:
            log.debug("draft not shown", channel=self.name, reason=trouble.what)
        return True

    async def acknowledge(self, place: Place) -> None:
        """Show under a person's message that it was seen."""
        if self._ack and place.get("message"):
            remember(self._acked, (self._chat(place), int(place["message"])), None)
            await self._react(self._chat(place), int(place["message"]), [{"type": "emoji", "emoji": self._ack}])

    async def settled(self, place: Place) -> None:
        """The answer stands: the mark under its message goes; in private also under those answered together with it."""
        chat = self._chat(place)
        for key in [k for k in self._acked if k[0] == chat]:
            if place.get("private") or key[1] == place.get("message"):
                self._acked.pop(key)
                await self._react(*key, [])

    async def _react(self, chat: int, message: int, reaction: list[dict[str, str]]) -> None:
        try:
            await self._api.call("set_message_reaction", chat_id=chat, message_id=message, reaction=reaction)
        except ApplianceError as trouble:
            log.debug("reaction not set", channel=self.name, reason=trouble.what)

    async def typing(self, place: Place) -> None:
        chat = self._chat(place)
        now = self._clock.monotonic()
        if now - self._typed.get(chat, float("-inf")) < _TYPING_SECONDS or self._pacer.held(str(chat)):
            return
        remember(self._typed, chat, now)
        # The general topic of a forum is named here although a send must leave it out.
        topic = {"message_thread_id": place["topic"]} if place.get("topic") else {}
        try:
            await self._api.call("send_chat_action", chat_id=chat, action="typing", **topic)
        except ApplianceError as trouble:
            log.debug("typing not shown", channel=self.name, reason=str(trouble))

    async def sweep(self, place: Place, after: str | None, before: str) -> int:
        """Delete our placeholders between two ids, or between the answered message and `before`.

        Messages that the outbox or this process knows are left alone; so are the person's (Telegram would let us
        delete those too) and files. Returns how many went.
        """
        chat = self._chat(place)
        async with self._lock(chat):
            known = {int(message) for message in self._known(chat)}
            end = int(before)
            floor = after or place.get("message") or max((m for m in known if m < end), default=end - _UNKNOWN_SWEEP)
            span = range(int(floor) + 1, min(end, int(floor) + 1 + _SWEEP))
            strangers = [m for m in span if m not in known and (chat, m) not in self._mine]
            count = 0
            for message in strangers:
                try:
                    if await self._is_placeholder(place, message):
                        await self._api.call("delete_message", chat_id=chat, message_id=message)
                        count += 1
                except ApplianceError as trouble:
                    log.warning("placeholders not all swept", channel=self.name, reason=str(trouble))
                    break
            return count

    # --- how --------------------------------------------------------------------------------------------------------

    async def _is_placeholder(self, place: Place, message: int) -> bool:
        try:
            await self._api.call("edit_message_text", chat_id=self._chat(place), message_id=message, text=PLACEHOLDER)
        except RefusedError as refusal:
            if refusal.permanent:
                return refusal.done
            raise
        log.warning("a message of ours that nobody knew was overwritten while sweeping", channel=self.name)
        return True

    async def _send_text(self, place: Place, part: Part, buttons: Sequence[Button]) -> int:
        async with self._lock(self._chat(place)):
            sent = await self._with_entities("send_message", place, part, buttons, edit=False, target=_target(place))
            return self._note(place, sent.message_id)

    async def _edit(self, place: Place, message: int, part: Part, buttons: Sequence[Button]) -> None:
        if part.get("rich") and await self._edited_richly(place, message, part, buttons):
            return
        try:
            await self._with_entities(
                "edit_message_text", place, part, buttons, edit=True, target={"message_id": message}
            )
        except RefusedError as refusal:
            if not refusal.done:
                raise

    async def _with_entities(
        self,
        method: str,
        place: Place,
        part: Part,
        buttons: Sequence[Button],
        *,
        edit: bool,
        target: dict[str, Any],
    ) -> Any:
        """Send or edit; once more as plain text when Telegram refuses the entities."""
        for form in (part, plain(part)):
            content: dict[str, Any] = {"text": form["text"], "link_preview_options": _NO_PREVIEW}
            if form["entities"]:
                content["entities"] = form["entities"]
            try:
                return await self._call(method, place, {**target, **content, **_markup(buttons)}, edit=edit)
            except RefusedError as refusal:
                if not (refusal.bad_entities and form["entities"]):
                    raise
                log.warning("Telegram refused the formatting, sending plain text", reason=refusal.description)
        raise AssertionError("unreachable: the plain form has no entities")

    async def _edited_richly(self, place: Place, message: int, part: Part, buttons: Sequence[Button]) -> bool:
        """Put a part with tables into a message as they are; False when Telegram will not have it."""
        params = {"message_id": message, "rich_message": {"blocks": part["rich"]}, **_markup(buttons)}
        try:
            await self._call("edit_message_text", place, params, edit=True)
        except RefusedError as refusal:
            if refusal.message_gone or refusal.chat_gone or not refusal.permanent:
                raise
            if not refusal.done:
                log.warning("Telegram refused a rich message, sending text", reason=refusal.description)
            return refusal.done
        return True

    async def _call(
        self, method: str, place: Place, params: dict[str, Any], *, seconds: float = 30.0, edit: bool = False
    ) -> Any:
        """One call, paced; obeys 429 for this chat alone; follows a group that became a supergroup."""
        for _ in range(3):
            chat = self._chat(place)
            await self._pacer.wait(str(chat), _rate(place), edit=edit)
            try:
                result = await self._api.call(method, seconds=seconds, chat_id=chat, **params)
            except MovedChatError as moved:
                self._on_move(chat, moved.chat)
                self._moved[chat] = moved.chat
                continue
            except RefusedError as refusal:
                if refusal.topic_gone and params.pop("message_thread_id", None) is not None:
                    log.info("a topic is gone, writing into the general one", channel=self.name)
                    continue
                raise self._noted(chat, refusal) from None
            except ApplianceError as trouble:
                raise self._noted(chat, trouble) from trouble
            self._outcome("ok")
            return result
        raise DeliveryError("The group moved twice at once.", retry_after=5.0)

    def _noted(self, chat: int, trouble: ApplianceError) -> DeliveryError:
        return noted(trouble, self._outcome, self._pacer, chat)

    def _chat(self, place: Place) -> int:
        chat = int(place["chat"])
        return self._moved.get(chat, chat)

    def _lock(self, chat: int) -> asyncio.Lock:
        return self._locks.setdefault(chat, asyncio.Lock())

    def _note(self, place: Place, message: int) -> int:
        remember(self._mine, (self._chat(place), message), None)
        return message


def _target(place: Place) -> dict[str, Any]:
    """Topic, reply and sound of a new message. The general topic (1) is left out; groups see what is answered."""
    target: dict[str, Any] = {}
    if place.get("topic") and int(place["topic"]) != 1:
        target["message_thread_id"] = int(place["topic"])
    if place.get("message") and not place.get("private"):
        target["reply_parameters"] = {"message_id": int(place["message"]), "allow_sending_without_reply": True}
    if place.get("silent"):
        target["disable_notification"] = True
    return target


def _markup(buttons: Sequence[Button]) -> dict[str, Any]:
    if not buttons:
        return {}
    return {"reply_markup": {"inline_keyboard": [[{"text": b.label[:64], "callback_data": b.action}] for b in buttons]}}


def _rate(place: Place) -> Rate:
    return PRIVATE if place.get("private") else GROUP


def _method_for(attachment: Attachment, size: int) -> str:
    if attachment.media_type in ("image/jpeg", "image/png", "image/webp") and size <= PHOTO_BYTES:
        return "send_photo"
    if attachment.media_type == "audio/ogg":
        return "send_voice"
    if attachment.kind in ("audio", "video"):
        return f"send_{attachment.kind}"
    return "send_document"
