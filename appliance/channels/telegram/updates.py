"""From an update to what it means for us. Pure: what the platform sent in, plain values out.

A name, a username or a title never decides anything here; ids do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from appliance.channels.heard import QUOTE_CHARS, FileRef, Heard
from appliance.messages import Source

ALLOWED = ["message", "edited_message", "callback_query", "my_chat_member", "stopped_message_generation"]
# Telegram's language codes to the languages of the appliance's own texts; others follow what a person writes.
_LANGUAGES = {"zh-hans": "zh-Hans", "zh-cn": "zh-Hans", "zh-sg": "zh-Hans", "zh-hant": "zh-Hant"}
_LANGUAGES |= {"zh-tw": "zh-Hant", "zh-hk": "zh-Hant", "zh-mo": "zh-Hant"}
_MEDIA = ("document", "voice", "audio", "video", "video_note", "animation", "sticker")
_DEFAULT_NAMES = {
    "voice": ("voice.ogg", "audio/ogg"),
    "video_note": ("video.mp4", "video/mp4"),
    "animation": ("animation.mp4", "video/mp4"),
    "video": ("video.mp4", "video/mp4"),
    "audio": ("audio.mp3", "audio/mpeg"),
    "document": ("file", ""),
    "sticker": ("sticker.webp", "image/webp"),
}


@dataclass(frozen=True, slots=True)
class Membership:
    """The bot was put into a chat or thrown out. `by` is the user who did it."""

    chat: int
    private: bool
    title: str
    by: str
    inside: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """A group became a supergroup with another id."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Bot:
    """Who we are on the platform."""

    id: int
    username: str
    names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", frozenset({f"@{self.username.lower()}"}))


def read_update(update: Any, bot: Bot) -> Heard | Membership | Moved | None:
    """Given aiogram's Update, return what we heard, or None for what is none of our business."""
    if update.message is not None:
        if update.message.migrate_to_chat_id:
            return Moved(update.message.chat.id, update.message.migrate_to_chat_id)
        if update.message.migrate_from_chat_id:
            return Moved(update.message.migrate_from_chat_id, update.message.chat.id)
        return _message(update.message, bot, "message", str(update.message.message_id))
    if update.edited_message is not None:
        edited = update.edited_message
        return _message(edited, bot, "edit", f"{edited.message_id}:{edited.edit_date or 0}")
    if update.callback_query is not None:
        return _callback(update.callback_query)
    if update.my_chat_member is not None:
        change = update.my_chat_member
        inside = change.new_chat_member.status not in ("left", "kicked")
        private = change.chat.type == "private"
        return Membership(change.chat.id, private, change.chat.title or "", str(change.from_user.id), inside)
    if update.stopped_message_generation is not None:
        return _stopped(update.stopped_message_generation)
    return None


def _stopped(press: Any) -> Heard | None:
    """The stop button of a draft; drafts exist in private chats only, where the chat is the person."""
    if press.chat.type != "private":
        return None
    place: dict[str, Any] = {"chat": press.chat.id, "private": True}
    if press.message_thread_id:
        place["topic"] = press.message_thread_id
    identity = f"stop-{press.draft_id}"
    return Heard(
        "command", identity, press.chat.id, True, str(press.chat.id), press.chat.full_name, "/stop", 0.0, place
    )


def _message(message: Any, bot: Bot, kind: Literal["message", "edit"], identity: str) -> Heard | None:
    sender = message.from_user
    # Bots could talk to each other for ever; channels and anonymous admins have no person behind an id.
    if sender is None or sender.is_bot or message.sender_chat is not None:
        return None
    private = message.chat.type == "private"
    files = _files(message)
    raw, entities = _text(message)
    described = raw or _described(message)
    if not described and not files:
        return None  # somebody joined, a title changed, something was pinned
    text = _without_mention(_with_links(raw, entities), bot) if raw else described
    if message.forward_origin is not None:
        text = f"[forwarded from {_origin(message.forward_origin)}]\n{text}".strip()
    command = kind == "message" and text.startswith("/")
    source = Source.OUTSIDE if not private or message.forward_origin is not None else Source.OWNER
    return Heard(
        kind="command" if command else kind,
        id=identity,
        chat=message.chat.id,
        private=private,
        user=str(sender.id),
        name=sender.full_name,
        language=_LANGUAGES.get((sender.language_code or "").lower(), ""),
        text=text,
        at=message.date.timestamp(),
        place=_place(message, private),
        addressed=_addressed(message, raw, entities, bot),
        source=source,
        files=files,
        reply_to=str(message.reply_to_message.message_id) if message.reply_to_message else None,
        quoted=_quoted(message),
        together=f"album-{message.media_group_id}" if message.media_group_id else "",
    )


def _origin(origin: Any) -> str:
    """Who wrote what was forwarded, in the platform's words: shown, never believed."""
    sender = getattr(origin, "sender_user", None)
    chat = getattr(origin, "sender_chat", None) or getattr(origin, "chat", None)
    if sender is not None:
        return str(sender.full_name)
    return str(getattr(origin, "sender_user_name", "") or getattr(chat, "title", "") or "somebody")


def _callback(query: Any) -> Heard | None:
    message = query.message
    if message is None or not query.data:
        return None  # a message older than the platform remembers
    private = message.chat.type == "private"
    place = _place(message, private)
    return Heard(
        kind="callback",
        id=str(query.id),
        chat=message.chat.id,
        private=private,
        user=str(query.from_user.id),
        name=query.from_user.full_name,
        language=_LANGUAGES.get((query.from_user.language_code or "").lower(), ""),
        text=query.data,
        at=float(message.date.timestamp()) if not isinstance(message.date, int) else 0.0,
        place=place,
        source=Source.OWNER if private else Source.OUTSIDE,
        token=str(query.id),
    )


def _place(message: Any, private: bool) -> dict[str, Any]:
    """What an answer needs. A forum's messages without a topic are in its general one, number 1."""
    place: dict[str, Any] = {"chat": message.chat.id, "message": message.message_id, "private": private}
    if getattr(message, "is_topic_message", None) and message.message_thread_id:
        place["topic"] = message.message_thread_id
    elif getattr(message.chat, "is_forum", None) and not private:
        place["topic"] = 1
    return place


def _text(message: Any) -> tuple[str, list[Any]]:
    if message.text is not None:
        return message.text, list(message.entities or ())
    return message.caption or "", list(message.caption_entities or ())


def _addressed(message: Any, text: str, entities: list[Any], bot: Bot) -> bool:
    """In a group: mentioned by id or username, answered to, or a command that names the bot."""
    if message.chat.type == "private":
        return True
    answered = message.reply_to_message
    if answered is not None and answered.from_user is not None and answered.from_user.id == bot.id:
        return True
    for entity in entities:
        if entity.type == "text_mention" and entity.user is not None and entity.user.id == bot.id:
            return True
        words = entity.extract_from(text).lower()
        if entity.type == "mention" and words in bot.names:
            return True
        if entity.type == "bot_command" and any(words.endswith(name) for name in bot.names):
            return True
    return False


def _without_mention(text: str, bot: Bot) -> str:
    """The text without the bot's own name at its beginning or after a command."""
    stripped = text.strip()
    first, _, rest = stripped.partition(" ")
    for name in bot.names:
        if first.lower() == name:
            return rest.strip() or stripped
        if first.startswith("/") and first.lower().endswith(name):
            return f"{first[: -len(name)]} {rest}".strip()
    return stripped


def _with_links(text: str, entities: list[Any]) -> str:
    """The text with the address behind each linked word, which the person saw and the model should too."""
    linked = [e for e in entities if e.type == "text_link" and e.url]
    units = text.encode("utf-16-le", "surrogatepass")
    for entity in sorted(linked, key=lambda e: e.offset, reverse=True):
        end = (entity.offset + entity.length) * 2
        units = units[:end] + f" ({entity.url})".encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le", "replace")


def _quoted(message: Any) -> str:
    """What the message answers to: the part the person chose, else the whole of it."""
    if message.quote is not None:
        return str(message.quote.text)[:QUOTE_CHARS]
    answered = message.reply_to_message
    if answered is None or getattr(answered, "forum_topic_created", None):
        return ""
    return (answered.text or answered.caption or "")[:QUOTE_CHARS]


def _described(message: Any) -> str:
    """Words for what has no text and no file."""
    if message.venue is not None:
        place = message.venue
        return f"[place: {place.title}, {place.address}, {place.location.latitude}, {place.location.longitude}]"
    if message.location is not None:
        return f"[location: {message.location.latitude}, {message.location.longitude}]"
    if message.contact is not None:
        return f"[contact: {message.contact.first_name} {message.contact.phone_number}]"
    if message.poll is not None:
        return f"[poll: {message.poll.question}: {' / '.join(option.text for option in message.poll.options)}]"
    if message.dice is not None:
        return f"[dice: {message.dice.emoji} {message.dice.value}]"
    if message.sticker is not None:
        return f"[sticker: {message.sticker.emoji or ''}]".replace(": ]", "]")
    if message.checklist is not None:
        tasks = " / ".join(task.text for task in message.checklist.tasks)
        return f"[checklist: {message.checklist.title}: {tasks}]"
    if message.story is not None:
        return "[a story, which bots cannot see]"
    return ""


def _files(message: Any) -> tuple[FileRef, ...]:
    if message.photo:
        best = max(message.photo, key=lambda size: size.width * size.height)
        return (FileRef(best.file_id, f"photo-{message.message_id}.jpg", "image/jpeg", best.file_size or 0),)
    # An animation comes with a document that is the same file.
    for field_name in ("animation", *(m for m in _MEDIA if m != "animation")):
        media = getattr(message, field_name, None)
        if media is not None:
            name, mime = _DEFAULT_NAMES[field_name]
            stem, dot, suffix = name.partition(".")
            made = f"{stem}-{message.message_id}{dot}{suffix}"
            given = getattr(media, "file_name", None) or made
            if field_name == "sticker" and (media.is_animated or media.is_video):
                given, mime = (given.replace(".webp", ".tgs"), "application/x-tgsticker")
                if media.is_video:
                    given, mime = (given.replace(".tgs", ".webm"), "video/webm")
            return (FileRef(media.file_id, given, getattr(media, "mime_type", None) or mime, media.file_size or 0),)
    return ()
