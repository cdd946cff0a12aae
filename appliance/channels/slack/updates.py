"""From a Slack payload to what it means for us. Pure: JSON objects in, plain values out.

A name never decides anything here; ids do.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from appliance.channels.heard import FileRef, Heard
from appliance.messages import InboundKind, Source

Raw = dict[str, Any]
_TALK = (None, "file_share", "thread_broadcast")  # a message, one with files, an answer shown outside its thread too
_ANGLED = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")


def read_message(event: Raw, bot: str, chat: str = "") -> Heard | None:
    """What a message says, or None for what is none of our business (bots, notices). History leaves out the `chat`."""
    if event.get("type") != "message" or event.get("subtype") not in _TALK:
        return None
    # Bots could talk to each other for ever.
    if event.get("bot_id") or not event.get("user") or event["user"] == bot:
        return None
    text = _text(str(event.get("text") or ""), bot)
    files = tuple(_file(one) for one in event.get("files", ()) if one.get("url_private_download"))
    if not text and not files:
        return None
    chat, number = chat or str(event["channel"]), str(event["ts"])
    thread = str(event.get("thread_ts") or "")
    private = _private(chat)
    return Heard(
        kind="command" if text.startswith("/") else "message",
        id=number,
        chat=chat,
        private=private,
        user=str(event["user"]),
        name="",
        text=text,
        at=float(number),
        place=_place(chat, thread) | {"message": number},
        addressed=private or _addressed(event, bot),
        source=Source.OWNER if private else Source.OUTSIDE,
        files=files,
        reply_to=thread if thread and thread != number else None,
    )


def read_edit(event: Raw, bot: str) -> Heard | None:
    """What an edited message says now, or None: Slack also tells of changes that are no edit (a preview came)."""
    if event.get("subtype") != "message_changed":
        return None
    now, before = event["message"], event.get("previous_message", {})
    if not now.get("edited") or now.get("text") == before.get("text"):
        return None
    heard = read_message(now, bot, str(event["channel"]))
    return heard and replace(heard, kind="edit", id=f"{heard.id}:{now['edited']['ts']}")


def read_command(payload: Raw) -> Heard:
    """What `/appliance words` says: the same as the text `/words`."""
    words = str(payload.get("text") or "").strip().lstrip("/")
    return _said_outside(payload, payload["user_id"], payload["channel_id"], f"/{words or 'help'}", "command")


def read_press(payload: Raw) -> Heard | None:
    """What a press of a button says, or None for anything else that is interactive."""
    pressed = [one for one in payload.get("actions", ()) if one.get("type") == "button" and one.get("value")]
    if payload.get("type") != "block_actions" or not pressed:
        return None
    holder = payload["container"]
    heard = _said_outside(payload, payload["user"]["id"], holder["channel_id"], str(pressed[0]["value"]), "callback")
    place = _place(heard.place["chat"], str(holder.get("thread_ts") or "")) | {"message": str(holder["message_ts"])}
    return replace(heard, place=place)


def _said_outside(payload: Raw, user: str, chat: str, text: str, kind: InboundKind) -> Heard:
    """Something that is no message and has no time of its own."""
    private = _private(chat)
    return Heard(
        kind=kind,
        id=str(payload["trigger_id"]),
        chat=chat,
        private=private,
        user=user,
        name="",
        text=text,
        at=0.0,
        place=_place(chat, ""),
        source=Source.OWNER if private else Source.OUTSIDE,
    )


def _private(chat: str) -> bool:
    """Whether it is a conversation of one person with the bot; groups of several people begin with another letter."""
    return chat.startswith("D")


def _place(chat: str, thread: str) -> Raw:
    return {"chat": chat, "private": _private(chat)} | ({"topic": thread} if thread else {})


def _addressed(event: Raw, bot: str) -> bool:
    """In a channel: mentioned by id (not by @channel), or answered to in a thread that the bot began."""
    return f"<@{bot}" in str(event.get("text") or "") or event.get("parent_user_id") == bot


def _text(raw: str, bot: str) -> str:
    """The text as people see it, without the bot's own mention at its beginning."""
    text = re.sub(rf"^\s*<@{re.escape(bot)}(?:\|[^>]*)?>[\s,:]*", "", raw)
    text = _ANGLED.sub(_readable, text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _readable(found: re.Match[str]) -> str:
    """A mention, a command to a group or a link, in the words that Slack shows."""
    what, label = found[1], found[2] or ""
    if what[:1] in ("@", "#"):
        return what[0] + (label or what[1:])
    if what[:1] == "!":
        return label or "@" + what[1:].partition("^")[0]
    address = what.removeprefix("mailto:")
    return address if label in ("", what, address) or address.endswith(f"://{label}") else f"{label} ({address})"


def _file(raw: Raw) -> FileRef:
    return FileRef(
        str(raw["url_private_download"]),
        str(raw.get("name") or "file"),
        str(raw.get("mimetype") or ""),
        int(raw.get("size") or 0),
    )
