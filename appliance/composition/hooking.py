"""What happens in the house as the owner's hooks are told it; part of the composition root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog

from appliance.agent.sessions import Sessions
from appliance.automation.hooks import WAITED_FOR, Hooks
from appliance.errors import ApplianceError
from appliance.gateway.intake import STORED
from appliance.gateway.outbox import Row
from appliance.gateway.replies import PICODOLLARS
from appliance.messages import Event, Inbound, SessionKey
from appliance.spending.calls import BudgetEvent

log = structlog.get_logger(__name__)


class Hooking:
    """Given the hooks, tell them of messages, turns, sessions, heartbeats, compactions and marks of the budget.

    `commands` says whether a message is a slash command. `follow` comes before the first message.
    """

    def __init__(self, hooks: Hooks, commands: Callable[[Inbound], bool]) -> None:
        self._hooks = hooks
        self._commands = commands
        self._begun: set[str] = set()

    def follow(self, sessions: Sessions) -> None:
        """Watch conversations begin and end."""
        self._sessions = sessions
        sessions.renewed = self.renewed

    async def emit(self, name: str, data: dict[str, Any]) -> None:
        """What the compactor says; its first event is waited for."""
        if name in WAITED_FOR:
            await self._hooks.ask(name, data)
        else:
            self._hooks.tell(name, data)

    def heard(self, inbound: Inbound) -> None:
        """A person's message was taken in (once, however often its platform repeats it)."""
        if not self._hooks.present or inbound.session.by_itself:
            return
        if not self._commands(inbound) and self._begins(inbound.session):
            self._hooks.tell("session:start", {"session": inbound.session.value, "channel": inbound.channel})
        self._hooks.tell(
            "message:received",
            {
                "session": inbound.session.value,
                "channel": inbound.channel,
                "kind": inbound.kind,
                "id": inbound.id,
                "person": inbound.person.id,
                "role": str(inbound.person.role),
                "text": inbound.text,
                "files": [attachment.path for attachment in inbound.attachments],
            },
        )

    def renewed(self, session: SessionKey) -> None:
        """A conversation was begun anew (`/new`)."""
        self._begun.discard(session.value)
        if not session.by_itself:
            self._hooks.tell("session:end", {"session": session.value, "reason": "new"})

    def sent(self, row: Row) -> None:
        """A platform has the whole of a message."""
        self._hooks.tell(
            "message:sent", {"session": row.session, "channel": row.channel, "kind": row.kind, "text": row.text}
        )

    def on_event(self, event: Event) -> None:
        """A turn ended (a listener of the hub). On the web an answer is sent by being stored."""
        if event.type != "done" or not self._hooks.present:
            return
        data, session = event.data, event.session.value
        if data.get("channel") in STORED and not event.session.by_itself:
            self._hooks.tell(
                "message:sent", {"session": session, "channel": data["channel"], "kind": "reply", "text": data["reply"]}
            )
        if not data.get("model") and not data.get("error"):
            return  # a command, answered without a turn
        kept = {key: data[key] for key in ("turn", "model", "usage", "cost_usd")}
        ended = {"session": session, **kept, "error": data.get("error", "")}
        self._hooks.tell("turn:end", ended)
        if session.startswith("heartbeat:"):
            self._hooks.tell("heartbeat", {**ended, "text": data["reply"]})

    def on_budget(self, event: BudgetEvent) -> None:
        """A share of a limit was reached (100: a call was refused or made smaller)."""
        if event.kind == "mark":
            self._hooks.tell(
                "budget:mark",
                {
                    "scope": event.name,
                    "percent": event.percent,
                    "spent_usd": event.spent / PICODOLLARS,
                    "limit_usd": event.limit / PICODOLLARS,
                    "day": event.day,
                },
            )

    def _begins(self, session: SessionKey) -> bool:
        """Whether this is the first message of a conversation, or the first since it was begun anew."""
        if session.value in self._begun:
            return False
        self._begun.add(session.value)
        try:
            return not self._sessions.transcript(session).window()
        except (ApplianceError, OSError) as error:  # the turn itself will say what is wrong with it
            log.warning("a transcript cannot be read", session=session.value, reason=str(error))
            return False
