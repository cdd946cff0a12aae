"""Words for an owner who reads on the page only: written into their conversation, between two turns of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog

from appliance.agent.sessions import Sessions
from appliance.agent.transcript import Record
from appliance.automation.outlet import Words
from appliance.clock import Clock, iso
from appliance.errors import ApplianceError
from appliance.messages import SessionKey, Source
from appliance.tasks import end

log = structlog.get_logger(__name__)


class Alone(Protocol):
    """Run something between two turns of a session."""

    async def __call__(self, key: SessionKey, mutation: Callable[[], Awaitable[None]]) -> None: ...


class MainConversation:
    """Given the sessions, post under ids into the conversation with the agent whose words they are. `written` is called
    when something new stands there."""

    def __init__(self, sessions: Sessions, alone: Alone, clock: Clock, written: Callable[[], None]) -> None:
        self._sessions = sessions
        self._alone = alone
        self._clock = clock
        self._written = written
        self._under_way: dict[str, asyncio.Task[None]] = {}

    def post(self, identity: str, words: Words) -> bool:
        """True when it stands there; else it is written as soon as no turn runs, and False."""
        if self._sessions.transcript(SessionKey.main(words.agent)).has(identity):
            return True
        if identity not in self._under_way:
            task = asyncio.create_task(self._write(identity, words), name=f"post-{identity}")
            self._under_way[identity] = task
            task.add_done_callback(lambda _: self._under_way.pop(identity, None))
        return False

    async def close(self) -> None:
        """Give up what still waits for the end of a turn; it is asked for again after the next start."""
        await end(self._under_way.values())

    async def _write(self, identity: str, words: Words) -> None:
        record: Record = {
            "id": identity,
            "turn": identity,
            "seq": 0,
            "at": iso(self._clock.now()),
            "role": "assistant",
            "content": [{"type": "text", "text": words.text}],
            "final": True,
            "rows": [],
            "in_reply_to": [],
            "text": words.text,
            "source": Source.OUTSIDE if words.outside else Source.OWN,
        }

        async def append() -> None:
            self._sessions.transcript(SessionKey.main(words.agent)).append(record)

        try:
            await self._alone(SessionKey.main(words.agent), append)
        except (OSError, ApplianceError) as error:
            log.error("a message could not be written into the conversation yet", reason=str(error))
            return  # asked for again by the next look
        self._written()
