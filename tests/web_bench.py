"""The page's server over the real inbox (see channel_bench), and a client that asks again as the page does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from appliance.channels.base import ChannelParts
from appliance.channels.platform import PlatformChannel
from appliance.channels.webchat import WebChat
from appliance.gateway.auth import Auth
from appliance.gateway.delivery import Delivery
from appliance.gateway.events import Events
from appliance.gateway.inbox import Inbox
from appliance.gateway.outbox import Outbox
from appliance.gateway.replies import Replies
from appliance.gateway.server import Server
from appliance.gateway.services import Services
from appliance.messages import Event, Inbound, Received, Reply
from appliance.settings import Settings
from tests.channel_bench import ChannelBench, Front
from tests.integration.web.house import House


@dataclass
class WebFront(Front):
    """The front door where answers are stored with their message and told to who watches."""

    events: Events = field(default_factory=Events)

    def __post_init__(self) -> None:
        self.replies = Replies(self.inbox.reply)
        self.rows: dict[str, int] = {}

    def show(self, inbound: Inbound, delta: str) -> None:
        data = {"turn": self.turns[inbound.id], "delta": delta, "message_ids": [self.rows[inbound.id]]}
        self.events.publish(Event("text", inbound.session, data))

    async def _work(self, received: Received) -> None:
        inbound = received.inbound
        self.rows[inbound.id] = received.row
        text = await self.answer(inbound)
        reply = Reply(received.turn, inbound.session, text, (received.row,), attachments=self.attachments)
        await self.inbox.answer(reply)
        self.replies.resolve(reply)


class WebBench(ChannelBench):
    """One running server. `shown` is what stands on the page under each message of the owner, by its id."""

    def __init__(self, folder: Path) -> None:
        super().__init__(None, folder)
        self.port = 0
        self.shown: dict[str, str] = {}
        self.files: list[str] = []
        self.bodies: dict[str, dict[str, Any]] = {}
        self.asking: set[asyncio.Task[None]] = set()

    def make(self, parts: ChannelParts) -> PlatformChannel:
        raise NotImplementedError("the page is no platform")

    async def start(self) -> None:
        self.open_books()
        inbox = Inbox(self.database, self.clock)
        self.front = self.web = WebFront(inbox, Delivery(Outbox(self.database, self.clock), self.clock), self.clock)
        self.front.answer = self.answer
        self.auth = Auth(self.folder, self.database)
        self.auth.prepare()
        await self.serve()
        self.running = True

    async def serve(self) -> None:
        """Begin to be reachable, on the port of before."""
        settings = Settings.model_validate({"state_dir": self.folder, "server": {"port": self.port}})
        house: Any = House()  # for what a chat does not need
        services = Services(
            settings=settings,
            auth=self.auth,
            health=self.health,
            intake=self.web,
            events=self.web.events,
            replies=self.web.replies,
            sessions=house,
            web=WebChat(self.folder / "files", self.folder / "sent", clock=self.clock),
        )
        self.server = Server(services)
        url = await self.server.start()
        self.port = int(url.rpartition(":")[2])
        headers = {"authorization": f"Bearer {(self.folder / 'token').read_text().strip()}"}
        self.client = httpx2.AsyncClient(base_url=url, headers=headers, timeout=20, trust_env=False)

    async def unserve(self) -> None:
        """The network goes."""
        await self.client.aclose()
        await self.server.stop()

    async def stop(self) -> None:
        if self.running:
            self.running = False
            for task in list(self.front.tasks):
                task.cancel()
            await asyncio.gather(*self.front.tasks, return_exceptions=True)
            await self.unserve()
            self.database.close()

    async def close(self) -> None:
        """The page is closed, and the house ends."""
        for task in self.asking:
            task.cancel()
        await asyncio.gather(*self.asking, return_exceptions=True)
        await self.stop()

    def post(self, identity: str, body: dict[str, Any]) -> None:
        """Send a message as the page does: with an id, again and again until its answer has come."""
        self.bodies[identity] = body
        self.shown.setdefault(identity, "")
        task = asyncio.create_task(self._ask({**body, "id": identity}))
        self.asking.add(task)
        task.add_done_callback(self.asking.discard)

    async def _ask(self, body: dict[str, Any]) -> None:
        while True:
            try:
                async for kind, data in self._stream(body):
                    self._take(body["id"], kind, data)
                    if kind == "done":
                        return
            except (httpx2.HTTPError, RuntimeError):  # the network is gone, and with it the client
                pass
            await asyncio.sleep(0.05)

    def _take(self, identity: str, kind: str, data: dict[str, Any]) -> None:
        if kind == "text":
            self.shown[identity] += data["delta"]
        elif kind == "done":
            self.shown[identity] = data["reply"]
            self.files += [file["name"] for file in data.get("files", ())]

    async def _stream(self, body: dict[str, Any]) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        headers = {"accept": "text/event-stream"}
        async with self.client.stream("POST", "/api/messages", json=body, headers=headers) as answer:
            kind = ""
            async for line in answer.aiter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield kind, json.loads(line.removeprefix("data: "))
