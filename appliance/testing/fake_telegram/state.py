"""What the fake platform knows: chats, messages, files, updates, and the book of calls."""

from __future__ import annotations

import copy
import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from appliance.testing.fake_telegram.errors import ApiError, bad_request

Json = dict[str, Any]


@dataclass
class Call:
    """One request as it was seen. `outcome`: ok, the refusal's text, or dropped. Times are monotonic seconds."""

    number: int
    method: str
    params: Json
    at: float
    outcome: str = ""
    result: Any = None


@dataclass
class Chat:
    """A private chat has its user's id. `gone`: nobody ever finds it; `blocked`: the person blocked the bot."""

    id: int
    type: str = "private"
    title: str = ""
    is_forum: bool = False
    gone: bool = False
    blocked: bool = False
    migrated_to: int = 0
    kicked: bool = False
    gone_topics: set[int] = field(default_factory=set)


@dataclass
class Fault:
    """A scripted trouble for a method: the next `times` calls (or every `every`-th one, without end).

    `code` refuses; `drop` closes the connection "before" or "after" the call took effect; `delay` waits first;
    `garbage` answers 200 with something that is no JSON.
    """

    method: str
    times: int = 1
    every: int = 0
    code: int = 0
    description: str = ""
    retry_after: int = 0
    drop: str = ""
    delay: float = 0.0
    garbage: bool = False
    chat: int | None = None
    seen: int = field(default=0, init=False)

    def applies(self, method: str, params: Json) -> bool:
        if self.method not in (method, "*") or (self.chat is not None and str(self.chat) != str(params.get("chat_id"))):
            return False
        self.seen += 1
        if self.every:
            return self.seen % self.every == 0
        if self.times <= 0:
            return False
        self.times -= 1
        return True

    def error(self) -> ApiError:
        extra = {"retry_after": self.retry_after} if self.retry_after else {}
        code = self.code or 429
        default = f"Too Many Requests: retry after {self.retry_after}" if code == 429 else "Internal Server Error"
        return ApiError(code, self.description or default, **extra)


@dataclass
class Flood:
    """Sends and edits per chat: a burst, then so many a second; groups get `group_per_minute`.

    `pace` is how much faster than real time the bot's clock runs.
    """

    burst: int = 30
    per_second: float = 1.0
    group_per_minute: int = 20
    on: bool = True
    pace: float = 1.0
    _buckets: dict[int, tuple[float, float]] = field(default_factory=dict)

    def check(self, chat: Chat) -> None:
        if not self.on:
            return
        burst = self.burst if chat.type == "private" else self.group_per_minute
        rate = self.per_second if chat.type == "private" else self.group_per_minute / 60
        now = time.monotonic()
        level, at = self._buckets.get(chat.id, (float(burst), now))
        level = min(float(burst), level + (now - at) * rate * self.pace)
        if level < 1:
            wait = max(1, round((1 - level) / rate))
            raise ApiError(429, f"Too Many Requests: retry after {wait}", retry_after=wait)
        self._buckets[chat.id] = (level - 1, now)


class World:
    """Everything of one bot's platform. Message ids count up per group and over all private chats, as Telegram's do."""

    def __init__(self, token: str, username: str, book: Path | None = None) -> None:
        self.token = token
        self.me: Json = {
            "id": int(token.split(":")[0]),
            "is_bot": True,
            "first_name": "Appliance",
            "username": username,
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }
        self.chats: dict[int, Chat] = {}
        self.users: dict[int, Json] = {}
        self.messages: dict[tuple[int, int], Json] = {}
        self.deleted: set[tuple[int, int]] = set()
        self.files: dict[str, tuple[Json, bytes]] = {}
        self.updates: list[Json] = []  # not yet confirmed
        self.everything: list[Json] = []
        self.commands: dict[str, list[Json]] = {}
        self.reactions: dict[tuple[int, int], Any] = {}
        self.pressed: list[Json] = []  # callback updates, also those already confirmed
        self.callback_answers: list[Json] = []
        self.drafts: dict[int, Json] = {}  # by private chat: what is shown as being written
        self.webhook: Json = {"url": ""}
        self.faults: list[Fault] = []
        self.flood = Flood()
        self.book: list[Call] = []
        self._book_file = book
        self._update_ids: Iterator[int] = itertools.count(10)
        self._private_ids: Iterator[int] = itertools.count(1)
        self._group_ids: dict[int, Iterator[int]] = {}
        self._file_ids: Iterator[int] = itertools.count(1)
        self._callback_ids: Iterator[int] = itertools.count(1)

    # --- the book -------------------------------------------------------------------------------------------------

    def enter(self, method: str, params: Json) -> Call:
        shown = {k: (f"<{v[0]}: {len(v[1])} bytes>" if isinstance(v, tuple) else v) for k, v in params.items()}
        call = Call(len(self.book) + 1, method, shown, time.monotonic())
        self.book.append(call)
        return call

    def close_entry(self, call: Call, outcome: str, result: Any = None) -> None:
        call.outcome, call.result = outcome, result
        if self._book_file is not None:
            with self._book_file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(call), ensure_ascii=False, default=str) + "\n")

    # --- chats and messages ---------------------------------------------------------------------------------------

    def chat(self, chat_id: int) -> Chat:
        """A chat to write to, or Telegram's refusal."""
        found = self.chats.get(chat_id)
        if found is None or found.gone:
            raise bad_request("chat not found")
        if found.migrated_to:
            raise ApiError(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=found.migrated_to,
            )
        if found.kicked:
            raise ApiError(403, f"Forbidden: bot was kicked from the {found.type} chat")
        if found.blocked:
            raise ApiError(403, "Forbidden: bot was blocked by the user")
        return found

    def next_message_id(self, chat: Chat) -> int:
        if chat.type in ("private", "group"):
            return next(self._private_ids)
        return next(self._group_ids.setdefault(chat.id, itertools.count(1)))

    def store(self, chat: Chat, sender: Json, content: Json) -> Json:
        """Put a message into a chat and return it as the Bot API shows it."""
        shown: Json = {"id": chat.id, "type": chat.type}
        if chat.type == "private":
            shown.update({k: v for k, v in self.users.get(chat.id, {}).items() if k in ("first_name", "username")})
        else:
            shown["title"] = chat.title or "Group"
        if chat.is_forum:
            shown["is_forum"] = True
        message = {
            "message_id": self.next_message_id(chat),
            "date": int(time.time()),
            "chat": shown,
            "from": sender,
            **{k: v for k, v in content.items() if v not in (None, [], "")},
        }
        self.messages[chat.id, message["message_id"]] = message
        return message

    def own_message(self, chat: Chat, message_id: int, verb: str) -> Json:
        """A message the bot may change, or Telegram's refusal."""
        message = self.messages.get((chat.id, message_id))
        if message is None or (chat.id, message_id) in self.deleted:
            raise bad_request(f"message to {verb} not found")
        if message["from"]["id"] != self.me["id"]:
            raise bad_request(f"message can't be {verb}ed" if verb == "edit" else f"message can't be {verb}d")
        return message

    def visible(self, chat_id: int) -> list[Json]:
        """What a person sees in a chat now, oldest first."""
        return [m for key, m in sorted(self.messages.items()) if key[0] == chat_id and key not in self.deleted]

    # --- files and updates ----------------------------------------------------------------------------------------

    def add_file(self, data: bytes, name: str, declared_size: int | None = None) -> Json:
        number = next(self._file_ids)
        meta = {
            "file_id": f"file-{number}",
            "file_unique_id": f"unique-{number}",
            "file_size": len(data) if declared_size is None else declared_size,
        }
        suffix = Path(name).suffix
        self.files[str(meta["file_id"])] = ({**meta, "file_path": f"files/{number}{suffix}"}, data)
        return meta

    def push(self, kind: str, body: Json) -> Json:
        # A copy: an update says how things were, whatever happens to the message later.
        update = {"update_id": next(self._update_ids), kind: copy.deepcopy(body)}
        self.updates.append(update)
        self.everything.append(update)
        return update

    def callback_id(self) -> str:
        return f"4{next(self._callback_ids):018d}"
