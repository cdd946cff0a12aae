"""The wire: real HTTP on loopback, long polling, scripted faults, the control endpoints."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from appliance.testing.fake_telegram.errors import ApiError, bad_request
from appliance.testing.fake_telegram.limits import json_field
from appliance.testing.fake_telegram.methods import METHODS
from appliance.testing.fake_telegram.people import People
from appliance.testing.fake_telegram.rich import rich_text
from appliance.testing.fake_telegram.state import Call, Fault, Json, World

TOKEN = "7000001:fake-token-for-tests-only-0123456789"
_CONTROL = {
    *("user", "group", "set_chat", "say", "send_file", "edit", "press", "repeat", "remove", "fault", "clear_faults"),
    *("album", "stop_draft", "migrate", "member"),
}


class FakeTelegram:
    """A Bot API for one token. `await start()` gives it a port; `people` acts on it; `world` holds what it saw.

    In a test: `async with FakeTelegram() as telegram: ...` and point the bot at `telegram.url`.
    """

    def __init__(
        self,
        token: str = TOKEN,
        username: str = "home_appliance_bot",
        *,
        book: Path | None = None,
        port: int = 0,
        host: str = "127.0.0.1",
    ) -> None:
        self.world = World(token, username, book)
        self.people = People(self.world)
        self.url = ""
        self.names: dict[str, str] = {}  # where https://<name> leads: an http address on loopback
        self.called: list[tuple[int, int]] = []  # webhook calls: update, the status that came back
        self.port = port
        self.host = host
        self._news = asyncio.Event()
        self._poller: asyncio.Future[None] | None = None
        self._caller: asyncio.Task[None] | None = None
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/bot{token}/{method}", self._api)
        app.router.add_get("/file/bot{token}/{path:.+}", self._download)
        app.router.add_post("/control/{verb}", self._control)
        app.router.add_get("/control/book", self._show_book)
        app.router.add_get("/control/messages/{chat}", self._show_messages)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.host, self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://{self.host}:{self.port}"
        self._caller = asyncio.create_task(self._call())

    async def stop(self) -> None:
        """Go away, as a dead network does: the port refuses. `start` comes back on the same port with all state."""
        if self._caller is not None:
            self._caller.cancel()
            await asyncio.gather(self._caller, return_exceptions=True)
            self._caller = None
        if self._runner is not None:
            if self._poller is not None and not self._poller.done():
                self._poller.set_result(None)
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> FakeTelegram:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def calls(self, method: str) -> list[Call]:
        """The book's entries of one method, in order."""
        return [call for call in self.world.book if call.method.lower() == method.lower()]

    def texts(self, chat: int) -> list[str]:
        """What the bot's messages in a chat say now, oldest first."""
        own = self.world.me["id"]
        return [_said(m) for m in self.world.visible(chat) if m["from"]["id"] == own]

    # --- the Bot API ----------------------------------------------------------------------------------------------

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        if request.match_info["token"] != self.world.token:
            return _answer(ApiError(401, "Unauthorized").body(), 401)
        params = await _parameters(request)
        call = self.world.enter(method, params)
        fault = next((f for f in self.world.faults if f.applies(method.lower(), params)), None)
        if fault is not None and (early := await self._before(fault, request, call)) is not None:
            return early
        try:
            if method.lower() == "getupdates":
                result = await self._get_updates(params)
            elif method.lower() in METHODS:
                result = METHODS[method.lower()](self.world, params)
            else:
                raise ApiError(404, "Not Found: method not found")
        except ApiError as refusal:
            self.world.close_entry(call, refusal.description)
            return _answer(refusal.body(), refusal.code)
        if fault is not None and fault.drop == "after":
            self.world.close_entry(call, "accepted, answer dropped", result)
            return _dropped(request)
        self.world.close_entry(call, "ok", result)
        return _answer({"ok": True, "result": result}, 200)

    async def _before(self, fault: Fault, request: web.Request, call: Call) -> web.StreamResponse | None:
        """Trouble that comes before the method takes effect; None when it goes on."""
        if fault.delay:
            await asyncio.sleep(fault.delay)
        if fault.drop == "before":
            self.world.close_entry(call, "dropped")
            return _dropped(request)
        if fault.garbage:
            self.world.close_entry(call, "garbage")
            return web.Response(text="<html>502 Bad Gateway</html>", content_type="text/html")
        if fault.code or fault.retry_after:
            refusal = fault.error()
            self.world.close_entry(call, refusal.description)
            return _answer(refusal.body(), refusal.code)
        return None

    async def _get_updates(self, params: Json) -> list[Json]:
        if self.world.webhook["url"]:
            raise ApiError(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the "
                "webhook first",
            )
        offset, limit = int(params.get("offset") or 0), int(params.get("limit") or 100)
        if not 1 <= limit <= 100:
            raise bad_request("limit must be between 1 and 100")
        kinds = json_field(params.get("allowed_updates") or [], "allowed_updates")
        if self._poller is not None and not self._poller.done():
            self._poller.set_result(None)  # the newer poller wins; the older one is told
        mine = self._poller = asyncio.get_running_loop().create_future()
        if offset > 0:
            self.world.updates = [u for u in self.world.updates if u["update_id"] >= offset]
        elif offset < 0:
            self.world.updates = self.world.updates[offset:]
        deadline = asyncio.get_running_loop().time() + float(params.get("timeout") or 0)
        try:
            while True:
                ready = _wanted(self.world.updates, kinds)
                left = deadline - asyncio.get_running_loop().time()
                if ready or left <= 0:
                    return ready[:limit]
                await self._wait(mine, min(left, 0.05))
        finally:
            if not mine.done():
                mine.cancel()

    async def _wait(self, mine: asyncio.Future[None], seconds: float) -> None:
        done, _ = await asyncio.wait([mine], timeout=seconds)
        if done:
            raise ApiError(
                409,
                "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
            )

    async def _call(self) -> None:
        """Bring updates to the webhook, one at a time, each until it is answered with 2xx."""
        async with ClientSession(timeout=ClientTimeout(total=10)) as session:
            while True:
                await asyncio.sleep(0.02)
                hook = self.world.webhook
                kinds = hook.get("allowed")
                waiting = [
                    u for u in self.world.updates if not kinds or next(k for k in u if k != "update_id") in kinds
                ]
                if not hook["url"] or not waiting:
                    continue
                status, words = await self._bring(session, hook, waiting[0])
                self.called.append((waiting[0]["update_id"], status))
                if 200 <= status < 300:
                    self.world.updates.remove(waiting[0])
                else:
                    hook |= {"last_error_date": int(time.time()), "last_error_message": words}
                    await asyncio.sleep(0.1)

    async def _bring(self, session: ClientSession, hook: Json, update: Json) -> tuple[int, str]:
        parts = urlsplit(str(hook["url"]))
        where = self.names.get(parts.hostname or "", "http://127.0.0.1:9")
        headers = {"Host": parts.netloc}
        if hook.get("secret_token"):
            headers["X-Telegram-Bot-Api-Secret-Token"] = str(hook["secret_token"])
        try:
            async with session.post(f"{where}{parts.path}", json=update, headers=headers) as answer:
                return answer.status, f"Wrong response from the webhook: {answer.status}"
        except (ClientError, TimeoutError) as error:
            return 0, f"Connection failed: {type(error).__name__}"

    async def _download(self, request: web.Request) -> web.StreamResponse:
        if request.match_info["token"] != self.world.token:
            return _answer(ApiError(401, "Unauthorized").body(), 401)
        call = self.world.enter("file", {"path": request.match_info["path"]})
        fault = next((f for f in self.world.faults if f.applies("file", {})), None)
        if fault is not None and (early := await self._before(fault, request, call)) is not None:
            return early
        for meta, data in self.world.files.values():
            if meta["file_path"] == request.match_info["path"]:
                self.world.close_entry(call, "ok")
                return web.Response(body=data)
        self.world.close_entry(call, "not found")
        return _answer(ApiError(404, "Not Found").body(), 404)

    # --- control --------------------------------------------------------------------------------------------------

    async def _control(self, request: web.Request) -> web.StreamResponse:
        verb = request.match_info["verb"]
        if verb not in _CONTROL:
            return web.json_response({"error": f"no verb {verb}", "verbs": sorted(_CONTROL)}, status=404)
        try:
            result = getattr(self.people, verb)(**await request.json())
        except (TypeError, ValueError, KeyError, StopIteration) as problem:
            return web.json_response({"error": f"{type(problem).__name__}: {problem}"}, status=400)
        return web.json_response(result)

    async def _show_book(self, _: web.Request) -> web.StreamResponse:
        return web.json_response(
            [
                {"number": c.number, "method": c.method, "params": c.params, "at": c.at, "outcome": c.outcome}
                for c in self.world.book
            ],
            dumps=lambda value: json.dumps(value, default=str),
        )

    async def _show_messages(self, request: web.Request) -> web.StreamResponse:
        return web.json_response(self.world.visible(int(request.match_info["chat"])))


def _wanted(updates: list[Json], kinds: Any) -> list[Json]:
    """The updates of the kinds that were asked for; all when none were named."""
    return [u for u in updates if not kinds or next(k for k in u if k != "update_id") in kinds]


async def _parameters(request: web.Request) -> Json:
    """Parameters from the query, a form, a multipart body (files as (name, bytes)) or JSON."""
    params: Json = dict(request.query)
    if request.content_type == "application/json":
        body = await request.json()
        params.update(body if isinstance(body, dict) else {})
    elif request.can_read_body:
        for name, value in (await request.post()).items():
            params[name] = (value.filename, value.file.read()) if isinstance(value, web.FileField) else value
    return params


def _answer(body: Any, status: int) -> web.Response:
    return web.json_response(body, status=status, dumps=lambda value: json.dumps(value, ensure_ascii=True))


def _dropped(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _said(message: Json) -> str:
    if "rich_message" in message:
        return rich_text(message["rich_message"])
    return str(message.get("text", message.get("caption", "")))
