"""A strict fake of WhatsApp's Cloud API for one number, with a book; it calls a webhook until that answers with 200."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections import deque
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout, web

Json = dict[str, Any]
TOKEN, SECRET, VERIFY, PHONE = "fake-access-token", "fake-app-secret", "fake-verify", "106540352242922"
_UPLOADS = {
    "image/jpeg": 5,
    "image/png": 5,
    "text/plain": 100,
    "application/pdf": 100,
    "audio/ogg": 16,
    "video/mp4": 16,
}
_WINDOW = 24 * 3600.0


class RefusalError(Exception):
    """An error of the Graph API."""

    def __init__(self, status: int, code: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.body = {"error": {"code": code, "message": words, "type": "OAuthException"}}


class FakeWhatsApp:
    """Point the channel at `url` and `hook` at where it is called. `sent` is what arrived at people, by number."""

    def __init__(self) -> None:
        self.url = ""
        self.port = 0
        self.hook = ""
        self.sent: dict[str, list[Json]] = {}
        self.read: list[str] = []
        self.called: list[int] = []
        self.media: dict[str, tuple[bytes, str, str]] = {}
        self.faults: list[int] = []  # codes for the next sends
        self.last_heard: dict[str, float] = {}
        self._told: list[bytes] = []
        self._queue: deque[bytes] = deque()
        self._count = 0
        self._runner: web.AppRunner | None = None
        self._caller: asyncio.Task[None] | None = None

    async def start(self) -> None:
        app = web.Application(client_max_size=128 * 1024 * 1024)
        app.router.add_post("/v23.0/{phone}/messages", self._messages)
        app.router.add_post("/v23.0/{phone}/media", self._upload)
        app.router.add_get("/v23.0/{name}", self._get)
        app.router.add_get("/cdn/{name}", self._cdn)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}/v23.0"
        self._caller = asyncio.create_task(self._call())

    async def stop(self) -> None:
        """Go away, as a dead network does. `start` comes back on the same port with all state."""
        if self._caller is not None:
            self._caller.cancel()
            await asyncio.gather(self._caller, return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    # --- what people do -----------------------------------------------------------------------------------------------

    def say(self, user: str, kind: str, held: Json, **more: Json) -> str:
        """A person sends something; return its id."""
        self._count += 1
        self.last_heard[user] = time.monotonic()
        identity = f"wamid.{self._count:08d}"
        message = {"from": user, "id": identity, "timestamp": str(int(time.time())), "type": kind, kind: held, **more}
        value = {
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": "15550783881", "phone_number_id": PHONE},
            "contacts": [{"profile": {"name": f"User {user}"}, "wa_id": user}],
            "messages": [message],
        }
        self._bring({"changes": [{"value": value, "field": "messages"}], "id": "1"})
        return identity

    def repeat(self, identity: str) -> None:
        """Meta tells of a message once more, in a call of another form."""
        for raw in list(self._told):
            entry = json.loads(raw)["entry"][0]
            if entry["changes"][0]["value"].get("messages", [{}])[0].get("id") == identity:
                self._bring(entry | {"id": f"again-{len(self._told)}"})
                return
        raise ValueError(f"nobody said {identity}")

    def add_media(self, data: bytes, media_type: str, name: str) -> str:
        self._count += 1
        self.media[f"media{self._count}"] = (data, media_type, name)
        return f"media{self._count}"

    def _bring(self, entry: Json) -> None:
        body = json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()
        self._told.append(body)
        self._queue.append(body)

    async def _call(self) -> None:
        async with ClientSession(timeout=ClientTimeout(total=10)) as session:
            while True:
                await asyncio.sleep(0.01)
                if not self._queue or not self.hook:
                    continue
                body = self._queue[0]
                digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
                headers = {"X-Hub-Signature-256": f"sha256={digest}", "Content-Type": "application/json"}
                try:
                    async with session.post(self.hook, data=body, headers=headers) as answer:
                        self.called.append(answer.status)
                except (ClientError, TimeoutError):
                    self.called.append(0)
                if self.called[-1] == 200:
                    self._queue.popleft()
                else:
                    await asyncio.sleep(0.1)

    # --- the Graph API ------------------------------------------------------------------------------------------------

    def _may(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise RefusalError(401, 190, "Invalid OAuth access token")
        if request.match_info.get("phone", PHONE) != PHONE:
            raise RefusalError(400, 100, "Unsupported post request")

    async def _messages(self, request: web.Request) -> web.Response:
        try:
            self._may(request)
            return web.json_response(self._take(await request.json()))
        except RefusalError as refusal:
            return web.json_response(refusal.body, status=refusal.status)

    def _take(self, body: Json) -> Json:
        if body.get("messaging_product") != "whatsapp":
            raise RefusalError(400, 100, "messaging_product is required")
        if body.get("status") == "read":
            self.read.append(body["message_id"])
            return {"success": True}
        if self.faults:
            raise RefusalError(400, self.faults.pop(0), "scripted")
        user = str(body["to"])
        if time.monotonic() - self.last_heard.get(user, float("-inf")) > _WINDOW:
            raise RefusalError(400, 131047, "Re-engagement message")
        _check(body, self.media)
        self._count += 1
        identity = f"wamid.{self._count:08d}"
        self.sent.setdefault(user, []).append({**body, "id": identity})
        return {"messaging_product": "whatsapp", "contacts": [{"wa_id": user}], "messages": [{"id": identity}]}

    async def _upload(self, request: web.Request) -> web.Response:
        try:
            self._may(request)
            form = await request.post()
            file = form["file"]
            assert isinstance(file, web.FileField)
            kind = str(form["type"])
            data = file.file.read()
            if form.get("messaging_product") != "whatsapp" or kind not in _UPLOADS:
                raise RefusalError(400, 100, f"Param file must be a file with one of the following types, not {kind}")
            if len(data) > _UPLOADS[kind] * 1024 * 1024:
                raise RefusalError(400, 131052, "Media is too large")
            return web.json_response({"id": self.add_media(data, kind, file.filename)})
        except RefusalError as refusal:
            return web.json_response(refusal.body, status=refusal.status)

    async def _get(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        try:
            self._may(request)
            if name == PHONE:
                return web.json_response({"display_phone_number": "+1 555-078-3881", "id": PHONE})
            if name not in self.media:
                raise RefusalError(400, 100, "Object does not exist")
            data, media_type, _ = self.media[name]
            url = f"http://127.0.0.1:{self.port}/cdn/{name}"
            return web.json_response({"url": url, "mime_type": media_type, "file_size": len(data), "id": name})
        except RefusalError as refusal:
            return web.json_response(refusal.body, status=refusal.status)

    async def _cdn(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return web.Response(status=401)
        return web.Response(body=self.media[request.match_info["name"]][0])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _check(body: Json, media: dict[str, tuple[bytes, str, str]]) -> None:
    """Refuse what the API refuses."""
    kind = body.get("type")
    held = body.get(str(kind), {})
    wrong = ""
    if body.get("recipient_type") != "individual":
        wrong = "recipient_type"
    elif kind == "text" and not 1 <= _units(held["body"]) <= 4096:
        wrong = "text.body: 1 to 4096"
    elif kind == "text" and held.get("preview_url"):
        wrong = "preview_url: it would open what a model wrote; here that is a fault"
    elif kind == "interactive":
        wrong = _wrong_choices(held)
    elif kind in ("image", "document", "audio", "video") and held.get("id") not in media:
        wrong = "media id"
    elif kind not in ("text", "interactive", "image", "document", "audio", "video"):
        wrong = f"type {kind}"
    if wrong:
        raise RefusalError(400, 100, f"Invalid parameter: {wrong}")


def _wrong_choices(held: Json) -> str:
    text = held["body"]["text"]
    if held["type"] == "button":
        replies = [one["reply"] for one in held["action"]["buttons"]]
        fine = 1 <= len(replies) <= 3 and all(len(r["title"]) <= 20 and len(r["id"]) <= 256 for r in replies)
        return "" if fine and 1 <= _units(text) <= 1024 else "interactive.button"
    rows = [row for section in held["action"]["sections"] for row in section["rows"]]
    fine = 1 <= len(rows) <= 10 and all(len(r["title"]) <= 24 and len(r["id"]) <= 200 for r in rows)
    return "" if fine and 1 <= _units(text) <= 4096 and len(held["action"]["button"]) <= 20 else "interactive.list"
