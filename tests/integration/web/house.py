"""A whole HTTP front over a scripted house: real server, real auth and database, scripted turns behind it.

Also a program to look at the page by hand: `python tests/integration/web/house.py --port 8399`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from appliance.channels.webchat import WebChat
from appliance.database import Database
from appliance.errors import NotFoundError
from appliance.gateway import auth as auth_module
from appliance.gateway.auth import Auth
from appliance.gateway.server import Server, Services
from appliance.messages import Attachment, Event, Inbound, SessionKey
from appliance.observability.health import Health, State
from appliance.settings import Settings


@dataclass(frozen=True)
class Receipt:
    row: int
    new: bool
    answered: bool


@dataclass
class Reply:
    text: str
    session: SessionKey
    message_id: str
    model: str = "scripted"
    usage: dict[str, Any] = field(default_factory=lambda: {"input": 10, "cache_read": 5, "cache_write": 0, "output": 3})
    cost_usd: str = "0.0001"
    error: str | None = None
    attachments: tuple[Attachment, ...] = ()


class Events:
    def __init__(self) -> None:
        self.open: list[tuple[SessionKey | None, asyncio.Queue[Event]]] = []

    @contextlib.asynccontextmanager
    async def subscribe(self, session: SessionKey | None = None) -> AsyncIterator[AsyncIterator[Event]]:
        entry: tuple[SessionKey | None, asyncio.Queue[Event]] = (session, asyncio.Queue())
        self.open.append(entry)

        async def source() -> AsyncIterator[Event]:
            while True:
                yield await entry[1].get()

        try:
            yield source()
        finally:
            self.open.remove(entry)

    def emit(self, event: Event) -> None:
        for session, queue in self.open:
            if session is None or session == event.session:
                queue.put_nowait(event)


Script = Callable[["House", Inbound, int], Awaitable[Reply]]


async def echo(house: House, inbound: Inbound, row: int) -> Reply:
    """The default turn: says the text back in two pieces."""
    reply = f"You said: {inbound.text}"
    for piece in (reply[:5], reply[5:]):
        house.events.emit(Event("text", inbound.session, {"turn": f"t{row}", "delta": piece, "message_ids": [row]}))
        await asyncio.sleep(0)
    return Reply(reply, inbound.session, f"a{row}")


class House:
    """Intake, replies and sessions in one; `script` is what a turn does."""

    def __init__(self, script: Script = echo) -> None:
        self.script = script
        self.events = Events()
        self.book: list[Inbound] = []
        self.stopped: list[SessionKey] = []
        self.replies: dict[int, asyncio.Future[Reply]] = {}
        self.rows: dict[tuple[str, ...], int] = {}
        self.history: dict[str, list[dict[str, Any]]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.limit = Decimal("2.00")
        self.alerts: list[dict[str, Any]] = []

    async def accept(self, inbound: Inbound) -> Receipt:
        if inbound.key in self.rows:
            row = self.rows[inbound.key]
            return Receipt(row, False, self.replies[row].done())
        row = len(self.rows) + 1
        self.rows[inbound.key] = row
        self.book.append(inbound)
        self.replies[row] = asyncio.get_running_loop().create_future()
        rows = self.history.setdefault(inbound.session.value, [])
        rows.append({"id": inbound.id, "role": "user", "text": inbound.text, "at": "2026-11-30T12:00:00.000Z"})
        task = asyncio.create_task(self._turn(inbound, row))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return Receipt(row, True, False)

    async def _turn(self, inbound: Inbound, row: int) -> None:
        reply = await self.script(self, inbound, row)
        self.history[inbound.session.value].append(
            {
                "id": reply.message_id,
                "role": "assistant",
                "text": reply.text,
                "at": "2026-11-30T12:00:01.000Z",
                "in_reply_to": [inbound.id],
                "model": reply.model,
                "cost_usd": reply.cost_usd,
            }
        )
        data = {
            "turn": f"t{row}",
            "message_ids": [row],
            "reply": reply.text,
            "model": reply.model,
            "usage": reply.usage,
            "cost_usd": reply.cost_usd,
            "message_id": reply.message_id,
        }
        self.events.emit(Event("done", inbound.session, data))
        self.replies[row].set_result(reply)

    async def wait(self, row: int, timeout: float | None = None) -> Reply:
        return await asyncio.wait_for(asyncio.shield(self.replies[row]), timeout)

    def list(self) -> list[dict[str, Any]]:
        return [
            {
                "key": key,
                "name": key.split(":")[-1],
                "title": "",
                "agent": "main",
                "used_at": rows[-1]["at"],
                "created_at": rows[0]["at"],
            }
            for key, rows in self.history.items()
        ]

    def messages(self, key: SessionKey, limit: int = 200) -> list[dict[str, Any]]:
        return self.history.get(key.value, [])[-limit:]

    def find(self, name_or_key: str) -> SessionKey | None:
        for key in (name_or_key, SessionKey.web(name_or_key).value, f"agent:main:{name_or_key}"):
            if key in self.history:
                return SessionKey(key)
        return None

    async def alert(self, body: dict[str, Any]) -> None:
        self.alerts.append(body)

    async def stop(self, key: SessionKey) -> bool:
        self.stopped.append(key)
        return True

    def status(self) -> list[dict[str, Any]]:
        return [
            {
                "scope": "day",
                "period": "2026-11-30",
                "limit": str(self.limit),
                "spent": "0.42",
                "reserved": "0.01",
                "remaining": str(self.limit - Decimal("0.43")),
                "resets_at": "2026-12-01T00:00:00.000Z",
            }
        ]

    async def raise_today(self, usd: Decimal, scope: str = "day") -> None:
        if scope != "day":
            raise NotFoundError(f"There is no budget {scope}.")
        self.limit += usd

    def spend(self, day: str | None = None, by: str = "model") -> dict[str, Any]:
        return {"day": day or "2026-11-30", "currency": "USD", "total": "0.42", "rows": []}


class Running:
    """A started server over a house."""

    def __init__(
        self, state: Path, house: House, *, models: Callable[[], dict[str, Any]] | None = None, **settings: Any
    ) -> None:
        self.models = models or (lambda: {"phase": "ready"})
        state.mkdir(exist_ok=True)
        self.state = state
        self.house = house
        self.settings = Settings.model_validate({"state_dir": state, "server": {"port": 0, **settings}})
        self.database = Database(state / "core.db", {"auth": auth_module.MIGRATIONS})
        self.audit: list[tuple[str, dict[str, Any]]] = []

    async def __aenter__(self) -> Running:
        self.database.open()
        self.auth = Auth(self.state, self.database, audit=lambda kind, **fields: self.audit.append((kind, fields)))
        self.auth.prepare()
        self.health = Health()
        self.health.set("gateway", State.READY, needed=True)
        self.services = Services(
            settings=self.settings,
            auth=self.auth,
            health=self.health,
            intake=self.house,
            events=self.house.events,
            replies=self.house,
            sessions=self.house,
            web=WebChat(self.state / "agents" / "main" / "files", self.state / "outputs" / "sent"),
            version="0.0",
            budget=self.house,
            spending=self.house,
            context=lambda key: {"total_tokens": 1, "sections": [], "tools": [], "history_tokens": 0},
            status=lambda: {"model": "scripted"},
            models=self.models,
            metrics=lambda: b"up 1\n",
            alerts=self.house.alert,
        )
        self.server = Server(self.services)
        self.url = await self.server.start()
        self.token = (self.state / "token").read_text().strip()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.server.stop()
        for task in list(self.house.tasks):
            task.cancel()
        await asyncio.gather(*self.house.tasks, return_exceptions=True)
        self.database.close()
