"""What the house says of itself: `/status`, `/context`, the page's summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from appliance import __version__
from appliance.agent.asking import Brain
from appliance.agent.history import messages_of
from appliance.agent.sessions import Sessions
from appliance.gateway.delivery import Delivery
from appliance.gateway.inbox import Inbox
from appliance.lanes.pool import Pool
from appliance.local_models.supervisor import Supervisor
from appliance.messages import THE_OWNER, Person, SessionKey
from appliance.models.resolver import Resolver
from appliance.observability.health import Health
from appliance.settings import Settings
from appliance.settings.agents import agent_of_channel
from appliance.spending.budget import Budget
from appliance.spending.report import Spending
from appliance.spending.show import budget_text
from appliance.texts import part_name, say
from appliance.texts.sentences import in_language

_COMING = ("starting", "building", "fetching", "loading")


@dataclass(slots=True)
class Overview:
    """Given the parts it speaks of."""

    settings: Settings
    health: Health
    resolver: Resolver
    supervisor: Supervisor
    inbox: Inbox
    delivery: Delivery
    pool: Pool
    budget: Budget
    spending: Spending
    sessions: Sessions
    brain: Callable[[], Brain]
    scraped_at: Callable[[], float | None]

    def status(self) -> dict[str, Any]:
        """Everything /status shows."""
        return {
            "version": __version__,
            "parts": [part.as_json() for part in self.health.parts()],
            "models": self.resolver.status(),
            "local_model": self.supervisor.status(),
            "inbox": self.inbox.counts(),
            "outbox_waiting": self.delivery.waiting,
            "running": self.pool.running,
            "waiting": sum(self.pool.depths().values()),
            "budget": self.budget.status()[0],
            "owner_on": sorted({channel for channel, _, _ in self.inbox.owner_places()}),
            "scraped_at": self.scraped_at(),
        }

    def agents(self) -> list[dict[str, Any]]:
        """Every agent: where its files are, who answers, what it spent today (US dollars) and may spend."""
        sessions = Counter(row["agent"] for row in self.sessions.list())
        spent = {row["key"]: row["cost"] for row in self.spending.spend(by="agent")["rows"]}
        limits = {row["scope"]: row["limit"] for row in self.budget.status()}
        settings = self.settings
        return [
            {
                "id": agent,
                "workspace": str(settings.state / "agents" / agent),
                "sessions": sessions[agent],
                "chain": settings.chain(agent),
                "cheap": settings.cheap(agent),
                "spent": spent.get(agent, 0.0),
                "limit": limits.get(f"agent:{agent}"),
                "channels": [name for name in settings.chats if agent_of_channel(settings.agents, name) == agent],
            }
            for agent in settings.agent_ids
        ]

    def status_text(self, language: str) -> str:
        status = self.status()
        lines = [_model_line(row, language) for row in status["models"]]
        local = status["local_model"]
        if local["phase"] != "off":
            percent = f" {local['percent']:.0f}%" if local.get("percent") is not None else ""
            phase, detail = say(f"phase_{local['phase']}", language), in_language(local.get("detail") or "", language)
            lines.append(f"local: {phase}{percent} {detail}".rstrip())
        lines += [_part_line(part, language) for part in status["parts"]]
        if self.settings.agents:
            lines += [f"{row['id']}: {' → '.join(row['chain'])}, ${row['spent']:.2f}" for row in self.agents()]
        lines.append(say("status_queue", language, running=status["running"], waiting=status["waiting"]))
        lines.append(self.budget_text(language))
        return "\n".join(lines)

    def coming(self, language: str) -> str | None:
        """What the local model is busy with while it is on its way; None when it is not."""
        state = self.supervisor.status()
        if state["phase"] not in _COMING:
            return None
        percent = f"{state['percent']:.0f}%" if state.get("percent") is not None else ""
        return say("local_coming", language, phase=say(f"phase_{state['phase']}", language), percent=percent).strip()

    async def doctor(self, language: str) -> list[dict[str, Any]]:
        """The findings of every check, as from inside the running house and as a reader of `language` reads them."""
        from appliance.doctor import Patient, examine  # dozens of checks that no turn needs

        patient = Patient(self.settings, inside=True, notes={"status": self.status()})
        rows = [finding.as_json() for finding in await examine(patient)]
        return [row | {key: in_language(row[key], language) for key in ("detail", "fix")} for row in rows]

    def context_by_name(self, name: str) -> dict[str, Any]:
        """The same as `context` for a session's name. Raises InputError, NotFoundError."""
        return self.context(self.sessions.require(name), THE_OWNER)

    def context(self, key: SessionKey, person: Person) -> dict[str, Any]:
        """What the next request of a session would hold."""
        window = self.sessions.transcript(key).window()
        recalled = [one for record in window for one in record.get("recalled", ())]
        return {**self.brain().account(key, person, messages_of(window)), "recalled": recalled}

    def budget_text(self, language: str) -> str:
        return budget_text(self.budget.status(), self.settings.owner.zone, language)


def _model_line(row: dict[str, Any], language: str) -> str:
    reason = say(f"reason_{row['reason']}", language) if row["reason"] else ""
    state = say(f"page_model_{row['state']}", language)
    return f"{row['model']}: {state} ({reason})" if reason else f"{row['model']}: {state}"


def _part_line(part: dict[str, Any], language: str) -> str:
    state, detail = say(f"phase_{part['state']}", language), in_language(part["detail"], language)
    return f"{part_name(part['name'], language)}: {state} {detail}".rstrip()
