"""How the owner is spoken to: in which language, where, and with which buttons."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from appliance.errors import BudgetExceededError
from appliance.gateway.commands import Choice, Commands, with_commands
from appliance.gateway.delivery import Delivery, silently
from appliance.gateway.events import Events
from appliance.gateway.inbox import Inbox
from appliance.gateway.intake import STORED
from appliance.gateway.outbox import Row
from appliance.messages import MAIN, Button, Event, Inbound, Outbound, Person, Reply, Role, SessionKey
from appliance.observability.audit import Audit
from appliance.observability.notices import Choices
from appliance.roles import Right, may
from appliance.settings import Settings
from appliance.settings.agents import speaks_on
from appliance.spending.calls import raise_command
from appliance.texts import language_of, say
from appliance.texts.sentences import in_language


@dataclass
class OwnerVoice:
    """Given the durable path, say things to the owner once on each of their channels."""

    settings: Settings
    events: Events
    inbox: Inbox
    delivery: Delivery
    commands: Commands
    audit: Audit
    wants_pushes: Callable[[], bool] = lambda: True  # set once the owner's memory is there

    def __post_init__(self) -> None:
        self._spoken: str = "en"

    @property
    def fixed_language(self) -> str:
        """The language the settings name, or "" where the owner's own is followed."""
        return self.settings.owner.language if self.settings.owner.language != "auto" else ""

    def language(self) -> str:
        """The language to speak to the owner in."""
        return self.fixed_language or self._spoken

    def heard(self, inbound: Inbound) -> None:
        """Follow the language the owner writes, unless the settings name one."""
        if inbound.person.role is Role.OWNER:
            self._spoken = inbound.person.language or language_of(inbound.text, "en")

    async def tell(self, text: str, choices: Choices = (), agent: str = MAIN, *, awaited: bool = False) -> None:
        """Say something to the owner once, on each channel where they read this agent; `choices` are buttons where
        there are some. `awaited`: somebody is in a conversation that waits for it, so it comes with a sound to an owner
        who wants no pushes, too."""
        wanted = [Choice(label, command) for label, command in choices]
        shown = with_commands(text, choices)
        self.show(shown, agent)
        for channel, person, place in self._places(agent):
            buttons = await self.commands.buttons_for(wanted, Person(person, role=Role.OWNER), channel)
            said = text if buttons or not choices else shown
            where = place if awaited or self.wants_pushes() else silently(place)
            await self.delivery.say(Outbound(channel, where, said, buttons=buttons, kind="notice"))
        for outbound in self._pushes(shown):
            await self.delivery.say(outbound)

    def places(self, agent: str) -> list[tuple[str, dict[str, Any]]]:
        """(channel, place) where the owner reads an agent."""
        return [(channel, place) for channel, _, place in self._places(agent)]

    def _places(self, agent: str) -> list[tuple[str, str, dict[str, Any]]]:
        """On the agent's own channels; where they never wrote there, on the main agent's, else wherever they did."""
        found = [one for one in self.inbox.owner_places() if one[0] not in STORED]
        there = speaks_on(self.settings.agents, agent, [channel for channel, _, _ in found])
        return [one for one in found if one[0] in there]

    async def notice(self, key: str) -> None:
        """Say one of the appliance's texts to the owner, in their language."""
        await self.tell(say(key, self.language()))

    def _pushes(self, text: str) -> list[Outbound]:
        """The same notice for where nothing is heard from: an ntfy topic, a webhook."""
        wanted = self.settings.notices
        pushes = []
        if wanted.ntfy_url and self.wants_pushes():
            pushes.append(Outbound("ntfy", {"url": wanted.ntfy_url}, text, kind="notice"))
        if wanted.webhook_url:
            body = json.dumps({"text": text}, ensure_ascii=False)
            pushes.append(Outbound("webhook", {"url": wanted.webhook_url}, body, kind="notice"))
        return pushes

    def show(self, text: str, agent: str = MAIN) -> None:
        """Show a text to whoever watches the owner's conversation with an agent right now."""
        self.events.publish(Event("notice", SessionKey.main(agent), {"text": text, "turn": "", "message_ids": []}))

    async def undeliverable(self, row: Row, reason: str) -> None:
        """A text that no platform took: audited, and said elsewhere unless it was itself such a notice."""
        self.audit.record("undeliverable", channel=row.channel, outbox=row.id, reason=reason)
        if row.kind != "notice":
            language = self.language()
            shown = in_language(reason, language)
            await self.tell(say("undeliverable", language, channel=row.channel, reason=shown))

    async def money_choices(self, reply: Reply, inbound: Inbound) -> tuple[Button, ...]:
        """Ways out under a reply that money stood in the way of, for whoever may decide about money."""
        if reply.error != BudgetExceededError.__name__ or not may(inbound.person.role, Right.SET_MONEY):
            return ()
        agent, label = inbound.session.agent, say("budget_raise_label", self.language())
        ways = [Choice(label, "/budget raise 1")]
        if agent in self.settings.limits.agent_usd:
            ways.append(Choice(f"{label}: {agent}", raise_command(f"agent:{agent}")))
        if "local" in self.settings.chain(agent):
            ways.append(Choice(say("budget_local_label", self.language()), "/model local"))
        return await self.commands.buttons_for(ways, inbound.person, inbound.channel)
