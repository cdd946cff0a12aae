"""A strict fake of Slack for one app in socket mode: the Web API, the socket and the files, with a book."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

Json = dict[str, Any]
BOT_TOKEN, APP_TOKEN = "xoxb-fake-for-tests", "xapp-fake-for-tests"
BOT = "U0BOT"
SCOPES = frozenset(
    "chat:write commands files:read files:write im:history im:write reactions:write users:read channels:history".split()
)
_AGAIN_SECONDS = 0.2  # an envelope that is not acknowledged comes again; Slack waits three seconds
_TEXT, _BLOCK, _EDIT = 40_000, 3_000, 4_000
_PAGE = 200


class RefusalError(Exception):
    """An answer with `ok: false`; `status` 429 for a rate limit."""

    def __init__(self, error: str, status: int = 200, **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.body = {"ok": False, "error": error, **more}


@dataclass
class World:
    """What stands on Slack: conversations with their messages by ts, reactions, files."""

    chats: dict[str, dict[str, Json]] = field(default_factory=dict)
    reactions: set[tuple[str, str, str]] = field(default_factory=set)
    files: dict[str, Json] = field(default_factory=dict)
    people: dict[str, Json] = field(default_factory=dict)
    book: list[tuple[str, Json]] = field(default_factory=list)
    _last: int = 0

    def ts(self) -> str:
        """A time of now, later than any before."""
        self._last = max(self._last + 1, int(time.time() * 1_000_000))
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    def write(self, chat: str, message: Json) -> Json:
        message = {"type": "message", "ts": self.ts(), **message}
        self.chats.setdefault(chat, {})[message["ts"]] = message
        parent = self.chats[chat].get(str(message.get("thread_ts")))
        if parent is not None and parent is not message:
            message["parent_user_id"] = parent["user"]
            parent |= {"reply_count": parent.get("reply_count", 0) + 1, "latest_reply": message["ts"]}
            parent.setdefault("thread_ts", parent["ts"])
        return message

    def change(self, chat: str, ts: str, text: str) -> Json:
        """A person edits what they wrote."""
        message = self.chats[chat][ts]
        message = self.chats[chat][ts] = message | {"text": text, "edited": {"user": message["user"], "ts": self.ts()}}
        return message


class FakeSlack:
    """Point the channel at `url`. `faults` holds, by method, what the next calls of it answer."""

    def __init__(self) -> None:
        self.url = ""
        self.port = 0
        self.world = World()
        self.faults: dict[str, list[RefusalError]] = {}
        self.scopes = set(SCOPES)
        self.acknowledged: list[str] = []
        self.connections = 0
        self._open: dict[str, Json] = {}  # envelopes that are not acknowledged
        self._sockets: set[web.WebSocketResponse] = set()
        self._count = itertools.count(1)
        self._tickets: set[str] = set()
        self._runner: web.AppRunner | None = None
        self._methods: dict[str, Callable[[Json], Json]] = {
            "auth.test": lambda form: {"user_id": BOT, "team_id": "T1", "user": "appliance"},
            "conversations.open": lambda form: {"channel": {"id": direct(form["users"])}},
            "conversations.history": self._history,
            "conversations.replies": self._replies,
            "users.info": lambda form: {"user": self.world.people.get(form["user"], {"name": form["user"].lower()})},
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "chat.delete": self._delete,
            "reactions.add": self._add_reaction,
            "reactions.remove": self._remove_reaction,
            "files.getUploadURLExternal": self._upload_url,
            "files.completeUploadExternal": self._complete,
        }

    async def start(self) -> None:
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_post("/api/{method}", self._api)
        app.router.add_get("/link/{ticket}", self._socket)
        app.router.add_post("/upload/{file}", self._uploaded)
        app.router.add_get("/files/{file}", self._file)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}/api"

    async def stop(self) -> None:
        """Go away, as a dead network does. `start` comes back on the same port with all state; what nobody heard in
        the meantime only the history tells."""
        await self.cut()
        self._open.clear()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def cut(self) -> None:
        """Cut every socket."""
        for socket in list(self._sockets):
            await socket.close(code=1006)

    async def ask_to_reconnect(self, reason: str = "refresh_requested") -> None:
        """Slack asks for a new connection, as it does every few hours."""
        for socket in list(self._sockets):
            await socket.send_json({"type": "disconnect", "reason": reason})

    # --- what people do -----------------------------------------------------------------------------------------------

    async def say(self, user: str, text: str, *, chat: str = "", **more: Any) -> str:
        """A person writes, in private or in a channel; return the ts. Slack takes what begins with / for itself."""
        if text.startswith("/"):
            raise ValueError("Slack's client does not send this as a message: use `command`")
        where = chat or direct(user)
        shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") if "mrkdwn" not in more else text
        more.pop("mrkdwn", None)
        message = self.world.write(where, {"user": user, "text": shown, **more})
        await self._event({**message, "channel": where, "channel_type": "im" if where[0] == "D" else "channel"})
        return str(message["ts"])

    async def repeat(self, user: str, ts: str, *, chat: str = "") -> None:
        """Slack tells of a message once more, in an event of its own."""
        where = chat or direct(user)
        await self._event({**self.world.chats[where][ts], "channel": where})

    async def edit(self, user: str, ts: str, text: str, *, chat: str = "") -> None:
        where = chat or direct(user)
        before = dict(self.world.chats[where][ts])
        await self.tell_edit(where, self.world.change(where, ts, text), before)

    async def tell_edit(self, chat: str, now: Json, before: Json) -> None:
        changed = {"type": "message", "subtype": "message_changed", "hidden": True, "ts": self.world.ts()}
        await self._event({**changed, "channel": chat, "message": now, "previous_message": before})

    async def command(self, user: str, text: str, *, chat: str = "") -> None:
        """A person uses /appliance."""
        payload = {"command": "/appliance", "text": text, "user_id": user, "channel_id": chat or direct(user)}
        await self._tell("slash_commands", {**payload, "trigger_id": f"t{next(self._count)}"})

    async def press(self, user: str, ts: str, label: str, *, chat: str = "") -> None:
        """A person presses a button under a message of the bot."""
        where = chat or direct(user)
        [button] = [one for one in buttons_of(self.world.chats[where][ts]) if one["text"]["text"] == label]
        action = {"type": "button", "action_id": button["action_id"], "value": button["value"]}
        container = {"type": "message", "message_ts": ts, "channel_id": where}
        payload = {"type": "block_actions", "user": {"id": user}, "container": container, "actions": [action]}
        await self._tell("interactive", {**payload, "trigger_id": f"t{next(self._count)}"})

    def add_file(self, name: str, data: bytes, media_type: str, size: int | None = None) -> Json:
        """A file as a message carries it; `size` is what is said of it."""
        identity = f"F{next(self._count)}"
        self.world.files[identity] = {"name": name, "data": data}
        url = f"http://127.0.0.1:{self.port}/files/{identity}"
        said = len(data) if size is None else size
        return {"id": identity, "name": name, "mimetype": media_type, "size": said, "url_private_download": url}

    async def _event(self, event: Json) -> None:
        await self._tell("events_api", {"type": "event_callback", "event_id": f"Ev{next(self._count)}", "event": event})

    async def _tell(self, kind: str, payload: Json) -> None:
        """Tell it to one connection; without any, it is lost but for the history."""
        envelope: Json = {"type": kind, "envelope_id": f"e{next(self._count)}", "payload": payload}
        if self._sockets:
            self._open[envelope["envelope_id"]] = envelope
            await next(iter(self._sockets)).send_json(envelope)

    # --- the socket ---------------------------------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if request.match_info["ticket"] not in self._tickets:
            return web.Response(status=403)
        self._tickets.discard(request.match_info["ticket"])
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.connections += 1
        self._sockets.add(socket)
        again = asyncio.create_task(self._again(socket))
        await socket.send_json({"type": "hello", "num_connections": len(self._sockets)})
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    identity = json.loads(message.data)["envelope_id"]
                    del self._open[identity]  # an acknowledgement of what nobody sent is a fault
                    self.acknowledged.append(identity)
        finally:
            self._sockets.discard(socket)
            again.cancel()
        return socket

    async def _again(self, socket: web.WebSocketResponse) -> None:
        while True:
            waiting = list(self._open.values())
            await asyncio.sleep(_AGAIN_SECONDS)
            for envelope in waiting:
                if envelope["envelope_id"] in self._open:
                    # Slack gives a repeat a new envelope around the same event.
                    fresh: Json = envelope | {"envelope_id": f"e{next(self._count)}", "retry_attempt": 1}
                    del self._open[envelope["envelope_id"]]
                    self._open[fresh["envelope_id"]] = fresh
                    await socket.send_json(fresh)

    # --- the Web API --------------------------------------------------------------------------------------------------

    async def _api(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.world.book.append((method, form))
        try:
            if self.faults.get(method):
                raise self.faults[method].pop(0)
            answer = {"ok": True, **self._answer(method, form, request.headers)}
            return web.json_response(answer, headers={"x-oauth-scopes": ",".join(self.scopes)})
        except RefusalError as refusal:
            headers = {"Retry-After": "1"} if refusal.status == 429 else {}
            return web.json_response(refusal.body, status=refusal.status, headers=headers)
        except KeyError as missing:
            return web.json_response({"ok": False, "error": "invalid_arguments", "missing": str(missing)})

    def _answer(self, method: str, form: Json, headers: Any) -> Json:
        token = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        if headers.get("Authorization") != f"Bearer {token}":
            raise RefusalError("invalid_auth")
        if method == "apps.connections.open":
            ticket = f"{next(self._count)}"
            self._tickets.add(ticket)
            return {"url": f"ws://127.0.0.1:{self.port}/link/{ticket}"}
        if method not in self._methods:
            raise RefusalError("unknown_method")
        return self._methods[method](form)

    def _chat(self, name: str) -> dict[str, Json]:
        if name not in self.world.chats and not name.startswith("D"):
            raise RefusalError("channel_not_found")
        return self.world.chats.setdefault(name, {})

    def _history(self, form: Json) -> Json:
        held = self._chat(form["channel"]).values()
        return self._page([m for m in held if m.get("thread_ts", m["ts"]) == m["ts"]], form)

    def _replies(self, form: Json) -> Json:
        """Oldest first, and the parent always; of a thread whose parent was deleted nothing."""
        held = self._chat(form["channel"])
        if form["ts"] not in held:
            raise RefusalError("thread_not_found")
        replies = [m for m in held.values() if m.get("thread_ts") == form["ts"] != m["ts"]]
        page = self._page(replies, form)
        return page | {"messages": [held[form["ts"]], *reversed(page["messages"])]}

    def _page(self, messages: list[Json], form: Json) -> Json:
        """Newest first; what is at either end of the time is left out unless it is `inclusive`."""
        limit, begin = int(form.get("limit", 100)), int(form.get("cursor", 0))
        if not 1 <= limit <= 999:
            raise RefusalError("invalid_limit")
        oldest, latest = form.get("oldest", "0"), form.get("latest", "9" * 17)
        ends = {oldest, latest} if form.get("inclusive") == "true" else set()
        within = (m for m in messages if oldest < m["ts"] < latest or m["ts"] in ends)
        found = sorted(within, key=lambda m: str(m["ts"]), reverse=True)
        more = begin + limit < len(found)
        after = {"response_metadata": {"next_cursor": str(begin + limit)}} if more else {}
        return {"messages": found[begin : begin + limit], "has_more": more, **after}

    def _post(self, form: Json) -> Json:
        chat = self._chat(form["channel"])
        body = _checked(form, _TEXT)
        if {form.get(name, "true") for name in ("unfurl_links", "unfurl_media")} != {"false"}:
            raise RefusalError("unfurls")  # Slack would open what a model wrote; here that is a fault
        if "thread_ts" in form and form["thread_ts"] not in chat:
            raise RefusalError("thread_not_found")
        thread = {"thread_ts": form["thread_ts"]} if "thread_ts" in form else {}
        sent = self.world.write(form["channel"], {"user": BOT, "bot_id": "B1", **body, **thread})
        return {"channel": form["channel"], "ts": sent["ts"], "message": sent}

    def _mine(self, form: Json) -> Json:
        message = self._chat(form["channel"]).get(form["ts"])
        if message is None:
            raise RefusalError("message_not_found")
        if message["user"] != BOT:
            raise RefusalError("cant_update_message")
        return message

    def _update(self, form: Json) -> Json:
        message = self._mine(form)
        message |= {"blocks": []} | _checked(form, _EDIT)
        return {"channel": form["channel"], "ts": form["ts"], "text": message["text"]}

    def _delete(self, form: Json) -> Json:
        self._mine(form)
        del self.world.chats[form["channel"]][form["ts"]]
        return {"ts": form["ts"]}

    def _reaction(self, form: Json) -> tuple[str, str, str]:
        if form["timestamp"] not in self._chat(form["channel"]):
            raise RefusalError("message_not_found")
        return form["channel"], form["timestamp"], form["name"]

    def _add_reaction(self, form: Json) -> Json:
        key = self._reaction(form)
        if key in self.world.reactions:
            raise RefusalError("already_reacted")
        self.world.reactions.add(key)
        return {}

    def _remove_reaction(self, form: Json) -> Json:
        key = self._reaction(form)
        if key not in self.world.reactions:
            raise RefusalError("no_reaction")
        self.world.reactions.remove(key)
        return {}

    # --- files --------------------------------------------------------------------------------------------------------

    def _upload_url(self, form: Json) -> Json:
        identity = f"F{next(self._count)}"
        self.world.files[identity] = {"name": form["filename"], "length": int(form["length"])}
        return {"upload_url": f"http://127.0.0.1:{self.port}/upload/{identity}", "file_id": identity}

    async def _uploaded(self, request: web.Request) -> web.Response:
        held = self.world.files[request.match_info["file"]]
        data = await request.read()
        if len(data) != held["length"]:
            return web.Response(status=400)
        held["data"] = data
        return web.Response(text="OK")

    def _complete(self, form: Json) -> Json:
        self._chat(form["channel_id"])
        files = json.loads(form["files"])
        if any("data" not in self.world.files.get(one["id"], {}) for one in files):
            raise RefusalError("file_not_found")
        shared = [{"id": one["id"], "name": one["title"]} for one in files]
        self.world.write(form["channel_id"], {"user": BOT, "bot_id": "B1", "text": "", "files": shared})
        return {"files": shared}

    async def _file(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {BOT_TOKEN}":
            return web.Response(status=302, headers={"Location": f"http://127.0.0.1:{self.port}/login"})
        held = self.world.files.get(request.match_info["file"])
        return web.Response(status=404) if held is None else web.Response(body=held["data"])


def direct(user: str) -> str:
    """The private conversation of a person with the bot."""
    return f"D{user[1:]}"


def buttons_of(message: Json) -> list[Json]:
    """The buttons under a message."""
    return [one for block in message.get("blocks", []) if block["type"] == "actions" for one in block["elements"]]


def _checked(form: Json, longest: int) -> Json:
    """The text and blocks of a message. Raises RefusalError for what Slack refuses or would cut."""
    text, blocks = form.get("text", ""), json.loads(form.get("blocks", "[]"))
    if not text and not blocks:
        raise RefusalError("no_text")
    if len(text.encode("utf-16-le")) // 2 > longest:
        raise RefusalError("msg_too_long")
    bare = text.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")
    if "&" in bare:
        raise RefusalError("not_escaped")  # Slack would show it wrongly; here that is a fault
    for block in blocks:
        if block["type"] == "section" and not 1 <= len(block["text"]["text"]) <= _BLOCK:
            raise RefusalError("invalid_blocks")
    pressed = buttons_of({"blocks": blocks})
    fine = all(1 <= len(b["text"]["text"]) <= 75 and 1 <= len(b["value"]) <= 2000 for b in pressed)
    if len(pressed) > 25 or not fine or len({b["action_id"] for b in pressed}) != len(pressed):
        raise RefusalError("invalid_blocks")
    return {"text": text, "blocks": blocks}
