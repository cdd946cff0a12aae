"""One turn, from the messages of a lane to a reply.

    begin     append what was said to the transcript, or pick up a turn that a kill cut off
    loop      ask the model, run tools; each step is on disk before the next one starts
    answer    append the final record; only then does core.db move on (the lane's business)

A turn never loses its place: its id is known before it starts, each record's id is turn + sequence, and a final record
that stands in the transcript is the answer, whatever core.db says.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from appliance.agent.compose import AnswerText, user_record
from appliance.agent.history import INTERRUPTED, messages_of
from appliance.agent.limits import Limits
from appliance.agent.loop import (
    Ended,
    Injected,
    LoopEvent,
    Said,
    Steering,
    Text,
    Told,
    ToolEnded,
    ToolStarted,
    result_block,
    run_loop,
)
from appliance.agent.results import ResultShaper
from appliance.agent.sessions import Sessions
from appliance.agent.transcript import Record, Transcript
from appliance.agent.window import Window, block_tokens
from appliance.clock import Clock, iso
from appliance.crash_points import crash_point
from appliance.errors import BudgetError, ModelError
from appliance.memory.tiers import Loaded
from appliance.messages import (
    Attachment,
    Block,
    Event,
    Message,
    Person,
    Purpose,
    Received,
    Reply,
    SessionKey,
    Source,
    Usage,
)
from appliance.settings import AgentSettings
from appliance.texts import language_of, say
from appliance.tools.base import ToolContext, ToolResult
from appliance.tools.registry import Registry

Publish = Callable[[Event], None]
Recall = Callable[[SessionKey, str], Loaded | None]


@dataclass(slots=True)
class Asking:
    """What a model call of this turn needs to know."""

    session: SessionKey
    person: Person
    agent: str
    channel: str
    turn: str
    language: str
    purpose: Purpose = Purpose.CHAT


_LEAST_SHARE = 500  # tokens; less of a result would say nothing
# Turns that nobody wrote, by the channel that only the house itself uses.
_PURPOSES = {"cron": Purpose.CRON, "heartbeat": Purpose.HEARTBEAT}
Ask = Callable[[Asking, list[Message]], AsyncIterator[Text | Told | Said]]


@dataclass(slots=True)
class Agent:
    """Given its parts (app.py hands them over), run turns. One instance serves all sessions."""

    sessions: Sessions
    tools: Registry
    ask: Ask
    shape: ResultShaper
    files: Callable[[str], Path]
    zone: Callable[[], ZoneInfo]
    settings: Callable[[], AgentSettings]
    clock: Clock
    publish: Publish
    window: Callable[[SessionKey, str], Window]
    recall: Recall = lambda session, text: None

    async def run(self, batch: Sequence[Received], steering: TurnSteering) -> Reply:
        """Answer the messages of `batch` (one session, one turn id).

        Cancelled after `steering.stop()`, it answers that it was stopped; cancelled otherwise (the house closes) it
        raises CancelledError and is resumed at the next start. Raises unexpected errors as they are: the lane counts
        them.
        """
        turn = _Turn(self, batch, steering)
        self.sessions.pin(turn.session)
        try:
            return await turn.run()
        finally:
            self.sessions.unpin(turn.session)

    def stored_answer(self, session: SessionKey, turn: str) -> Reply | None:
        """The answer that stands in the transcript for a turn, if it was reached."""
        for record in reversed(self.sessions.transcript(session).turn(turn)):
            if record.get("final"):
                return reply_of(session, record)
        return None


class TurnSteering(Steering):
    """The loop's steering, with the rows that joined; the lane feeds it.

    `waiting` joins before the next model call and is recorded first; `interrupted` brings that moment forward.
    """

    def __init__(self) -> None:
        self._interrupted = asyncio.Event()
        self.stopped = False
        self.waiting: list[Received] = []
        self.joined: list[Received] = []
        self.record: Callable[[Sequence[Received]], list[Message]] | None = None

    @property
    def interrupted(self) -> asyncio.Event:
        return self._interrupted

    async def take(self) -> Sequence[Message]:
        self._interrupted.clear()
        if not self.waiting or self.record is None:
            return ()
        taken, self.waiting = self.waiting, []
        self.joined.extend(taken)
        return self.record(taken)


class _Turn:
    def __init__(self, agent: Agent, batch: Sequence[Received], steering: TurnSteering) -> None:
        first = batch[0]
        self.agent = agent
        self.batch = batch
        self.steering = steering
        self.session = first.inbound.session
        self.turn = first.turn
        self.person = first.inbound.person
        self.language = first.inbound.person.language or language_of(first.inbound.text)
        self.transcript: Transcript = agent.sessions.transcript(self.session)
        self.seq = 0
        self.answer = AnswerText()
        self.tainted = False
        self.calls_left = 0  # of the newest answer, without a result yet
        self.result_tokens = 0  # of all results of this turn

    async def run(self) -> Reply:
        existing = self.transcript.turn(self.turn)
        for record in existing:
            if record.get("final"):
                return reply_of(self.session, record)
        self._begin(existing)
        self.steering.record = self._record_user
        messages = messages_of(self.transcript.window())
        self.tainted = any(r.get("source") == Source.OUTSIDE for r in self.transcript.window())
        settings = self.agent.settings()
        limits = Limits(self.agent.clock, settings.max_steps, settings.wall_seconds, settings.same_failure)
        limits.steps = sum(1 for r in existing if r.get("role") == "assistant")
        try:
            async with asyncio.timeout(settings.wall_seconds):
                loop = run_loop(messages, self._ask, self._run_tool, self.steering, limits)
                async with contextlib.aclosing(loop):
                    async for event in loop:
                        self._handle(event)
        except TimeoutError:
            self._handle(Ended("time"))
        except (ModelError, BudgetError) as error:
            self.answer.failed(error, self.language)
        except asyncio.CancelledError:
            if not self.steering.stopped:
                raise  # the house closes: the turn is resumed at the next start
            self._stopped()
            return reply_of(self.session, self.transcript.records[-1])
        return self._finish()

    # begin -----------------------------------------------------------------------------------------------------

    def _begin(self, existing: list[Record]) -> None:
        self.seq = 1 + max((int(r["seq"]) for r in existing), default=-1)
        recorded = {row for r in existing for row in r.get("rows", ())}
        self.answer.rows = list(dict.fromkeys([*(row for r in existing for row in r.get("rows", ()))]))
        self.answer.ids = list(dict.fromkeys([i for r in existing for i in r.get("ids", ())]))
        for record in existing:
            if record.get("role") == "assistant":
                self.answer.add_usage(record)
        kept = [b for r in existing if r.get("kind") == "tool" for b in r["content"]]
        self.result_tokens = sum(map(block_tokens, kept))
        self._close_open_calls(existing)
        fresh = [received for received in self.batch if received.row not in recorded]
        if fresh:
            self._record_user(fresh)

    def _close_open_calls(self, existing: list[Record]) -> None:
        """A call without a result was cut by a kill: it may have happened, so it is not run again by itself."""
        answered = {b["tool_use_id"] for r in existing for b in r["content"] if b.get("type") == "tool_result"}
        for record in existing:
            for block in record["content"]:
                if block.get("type") == "tool_use" and block["id"] not in answered:
                    self._store_result(block, ToolResult(f"({INTERRUPTED})", ok=False))

    def _record_user(self, received: Sequence[Received]) -> list[Message]:
        """Append messages as one record; also what steering calls when messages join the turn.

        An answer that was complete when they came stands in the transcript before them, and in the reply.
        """
        if self.answer.pending is not None:
            self._append(_assistant_record(self.answer.pending))
            self.answer.keep()
        record = user_record(received, self.agent.zone())
        self._recall(record)
        self._append(record)
        if record["source"] == Source.OUTSIDE:
            self.tainted = True
        self.answer.rows.extend(r.row for r in received)
        self.answer.ids.extend(r.inbound.id for r in received)
        return [{"role": "user", "content": record["content"]}]

    def _recall(self, record: Record) -> None:
        """Put what the message needs of the past before it, once while it stands in the window."""
        found = self.agent.recall(self.session, str(record["text"])) if self.session.is_main else None
        shown = [one for r in self.transcript.window() for one in r.get("recalled", ())]
        if found is None or any(one["what"] == found.what and one["chars"] == len(found.text) for one in shown):
            return
        head = f"[memory, {found.tier}: {found.what}; {found.why}]"
        record["content"] = [{"type": "text", "text": f"{head}\n{found.text}"}, *record["content"]]
        record["recalled"] = [found.as_json()]

    def _append(self, record: Record) -> None:
        record = {"id": f"{self.turn}.{self.seq}", "turn": self.turn, "seq": self.seq, **record}
        record.setdefault("at", iso(self.agent.clock.now()))
        self.seq += 1
        self.transcript.append(record)

    # loop ------------------------------------------------------------------------------------------------------

    def _ask(self, messages: list[Message]) -> AsyncIterator[Text | Told | Said]:
        inbound = self.batch[0].inbound
        crash_point("before_call")
        purpose = _PURPOSES.get(inbound.channel, Purpose.CHAT)
        agent = self.session.agent
        asking = Asking(self.session, self.person, agent, inbound.channel, self.turn, self.language, purpose)
        return self.agent.ask(asking, messages)

    async def _run_tool(self, call: Block) -> ToolResult:
        context = ToolContext(
            session=self.session,
            agent=self.session.agent,
            person=self.person,
            turn=self.turn,
            call=call["id"],
            files=self.agent.files(self.session.agent),
            tainted=self.tainted,
            channel=self.batch[0].inbound.channel,
            place=self.batch[0].inbound.place,
        )
        crash_point("before_tool")
        result = await self.agent.tools.run(call, context)
        crash_point("after_tool")
        return self.agent.shape.shape(result, self.session, self._share())

    def _share(self) -> int:
        """Tokens that the next result may take: the results of a turn share 30% of the window, those of one answer
        fairly; what one leaves is for the others."""
        left = self.agent.window(self.session, self.turn).tool_share - self.result_tokens
        return max(_LEAST_SHARE, left // max(1, self.calls_left))

    def _handle(self, event: LoopEvent) -> None:
        match event:
            case Text(delta=delta, restart=restart):
                self._emit("text", {"delta": delta, **({"restart": True} if restart else {})})
            case Told(text=text, passing=passing):
                if not passing:
                    self.answer.told.append(text)
                self._emit("notice", {"text": text, "passing": passing})
            case Said():
                crash_point("after_usage")
                self._said(event)
            case ToolStarted(call=call):
                self._emit("tool_start", {"id": call["id"], "name": call["name"], "input": call["input"]})
            case ToolEnded(call=call, result=result):
                self._store_result(call, result)
                data = {"id": call["id"], "name": call["name"], "ok": result.ok, "summary": result.text[:200]}
                self._emit("tool_end", data)
            case Injected():
                pass
            case Ended(reason=reason, detail=detail):
                self.answer.end(reason, detail, self.language, self.agent.settings())

    def _said(self, said: Said) -> None:
        self.answer.said(said)
        self.calls_left = sum(b["type"] == "tool_use" for b in said.content)
        if any(b["type"] == "tool_use" for b in said.content) or said.cut:
            self._append(_assistant_record(said))

    def _store_result(self, call: Block, result: ToolResult) -> None:
        block = result_block(call, result)
        self.calls_left -= 1
        self.result_tokens += block_tokens(block)
        if result.source is Source.OUTSIDE:
            self.tainted = True
        self.answer.attachments.extend(result.attachments)
        self._append({"role": "user", "kind": "tool", "content": [block], "source": result.source})

    # answer ----------------------------------------------------------------------------------------------------

    def _finish(self) -> Reply:
        """Append the final record and return it as the reply."""
        self._append(self.answer.record())
        crash_point("after_final_record")
        return reply_of(self.session, self.transcript.records[-1])

    def _stopped(self) -> None:
        """A stop ends the turn with a final record of its own, so that nothing is tried again later."""
        self.answer.stopped(say("stopped", self.language))
        self._append(self.answer.record())

    def _emit(self, kind: Any, data: dict[str, Any]) -> None:
        self.agent.publish(
            Event(kind, self.session, {"turn": self.turn, "message_ids": list(self.answer.rows), **data})
        )


def _assistant_record(said: Said) -> Record:
    return {
        "role": "assistant",
        "content": list(said.content),
        "model": said.model,
        "usage": said.usage.as_json(),
        "cost": said.cost,
        "stop": said.stop,
    }


def reply_of(session: SessionKey, record: Record) -> Reply:
    """The reply that a final record is."""
    usage = record.get("total_usage") or {}
    return Reply(
        turn=record["turn"],
        session=session,
        text=record.get("text", ""),
        rows=tuple(record.get("rows", ())),
        message_id=record["id"],
        model=record.get("model", ""),
        usage=Usage(
            input=usage.get("input", 0),
            cache_read=usage.get("cache_read", 0),
            cache_write_5m=usage.get("cache_write", 0),
            output=usage.get("output", 0),
            estimated=usage.get("estimated", False),
        ),
        cost=record.get("total_cost", 0),
        error=record.get("error", ""),
        attachments=tuple(Attachment(**a) for a in record.get("attachments", ())),
    )
