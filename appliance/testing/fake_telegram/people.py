"""What people do on the fake platform: write, edit, press, send files, block, delete. Each returns the update."""

from __future__ import annotations

import base64
import re
import time
from typing import Any

from appliance.testing.fake_telegram.limits import units
from appliance.testing.fake_telegram.state import Chat, Fault, Json, World

_MARKS = re.compile(r"(?:^|(?<=\s))(/[A-Za-z0-9_]+(?:@\w+)?|@\w{4,})")


def _found_entities(text: str) -> list[Json]:
    found = []
    for match in _MARKS.finditer(text):
        kind = "bot_command" if match[1].startswith("/") else "mention"
        found.append({"type": kind, "offset": units(text[: match.start(1)]), "length": units(match[1])})
    return found


class People:
    """The control side of a World. Users and chats come to be when first named."""

    def __init__(self, world: World) -> None:
        self.world = world

    def user(self, user: int, *, name: str = "", username: str = "", language: str = "") -> Json:
        """Make or change a user and the private chat with the bot."""
        known = self.world.users.setdefault(user, {"id": user, "is_bot": False, "first_name": name or f"User {user}"})
        known.update({k: v for k, v in (("first_name", name), ("username", username)) if v})
        if language:
            known["language_code"] = language
        self.world.chats.setdefault(user, Chat(user))
        return known

    def group(self, chat: int, *, title: str = "Group", forum: bool = False, kind: str = "supergroup") -> None:
        """Make a group that the bot is in; `kind` is supergroup or group."""
        self.world.chats[chat] = Chat(chat, kind, title, forum)

    def set_chat(self, chat: int, **changes: Any) -> None:
        """Change a chat's fate: gone, blocked, migrated_to."""
        for name, value in changes.items():
            if name not in ("gone", "blocked", "migrated_to", "title", "is_forum", "gone_topics"):
                raise ValueError(f"a chat has no {name}")
            setattr(self.world.chats[chat], name, value)

    def say(
        self,
        user: int,
        text: str = "",
        *,
        chat: int | None = None,
        topic: int | None = None,
        reply_to: int | None = None,
        quote: str = "",
        forwarded_from: str = "",
        entities: list[Json] | None = None,
        extra: Json | None = None,
    ) -> Json:
        """A person writes; return the update. `extra` goes into the message as it is."""
        sender = self.user(user)
        place = self.world.chats[chat if chat is not None else user]
        content: Json = {"text": text, "entities": entities or _found_entities(text)}
        if topic:
            content |= {"message_thread_id": topic, "is_topic_message": True}
        if reply_to is not None:
            content["reply_to_message"] = self.world.messages[place.id, reply_to]
        if quote:
            content["quote"] = {"text": quote, "position": 0, "is_manual": True}
        if forwarded_from:
            content["forward_origin"] = {
                "type": "hidden_user",
                "date": int(time.time()),
                "sender_user_name": forwarded_from,
            }
        return self.world.push("message", self.world.store(place, sender, {**content, **(extra or {})}))

    def send_file(
        self,
        user: int,
        data: bytes | str,
        *,
        kind: str = "document",
        name: str = "file.bin",
        mime: str = "",
        caption: str = "",
        declared_size: int | None = None,
        chat: int | None = None,
        extra: Json | None = None,
    ) -> Json:
        """A person sends a file (`data` as text is base64); return the update."""
        raw = base64.b64decode(data) if isinstance(data, str) else data
        meta = self.world.add_file(raw, name, declared_size)
        body: Any = {**meta, "width": 10, "height": 10, "duration": 1, "length": 10}
        if kind in ("document", "audio", "video", "animation"):
            body["file_name"] = name
        if kind == "sticker":
            body |= {"type": "regular", "is_animated": False, "is_video": False}
        if mime:
            body["mime_type"] = mime
        if kind == "photo":
            small = self.world.add_file(b"small", "small.jpg")
            body = [{**small, "width": 1, "height": 1}, body]
        marks = _found_entities(caption)
        extra = {"caption": caption, "caption_entities": marks, kind: body, **(extra or {})}
        return self.say(user, chat=chat, extra=extra)

    def album(self, user: int, files: list[bytes], *, caption: str = "", chat: int | None = None) -> list[Json]:
        """A person sends several pictures as one; each comes as a message of its own. Returns the updates."""
        group = {"media_group_id": f"album-{self.world.callback_id()}"}
        return [
            self.send_file(user, data, kind="photo", caption="" if number else caption, chat=chat, extra=group)
            for number, data in enumerate(files)
        ]

    def stop_draft(self, user: int) -> Json:
        """A person presses the stop button of what is being written to them."""
        draft = self.world.drafts[user]
        if not draft["can_stop"]:
            raise ValueError("the draft has no stop button")
        chat = {"id": user, "type": "private", "first_name": self.user(user)["first_name"]}
        return self.world.push("stopped_message_generation", {"chat": chat, "draft_id": draft["draft_id"]})

    def migrate(self, old: int, new: int) -> None:
        """A group becomes a supergroup under another id; both say so."""
        before = self.world.chats[old]
        self.group(new, title=before.title)
        system = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
        told = self.world.store(before, system, {"migrate_to_chat_id": new})
        before.migrated_to = new
        self.world.push("message", told)
        self.world.push("message", self.world.store(self.world.chats[new], system, {"migrate_from_chat_id": old}))

    def member(self, chat: int, by: int, *, inside: bool) -> Json:
        """The bot is put into a group, or thrown out of it."""
        place = self.world.chats[chat]
        place.kicked = not inside
        old, new = ("left", "member") if inside else ("member", "kicked")

        def status(word: str) -> Json:
            return {"status": word, "user": self.world.me} | ({"until_date": 0} if word == "kicked" else {})

        return self.world.push(
            "my_chat_member",
            {
                "chat": {"id": chat, "type": place.type, "title": place.title or "Group"},
                "from": self.user(by),
                "date": int(time.time()),
                "old_chat_member": status(old),
                "new_chat_member": status(new),
            },
        )

    def edit(self, user: int, message: int, text: str, *, chat: int | None = None, date: int | None = None) -> Json:
        """A person edits what they wrote; `date` is Unix seconds of the edit."""
        stored = self.world.messages[chat if chat is not None else user, message]
        stored |= {"text": text, "edit_date": date or int(time.time())}
        return self.world.push("edited_message", dict(stored))

    def press(self, user: int, message: int, data: str, *, chat: int | None = None) -> Json:
        """A person presses a button; the data is sent as given, so that a test can forge it."""
        body = {
            "id": self.world.callback_id(),
            "from": self.user(user),
            "chat_instance": "1",
            "message": self.world.messages[chat if chat is not None else user, message],
            "data": data,
        }
        update = self.world.push("callback_query", body)
        self.world.pressed.append(update)
        return update

    def repeat(self, update: int, *, new_id: bool = False) -> Json:
        """The platform delivers an update once more, under its old id or a new one."""
        found = next(u for u in self.world.everything if u["update_id"] == update)
        if new_id:
            kind = next(k for k in found if k != "update_id")
            return self.world.push(kind, found[kind])
        self.world.updates.append(found)
        self.world.updates.sort(key=lambda u: int(u["update_id"]))
        return found

    def remove(self, chat: int, message: int) -> None:
        """A person deletes a message."""
        self.world.deleted.add((chat, message))

    def fault(self, method: str, **script: Any) -> None:
        """Script trouble for a method (see state.Fault)."""
        self.world.faults.append(Fault(method.lower(), **script))

    def clear_faults(self) -> None:
        self.world.faults.clear()
