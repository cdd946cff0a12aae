"""What the HTTP server is handed of the house; part of the composition root."""

from __future__ import annotations

from functools import partial
from typing import Any

from appliance import __version__
from appliance.agent.sessions import StoppableSessions
from appliance.automation.by_hand import ByHand
from appliance.channels.webchat import WebChat
from appliance.composition.first_run import FirstRun
from appliance.composition.parts import Parts
from appliance.gateway.services import Services
from appliance.memory.scopes import Scope
from appliance.messages import MAIN, THE_OWNER, SessionKey
from appliance.settings.example import in_force

_HITS = 50  # among which the conversations are looked for


async def conversations(house: Parts, query: str) -> list[dict[str, Any]]:
    """The conversations in which the words of a query stand, best first, each with the place: as far as the owner's
    main session with each agent may find them."""
    found: dict[str, dict[str, Any]] = {}
    for agent in house.settings.agent_ids:
        for hit in await house.memory.search(query, Scope(SessionKey.main(agent)), _HITS):
            folder, _, name = hit.path.partition("/")
            if folder != "sessions" or not hit.parts["text"]:
                continue
            session = house.sessions.by_file(agent, name)
            if session is not None:
                found.setdefault(session.value, {"key": session.value, "snippet": hit.snippet})
    return list(found.values())


def _web_chat(house: Parts, agent: str) -> WebChat:
    files, language = house.workspace(agent).files, house.owner.fixed_language
    return WebChat(files, house.outputs.sent, agent=agent, clock=house.clock, language=language)


def services_of(house: Parts, first_run: FirstRun) -> Services:
    """Every part that the page and the API reach, each behind the face that the server uses."""
    return Services(
        settings=house.settings,
        auth=house.auth,
        health=house.health,
        intake=house.intake,
        events=house.events,
        replies=house.replies,
        sessions=StoppableSessions(house.sessions, house.pool.stop),
        web=_web_chat(house, MAIN),
        further={agent: _web_chat(house, agent) for agent in house.settings.agents},
        agents=house.overview.agents,
        version=__version__,
        clock=house.clock,
        context=lambda key: house.overview.context(key, THE_OWNER),
        budget=house.budget,
        spending=house.spending,
        status=house.overview.status,
        metrics=house.monitoring.scrape,
        alerts=house.alerted,
        models=house.supervisor.status,
        approvals=house.execution.approvals,
        rules=house.execution.approvals,
        people=house.access,
        schedules=ByHand(house.automation.desk, house.automation.cron, house.automation.heartbeats),
        doctor=house.overview.doctor,
        session_search=partial(conversations, house),
        memory=house.owners_memory,
        skills=house.skills,
        mcp=house.mcp,
        settings_listed=partial(in_force, house.settings),
        model_shelf=house.local_offers,
        first_run=first_run,
        webhooks={name: webhook for channel in house.channels for name, webhook in channel.webhooks.items()},
    )
