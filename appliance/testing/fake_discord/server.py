"""The wire: REST and the gateway's websocket on loopback, and what people do."""

from __future__ import annotations

import contextlib
import json
import time
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import ClientConnectionResetError, WSMsgType, web

from appliance.testing.fake_discord.state import Call, Interaction, Json, RefusalError, World

TOKEN = "fake-discord-token-for-tests-only"
_CONTENT, _GUILD_MESSAGES, _DIRECT_MESSAGES = 1 << 15, 1 << 9, 1 << 12
_CONTENT_FLAG = 1 << 19  # of an application in fewer than 100 servers
_HEARTBEAT_MS = 20_000


@dataclass
class _Session:
    """One gateway session: its socket while connected, and every event, so that RESUME can replay them."""

    name: str
    intents: int
    socket: _Wire | None = None
    sent: list[Json] = field(default_factory=list)


class _Wire:
    """A websocket as the client asked for it: plain, or one zlib stream."""

    def __init__(self, socket: web.WebSocketResponse, compressed: bool) -> None:
        self.socket = socket
        self._stream = zlib.compressobj() if compressed else None

    async def send(self, payload: Json) -> None:
        text = json.dumps(payload)
        if self._stream is None:
            await self.socket.send_str(text)
        else:
            packed = self._stream.compress(text.encode()) + self._stream.flush(zlib.Z_SYNC_FLUSH)
            await self.socket.send_bytes(packed)


class FakeDiscord:
    """A Discord for one bot. `world` holds what it saw; `say`, `press`, `cut` and `lose` act on it.

    In a test: `async with FakeDiscord() as discord: ...` and point the bot at `discord.url`. Without `content_allowed`
    an IDENTIFY that asks for message contents is closed with 4014.
    """

    def __init__(self, token: str = TOKEN, *, content_allowed: bool = True) -> None:
        self.token = token
        self.content_allowed = content_allowed
        self.world = World()
        self.url = ""
        self.port = 0
        self.identified: list[int] = []
        self.resumed = 0
        self._sessions: dict[str, _Session] = {}
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> FakeDiscord:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.router.add_get("/gateway/ws/", self._gateway)
        app.router.add_route("*", "/api/v10/{path:.+}", self._rest)
        app.router.add_get("/cdn/{name}", self._cdn)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}/api/v10"

    async def stop(self) -> None:
        """Go away, as a dead network does. `start` comes back on the same port with all state."""
        await self.cut()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    # --- what people do -----------------------------------------------------------------------------------------------

    async def say(self, user: int, text: str, *, channel: int | None = None, **more: Any) -> int:
        """A person writes, in private or in a channel; mentions of the bot in the text count. Returns the id."""
        where = self.world.direct_channel(user) if channel is None else channel
        message = self.world.write(where, user, {"content": text, "mentions": self._mentioned(text), **more})
        await self._tell(where, message)
        return int(message["id"])

    async def repeat(self, channel: int, message: int) -> None:
        """The gateway tells of a message once more."""
        await self._tell(channel, self.world.messages[channel][message])

    async def edit(self, user: int, message: int, text: str, *, channel: int | None = None) -> None:
        """A person edits what they wrote."""
        where = self.world.direct_channel(user) if channel is None else channel
        shown = self.world.messages[where][message]
        edited = {"edited_timestamp": datetime.now(UTC).isoformat(), "mentions": self._mentioned(text)}
        shown |= {"content": text} | edited
        await self._tell(where, shown, "MESSAGE_UPDATE")

    def _mentioned(self, text: str) -> list[Any]:
        return [self.world.user(self.world.bot)] if f"<@{self.world.bot}>" in text else []

    async def press(self, user: int, channel: int, message: int, label: str) -> None:
        """A person presses a button that stands under a message."""
        shown = self.world.messages[channel][message]
        found = [b for row in shown["components"] for b in row["components"] if b["label"] == label]
        data = {"custom_id": found[0]["custom_id"], "component_type": 2}
        await self._interact(user, channel, {"type": 3, "message": shown, "data": data})

    async def command(self, user: int, name: str, text: str = "", *, channel: int | None = None) -> str:
        """A person uses a slash command that the bot registered; return its token."""
        known = [command for command in self.world.commands if command["name"] == name]
        if not known:
            raise ValueError(f"the menu has no /{name}")
        where = self.world.direct_channel(user) if channel is None else channel
        options = [{"name": "text", "type": 3, "value": text}] if text else []
        return await self._interact(user, where, {"type": 2, "data": {"id": "1", "name": name, "options": options}})

    async def _interact(self, user: int, channel: int, body: Json) -> str:
        guild = self.world.channels[channel]
        token = f"interaction-{self.world.new_id()}"
        self.world.interactions[token] = Interaction(channel, time.monotonic())
        who: Json = {"user": self.world.user(user)}
        where: Json = {"id": str(channel), "type": 1, "recipients": [self.world.user(user)]}
        if guild:
            member = {
                "user": self.world.user(user), "roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False,
                "mute": False, "permissions": "0", "flags": 0, "avatar": None, "nick": None, "premium_since": None,
            }  # fmt: skip
            who = {
                "member": member,
                "guild_id": str(guild),
                "guild": {"id": str(guild), "locale": "en-US", "features": []},
            }
            where = {
                "id": str(channel), "type": 0, "name": "general", "position": 0, "parent_id": None, "nsfw": False,
                "guild_id": str(guild), "permissions": "0", "topic": None, "rate_limit_per_user": 0, "flags": 0,
            }  # fmt: skip
        interaction = {
            "id": str(self.world.new_id()), "application_id": str(self.world.bot), "token": token, "version": 1,
            "channel_id": str(channel), "locale": "en-US", "entitlements": [], **who, **body,
            "channel": where, "attachment_size_limit": 10_485_760,
            "authorizing_integration_owners": {}, "context": 0 if guild else 1,
        }  # fmt: skip
        await self._dispatch("INTERACTION_CREATE", interaction, 0)
        return token

    async def cut(self, code: int = 4000) -> None:
        """The connection breaks; the session can be resumed."""
        for session in self._sessions.values():
            if session.socket is not None:
                socket, session.socket = session.socket, None
                await socket.socket.close(code=code)

    async def lose(self) -> None:
        """The connection breaks and the session is forgotten: RESUME will be refused."""
        lost = list(self._sessions.values())
        self._sessions.clear()
        for session in lost:
            if session.socket is not None:
                await session.socket.socket.close(code=4000)

    def texts(self, channel: int) -> list[str]:
        """What the bot's messages in a channel say now."""
        mine = (m for _, m in sorted(self.world.messages[channel].items()) if m["author"]["bot"])
        return [m["content"] for m in mine]

    def calls(self, method: str, part: str) -> list[Call]:
        """The book's entries of a method whose path holds `part`."""
        return [call for call in self.world.book if call.method == method and part in call.path]

    # --- the gateway --------------------------------------------------------------------------------------------------

    async def _tell(self, channel: int, message: Json, event: str = "MESSAGE_CREATE") -> None:
        guild = self.world.channels[channel]
        await self._dispatch(
            event,
            message | ({"guild_id": str(guild), "channel_type": 0} if guild else {"channel_type": 1}),
            _GUILD_MESSAGES if guild else _DIRECT_MESSAGES,
        )

    async def _dispatch(self, event: str, data: Json, intent: int) -> None:
        for session in list(self._sessions.values()):
            if intent and not session.intents & intent:
                continue
            payload = {"op": 0, "t": event, "s": len(session.sent) + 1, "d": data}
            session.sent.append(payload)
            if session.socket is not None:
                with contextlib.suppress(ClientConnectionResetError):  # it is going: RESUME or history has it
                    await session.socket.send(payload)

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if request.query.get("v") != "10" or request.query.get("encoding") != "json":
            await socket.close(code=4012)
            return socket
        wire = _Wire(socket, request.query.get("compress") == "zlib-stream")
        await wire.send({"op": 10, "d": {"heartbeat_interval": _HEARTBEAT_MS}, "s": None, "t": None})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._from_client(wire, json.loads(frame.data))
        for session in self._sessions.values():
            if session.socket is wire:
                session.socket = None
        return socket

    async def _from_client(self, wire: _Wire, message: Json) -> None:
        match message["op"]:
            case 1:
                await wire.send({"op": 11, "d": None, "s": None, "t": None})
            case 2:
                await self._identify(wire, message["d"])
            case 6:
                await self._resume(wire, message["d"])
            case _:
                await wire.socket.close(code=4001)

    async def _identify(self, wire: _Wire, data: Json) -> None:
        if data["token"] != self.token:
            await wire.socket.close(code=4004)
            return
        self.identified.append(data["intents"])
        if data["intents"] & _CONTENT and not self.content_allowed:
            await wire.socket.close(code=4014)
            return
        session = _Session(f"session-{len(self.identified)}", data["intents"], wire)
        self._sessions[session.name] = session
        ready = {
            "v": 10, "user": self.world.user(self.world.bot), "guilds": [], "session_id": session.name,
            "resume_gateway_url": f"ws://127.0.0.1:{self.port}/gateway/ws/", "session_type": "normal",
            "private_channels": [], "application": {"id": str(self.world.bot), "flags": 0},
        }  # fmt: skip
        payload = {"op": 0, "t": "READY", "s": 1, "d": ready}
        session.sent.append(payload)
        await wire.send(payload)

    async def _resume(self, wire: _Wire, data: Json) -> None:
        session = self._sessions.get(data["session_id"])
        if session is None or data["token"] != self.token:
            await wire.send({"op": 9, "d": False, "s": None, "t": None})
            return
        self.resumed += 1
        session.socket = wire
        for payload in session.sent[data["seq"] :]:
            await wire.send(payload)
        await wire.send({"op": 0, "t": "RESUMED", "s": len(session.sent), "d": {}})

    # --- REST ---------------------------------------------------------------------------------------------------------

    async def _rest(self, request: web.Request) -> web.Response:
        path, body = "/" + request.match_info["path"], await _body(request)
        try:
            self._fault(request.method, path, after=False)
            by_token = path.startswith(("/interactions/", "/webhooks/"))
            if request.headers.get("Authorization") != f"Bot {self.token}" and not by_token:
                raise RefusalError(401, 0, "401: Unauthorized")
            answer = self._act(request.method, path.strip("/").split("/"), body, dict(request.query))
            self._fault(request.method, path, after=True)
        except RefusalError as refusal:
            self.world.book.append(Call(request.method, path, body, refusal.status))
            return _json(refusal.body, refusal.status)
        status = 204 if answer is None else 200
        self.world.book.append(Call(request.method, path, body, status))
        return web.Response(status=204) if answer is None else _json(answer, 200)

    def _fault(self, method: str, path: str, *, after: bool) -> None:
        for fault in self.world.faults:
            if fault.times and fault.after is after and fault.method == method and fault.part in path:
                fault.times -= 1
                more = {"retry_after": fault.retry_after, "global": False} if fault.status == 429 else {}
                raise RefusalError(fault.status, 0, "fault", **more)

    def _act(self, method: str, path: list[str], body: Any, query: dict[str, str]) -> Any:
        match method, path:
            case "GET", ["users", "@me"]:
                return self.world.user(self.world.bot)
            case "GET", ["oauth2", "applications", "@me"]:
                return _application(self.world, self.content_allowed)
            case "GET", ["gateway", "bot"]:
                limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
                return {"url": f"ws://127.0.0.1:{self.port}/gateway/ws/", "shards": 1, "session_start_limit": limit}
            case "POST", ["users", "@me", "channels"]:
                return {"id": str(self.world.direct_channel(int(body["recipient_id"]))), "type": 1}
            case "POST", ["channels", channel, "typing"]:
                self.world.in_channel(int(channel))
                return None
            case "GET", ["channels", channel, "messages"]:
                return self.world.history(int(channel), query)
            case "POST", ["channels", channel, "messages"]:
                return self.world.post(int(channel), body)
            case "PATCH", ["channels", channel, "messages", number]:
                return self.world.edit(int(channel), int(number), body)
            case "DELETE", ["channels", channel, "messages", number]:
                self.world.delete(int(channel), int(number))
                return None
            case _:
                return self._act_on_interactions(method, path, body)

    def _act_on_interactions(self, method: str, path: list[str], body: Any) -> Any:
        mine = str(self.world.bot)
        match method, path:
            case "POST", ["interactions", _, token, "callback"]:
                self.world.call_back(token, body)
                return None
            case "PATCH", ["webhooks", application, token, "messages", "@original"] if application == mine:
                return self.world.answer(token, body)
            case "PUT", ["applications", application, "commands"] if application == mine:
                return self.world.register(body)
        raise RefusalError(404, 0, "404: Not Found")

    async def _cdn(self, request: web.Request) -> web.Response:
        held = self.world.files.get(request.match_info["name"])
        return web.Response(status=404) if held is None else web.Response(body=held)


async def _body(request: web.Request) -> Any:
    """A JSON body, or the one of a form with its files named as attachments."""
    if request.content_type == "application/json":
        return await request.json()
    if request.content_type != "multipart/form-data":
        return {}
    form = await request.post()
    body = dict(json.loads(str(form["payload_json"])))
    files = [value for value in form.values() if isinstance(value, web.FileField)]
    return body | {
        "attachments": [
            {"id": str(number), "filename": file.filename, "size": len(file.file.read()), "url": "", "proxy_url": ""}
            for number, file in enumerate(files)
        ]
    }


def _json(value: Any, status: int) -> web.Response:
    """As Discord answers: without a charset, and by way of a proxy."""
    headers = {"Content-Type": "application/json", "Via": "1.1 fake"}
    return web.Response(body=json.dumps(value).encode(), status=status, headers=headers)


def _application(world: World, content: bool) -> Json:
    return {
        "id": str(world.bot), "name": "appliance", "icon": None, "description": "", "bot_public": False,
        "bot_require_code_grant": False, "verify_key": "", "flags": _CONTENT_FLAG if content else 0, "team": None,
        "summary": "", "owner": world.user(1),
    }  # fmt: skip
