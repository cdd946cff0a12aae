"""A channel with the real inbox, outbox and delivery, on a fake platform; only the agent is a function."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from appliance.channels.access import Access
from appliance.channels.attachments import AttachmentStore
from appliance.channels.base import ChannelParts, Extra
from appliance.channels.platform import PlatformChannel
from appliance.clock import SystemClock
from appliance.composition.rooms import core_rooms
from appliance.database import Database
from appliance.gateway import outbox
from appliance.gateway.delivery import Delivery
from appliance.gateway.inbox import Inbox, Receipt
from appliance.gateway.outbox import Outbox
from appliance.messages import Attachment, Button, Event, Inbound, Outbound, Received, Reply, Role
from appliance.observability.health import Health


class HurriedClock(SystemClock):
    """Real time, `pace` times as fast, so that waiting for a paced chat costs a test little."""

    def __init__(self, pace: float = 10.0) -> None:
        self.pace = pace
        self._real = self._shown = time.monotonic()
        self._wall = time.time() - self._shown

    def leap(self, seconds: float) -> None:
        """Let that much time have passed at once."""
        self._shown += seconds

    def monotonic(self) -> float:
        return self._shown + (time.monotonic() - self._real) * self.pace

    def now(self) -> float:
        return self._wall + self.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds) / self.pace)


class Counted:
    """Counts for the metrics, kept for looking at."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str, str]] = []
        self.polls: list[float] = []

    def message(self, channel: str, direction: str, outcome: str) -> None:
        self.messages.append((channel, direction, outcome))

    def polled(self, channel: str, at: float) -> None:
        self.polls.append(at)


Answer = Callable[[Inbound], Awaitable[str]]


async def echo(inbound: Inbound) -> str:
    return f"You said: {inbound.text}"


@dataclass
class Front:
    """A front door in the manner of the gateway's: durable, once, answers through the outbox."""

    inbox: Inbox
    delivery: Delivery
    clock: SystemClock
    answer: Answer = echo
    buttons: tuple[Button, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    heard: list[Inbound] = field(default_factory=list)
    fail_next: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    turns: dict[str, str] = field(default_factory=dict)  # by the message's id

    def show(self, inbound: Inbound, delta: str) -> None:
        """The model says something while it works on a message."""
        self.delivery.on_event(Event("text", inbound.session, {"turn": self.turns[inbound.id], "delta": delta}))

    def recover(self) -> None:
        """As at the start of the house: take up what is open."""
        for received in self.inbox.open_rows():
            self._begin(received)

    async def accept(self, inbound: Inbound, extra: Extra | None = None) -> Receipt:
        if self.fail_next:
            self.fail_next -= 1
            raise OSError(28, "No space left on device")
        receipt, received = await self.inbox.accept(inbound, extra)
        if receipt.new:
            self.heard.append(inbound)
            self._begin(received)
        return receipt

    def _begin(self, received: Received) -> None:
        self.turns[received.inbound.id] = received.turn
        task = asyncio.create_task(self._work(received))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _work(self, received: Received) -> None:
        inbound = received.inbound
        outbound = Outbound(inbound.channel, inbound.place, "", session=inbound.session)
        self.delivery.begin(outbound, received.turn)
        text = await self.answer(inbound)
        self.delivery.on_event(Event("text", inbound.session, {"turn": received.turn, "delta": text[:20]}))
        reply = Reply(received.turn, inbound.session, text, (received.row,))
        ids: list[int] = []
        final = replace(outbound, text=text, in_reply_to=reply.rows, buttons=self.buttons, attachments=self.attachments)
        await self.inbox.answer(reply, lambda c: ids.append(outbox.finish(c, final, received.turn, self.clock.now())))
        for identity in ids:
            self.delivery.committed(identity, received.turn)


class ChannelBench(ABC):
    """One running appliance, as far as one channel goes. `restart` is a new process over the same STATE."""

    channel: Any

    def __init__(
        self,
        fake: Any,
        folder: Path,
        settings: dict[str, Any] | None = None,
        answer: Answer = echo,
        pace: float = 10.0,
    ) -> None:
        self.fake = fake
        self.folder = folder
        self.settings = settings or {}
        self.answer = answer
        self.pace = pace
        self.agent = "main"  # whose channel it is
        self.told: list[str] = []
        self.running = False

    @abstractmethod
    def make(self, parts: ChannelParts) -> PlatformChannel:
        """The channel, on the fake."""

    def open_books(self) -> None:
        self.clock = HurriedClock(self.pace)
        self.database = Database(self.folder / "core.db", core_rooms())
        self.database.open()
        self.access = Access(self.database, self.clock)
        self.health = Health()

    async def start(self) -> None:
        self.open_books()
        self.counts = Counted()
        self.outbox = Outbox(self.database, self.clock)
        self.delivery = Delivery(self.outbox, self.clock)
        self.front = Front(Inbox(self.database, self.clock), self.delivery, self.clock, self.answer)
        self.channel = self.make(
            ChannelParts(
                database=self.database,
                clock=self.clock,
                access=self.access,
                intake=self.front,
                attachments=AttachmentStore(self.folder / "files", self.clock),
                health=self.health,
                menu=lambda role, language: [("help", "Help")] + ([("budget", "Budget")] if role is Role.OWNER else []),
                tell_owner=self._tell,
                counts=self.counts,
                agent=self.agent,
            )
        )
        await self.channel.start()
        self.delivery.attach(self.channel.carrier)
        self.running = True

    async def _tell(self, text: str) -> None:
        self.told.append(text)

    async def stop(self) -> None:
        if self.running:
            self.running = False
            await self.channel.pause()
            for task in list(self.front.tasks):
                task.cancel()
            await asyncio.gather(*self.front.tasks, return_exceptions=True)
            await self.delivery.close(grace=0.1)
            await self.channel.stop()
            self.database.close()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def until(self, met: Callable[[], object], seconds: float = 20.0) -> None:
        """Wait for something to come true, or fail saying so."""
        async with asyncio.timeout(seconds):
            while not met():
                await asyncio.sleep(0.01)
