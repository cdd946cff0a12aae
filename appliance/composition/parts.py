"""The parts of the house, each built once, and what they are handed of one another; the middle of the composition root.

Below it `foundation.py` has what every part stands on; above it `app.py` owns the order of starting and stopping.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog

from appliance.agent.asking import Brain
from appliance.agent.compaction import Compactor
from appliance.agent.pruning import Pruner
from appliance.agent.results import ResultShaper
from appliance.agent.sessions import Sessions
from appliance.agent.turn import Agent
from appliance.automation.house import Automation, Surroundings
from appliance.channels import access
from appliance.channels.attachments import AttachmentStore
from appliance.channels.base import ChannelParts
from appliance.channels.household import Household
from appliance.clock import Clock
from appliance.composition.agents import Agents
from appliance.composition.checking import Checks
from appliance.composition.execution import Execution
from appliance.composition.foundation import Foundation
from appliance.composition.local_offers import LocalOffers
from appliance.composition.mcp_servers import McpServers
from appliance.composition.overview import Overview
from appliance.composition.people import PeopleChanges
from appliance.composition.platforms import channels_of, members_of
from appliance.composition.preferences import Preferences
from appliance.composition.remembering import Remembering
from appliance.composition.skillset import SkillSet
from appliance.composition.speech import Listener
from appliance.composition.tidying import Tidying
from appliance.composition.web_tools import WebTools
from appliance.gateway.erasure import scrub
from appliance.gateway.everyday import Everyday
from appliance.gateway.intake import Intake
from appliance.lanes.pool import Pool
from appliance.memory.boundaries import limits_of, no_pushes, no_voice
from appliance.memory.capture import capture
from appliance.memory.commands import make_embedder, make_reranker
from appliance.memory.house import Memory
from appliance.memory.items import OWNER, Items, whose
from appliance.memory.tiers import overview
from appliance.messages import MAIN, Inbound, Person
from appliance.models.paid_embeddings import PaidEmbeddings
from appliance.observability import logs
from appliance.settings import Settings
from appliance.spending import adjust
from appliance.spending.show import MoneyText, footer_text
from appliance.tools.confirm import OwnersYes
from appliance.tools.files import Edit, Read, Write
from appliance.tools.memory import tools as memory_tools
from appliance.tools.outputs import Outputs, ReadOutput
from appliance.tools.registry import Registry, audited
from appliance.tools.send import Send

log = structlog.get_logger(__name__)


class Parts(Foundation):
    """Given settings, everything the house is made of. `build` opens STATE's databases and starts nothing.

    `extend` may add tools and commands to what is built.
    """

    def __init__(
        self, settings: Settings, clock: Clock | None = None, extend: Callable[[Any], None] | None = None
    ) -> None:
        super().__init__(settings, clock)
        self._extend = extend

    # building --------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Open the databases and make every part."""
        self.lay()
        self.agents = Agents(self.settings, self.clock, lambda agent: self.skills.lines(agent))
        self.workspace = self.agents.workspace
        self._build_sessions()
        self._build_agent()
        self._build_gateway()
        self._build_memory()
        self._build_execution()
        self._build_skills()
        self._build_web()
        self._build_mcp()
        self._build_channels()
        self._build_automation()
        if self._extend is not None:
            self._extend(self)

    def _build_sessions(self) -> None:
        """Conversations, and what runs on them."""
        settings = self.settings
        self.sessions = Sessions(self.state, self.core, self.clock, self.settings.agent_ids)
        self.hooking.follow(self.sessions)
        self.preferences = Preferences(settings, self.sessions, lambda session: self.automation.chain(session))
        self.outputs = Outputs(self.state / "outputs")
        self.pool = Pool(
            lambda *turn: self.intake.run_batch(*turn),
            settings.agent.parallel_turns,
            self.preferences.mode,
            self.clock,
        )
        self.metrics.at_scrape("lane_depth", lambda: float(sum(self.pool.depths().values())))
        self.tools = Registry(
            [Read(), Write(), Edit(), ReadOutput(self.outputs, self.sessions.tool_result)], audited(self.audit.record)
        )
        self.overview = Overview(
            settings=settings,
            health=self.health,
            resolver=self.resolver,
            supervisor=self.supervisor,
            inbox=self.inbox,
            delivery=self.delivery,
            pool=self.pool,
            budget=self.budget,
            spending=self.spending,
            sessions=self.sessions,
            brain=lambda: self.brain,
            scraped_at=lambda: self.monitoring.scraped_at,
        )

    def _build_agent(self) -> None:
        settings = self.settings
        self.compactor = Compactor(
            sessions=self.sessions,
            resolver=self.resolver,
            cheap=self.preferences.cheap,
            clock=self.clock,
            capture=lambda *part: self.remembering.before_compaction(*part),
            note=lambda *found: self.remembering.note(*found),
            emit=self.hooking.emit,
            cooled=lambda key: self.agents.prompts(key.agent).cooled(key),
            counted=lambda outcome: self.metrics.add("compactions_total", outcome=outcome),
        )
        self.brain = Brain(
            compactor=self.compactor,
            pruner=Pruner(self.clock),
            counted=self.monitoring.context,
            resolver=self.resolver,
            prompts=self.agents.prompts,
            tools=self.tools,
            settings=lambda: settings,
            clock=self.clock,
            chain=self.preferences.chain,
            coming=self.overview.coming,
        )
        self.agent = Agent(
            sessions=self.sessions,
            tools=self.tools,
            ask=self.brain.ask,
            shape=ResultShaper(self.outputs, lambda: settings.agent.tool_result_chars, logs.redact),
            files=lambda agent: self.workspace(agent).files,
            zone=lambda: settings.owner.zone,
            settings=lambda: settings.agent,
            clock=self.clock,
            publish=self.events.publish,
            recall=lambda session, text: overview(self.workspace(session.agent), text),
            window=self.brain.window,
        )

    def _build_gateway(self) -> None:
        self.intake = Intake(
            inbox=self.inbox,
            agent=self.agent,
            events=self.events,
            replies=self.replies,
            delivery=self.delivery,
            commands=self.commands,
            clock=self.clock,
            disk=self.disk,
            tell_owner=self.owner.tell,
            heard=self._heard,
            choices=self.owner.money_choices,
            footer=lambda reply: footer_text(reply.model, reply.cost) if self.settings.budget.footer else "",
        )
        self.intake.pool = self.pool
        self.intake.listener = Listener(self.settings.speech, self.supervisor if self.supervisor.hears else None)
        self.events.listen(self.delivery.on_event)
        self.events.listen(self.intake.on_event)
        self.events.listen(self.monitoring.on_event)
        self.events.listen(self.hooking.on_event)
        Everyday(
            sessions=self.sessions,
            pool=self.pool,
            budget=self.budget,
            money=MoneyText(self.budget, self.spending, lambda: self.settings.owner.zone),
            chain=self.preferences.chain,
            models=self.preferences.models,
            status=self.overview.status_text,
            context=self.overview.context,
            doctor=self.overview.doctor,
            cooled=lambda key: self.agents.prompts(key.agent).cooled(key),
            audit=self.audit.record,
            compactor=self.compactor,
        ).add_to(self.commands)

    def _build_memory(self) -> None:
        settings = self.settings
        embedder = make_embedder(
            settings.memory,
            self.supervisor.base_url,
            local_token=self.supervisor.token,
            wanted=self.supervisor.embeds,
            meter=PaidEmbeddings(self.budget, free=not settings.memory.embedder_costs),
        )
        self.memory = Memory(
            self.state,
            self.agents.workspaces,
            self.clock,
            settings.memory,
            embedder=embedder,
            reranker=make_reranker(
                settings.memory,
                PaidEmbeddings(self.budget, free=not settings.memory.reranker_key.get_secret_value()),
            ),
            audit=self.audit.record,
            timed=lambda seconds: self.metrics.observe("memory_search_duration_seconds", seconds),
            tag_of=lambda text: next((item.tag for item in capture(text)), "O"),
            changed=self.agents.cooled,
        )
        self.memory.open()
        self.monitoring.memory(self.memory)
        self.remembering = Remembering(
            self.memory,
            self.clock,
            lambda tag: self.metrics.add("memory_captured_total", tag=tag),
            self.inbox.settled,
            self._erase,
            self.overview.context,
        )
        self.owners_memory = self.remembering.owners
        self.remembering.add_commands(self.commands)
        for tool in memory_tools(self.memory, lambda: settings.owner.zone):
            self.tools.add(tool)
        self.intake.after_turn.append(self.remembering.after_turn)

    def _build_execution(self) -> None:
        self.execution = Execution(
            settings=self.settings,
            core=self.core,
            clock=self.clock,
            tools=self.tools,
            health=self.health,
            metrics=self.metrics,
            notices=self.monitoring.notices,
            owner=self.owner,
            may_ask=lambda session: self.automation.may_disturb(session),
            record=self.audit.record,
        )
        self.execution.add_commands(self.commands)
        self.local_offers = LocalOffers(
            self.supervisor,
            self.health,
            self.monitoring.notices,
            self.owner.tell,
            self.owner.language,
            self.state / "models",
            self.resolver.status,
        )
        if self.supervisor.wanted:
            self.local_offers.add_commands(self.commands)

    def _build_skills(self) -> None:
        self.skills = SkillSet(
            settings=self.settings,
            core=self.core,
            clock=self.clock,
            tools=self.tools,
            workspace=self.workspace(MAIN).files,
            notices=self.monitoring.notices,
            programs=self.execution,
            language=self.owner.language,
        )
        self.skills.add_commands(self.commands)

    def _build_web(self) -> None:
        self.web = WebTools(
            settings=self.settings,
            sessions=self.sessions,
            tools=self.tools,
            health=self.health,
            clock=self.clock,
        )

        self.checks = Checks(
            settings=self.settings,
            tools=self.tools,
            health=self.health,
            clock=self.clock,
            alone=lambda session: self.automation.owners(session),
        )

    def _build_mcp(self) -> None:
        self.mcp = McpServers(
            settings=self.settings,
            clock=self.clock,
            tools=self.tools,
            health=self.health,
            metrics=self.metrics,
            notices=self.monitoring.notices,
            approvals=self.execution.approvals,
            jobs=self.execution.client,
            language=self.owner.language,
        )

    def _build_channels(self) -> None:
        """Channels whose secret exists; their libraries are loaded when they start, behind readiness."""
        settings = self.settings
        self.access = access.Access(self.core, self.clock, members_of(settings))
        self.agents.know_owners(person.id for _, person in self.access.owners())
        self.channels = channels_of(settings, self.channel_parts)
        household = Household(
            self.access, lambda: self.channels, settings.agents, self.delivery, self._forbids(no_pushes)
        )
        self.owner.wants_pushes = lambda: not any(map(no_pushes, self._limits(OWNER)))
        confirm = OwnersYes(self.execution.approvals)
        self.tools.add(Send(household, confirm, self.outputs.sent, self.owner.language, self._forbids(no_voice)))

    def _limits(self, person: str) -> list[str]:
        """The boundaries that a person told any of the agents and that still hold."""
        said = (item for one in self.agents.workspaces.values() for item in Items(one).active())
        return limits_of(said, self.agents.whose(person))

    def _forbids(self, what: Callable[[str], bool]) -> Callable[[Person], bool]:
        """Whether a boundary of a person forbids it."""
        return lambda person: any(map(what, self._limits(whose(person))))

    async def _know_owners(self) -> None:
        """Whose items are the owner's: again after people changed."""
        if self.agents.know_owners(person.id for _, person in self.access.owners()):
            await self.memory.owners_changed()

    def _build_automation(self) -> None:
        self.automation = Automation(
            Surroundings(
                settings=self.settings,
                clock=self.clock,
                core=self.core,
                intake=self.intake,
                inbox=self.inbox,
                delivery=self.delivery,
                sessions=self.sessions,
                tools=self.tools,
                commands=self.commands,
                zone=lambda: self.settings.owner.zone,
                files=lambda agent: self.workspace(agent).files,
                checklist=lambda agent: self.workspace(agent).read("HEARTBEAT.md"),
                limits=self._limits,
                cheap=self.preferences.cheap,
                models=self.preferences.models,
                owner_places=self.owner.places,
                announce=self.owner.show,
                tell_owner=self.owner.tell,
                set_budget=lambda key, usd: self.core.write(lambda c: adjust.set_session(c, key.value, usd)),
                audit=self.audit.record,
                language=self.owner.language,
                alone=self.pool.alone,
                stop=self.pool.stop,
                fetch=self.web.read if self.web.client is not None else None,
                run=self.execution.watched if self.settings.exec.enabled else None,
            )
        )
        self.automation.add_to_house()
        pause = self.automation.desk.pause_all_of
        PeopleChanges(self.access, self.audit, self.inbox, pause, self._know_owners).hear()
        self.tidying = Tidying(
            settings=self.settings,
            memory=self.memory,
            resolver=self.resolver,
            pool=self.pool,
            clock=self.clock,
            heard=lambda: self.inbox.last_heard(("cron", "heartbeat")),
            quiet=self.automation.outlet.quiet,
            tell=self.owner.tell,
            language=self.owner.language,
        )
        self.events.listen(self.automation.on_event)

    # what parts are handed -------------------------------------------------------------------------------------

    def channel_parts(self, agent: str) -> ChannelParts:
        """What the channels of an agent are handed."""
        return ChannelParts(
            database=self.core,
            clock=self.clock,
            access=self.access,
            intake=self.intake,
            attachments=AttachmentStore(self.workspace(agent).files, self.clock),
            health=self.health,
            menu=self.commands.menu,
            tell_owner=self.owner.tell,
            counts=self.monitoring,
            agent=agent,
        )

    async def _erase(self, text: str) -> int:
        """A text to be erased: out of core.db, and out of transcripts that are held in memory."""
        self.sessions.close()  # they are read again from disk, without it
        return await scrub(self.core, text)

    def _heard(self, inbound: Inbound) -> None:
        self.owner.heard(inbound)
        self.hooking.heard(inbound)

    async def alerted(self, payload: dict[str, Any]) -> None:
        """Alertmanager's webhook: the owner is told, then what watches the alert is woken."""
        await self.monitoring.alerts.receive(payload)
        await self.automation.alerted(payload)
