"""Memory while the house is idle: which model may help, and how the owner is asked; part of the composition root."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from appliance.clock import Clock
from appliance.lanes.pool import Pool
from appliance.memory.house import Memory
from appliance.memory.idle import Idle
from appliance.memory.items import OWNER
from appliance.memory.quarantine import Held
from appliance.messages import Purpose, SessionKey
from appliance.models.quiet import ask_quietly
from appliance.models.resolver import Resolver
from appliance.observability.notices import Choices
from appliance.settings import Settings
from appliance.texts import say


@dataclass(slots=True)
class Tidying:
    """Given memory and its surroundings, let it be tidied while nobody writes.

    heard: when anybody last wrote (Unix seconds). quiet: when the owner's quiet hours end, None when it may speak.
    """

    settings: Settings
    memory: Memory
    resolver: Resolver
    pool: Pool
    clock: Clock
    heard: Callable[[], float | None]
    quiet: Callable[[str, float], float | None]
    tell: Callable[[str, Choices, str], Awaitable[None]]
    language: Callable[[], str]

    def idle(self) -> Idle:
        return Idle(self.memory, self.clock, self._quiet_for, self._write, self._ask)

    def chain(self, agent: str) -> Sequence[str]:
        """Who may be asked: the local model, and the cheap one only where `memory` has a budget of its own."""
        local = [name for name in self.settings.chain(agent) if name == "local"]
        paid = self.settings.budget.purpose_usd.get(Purpose.MEMORY, 0) > 0
        return list(dict.fromkeys([*local, *([self.settings.cheap(agent)] if paid else [])]))

    def _quiet_for(self) -> float | None:
        if self.pool.running or self.pool.depths():
            return None
        heard = self.heard()
        return None if heard is None else self.clock.now() - heard

    async def _write(self, agent: str, rules: str, text: str, output: int) -> str | None:
        chain = self.chain(agent)
        if not chain:
            return None
        return await ask_quietly(
            self.resolver,
            chain,
            purpose=Purpose.MEMORY,
            session=SessionKey.main(agent),
            rules=rules,
            text=text,
            max_tokens=output,
        )

    async def _ask(self, held: Held) -> bool:
        if self.quiet(OWNER, self.clock.now()) is not None:
            return False
        language = self.language()
        choices = [(say(f"memory_{verb}_label", language), f"/memory {verb} {held.id}") for verb in ("keep", "drop")]
        await self.tell(say("memory_inferred", language, text=held.text), choices, held.agent)
        return True
