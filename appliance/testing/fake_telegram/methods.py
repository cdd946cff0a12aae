"""The Bot API's methods, as far as a bot of this house (or a careless one) may call them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from appliance.testing.fake_telegram.errors import bad_request
from appliance.testing.fake_telegram.limits import checked_markup, checked_text, json_field
from appliance.testing.fake_telegram.rich import checked_rich
from appliance.testing.fake_telegram.state import Chat, Json, World

_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
_ACTIONS = {
    *("typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice", "upload_document"),
    *("choose_sticker", "find_location", "record_video_note", "upload_video_note"),
}
_REACTIONS = set(
    "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 "
    "🖕 😈 😴 😭 🤓 👻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷 😡".split()
)
_DOWNLOAD_LIMIT = 20 * 1024 * 1024
_UPLOAD_LIMITS = {"photo": 10 * 1024 * 1024}
_UPLOAD_LIMIT = 50 * 1024 * 1024


def _integer(params: Json, name: str) -> int:
    try:
        return int(str(params[name]))
    except KeyError:
        raise bad_request(f"{name.removesuffix('_id')} identifier is not specified") from None
    except ValueError:
        raise bad_request("chat not found" if name == "chat_id" else f"invalid {name} specified") from None


def get_me(world: World, params: Json) -> Any:
    return world.me


def _target(world: World, params: Json) -> tuple[Chat, Json]:
    """The chat to send to and what a message carries for its place there: topic and reply."""
    chat = world.chat(_integer(params, "chat_id"))
    world.flood.check(chat)
    content: Json = {}
    if params.get("message_thread_id"):
        topic = _integer(params, "message_thread_id")
        if not chat.is_forum or topic == 1 or topic in chat.gone_topics:
            raise bad_request("message thread not found")
        content |= {"message_thread_id": topic, "is_topic_message": True}
    reply = json_field(params.get("reply_parameters") or None, "reply parameters")
    if reply:
        key = (chat.id, int(reply["message_id"]))
        if key in world.messages and key not in world.deleted:
            content["reply_to_message"] = world.messages[key]
        elif not reply.get("allow_sending_without_reply"):
            raise bad_request("message to be replied not found")
    return chat, content


def send_message(world: World, params: Json) -> Any:
    text, entities = checked_text(params)
    markup = checked_markup(params)
    chat, content = _target(world, params)
    world.drafts.pop(chat.id, None)  # what was being written stands now
    return world.store(chat, world.me, {**content, "text": text, "entities": entities, "reply_markup": markup})


def send_message_draft(world: World, params: Json) -> Any:
    chat = world.chat(_integer(params, "chat_id"))
    if chat.type != "private":
        raise bad_request("message drafts can be sent to private chats only")
    if _integer(params, "draft_id") == 0:
        raise bad_request("DRAFT_ID_INVALID")
    text, entities = checked_text(params) if params.get("text") else ("", [])
    world.flood.check(chat)
    world.drafts[chat.id] = {
        "draft_id": _integer(params, "draft_id"),
        "text": text,
        "entities": entities,
        "can_stop": str(params.get("can_stop", "")).lower() in ("true", "1"),
    }
    return True


def _edited(world: World, params: Json, changes: Json) -> Any:
    chat = world.chat(_integer(params, "chat_id"))
    world.flood.check(chat)
    message = world.own_message(chat, _integer(params, "message_id"), "edit")
    for needed, words in (("text", "text"), ("caption", "caption")):
        if "rich_message" in message:
            break
        if needed in changes and needed not in message and not (needed == "caption" and "text" not in message):
            raise bad_request(f"there is no {words} in the message to edit")
    before = {name: message.get(name) or None for name in changes}
    after = {name: value or None for name, value in changes.items()}
    if before == after:
        raise bad_request(
            "message is not modified: specified new message content and reply markup are exactly the same as a "
            "current content and reply markup of the message"
        )
    for name, value in after.items():
        message.pop(name, None)
        if value is not None:
            message[name] = value
    message["edit_date"] = message["date"]
    return message


def edit_message_text(world: World, params: Json) -> Any:
    if params.get("rich_message"):
        rich = checked_rich(params)
        changes: Json = {"rich_message": rich, "text": None, "entities": None, "reply_markup": checked_markup(params)}
        return _edited(world, params, changes)
    text, entities = checked_text(params)
    changes = {"text": text, "entities": entities, "rich_message": None, "reply_markup": checked_markup(params)}
    return _edited(world, params, changes)


def edit_message_caption(world: World, params: Json) -> Any:
    text, entities = checked_text(params, caption=True)
    changes = {"caption": text, "caption_entities": entities, "reply_markup": checked_markup(params)}
    return _edited(world, params, changes)


def edit_message_reply_markup(world: World, params: Json) -> Any:
    return _edited(world, params, {"reply_markup": checked_markup(params)})


def delete_message(world: World, params: Json) -> Any:
    chat = world.chat(_integer(params, "chat_id"))
    key = (chat.id, _integer(params, "message_id"))
    if key not in world.messages or key in world.deleted:
        raise bad_request("message to delete not found")
    # In a private chat a bot may delete the person's messages too, and the platform does not ask twice.
    if chat.type != "private":
        world.own_message(chat, key[1], "delete")
    world.deleted.add(key)
    return True


def _send_media(kind: str) -> Callable[[World, Json], Any]:
    def send(world: World, params: Json) -> Any:
        caption, entities = checked_text(params, caption=True)
        markup = checked_markup(params)
        given = params.get(kind)
        if isinstance(given, str) and given.startswith("attach://"):
            given = params.get(given.removeprefix("attach://"))
        if isinstance(given, tuple):
            name, data = given
            if not data:
                raise bad_request("file must be non-empty")
            if len(data) > _UPLOAD_LIMITS.get(kind, _UPLOAD_LIMIT):
                raise bad_request("file is too big")
            chat, content = _target(world, params)
            meta = {**world.add_file(data, name), "file_name": name}
        elif isinstance(given, str) and given in world.files:
            chat, content = _target(world, params)
            meta = dict(world.files[given][0])
        else:
            raise bad_request("wrong file identifier/HTTP URL specified")
        shown: Any = {**meta, "width": 1, "height": 1, "duration": 0}
        media = [shown] if kind == "photo" else shown
        body = {**content, kind: media, "caption": caption, "caption_entities": entities, "reply_markup": markup}
        return world.store(chat, world.me, body)

    return send


def get_file(world: World, params: Json) -> Any:
    found = world.files.get(str(params.get("file_id")))
    if found is None:
        raise bad_request("wrong file_id or the file is temporarily unavailable")
    if found[0]["file_size"] > _DOWNLOAD_LIMIT:
        raise bad_request("file is too big")
    return found[0]


def send_chat_action(world: World, params: Json) -> Any:
    chat = world.chat(_integer(params, "chat_id"))
    if params.get("action") not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    topic = _integer(params, "message_thread_id") if params.get("message_thread_id") else 0
    if topic and (not chat.is_forum or topic in chat.gone_topics):
        raise bad_request("message thread not found")
    return True


def _command_key(params: Json) -> str:
    scope = json_field(params.get("scope") or {"type": "default"}, "scope")
    language = params.get("language_code") or ""
    return ":".join(str(part) for part in (scope.get("type"), scope.get("chat_id", ""), language))


def set_my_commands(world: World, params: Json) -> Any:
    commands = json_field(params.get("commands"), "commands")
    if not isinstance(commands, list):
        raise bad_request("commands must be an Array")
    if len(commands) > 100:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not _COMMAND.fullmatch(str(command.get("command", ""))):
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= len(str(command.get("description", ""))) <= 256:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    scope = json_field(params.get("scope") or {}, "scope")
    if scope.get("chat_id"):
        world.chat(int(scope["chat_id"]))
    world.commands[_command_key(params)] = commands
    return True


def get_my_commands(world: World, params: Json) -> Any:
    return world.commands.get(_command_key(params), [])


def delete_my_commands(world: World, params: Json) -> Any:
    world.commands.pop(_command_key(params), None)
    return True


def answer_callback_query(world: World, params: Json) -> Any:
    known = any(params.get("callback_query_id") == u["callback_query"]["id"] for u in world.pressed)
    if not known:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    world.callback_answers.append(params)
    return True


def set_message_reaction(world: World, params: Json) -> Any:
    chat = world.chat(_integer(params, "chat_id"))
    key = (chat.id, _integer(params, "message_id"))
    if key not in world.messages or key in world.deleted:
        raise bad_request("message to react not found")
    reaction = json_field(params.get("reaction") or [], "reaction")
    if len(reaction) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    if any(one.get("type") != "emoji" or one.get("emoji") not in _REACTIONS for one in reaction):
        raise bad_request("REACTION_INVALID")
    world.reactions[key] = reaction
    return True


def set_webhook(world: World, params: Json) -> Any:
    url = str(params.get("url") or "")
    parts = urlsplit(url)
    if url and parts.scheme != "https":
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if url and (parts.port or 443) not in (443, 80, 88, 8443):
        raise bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
    secret = params.get("secret_token")
    if secret is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", str(secret)):
        raise bad_request("secret token contains unallowed characters")
    allowed = json_field(params.get("allowed_updates") or [], "allowed_updates")
    world.webhook = {"url": url, "secret_token": secret, "allowed": allowed}
    return True


def delete_webhook(world: World, params: Json) -> Any:
    world.webhook = {"url": ""}
    if str(params.get("drop_pending_updates", "")).lower() in ("true", "1"):
        world.updates.clear()
    return True


def get_webhook_info(world: World, params: Json) -> Any:
    return {
        "url": world.webhook["url"],
        "has_custom_certificate": False,
        "pending_update_count": len(world.updates),
        **{k: v for k, v in world.webhook.items() if k.startswith("last_error")},
    }


def get_chat(world: World, params: Json) -> Any:
    chat = world.chat(_integer(params, "chat_id"))
    return {"id": chat.id, "type": chat.type, "title": chat.title, "accent_color_id": 0, "max_reaction_count": 1}


METHODS: dict[str, Callable[[World, Json], Any]] = {
    "getme": get_me,
    "sendmessage": send_message,
    "sendmessagedraft": send_message_draft,
    "editmessagetext": edit_message_text,
    "editmessagecaption": edit_message_caption,
    "editmessagereplymarkup": edit_message_reply_markup,
    "deletemessage": delete_message,
    **{f"send{kind.replace('_', '')}": _send_media(kind) for kind in ("photo", "document", "voice", "audio", "video")},
    **{f"send{kind.replace('_', '')}": _send_media(kind) for kind in ("animation", "sticker", "video_note")},
    "getfile": get_file,
    "sendchataction": send_chat_action,
    "setmycommands": set_my_commands,
    "getmycommands": get_my_commands,
    "deletemycommands": delete_my_commands,
    "answercallbackquery": answer_callback_query,
    "setmessagereaction": set_message_reaction,
    "setwebhook": set_webhook,
    "deletewebhook": delete_webhook,
    "getwebhookinfo": get_webhook_info,
    "getchat": get_chat,
}
