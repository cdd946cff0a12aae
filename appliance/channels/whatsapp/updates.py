"""From a call of WhatsApp's to what it means for us. Pure: JSON in, plain values out. A name never decides anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from appliance.channels.heard import FileRef, Heard
from appliance.messages import InboundKind, Source

Raw = dict[str, Any]
_MEDIA = ("image", "document", "audio", "video", "sticker")
_SUFFIX = {"image": ".jpg", "document": "", "audio": ".ogg", "video": ".mp4", "sticker": ".webp"}


def read_call(call: Raw, phone: str) -> Iterator[Heard]:
    """What people said to our number in this call, in its order; news of delivery and other numbers are left out."""
    for entry in call.get("entry", ()):
        for change in entry.get("changes", ()):
            value = change.get("value", {})
            if str(value.get("metadata", {}).get("phone_number_id", "")) != phone:
                continue
            names = {str(c.get("wa_id")): str(c.get("profile", {}).get("name", "")) for c in value.get("contacts", ())}
            for message in value.get("messages", ()):
                heard = _message(message, names)
                if heard is not None:
                    yield heard


def _message(message: Raw, names: dict[str, str]) -> Heard | None:
    user, identity, kind = str(message["from"]), str(message["id"]), str(message.get("type"))
    files, text = _files(message, kind), _text(message, kind)
    said: InboundKind = "message"
    if kind in ("interactive", "button"):
        said = "callback"
    elif text.startswith("/"):
        said = "command"
    if not text and not files:
        return None
    context = message.get("context", {})
    return Heard(
        kind=said,
        id=identity,
        chat=user,
        private=True,
        user=user,
        name=names.get(user, ""),
        text=text,
        at=float(int(message.get("timestamp") or 0)),
        place={"chat": user, "message": identity, "private": True},
        source=Source.OUTSIDE if context.get("forwarded") or context.get("frequently_forwarded") else Source.OWNER,
        files=files,
        reply_to=str(context["id"]) if context.get("id") else None,
    )


def _text(message: Raw, kind: str) -> str:
    held = message.get(kind, {})
    match kind:
        case "text":
            return str(held.get("body", ""))
        case "interactive":
            return str((held.get("button_reply") or held.get("list_reply") or {}).get("id", ""))
        case "button":
            return str(held.get("payload", ""))
        case "location":
            name = f" ({held['name']})" if held.get("name") else ""
            return f"[location: {held.get('latitude')}, {held.get('longitude')}{name}]"
        case "contacts":
            return (
                "[contact: " + ", ".join(str(c.get("name", {}).get("formatted_name", "")) for c in message[kind]) + "]"
            )
        case "unsupported":
            return "[something that WhatsApp does not pass on]"
        case _:
            return str(held.get("caption", "")) if kind in _MEDIA else ""


def _files(message: Raw, kind: str) -> tuple[FileRef, ...]:
    if kind not in _MEDIA:
        return ()
    media = message[kind]
    name = str(media.get("filename") or f"{kind}-{str(message['id'])[-8:]}{_SUFFIX[kind]}")
    return (FileRef(str(media["id"]), name, str(media.get("mime_type", "")), int(media.get("file_size") or 0)),)
