"""Delivery: what stands in the outbox is carried to its platform, in order, once.

On a platform that can edit, a reply is a placeholder first and its id is stored; text arrives by edits, which may be
repeated. A send whose outcome is unknown is never blindly repeated: a stray placeholder is swept, a repeat carries the
same nonce, and what can do neither (a file) is given up with a notice.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Protocol

import apsw
import structlog

from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.errors import DeliveryError
from appliance.gateway.outbox import Outbox, Row, Step
from appliance.messages import Attachment, Button, Event, Outbound
from appliance.tasks import end

log = structlog.get_logger(__name__)

_STORE_TROUBLE_SECONDS = 5.0
Place = dict[str, Any]
Part = dict[str, Any]


def silently(place: Place) -> Place:
    """The same place, for words that nobody is to be rung for."""
    return place | {"silent": True}


class Carrier(Protocol):
    """A platform as delivery sees it (a channel implements it; what it cannot do it leaves out).

    `edits`: replies are a placeholder first, then edits of it, which can be repeated safely. Otherwise `send`, where
    `nonces` says that the platform drops a repeat of the same nonce. Every method may raise DeliveryError: `permanent`
    ends the attempts (dead letter), `retry_after` is obeyed, `ambiguous` (the platform may have taken it) is never
    blindly repeated. A place that is `silent` is written to without a sound, where the platform can.

    split: Markdown to parts within the platform's limits; a part is a JSON-able dict, opaque to delivery but for the
        key "file": such a part goes out by `send_document`, at most once.
    preview: show what is being written without a message that stays; `draft` is the same for one answer. False where
        that cannot be: then the placeholder is there from the beginning and is edited.
    place: send the placeholder; returns the platform's message id. The place has two more keys here: "nonce" (the same
    in every attempt) and "part" (0 for the first message of an answer).
    edit: put a part into a message; the same content twice is success.
    send: send a part; `nonce` is the same in every attempt at it.
    send_file: send an attachment, at most once.
    settled: all parts of an answer stand; what showed that its message was seen may go.
    typing: show that work goes on; failures are the carrier's own affair, in `settled` and `preview` too.
    sweep: remove placeholders of ours strictly between two message ids whose ids a kill lost; returns how many.
    """

    name: str
    edits: bool
    nonces: bool

    def split(self, text: str) -> list[Part]: ...

    async def send(self, place: Place, part: Part, nonce: str, buttons: Sequence[Button] = ()) -> str: ...

    async def place(self, place: Place) -> str:
        raise DeliveryError("What was sent here cannot be changed.", permanent=True)

    async def edit(self, place: Place, message: str, part: Part, buttons: Sequence[Button] = ()) -> None:
        raise DeliveryError("What was sent here cannot be changed.", permanent=True)

    async def send_file(self, place: Place, attachment: Attachment) -> str:
        raise DeliveryError("No files can be sent here.", permanent=True)

    async def send_document(self, place: Place, part: Part) -> str:
        raise DeliveryError("No files can be sent here.", permanent=True)

    async def preview(self, place: Place, draft: int, part: Part) -> bool:
        return False

    async def settled(self, place: Place) -> None:
        return

    async def typing(self, place: Place) -> None:
        return

    async def sweep(self, place: Place, after: str | None, before: str) -> int:
        return 0


_PREVIEW_SECONDS = 20.0  # a preview fades after 30
_BACKOFF = (1.0, 2.0, 5.0, 15.0, 30.0, 60.0)
Undeliverable = Callable[[Row, str], Awaitable[None]]


class Delivery:
    """Given the outbox and carriers, deliver. One worker a chain (channel, chat, session); chains do not wait for
    one another."""

    def __init__(self, outbox: Outbox, clock: Clock, undeliverable: Undeliverable | None = None) -> None:
        self._outbox = outbox
        self._clock = clock
        self._undeliverable = undeliverable
        self._carriers: dict[str, Carrier] = {}
        self._chains: dict[tuple[str, str, str], asyncio.Queue[int]] = {}
        self._workers: dict[tuple[str, str, str], asyncio.Task[None]] = {}
        self._live: dict[str, _Live] = {}
        self._opening: set[asyncio.Task[None]] = set()
        self.sent: Callable[[Row], None] = lambda row: None  # told of every row that a platform has whole
        self.preview_seconds = _PREVIEW_SECONDS

    def attach(self, carrier: Carrier) -> None:
        """Make a platform's carrier known and start on what waits for it."""
        self._carriers[carrier.name] = carrier
        for row in self._outbox.open_rows():
            if row.channel == carrier.name:
                self._enqueue(row)

    def begin(self, outbound: Outbound, turn: str) -> None:
        """A turn starts that will answer here: show a placeholder and, from then on, its text as it comes."""
        carrier = self._carriers.get(outbound.channel)
        if carrier is None or not carrier.edits or turn in self._live:
            return
        self._live[turn] = _Live()
        task = asyncio.create_task(self._open(outbound, turn))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def _open(self, outbound: Outbound, turn: str) -> None:
        try:
            row = await self._outbox.open_draft(outbound, turn)
        except apsw.Error as error:  # only the placeholder is missing then
            log.warning("a draft could not be opened", reason=str(error))
            return
        self._enqueue(row)

    def on_event(self, event: Event) -> None:
        """Take a turn's text as it comes (a listener of the hub)."""
        live = self._live.get(event.data.get("turn", ""))
        if live is None:
            return
        if event.type == "text":
            live.text = event.data["delta"] if event.data.get("restart") else live.text + event.data["delta"]
            live.changed.set()
        elif event.type == "tool_start":
            live.text = ""
            live.doing = event.data["name"]
            live.changed.set()

    def committed(self, identity: int, turn: str | None = None) -> None:
        """A row became ready in a transaction of somebody else's; carry it."""
        live = self._live.pop(turn, None) if turn else None
        if live is not None:
            live.over.set()
            live.changed.set()
        row = self._outbox.get(identity)
        if row.channel in self._carriers and row.state in ("draft", "ready"):
            self._enqueue(row)

    def dropped(self, turn: str) -> None:
        """A turn ended without an answer (it will be tried again): its draft waits."""
        live = self._live.pop(turn, None)
        if live is not None:
            live.over.set()
            live.changed.set()

    async def say(self, outbound: Outbound) -> None:
        """Store and carry a notice."""
        self.committed(await self._outbox.add(outbound))

    async def close(self, grace: float = 5.0) -> None:
        """Give what is ready a moment to go out; the rest goes out at the next start."""
        tasks = [*self._workers.values(), *self._opening]
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        await end(tasks)

    @property
    def waiting(self) -> int:
        return sum(queue.qsize() for queue in self._chains.values())

    def _enqueue(self, row: Row) -> None:
        queue = self._chains.setdefault(row.chain, asyncio.Queue())
        queue.put_nowait(row.id)
        worker = self._workers.get(row.chain)
        if worker is None or worker.done():
            self._workers[row.chain] = asyncio.create_task(self._work(row.chain, queue))

    async def _work(self, chain: tuple[str, str, str], queue: asyncio.Queue[int]) -> None:
        while not queue.empty():
            row = self._outbox.get(queue.get_nowait())
            while row.state in ("draft", "ready"):
                wait = row.not_before - self._clock.now()
                if wait > 0:
                    await self._clock.sleep(min(wait, 60.0))
                try:
                    if not await self._attempt(row):
                        break
                except apsw.Error as error:  # a full disk: as after a kill, the row says how far it came
                    log.error("delivery could not be recorded", outbox=row.id, reason=str(error))
                    await self._clock.sleep(_STORE_TROUBLE_SECONDS)
                row = self._outbox.get(row.id)
        self._chains.pop(chain, None)

    async def _attempt(self, row: Row) -> bool:
        """One try at a row; False when it now waits for its turn to end."""
        carrier = self._carriers[row.channel]
        try:
            if row.state == "draft":
                return await self._draft(carrier, row)
            await self._final(carrier, row)
        except DeliveryError as error:
            await self._trouble(row, error)
        return True

    async def _trouble(self, row: Row, error: DeliveryError) -> None:
        if error.permanent:
            log.warning("delivery given up", channel=row.channel, outbox=row.id, reason=error.what)
            await self._outbox.dead(row, error.what)
            if self._undeliverable is not None:
                await self._undeliverable(row, error.what)
            return
        pause = error.retry_after
        if pause is None:
            pause = _BACKOFF[min(row.attempts, len(_BACKOFF) - 1)]
        await self._outbox.later(row, pause, error.what)

    async def _draft(self, carrier: Carrier, row: Row) -> bool:
        """Show the placeholder, then what the model says as it says it, until the turn ends."""
        live = self._live.get(row.turn or "")
        if live is None:
            return False  # its turn waits to be resumed; begin() or committed() brings it back
        shown = None
        while not live.over.is_set():
            live.changed.clear()
            text = live.text.strip() or live.status()
            if text != shown or live.previewed:  # a preview fades by itself, so it is shown again
                shown = text
                await self._show(carrier, row, live, carrier.split(text)[0])
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(live.changed.wait(), self.preview_seconds if live.previewed else None)
        return False

    async def _show(self, carrier: Carrier, row: Row, live: _Live, part: Part) -> None:
        """What a turn has so far: as a preview where there is such a thing, else in the placeholder."""
        if not row.steps:
            live.previewed = await carrier.preview(row.place, row.id, part)
        if live.previewed:
            return
        fresh = not row.steps or not row.steps[0].message
        await self._place(carrier, row, 0)
        if live.text or live.doing or not fresh:  # a new placeholder says already that something is under way
            with contextlib.suppress(DeliveryError):  # a lost edit of a draft is made good by the final one
                await carrier.edit(row.place, row.steps[0].message, part)

    async def _final(self, carrier: Carrier, row: Row) -> None:
        parts = carrier.split(row.text) if row.text.strip() else []
        last = max((number for number, part in enumerate(parts) if "file" not in part), default=0)
        for number, part in enumerate(parts):
            buttons = row.buttons if number == last else ()
            if "file" in part:
                await self._once(row, number, partial(carrier.send_document, row.place, part))
            elif carrier.edits:
                await self._place(carrier, row, number)
                step = row.steps[number]
                if not step.done:
                    crash_point("before_edit")
                    await carrier.edit(row.place, step.message, part, buttons)
                    crash_point("after_edit")
                    step.done = True
                    if number < len(parts) - 1:
                        await self._outbox.save_steps(row)
            else:
                await self._send(carrier, row, number, part, buttons)
        for number, attachment in enumerate(row.attachments, start=len(parts)):
            await self._once(row, number, partial(carrier.send_file, row.place, attachment))
        crash_point("before_outbox_commit")
        await self._outbox.sent(row)
        crash_point("after_outbox_commit")
        self.sent(row)
        if row.turn:
            await carrier.settled(row.place)

    async def _place(self, carrier: Carrier, row: Row, number: int) -> None:
        """Make sure part `number` has a message on the platform."""
        while len(row.steps) <= number:
            row.steps.append(Step())
        step = row.steps[number]
        if step.message:
            return
        lost = step.placing
        step.placing = True
        await self._outbox.save_steps(row)
        crash_point("before_placeholder")
        try:
            # The same in every attempt: a platform that knows nonces gives a lost placeholder again.
            message = await carrier.place({**row.place, "nonce": f"{row.id}-{number}", "part": number})
        except DeliveryError as error:
            step.placing = lost or error.ambiguous
            raise
        crash_point("after_placeholder")
        step.message, step.placing = message, False
        await self._outbox.save_steps(row)
        if lost:
            after = row.steps[number - 1].message if number else None
            await carrier.sweep(row.place, after, message)

    async def _send(self, carrier: Carrier, row: Row, number: int, part: Part, buttons: Sequence[Button]) -> None:
        while len(row.steps) <= number:
            row.steps.append(Step())
        step = row.steps[number]
        if step.done:
            return
        if step.placing and not carrier.nonces:
            raise DeliveryError("The message may have arrived already; it is not sent twice.", permanent=True)
        step.placing = True
        await self._outbox.save_steps(row)
        try:
            step.message = await carrier.send(row.place, part, f"{row.id}-{number}", buttons)
        except DeliveryError as error:
            step.placing = error.ambiguous
            raise
        step.placing, step.done = False, True
        await self._outbox.save_steps(row)

    async def _once(self, row: Row, number: int, send: Callable[[], Awaitable[str]]) -> None:
        """Send a file as part `number`, at most once: it cannot be taken back."""
        while len(row.steps) <= number:
            row.steps.append(Step())
        step = row.steps[number]
        if step.done:
            return
        if step.placing:
            raise DeliveryError("The file may have arrived already; it is not sent twice.", permanent=True)
        step.placing = True
        await self._outbox.save_steps(row)
        try:
            step.message = await send()
        except DeliveryError as error:
            step.placing = error.ambiguous
            raise
        step.placing, step.done = False, True
        await self._outbox.save_steps(row)


class _Live:
    """What a running turn has to show."""

    def __init__(self) -> None:
        self.text = ""
        self.doing = ""
        self.previewed = False
        self.changed = asyncio.Event()
        self.over = asyncio.Event()

    def status(self) -> str:
        return f"… {self.doing}" if self.doing else "…"
