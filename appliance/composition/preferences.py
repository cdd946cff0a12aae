"""Which models answer a session, and how it takes what arrives during a turn: its own choice, then the settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from appliance.agent.sessions import Sessions
from appliance.messages import Mode, SessionKey
from appliance.settings import Settings


@dataclass(frozen=True)
class Preferences:
    """`scheduled` names the chain of a session that a schedule owns, or None."""

    settings: Settings
    sessions: Sessions
    scheduled: Callable[[SessionKey], Sequence[str] | None]

    def chain(self, session: SessionKey) -> list[str]:
        """The models of a session in order: its own choice first."""
        scheduled = self.scheduled(session)
        if scheduled is not None:
            return list(scheduled)
        chosen = self.sessions.option(session, "model")
        chain = self.settings.chain(session.agent)
        return [chosen, *(m for m in chain if m != chosen)] if chosen else chain

    def models(self) -> list[str]:
        """Every model that can be chosen."""
        settings = self.settings
        cheap = [settings.cheap(agent) for agent in settings.agent_ids]
        return list(dict.fromkeys([*settings.models_named, *cheap, *settings.openai_compatible]))

    def cheap(self, agent: str) -> list[str]:
        """Who flushes and summarises: an agent's cheap model, then the local one when it is in its chain."""
        local = [name for name in self.settings.chain(agent) if name == "local"]
        return list(dict.fromkeys([self.settings.cheap(agent), *local]))

    def mode(self, session: SessionKey) -> Mode:
        """What becomes of a message that arrives during a turn."""
        chosen = self.sessions.option(session, "mode")
        return Mode(chosen) if chosen else self.settings.agent.mode
