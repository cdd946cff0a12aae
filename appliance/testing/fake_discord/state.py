"""What the fake's Discord holds: channels, messages, nonces, faults, the book."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]
_EPOCH_MS = 1_420_070_400_000
_FIELDS = {
    *("content", "nonce", "enforce_nonce", "tts", "embeds", "allowed_mentions", "message_reference", "components"),
    *("flags", "attachments"),
}
_LONGEST = 2000
_NO_EMBEDS, _NO_SOUND = 1 << 2, 1 << 12


class RefusalError(Exception):
    """An answer that is a refusal: HTTP status, Discord's code, words, more of the body."""

    def __init__(self, status: int, code: int, words: str, **more: Any) -> None:
        super().__init__(words)
        self.status = status
        self.body = {"code": code, "message": words, **more}


@dataclass(frozen=True, slots=True)
class Call:
    """One line of the book. `status` is what was answered."""

    method: str
    path: str
    body: Json
    status: int


@dataclass(slots=True)
class Interaction:
    """A press or a slash command: it wants an answer within three seconds of `at` (monotonic)."""

    channel: int
    at: float
    answered: int = 0  # the type of the answer
    message: int = 0  # the message that shows the answer of a command


@dataclass(slots=True)
class Fault:
    """Answer `status` to the next `times` calls of `method` whose path holds `part`; with `after` only once done."""

    method: str
    part: str
    status: int
    times: int = 1
    retry_after: float = 0.0
    after: bool = False


@dataclass
class World:
    """`channels` maps a channel to its guild (None: private); `direct` a user to their private channel."""

    bot: int = 900_000_000_000_000_001
    channels: dict[int, int | None] = field(default_factory=dict)
    direct: dict[int, int] = field(default_factory=dict)
    messages: dict[int, dict[int, Json]] = field(default_factory=dict)
    nonces: dict[tuple[int, str], int] = field(default_factory=dict)
    book: list[Call] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    interactions: dict[str, Interaction] = field(default_factory=dict)
    commands: list[Json] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)  # what the CDN holds, by name
    _last: int = 0

    def new_id(self) -> int:
        """A snowflake of now, larger than any before."""
        self._last = max(self._last + 1, (int(time.time() * 1000) - _EPOCH_MS) << 22)
        return self._last

    def channel(self, guild: int | None = None) -> int:
        made = self.new_id()
        self.channels[made] = guild
        self.messages[made] = {}
        return made

    def direct_channel(self, user: int) -> int:
        if user not in self.direct:
            self.direct[user] = self.channel()
        return self.direct[user]

    def user(self, user: int) -> Json:
        name = "appliance" if user == self.bot else f"user{user}"
        return {
            "id": str(user), "username": name, "global_name": name.title(), "discriminator": "0", "avatar": None,
            "bot": user == self.bot,
        }  # fmt: skip

    def in_channel(self, channel: int) -> dict[int, Json]:
        if channel not in self.channels:
            raise RefusalError(404, 10003, "Unknown Channel")
        return self.messages[channel]

    def write(self, channel: int, author: int, body: Json) -> Json:
        """Store a message as Discord shows it in history."""
        number = self.new_id()
        content = str(body.get("content", ""))
        reference = body.get("message_reference")
        message: Json = {
            "id": str(number), "channel_id": str(channel), "author": self.user(author), "content": content,
            "timestamp": datetime.now(UTC).isoformat(), "edited_timestamp": None, "tts": False,
            "mention_everyone": False, "mentions": body.get("mentions", []), "mention_roles": [],
            "attachments": body.get("attachments", []), "embeds": [], "pinned": False,
            "type": 19 if reference else 0, "components": body.get("components", []), "flags": body.get("flags", 0),
        }  # fmt: skip
        if reference:
            message["message_reference"] = reference
            message["referenced_message"] = self.messages[channel].get(int(reference["message_id"]))
        self.messages[channel][number] = message
        return message

    # --- what the API does --------------------------------------------------------------------------------------------

    def post(self, channel: int, body: Json) -> Json:
        held = self.in_channel(channel)
        _check(body, files=bool(body.get("attachments")), flags=_NO_EMBEDS | _NO_SOUND)
        nonce = body.get("nonce")
        if nonce is not None and (not isinstance(nonce, str | int) or len(str(nonce)) > 25):
            raise RefusalError(400, 50035, "Invalid Form Body", errors={"nonce": "25 characters"})
        if nonce is not None and body.get("enforce_nonce"):
            before = self.nonces.get((channel, str(nonce)))
            if before in held:
                return held[before]
        message = self.write(channel, self.bot, body)
        if nonce is not None:
            self.nonces[channel, str(nonce)] = int(message["id"])
        return message

    def edit(self, channel: int, number: int, body: Json) -> Json:
        message = self.in_channel(channel).get(number)
        if message is None:
            raise RefusalError(404, 10008, "Unknown Message")
        if int(message["author"]["id"]) != self.bot:
            raise RefusalError(403, 50005, "Cannot edit a message authored by another user")
        _check(body, files=False, flags=_NO_EMBEDS)
        message |= {"content": body["content"], "components": body.get("components", [])}
        message["edited_timestamp"] = datetime.now(UTC).isoformat()
        return message

    def call_back(self, token: str, body: Json) -> None:
        """The first answer of an interaction: 4 a message, 5 "is thinking", 6 seen."""
        found = self.interactions.get(token)
        if found is None or time.monotonic() - found.at > 3.0 or found.answered:
            raise RefusalError(404, 10062, "Unknown interaction")
        if body["type"] not in (4, 5, 6):
            raise RefusalError(400, 50035, "Invalid Form Body", errors={"type": body["type"]})
        found.answered = body["type"]
        only_for_them = body.get("data", {}).get("flags", 0) & 64
        if body["type"] in (4, 5) and not only_for_them:
            content = body.get("data", {}).get("content", "")
            found.message = int(self.write(found.channel, self.bot, {"content": content})["id"])

    def answer(self, token: str, body: Json) -> Json:
        """Change the answer of a slash command."""
        found = self.interactions.get(token)
        if found is None or not found.message:
            raise RefusalError(404, 10015, "Unknown Webhook")
        return self.edit(found.channel, found.message, body)

    def register(self, commands: list[Json]) -> list[Json]:
        """Replace the menu of slash commands."""
        if len(commands) > 100 or len({command.get("name") for command in commands}) != len(commands):
            raise RefusalError(400, 50035, "Invalid Form Body")
        for command in commands:
            _check_command(command)
        self.commands = commands
        return commands

    def delete(self, channel: int, number: int) -> None:
        if self.in_channel(channel).pop(number, None) is None:
            raise RefusalError(404, 10008, "Unknown Message")

    def history(self, channel: int, query: dict[str, str]) -> list[Json]:
        """Newest first, as Discord does; with `after` the oldest of those that are newer."""
        limit = int(query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise RefusalError(400, 50035, "Invalid Form Body", errors={"limit": "1 to 100"})
        ids = sorted(self.in_channel(channel))
        if "after" in query:
            chosen = [i for i in ids if i > int(query["after"])][:limit]
        else:
            chosen = [i for i in ids if "before" not in query or i < int(query["before"])][-limit:]
        return [self.messages[channel][i] for i in reversed(chosen)]


_COMMAND_NAME = re.compile(r"[-_'a-z0-9]{1,32}")


def _check_command(command: Json) -> None:
    """Refuse a slash command that Discord refuses."""
    texts = [command.get("description", ""), *command.get("description_localizations", {}).values()]
    texts += [option.get("description", "") for option in command.get("options", [])]
    wrong = (
        not _COMMAND_NAME.fullmatch(command.get("name", ""))
        or any(not 1 <= len(text) <= 100 for text in texts)
        or not set(command.get("description_localizations", {})) <= {"zh-TW", "zh-CN", "ja", "de", "fr"}
        or not set(command.get("contexts", [])) <= {0, 1, 2}
    )
    if wrong:
        raise RefusalError(400, 50035, "Invalid Form Body", errors={"command": command.get("name", "")})


def _check(body: Json, *, files: bool, flags: int) -> None:
    """Refuse what Discord refuses; `flags` are those that may be set."""
    unknown = body.keys() - _FIELDS
    content = body.get("content", "")
    wrong: Json = dict.fromkeys(unknown, "not a field")
    if len(content.encode("utf-16-le")) // 2 > _LONGEST:
        wrong["content"] = "Must be 2000 or fewer in length."
    rows = body.get("components", [])
    buttons = [button for row in rows for button in row["components"]]
    if body.get("flags", 0) & ~flags:
        wrong["flags"] = "not to be set here"
    if len(rows) > 5 or any(not 1 <= len(row["components"]) <= 5 for row in rows):
        wrong["components"] = "5 rows of 1 to 5"
    if any(not 1 <= len(b["custom_id"]) <= 100 or not 1 <= len(b["label"]) <= 80 for b in buttons):
        wrong["components"] = "custom_id of 1 to 100, label of 1 to 80"
    if len({b["custom_id"] for b in buttons}) != len(buttons):
        wrong["components"] = "custom_id is not unique"
    if wrong:
        raise RefusalError(400, 50035, "Invalid Form Body", errors=wrong)
    if not content.strip() and not files:
        raise RefusalError(400, 50006, "Cannot send an empty message")
