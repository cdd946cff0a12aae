"""Delivery's way to WhatsApp: nothing sent can be changed and no send has a mark, so each goes at most once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import structlog

from appliance.channels.fences import split_fenced
from appliance.channels.light_markup import light
from appliance.channels.outgoing import file_of, noted
from appliance.channels.pacer import Pacer, Rate
from appliance.channels.rendering import tidy
from appliance.channels.tables import without_tables
from appliance.channels.whatsapp.api import WhatsAppApi
from appliance.clock import Clock
from appliance.errors import ApplianceError, DeliveryError
from appliance.gateway.delivery import Carrier
from appliance.messages import Attachment, Button

log = structlog.get_logger(__name__)

Place = dict[str, Any]
Part = dict[str, Any]
MESSAGE_UNITS = 4096
RATE = Rate(burst=4, interval=1.0, edit_gap=0.0)  # more to one person is refused
_BUTTON_TEXT, _BUTTONS, _BUTTON_LABEL = 1024, 3, 20
_ROWS, _ROW_LABEL = 10, 24
_UPLOADS = {"image": 5, "audio": 16, "video": 16, "document": 100}  # MB
_IMAGES = ("image/jpeg", "image/png")
_AUDIO = ("audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg")
_VIDEO = ("video/mp4", "video/3gpp")


class WhatsAppCarrier(Carrier):
    """A place is {"chat": the person's number, "message"?: what they wrote}."""

    name = "whatsapp"
    edits = False
    nonces = False

    def __init__(
        self, api: WhatsAppApi, clock: Clock, *, outcome: Callable[[str], None] = lambda outcome: None
    ) -> None:
        self._api = api
        self._pacer = Pacer(clock)
        self._outcome = outcome

    def split(self, text: str) -> list[Part]:
        """Markdown to WhatsApp's marks, in parts; there is always one."""
        shown = light(without_tables(tidy(text)), lambda words, url: words if words == url else f"{words} ({url})")
        return [{"text": part} for part in split_fenced(shown, MESSAGE_UNITS)] or [{"text": "…"}]

    async def send(self, place: Place, part: Part, nonce: str, buttons: Sequence[Button] = ()) -> str:
        return await self._send(place, _with_buttons(part["text"], buttons) if buttons else _plain(part["text"]))

    async def send_file(self, place: Place, attachment: Attachment) -> str:
        path, name, size = await file_of(attachment)
        kind = _kind(attachment.media_type)
        if size > _UPLOADS[kind] * 1024 * 1024:
            kind = "document"
        if size > _UPLOADS[kind] * 1024 * 1024:
            raise DeliveryError(f"{name} is larger than the 100 MB that WhatsApp takes.", permanent=True)
        try:
            media = await self._api.upload(path, name, attachment.media_type or "application/octet-stream")
        except ApplianceError as trouble:
            # Nothing was sent yet, so this can be tried again.
            raise self._trouble(place, trouble, ambiguous=False) from trouble
        held: dict[str, Any] = {"id": media} | ({"filename": name} if kind == "document" else {})
        return await self._send(place, {"type": kind, kind: held})

    async def typing(self, place: Place) -> None:
        """The message was read, and an answer is being written (WhatsApp shows it for 25 seconds)."""
        if not place.get("message"):
            return
        try:
            await self._api.send(
                {"status": "read", "message_id": place["message"], "typing_indicator": {"type": "text"}}
            )
        except ApplianceError as trouble:
            log.debug("typing not shown", channel=self.name, reason=trouble.what)

    async def _send(self, place: Place, body: dict[str, Any]) -> str:
        await self._pacer.wait(str(place["chat"]), RATE)
        try:
            sent = await self._api.send({"recipient_type": "individual", "to": str(place["chat"]), **body})
        except ApplianceError as trouble:
            raise self._trouble(place, trouble) from trouble
        self._outcome("ok")
        return str(sent["messages"][0]["id"])

    def _trouble(self, place: Place, trouble: ApplianceError, ambiguous: bool | None = None) -> DeliveryError:
        told = noted(trouble, self._outcome, self._pacer, place["chat"])
        if ambiguous is not None:
            told.ambiguous = ambiguous
        return told


def _plain(text: str) -> dict[str, Any]:
    # A preview would fetch the address: a way out for what a model read.
    return {"type": "text", "text": {"body": text, "preview_url": False}}


def _with_buttons(text: str, buttons: Sequence[Button]) -> dict[str, Any]:
    """Up to three short choices as buttons under a short text, else a list to open."""
    fits = (
        len(buttons) <= _BUTTONS and len(text) <= _BUTTON_TEXT and all(len(b.label) <= _BUTTON_LABEL for b in buttons)
    )
    if fits:
        replies = [{"type": "reply", "reply": {"id": b.action, "title": b.label}} for b in buttons]
        return _interactive("button", text, {"buttons": replies})
    rows = [{"id": b.action, "title": b.label[:_ROW_LABEL]} for b in buttons[:_ROWS]]
    return _interactive("list", text, {"button": "…", "sections": [{"title": "…", "rows": rows}]})


def _interactive(kind: str, text: str, action: dict[str, Any]) -> dict[str, Any]:
    return {"type": "interactive", "interactive": {"type": kind, "body": {"text": text}, "action": action}}


def _kind(media_type: str) -> str:
    if media_type in _IMAGES:
        return "image"
    if media_type in _AUDIO:
        return "audio"
    return "video" if media_type in _VIDEO else "document"
