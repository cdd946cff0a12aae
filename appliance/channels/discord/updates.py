"""From a Discord payload to what it means for us. Pure: JSON objects in, plain values out.

A name never decides anything here; ids do.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

from appliance.channels.heard import QUOTE_CHARS, FileRef, Heard
from appliance.messages import Source

_EPOCH_MS = 1_420_070_400_000  # Discord's ids count milliseconds from 2015
_DIRECT = 1
_LANGUAGES = {"zh-CN": "zh-Hans", "zh-TW": "zh-Hant"}  # what Discord's client speaks
_TALK = (0, 19)  # a message, an answer to one; the rest are notices of the platform
_COMMAND, _COMPONENT = 2, 3


def read_message(message: dict[str, Any], bot: int) -> Heard | None:
    """What a message says, or None for what is none of our business (bots, webhooks, notices, group calls)."""
    author = message["author"]
    # Bots could talk to each other for ever; a webhook has no person behind its id.
    if author.get("bot") or message.get("webhook_id") or message.get("type", 0) not in _TALK:
        return None
    private = not message.get("guild_id")
    if private and message.get("channel_type", _DIRECT) != _DIRECT:
        return None
    files = tuple(_file(one) for one in message.get("attachments", ()))
    text = _text(message, bot)
    if not text and not files:
        return None
    chat, number = int(message["channel_id"]), int(message["id"])
    answered = message.get("referenced_message") or {}
    return Heard(
        kind="command" if text.startswith("/") else "message",
        id=str(number),
        chat=chat,
        private=private,
        user=str(author["id"]),
        name=str(author.get("global_name") or author.get("username") or ""),
        text=text,
        at=_written_at(number),
        place={"chat": chat, "message": number, "private": private},
        addressed=private or _addressed(message, bot, answered),
        source=Source.OWNER if private else Source.OUTSIDE,
        files=files,
        reply_to=str(answered["id"]) if answered else None,
        quoted=str(answered.get("content") or "")[:QUOTE_CHARS],
    )


def read_edit(message: dict[str, Any], bot: int) -> Heard | None:
    """What an edited message says now, or None: Discord also tells of changes that are no edit (a preview came)."""
    edited = message.get("edited_timestamp")
    if not edited or "author" not in message or "content" not in message:
        return None
    heard = read_message(message, bot)
    return None if heard is None else replace(heard, kind="edit", id=f"{heard.id}:{edited}")


def read_command(interaction: dict[str, Any]) -> Heard | None:
    """What a command of Discord's own menu says: the same as the text `/name words`; None for anything else."""
    data = interaction.get("data", {})
    if interaction.get("type") != _COMMAND or not data.get("name"):
        return None
    words = " ".join(str(option.get("value", "")) for option in data.get("options", ()))
    heard = _interaction(interaction, f"/{data['name']} {words}".strip())
    # Where the answer goes: Discord shows it in place of "is thinking".
    place = heard.place | {"interaction": heard.token, "application": int(interaction["application_id"])}
    return replace(heard, kind="command", place=place)


def read_press(interaction: dict[str, Any]) -> Heard | None:
    """What a press of a button says, or None for any other interaction."""
    pressed = interaction.get("data", {}).get("custom_id")
    if interaction.get("type") != _COMPONENT or not pressed:
        return None
    heard = _interaction(interaction, str(pressed))
    return replace(heard, place=heard.place | {"message": int(interaction["message"]["id"])})


def _interaction(interaction: dict[str, Any], text: str) -> Heard:
    private = not interaction.get("guild_id")
    user = interaction["user"] if "user" in interaction else interaction["member"]["user"]
    chat = int(interaction["channel_id"])
    return Heard(
        kind="callback",
        id=str(interaction["id"]),
        chat=chat,
        private=private,
        user=str(user["id"]),
        name=str(user.get("global_name") or user.get("username") or ""),
        text=text,
        at=_written_at(int(interaction["id"])),
        place={"chat": chat, "private": private},
        language=_LANGUAGES.get(str(interaction.get("locale", "")), ""),
        source=Source.OWNER if private else Source.OUTSIDE,
        token=str(interaction["token"]),
    )


def changed_at(message: dict[str, Any]) -> int:
    """When a message was written or last edited, as an id of that moment."""
    edited = message.get("edited_timestamp")
    moment = (int(datetime.fromisoformat(edited).timestamp() * 1000) - _EPOCH_MS) << 22 if edited else 0
    return max(int(message["id"]), moment)


def _written_at(number: int) -> float:
    """Unix seconds at which an id was given."""
    return ((number >> 22) + _EPOCH_MS) / 1000


def _text(message: dict[str, Any], bot: int) -> str:
    """The text without the bot's own mention at its beginning, other people's mentions as they are shown."""
    text = str(message.get("content") or "").strip()
    text = re.sub(rf"^<@!?{bot}>[\s,:]*", "", text)
    for person in message.get("mentions", ()):
        shown = "@" + str(person.get("global_name") or person.get("username") or person["id"])
        text = text.replace(f"<@{person['id']}>", shown).replace(f"<@!{person['id']}>", shown)
    return text


def _addressed(message: dict[str, Any], bot: int, answered: dict[str, Any]) -> bool:
    """In a guild: mentioned by id (not by @everyone), or answered to."""
    if str(answered.get("author", {}).get("id")) == str(bot):
        return True
    return any(str(person["id"]) == str(bot) for person in message.get("mentions", ()))


def _file(raw: dict[str, Any]) -> FileRef:
    return FileRef(str(raw["url"]), str(raw["filename"]), str(raw.get("content_type") or ""), int(raw.get("size") or 0))
