"""The front door: accept, answer commands at once, hand everything else to its lane, commit what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import apsw
import structlog

from appliance.agent.turn import Agent, TurnSteering
from appliance.clock import Clock
from appliance.errors import InputError
from appliance.gateway import outbox
from appliance.gateway.delivery import Delivery
from appliance.gateway.disk import Disk, is_full
from appliance.gateway.events import Events
from appliance.gateway.inbox import MAX_DEATHS, MAX_FAILURES, Extra, Inbox, Receipt
from appliance.gateway.replies import PICODOLLARS, Replies
from appliance.lanes.pool import Pool
from appliance.messages import Button, Event, Inbound, Outbound, Received, Reply
from appliance.observability.redaction import hide
from appliance.texts import language_of, say

log = structlog.get_logger(__name__)


class Commands(Protocol):
    """Answers a slash command without a model. `handles` is quick; `run` returns the reply's text and buttons."""

    def handles(self, inbound: Inbound) -> bool: ...
    async def run(self, received: Received) -> Reply: ...


_COMMIT_SECONDS = 5.0


class Listener(Protocol):
    """Turns what was spoken into text. `refusal` is what a person is told when it cannot be; empty when it can."""

    async def listen(self, inbound: Inbound) -> Inbound: ...
    def refusal(self, inbound: Inbound) -> str: ...


Told = Callable[[str], Awaitable[None]]
# Channels whose askers fetch or wait for the stored reply; the others get theirs through the outbox.
STORED = frozenset({"web", "cron", "heartbeat"})
# Runs after a turn and before its answer is committed; after a kill it may run again for the same messages.
AfterTurn = Callable[[Sequence[Received], Reply], Awaitable[None]]


@dataclass(slots=True)
class Intake:
    """Given the inbox and everybody behind it, take messages in and see them answered."""

    inbox: Inbox
    agent: Agent
    events: Events
    replies: Replies
    delivery: Delivery
    commands: Commands
    clock: Clock
    disk: Disk
    tell_owner: Told
    heard: Callable[[Inbound], None] = lambda inbound: None
    footer: Callable[[Reply], str] = lambda reply: ""
    choices: Callable[[Reply, Inbound], Awaitable[tuple[Button, ...]]] | None = None
    after_turn: list[AfterTurn] = field(default_factory=list)
    pool: Pool | None = None
    listener: Listener | None = None
    _listening: dict[str, asyncio.Task[None]] = field(default_factory=dict)  # by session: what came last and is heard
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _reborn: dict[str, list[int]] = field(default_factory=dict)  # turns that died before, with their rows

    async def accept(self, inbound: Inbound, extra: Extra | None = None) -> Receipt:
        """Store a message and set its answer going; return once it is on disk.

        The house's own secrets are masked in it first: whoever pastes one does not want it kept. `extra` runs in the
        same transaction. Raises InputError for a message that holds nothing.
        """
        if not inbound.text.strip() and not inbound.attachments:
            raise InputError(say("empty_message", inbound.person.language or "en"))
        receipt, received = await self.inbox.accept(replace(inbound, text=hide(inbound.text)), extra)
        if receipt.new:
            self.heard(inbound)
            self._dispatch(received)
        return receipt

    async def recover(self) -> int:
        """At start: complete what the transcripts know and core.db does not, and take up what is open.

        Returns how many messages are taken up. Call once, before channels start.
        """
        received = await self._reconciled(self.inbox.open_rows())
        turns = list(dict.fromkeys(r.turn for r in received))  # messages of a turn stay together
        for one in sorted(received, key=lambda r: turns.index(r.turn)):
            self._dispatch(one)
        return len(received)

    def on_event(self, event: Event) -> None:
        """A finished step shows that it was not this turn that killed the process (a listener of the hub)."""
        if event.type == "tool_end" and event.data["turn"] in self._reborn:
            self._spawn(self.inbox.step_done(self._reborn.pop(event.data["turn"])))

    async def close(self, grace: float = 20.0) -> None:
        if self.pool is not None:
            await self.pool.close(grace)
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=5.0)

    def _dispatch(self, received: Received) -> None:
        if self.commands.handles(received.inbound):
            self._spawn(self._command(received))
        elif self._spoken(received.inbound):
            session = received.inbound.session.value
            self._listening[session] = self._spawn(self._listen(received, self._listening.get(session)))
        elif self.pool is not None:
            self.pool.put(received)

    def _spoken(self, inbound: Inbound) -> bool:
        """Whether a message must be listened to first, or comes after one that is being listened to."""
        if self.listener is None:
            return False
        before = self._listening.get(inbound.session.value)
        return _has_audio(inbound) or (before is not None and not before.done())

    async def _listen(self, received: Received, before: asyncio.Task[None] | None) -> None:
        """Hand a message to its lane once what was spoken is text, in its place among the others."""
        inbound, listener = received.inbound, self.listener
        if listener is not None and _has_audio(inbound):
            refusal = listener.refusal(inbound)
            if refusal:
                reply = Reply(received.turn, inbound.session, refusal, (received.row,), f"{received.turn}.0")
                await self._store(reply, inbound, "answered")
                return
            received = replace(received, inbound=await listener.listen(inbound))
        if before is not None:
            await asyncio.wait({before})
        if self.pool is not None:
            self.pool.put(received)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _reconciled(self, rows: Sequence[Received]) -> list[Received]:
        """Open rows with the turn that already took them; rows whose answer stands in the transcript are closed."""
        result: list[Received] = []
        for received in rows:
            if self.commands.handles(received.inbound):
                result.append(received)
                continue
            turn = self._turn_of(received)
            if self.inbox.reply(received.row) is not None:
                continue  # answered together with an earlier row
            if turn is None:
                result.append(received)
                continue
            answer = self.agent.stored_answer(received.inbound.session, turn)
            if answer is not None:
                await self.commit(answer, [r for r in rows if r.row in answer.rows])
                continue
            await self.inbox.died([received.row])
            self._reborn.setdefault(turn, []).append(received.row)
            result.append(replace(received, turn=turn, deaths=received.deaths + 1))
        return result

    def _turn_of(self, received: Received) -> str | None:
        """The turn whose transcript records name this row."""
        records = self.agent.sessions.transcript(received.inbound.session).records
        for record in reversed(records):
            if received.row in record.get("rows", ()):
                return str(record["turn"])
        return None

    async def run_batch(self, batch: Sequence[Received], steering: TurnSteering) -> None:
        """One turn with everything around it; what a lane runs. Raises only CancelledError."""
        first = batch[0]
        deaths = max(r.deaths for r in batch)
        if deaths > MAX_DEATHS:
            await self._give_up(batch, f"the process died {deaths} times while it worked on it.")
            return
        if deaths > 1:
            await self.clock.sleep(min(60.0, 2.0**deaths))
        self.events.publish(
            Event("accepted", first.inbound.session, {"turn": first.turn, "message_ids": [r.row for r in batch]})
        )
        self.delivery.begin(_answer_to(first.inbound, ""), first.turn)
        try:
            reply = await self.agent.run(batch, steering)
        except asyncio.CancelledError:
            self.delivery.dropped(first.turn)
            raise
        except Exception as error:  # the edge of a turn: whatever it was, the message must not be lost
            log.exception("turn failed", session=first.inbound.session.value, turn=first.turn)
            self.delivery.dropped(first.turn)
            received = [*batch, *steering.joined]
            if is_full(error):  # no fault of the message's
                await self.disk.room()
                self._again(received)
            else:
                await self._failed(received, f"{type(error).__name__}: {error}")
            return
        commit = asyncio.ensure_future(self.commit(reply, [*batch, *steering.joined]))
        try:
            await asyncio.shield(commit)
        except asyncio.CancelledError:
            # A stop that comes this late changes nothing: the answer stands, if only in the transcript.
            await asyncio.wait({commit}, timeout=_COMMIT_SECONDS)
            raise

    async def commit(self, reply: Reply, received: Sequence[Received]) -> None:
        """Run what comes after a turn, store a reply with its outbox row, then tell all who wait."""
        settled = all([await self._after(step, received, reply) for step in self.after_turn])
        inbound = received[0].inbound
        if self.choices is not None and not reply.buttons:
            choices = self.choices
            reply = replace(reply, buttons=await self.disk.surely(lambda: choices(reply, inbound)))
        await self._store(reply, inbound, "answered" if settled else "unsettled", _said_apart(received))

    async def _after(self, step: AfterTurn, received: Sequence[Received], reply: Reply) -> bool:
        """Run one step; False when it failed for good."""
        while True:
            try:
                await step(received, reply)
                return True
            except Exception as error:  # a step that is broken must not keep an answer back
                log.exception("step after a turn failed", turn=reply.turn)
                if not is_full(error):
                    return False
            await self.disk.room()  # what was said must be captured all the same

    async def _store(self, reply: Reply, inbound: Inbound, state: str, merged: int = 1) -> None:
        def finish(connection: apsw.Connection) -> None:
            ids[:] = self._finish_outbox(connection, reply, inbound, merged)

        ids: list[int] = []
        await self.disk.surely(lambda: self.inbox.answer(reply, finish, state=state))
        for identity in ids:
            self.delivery.committed(identity, reply.turn)
        self.replies.resolve(reply)
        self.events.publish(Event("done", reply.session, _done(reply, inbound.channel)))

    def _finish_outbox(self, connection: apsw.Connection, reply: Reply, inbound: Inbound, merged: int) -> list[int]:
        if inbound.channel in STORED:
            return []
        text = reply.text
        if merged > 1:
            language = inbound.person.language or language_of(inbound.text)
            text = f"_{say('merged', language, count=merged)}_\n\n{text}"
        footer = self.footer(reply) if reply.model else ""
        if footer:
            text = f"{text}\n\n_{footer}_"
        outbound = replace(
            _answer_to(inbound, text), in_reply_to=reply.rows, buttons=reply.buttons, attachments=reply.attachments
        )
        return [outbox.finish(connection, outbound, reply.turn, self.clock.now())]

    async def _command(self, received: Received) -> None:
        try:
            reply = await self.commands.run(received)
        except Exception as error:  # the edge of a command: its message must be answered
            log.exception("command failed", row=received.row)
            text = f"{received.inbound.text.split()[0]}: {error}"
            reply = Reply(received.turn, received.inbound.session, text, (received.row,), error=type(error).__name__)
        await self._store(reply, received.inbound, "answered")

    async def _failed(self, received: Sequence[Received], reason: str) -> None:
        """Count a handled failure; try again a little later, or set the messages aside after the third."""
        rows = [r.row for r in received]
        failures = await self.disk.surely(lambda: self.inbox.failed(rows))
        if failures >= MAX_FAILURES:
            await self._give_up(received, reason, self.after_turn)  # what it says is captured all the same
            return
        await self.clock.sleep(float(failures))
        self._again([replace(r, failures=failures) for r in received])

    def _again(self, received: Sequence[Received]) -> None:
        """Put a turn's messages back at the head of their lane, still one turn."""
        if self.pool is not None:
            turn = received[0].turn
            self.pool.lane(received[0].inbound.session).put_back([replace(r, turn=turn) for r in received])

    async def _give_up(self, received: Sequence[Received], reason: str, steps: Sequence[AfterTurn] = ()) -> None:
        inbound = received[0].inbound
        language = inbound.person.language or language_of(inbound.text)
        text = say("dead_message", language, tries=MAX_FAILURES, reason=reason)
        rows = tuple(r.row for r in received)
        reply = Reply(received[0].turn, inbound.session, text, rows, error="dead")
        for step in steps:
            await self._after(step, received, reply)
        await self._store(reply, inbound, "dead")
        await self.disk.attempt(lambda: self.tell_owner(text))


def _has_audio(inbound: Inbound) -> bool:
    return any(attachment.kind == "audio" for attachment in inbound.attachments)


def _said_apart(received: Sequence[Received]) -> int:
    """How many messages a person would count: an album, or a text that their client cut, is one."""
    return len({r.inbound.options.get("together") or r.row for r in received})


def _answer_to(inbound: Inbound, text: str) -> Outbound:
    return Outbound(inbound.channel, inbound.place, text, session=inbound.session)


def _done(reply: Reply, channel: str) -> dict[str, object]:
    return {
        "turn": reply.turn,
        "channel": channel,
        "message_ids": list(reply.rows),
        "reply": reply.text,
        "message_id": reply.message_id,
        "model": reply.model,
        "usage": reply.usage.as_json(),
        "cost_usd": reply.cost / PICODOLLARS,
        **({"error": reply.error} if reply.error else {}),
        **({"files": [one.shown() for one in reply.attachments]} if reply.attachments else {}),
    }
