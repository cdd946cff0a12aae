"""The parts of the house, each built once, and what they are handed of one another; half of the composition root.

`app.py` is the other half: it owns the order of starting and stopping.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from appliance import __version__
from appliance.agent.asking import Brain
from appliance.agent.compaction import Compactor
from appliance.agent.prompt import PromptBuilder
from appliance.agent.pruning import Pruner
from appliance.agent.results import ResultShaper
from appliance.agent.sessions import Sessions, StoppableSessions
from appliance.agent.templates import NAMES, template
from appliance.agent.turn import Agent
from appliance.automation.by_hand import ByHand
from appliance.automation.house import Automation, Surroundings
from appliance.backup import newest_backup
from appliance.channels import access
from appliance.channels.attachments import AttachmentStore
from appliance.channels.base import ChatChannel
from appliance.channels.discord.channel import DiscordChannel
from appliance.channels.telegram.channel import TelegramChannel
from appliance.channels.webchat import WebChat
from appliance.clock import Clock, SystemClock
from appliance.database import Database
from appliance.errors import AddressError, BudgetExceededError
from appliance.execution import Execution
from appliance.gateway import auth, buttons
from appliance.gateway.commands import Choice, Commands
from appliance.gateway.delivery import Delivery
from appliance.gateway.erasure import scrub
from appliance.gateway.events import Events
from appliance.gateway.everyday import Everyday
from appliance.gateway.inbox import Inbox
from appliance.gateway.intake import STORED, Intake
from appliance.gateway.outbox import Outbox, Row
from appliance.gateway.replies import Replies
from appliance.gateway.server import Server
from appliance.gateway.services import Services
from appliance.lanes.pool import Pool
from appliance.local_models.supervisor import Supervisor, needed
from appliance.local_offers import LocalOffers
from appliance.memory.commands import make_embedder
from appliance.memory.house import Memory
from appliance.memory.items import Items
from appliance.memory.workspace import Workspace
from appliance.messages import Button, Event, Inbound, Mode, Outbound, Person, Reply, Role, SessionKey
from appliance.models.paid_embeddings import PaidEmbeddings
from appliance.models.resolver import Resolver
from appliance.models.shelf import Shelf
from appliance.monitoring import Monitoring, with_commands
from appliance.observability import audit, logs
from appliance.observability.health import Health
from appliance.observability.notices import Choices
from appliance.overview import Overview
from appliance.remembering import Remembering
from appliance.roles import Right, may
from appliance.rooms import core_rooms
from appliance.settings import Settings, secret_values
from appliance.skillset import SkillSet
from appliance.spending import adjust
from appliance.spending.budget import Budget, BudgetEvent
from appliance.spending.prices import Prices
from appliance.spending.report import Spending
from appliance.spending.show import MoneyText, footer_text
from appliance.texts import language_of, say
from appliance.tools.base import ToolContext, ToolResult
from appliance.tools.files import Edit, Read, Write
from appliance.tools.memory import tools as memory_tools
from appliance.tools.outputs import Outputs, ReadOutput
from appliance.tools.registry import Registry
from appliance.web_tools import WebTools

log = structlog.get_logger(__name__)
OWNER = Person("owner", role=Role.OWNER)


class Parts:
    """Given settings, everything the house is made of. `build` opens STATE's databases and starts nothing.

    `extend` may add tools and commands to what is built. `spawn` runs something beside everything else.
    """

    def __init__(
        self, settings: Settings, clock: Clock | None = None, extend: Callable[[Any], None] | None = None
    ) -> None:
        self._extend = extend
        self.settings = settings
        self.clock = clock or SystemClock()
        self.state = settings.state
        self._background: set[asyncio.Task[Any]] = set()
        self._workspaces: dict[str, Workspace] = {}
        self._prompts: dict[str, PromptBuilder] = {}
        self._fixed_language = settings.owner.language if settings.owner.language != "auto" else ""
        self.owner_language: str = self._fixed_language or "en"

    def spawn(self, work: Any, name: str) -> None:
        """Run `work` in the background until it ends or the house stops."""
        task = asyncio.create_task(work, name=name)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # building --------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Open the databases and make every part."""
        settings = self.settings
        self.health = Health(self.clock)
        self.core = Database(self.state / "core.db", core_rooms())
        self.core.open()
        self.audit = audit.Audit(self.core, self.clock)
        self.auth = auth.Auth(
            self.state,
            self.core,
            clock=self.clock,
            metrics_token=settings.server.metrics_token.get_secret_value(),
            alerts_token=settings.server.alerts_token.get_secret_value(),
            audit=self.audit.record,
        )
        self.auth.prepare()
        logs.configure(settings.logging, secret_values=[*self.auth.secret_values(), *secret_values(settings)])
        self._build_money()
        self._build_monitoring()
        self._build_models()
        self._build_stores()
        self._build_agent()
        self._build_gateway()
        self._build_memory()
        self._build_execution()
        self._build_skills()
        self._build_web()
        self._build_channels()
        self._build_automation()
        if self._extend is not None:
            self._extend(self)
        self._build_front()

    def _build_money(self) -> None:
        settings = self.settings
        zone = lambda: settings.owner.zone  # noqa: E731 - the same small answer for three parts
        self.prices = Prices(settings.budget.price_file)
        self.budget = Budget(self.core, self.prices, lambda: settings.budget, zone, self.clock, self._on_budget)
        self.spending = Spending(self.core, lambda: settings.budget, zone, self.clock)
        orphans = self.budget.recover()
        if orphans:
            log.warning("calls cut off by the last stop are charged as reserved", calls=orphans)

    def _build_monitoring(self) -> None:
        self.monitoring = Monitoring(
            settings=self.settings,
            core=self.core,
            budget=self.budget,
            prices=self.prices,
            clock=self.clock,
            version=__version__,
            tell=self.tell_owner,
            language=lambda: self.owner_language,
        )
        self.metrics = self.monitoring.metrics
        self.metrics.at_scrape("lane_depth", lambda: float(sum(self.pool.depths().values())))
        self.metrics.at_scrape("backup_last_success_timestamp_seconds", lambda: newest_backup(self.state))

    def _build_models(self) -> None:
        settings = self.settings
        chat, embedder = needed(settings)
        self.supervisor = Supervisor(
            settings.local, self.state / "models", chat=chat, embedder=embedder and chat, clock=self.clock
        )
        self.shelf = Shelf(settings, self.supervisor)
        self.resolver = Resolver(
            self.shelf.find,
            self.budget,
            self.clock,
            chain=lambda: settings.chain,
            at_limit=lambda: settings.budget.at_limit,
            watcher=self.metrics,
        )

    def _build_stores(self) -> None:
        """What is durable on the path of a message, and what runs on it."""
        settings = self.settings
        self.events = Events()
        self.inbox = Inbox(self.core, self.clock)
        self.replies = Replies(self.inbox.reply)
        self.delivery = Delivery(Outbox(self.core, self.clock), self.clock, self._undeliverable)
        self.sessions = Sessions(self.state, self.core, self.clock)
        self.outputs = Outputs(self.state / "outputs")
        self.pool = Pool(lambda *turn: self.intake.run_batch(*turn), settings.agent.parallel_turns, self.mode_of)
        self.tools = Registry(
            [Read(), Write(), Edit(), ReadOutput(self.outputs, self.sessions.tool_result)], self._record_tool
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
        )

    def _build_agent(self) -> None:
        settings = self.settings
        self.compactor = Compactor(
            sessions=self.sessions,
            resolver=self.resolver,
            cheap=self.cheap_chain,
            clock=self.clock,
            capture=lambda *part: self.remembering.before_compaction(*part),
            note=lambda *found: self.remembering.note(*found),
            emit=self._emit_hook,
            cooled=lambda key: self.prompt_builder(key.agent).cooled(key),
            counted=lambda outcome: self.metrics.add("compactions_total", outcome=outcome),
        )
        self.brain = Brain(
            compactor=self.compactor,
            pruner=Pruner(self.clock),
            counted=self._count_context,
            resolver=self.resolver,
            prompts=self.prompt_builder,
            tools=self.tools,
            settings=lambda: settings,
            clock=self.clock,
            chain=self.chain_of,
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
        )

    def _build_gateway(self) -> None:
        self.commands = Commands(buttons.Buttons(self.core, self.clock))
        self.intake = Intake(
            inbox=self.inbox,
            agent=self.agent,
            events=self.events,
            replies=self.replies,
            delivery=self.delivery,
            commands=self.commands,
            clock=self.clock,
            tell_owner=self.tell_owner,
            heard=self._heard,
            choices=self._choices_after,
            footer=lambda reply: footer_text(reply.model, reply.cost) if self.settings.budget.footer else "",
        )
        self.intake.pool = self.pool
        self.events.listen(self.delivery.on_event)
        self.events.listen(self.intake.on_event)
        self.events.listen(self.monitoring.on_event)
        Everyday(
            sessions=self.sessions,
            pool=self.pool,
            budget=self.budget,
            money=MoneyText(self.budget, self.spending, lambda: self.settings.owner.zone),
            chain=self.chain_of,
            models=self.model_names,
            status=self.overview.status_text,
            context=self.overview.context,
            doctor=self._doctor,
            cooled=lambda key: self.prompt_builder(key.agent).cooled(key),
            audit=self.audit.record,
            compactor=self.compactor,
        ).add_to(self.commands)

    def _build_memory(self) -> None:
        settings = self.settings
        self.workspace("main")
        embedder = make_embedder(
            settings.memory,
            self.supervisor.base_url,
            local_token=self.supervisor.token,
            wanted=self.supervisor.wanted and settings.local.embedder != "off",
            meter=PaidEmbeddings(self.budget, free=not settings.memory.embedder_costs),
        )
        self.memory = Memory(
            self.state,
            self._workspaces,
            self.clock,
            settings.memory,
            embedder=embedder,
            audit=self.audit.record,
            timed=lambda seconds: self.metrics.observe("memory_search_duration_seconds", seconds),
        )
        self.memory.open()
        self.remembering = Remembering(
            self.memory,
            self.workspace,
            self.clock,
            lambda tag: self.metrics.add("memory_captured_total", tag=tag),
            self._erase,
        )
        self.owners_memory = self.remembering.owner
        self.remembering.add_commands(self.commands)
        for tool in memory_tools(self.memory, lambda: settings.owner.zone):
            self.tools.add(tool)
        self.intake.hooks.append(self.remembering.after_turn)

    def _build_execution(self) -> None:
        self.execution = Execution(
            settings=self.settings,
            core=self.core,
            clock=self.clock,
            tools=self.tools,
            health=self.health,
            metrics=self.metrics,
            notices=self.monitoring.notices,
            tell_owner=self.tell_owner,
            language=lambda: self.owner_language,
            may_ask=lambda session: self.automation.may_disturb(session),
        )
        self.execution.add_commands(self.commands)
        self.local_offers = LocalOffers(
            self.supervisor, self.health, self.monitoring.notices, self.tell_owner, lambda: self.owner_language
        )
        if self.supervisor.wanted:
            self.local_offers.add_commands(self.commands)

    def _build_skills(self) -> None:
        self.skills = SkillSet(
            settings=self.settings,
            core=self.core,
            clock=self.clock,
            tools=self.tools,
            workspace=self.workspace("main").files,
            notices=self.monitoring.notices,
            programs=self.execution,
            language=lambda: self.owner_language,
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

    def _build_channels(self) -> None:
        """Channels whose secret exists; their libraries are loaded when they start, behind readiness."""
        settings = self.settings
        self.access = access.Access(
            self.core, self.clock, {"telegram": settings.telegram.members, "discord": settings.discord.members}
        )
        self.channels: list[ChatChannel] = []
        attachments = AttachmentStore(self.workspace("main").files, self.clock)
        if settings.telegram.bot_token.get_secret_value():
            self.channels.append(
                TelegramChannel(
                    settings.telegram,
                    self.core,
                    self.clock,
                    self.access,
                    self.intake,
                    attachments,
                    self.health,
                    self.commands.menu,
                    self.tell_owner,
                    self.monitoring,
                )
            )
        if settings.discord.bot_token.get_secret_value():
            self.channels.append(
                DiscordChannel(
                    settings.discord,
                    self.core,
                    self.clock,
                    self.access,
                    self.intake,
                    attachments,
                    self.health,
                    self.monitoring,
                )
            )

    def _build_automation(self) -> None:
        main = self.workspace("main")
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
                files=lambda: main.files,
                checklist=lambda: main.read("HEARTBEAT.md"),
                items=lambda: Items(main).active(),
                cheap=self.cheap_chain,
                models=self.model_names,
                announce=self._show_notice,
                tell_owner=self.tell_owner,
                set_budget=lambda key, usd: self.core.write(lambda c: adjust.set_session(c, key.value, usd)),
                audit=self.audit.record,
                language=lambda: self.owner_language,
                alone=self.pool.alone,
                stop=self.pool.stop,
                fetch=self._read_address if self.web.client is not None else None,
            )
        )
        self.automation.add_to_house()
        self.events.listen(self.automation.on_event)

    def _build_front(self) -> None:
        services = Services(
            settings=self.settings,
            auth=self.auth,
            health=self.health,
            intake=self.intake,
            events=self.events,
            replies=self.replies,
            sessions=StoppableSessions(self.sessions, self.pool.stop),
            web=WebChat(self.workspace("main").files, clock=self.clock, language=self._fixed_language),
            version=__version__,
            clock=self.clock,
            context=lambda key: self.overview.context(key, OWNER),
            budget=self.budget,
            spending=self.spending,
            status=self.overview.status,
            metrics=self.metrics.render,
            alerts=self._alerted,
            models=self.supervisor.status,
            approvals=self.execution.approvals,
            rules=self.execution.approvals,
            people=self.access if self.channels else None,
            schedules=ByHand(self.automation.desk, self.automation.cron, self.automation.heartbeat),
            doctor=self._doctor,
            memory_search=self.owners_memory.search,
            memory=self.owners_memory,
            skills=self.skills,
        )
        self.server = Server(services)

    # what parts are handed -------------------------------------------------------------------------------------

    def workspace(self, agent: str) -> Workspace:
        found = self._workspaces.get(agent)
        if found is None:
            found = Workspace(self.state / "agents" / agent, self.settings.owner.zone)
            found.create({name: template(name) for name in NAMES})
            self._workspaces[agent] = found
        return found

    def prompt_builder(self, agent: str) -> PromptBuilder:
        found = self._prompts.get(agent)
        if found is None:
            found = self._prompts[agent] = PromptBuilder(
                self.workspace(agent), lambda: self.settings.agent, self.clock, lambda: self.skills.lines()
            )
        return found

    def chain_of(self, session: SessionKey) -> list[str]:
        """The models of a session in order: its own choice first."""
        scheduled = self.automation.chain(session)
        if scheduled is not None:
            return list(scheduled)
        chosen = self.sessions.option(session, "model")
        chain = self.settings.chain
        return [chosen, *(m for m in chain if m != chosen)] if chosen else chain

    def model_names(self) -> list[str]:
        """Every model that can be chosen."""
        return list(dict.fromkeys([*self.settings.chain, self.settings.cheap, *self.settings.openai_compatible]))

    def cheap_chain(self) -> list[str]:
        """Who flushes and summarises: the cheap model, then the local one when it is in the chain."""
        return list(dict.fromkeys([self.settings.cheap, *(m for m in self.settings.chain if m == "local")]))

    async def _erase(self, text: str) -> int:
        """A text to be erased: out of core.db, and out of transcripts that are held in memory."""
        self.sessions.close()  # they are read again from disk, without it
        return await scrub(self.core, text)

    def _count_context(self, sections: Sequence[tuple[str, int]]) -> None:
        """What the last prompt held, for the dashboards."""
        for name, size in sections:
            self.metrics.set("context_tokens", float(size), section=name)

    async def _emit_hook(self, name: str, data: dict[str, Any]) -> None:
        log.debug("hook", event_name=name, **data)

    async def _choices_after(self, reply: Reply, inbound: Inbound) -> tuple[Button, ...]:
        """Ways out under a reply that money stood in the way of, for whoever may decide about money."""
        if reply.error != BudgetExceededError.__name__ or not may(inbound.person.role, Right.SET_MONEY):
            return ()
        language = self.owner_language
        ways = [Choice(say("budget_raise_label", language), "/budget raise 1")]
        if "local" in self.settings.chain:
            ways.append(Choice(say("budget_local_label", language), "/model local"))
        return await self.commands.buttons_for(ways, inbound.person, inbound.channel)

    def _heard(self, inbound: Inbound) -> None:
        """Follow the language the owner writes, unless the settings name one."""
        if self.settings.owner.language == "auto" and inbound.person.role is Role.OWNER:
            self.owner_language = inbound.person.language or language_of(inbound.text, "en")

    def mode_of(self, session: SessionKey) -> Mode:
        chosen = self.sessions.option(session, "mode")
        return Mode(chosen) if chosen else self.settings.agent.mode

    def context_by_name(self, name: str) -> dict[str, Any]:
        return self.overview.context(self.sessions.require(name), OWNER)

    async def _doctor(self) -> list[dict[str, Any]]:
        from appliance.doctor import Patient, examine

        return [finding.as_json() for finding in await examine(Patient(self.settings, inside=True))]

    async def tell_owner(self, text: str, choices: Choices = ()) -> None:
        """Say something to the owner once, on each of their channels; `choices` are buttons where there are some."""
        wanted = [Choice(label, command) for label, command in choices]
        shown = with_commands(text, choices)
        self._show_notice(shown)
        for channel, person, place in self.inbox.owner_places():
            if channel in STORED:
                continue
            buttons = await self.commands.buttons_for(wanted, Person(person, role=Role.OWNER), channel)
            said = text if buttons or not choices else shown
            await self.delivery.say(Outbound(channel, place, said, buttons=buttons, kind="notice"))

    async def _read_address(self, url: str) -> bytes:
        """The bytes at an address, through the wall. Raises AddressError, TooLargeError, ConnectionError."""
        if self.web.client is None:
            raise AddressError("The web is switched off.")
        found = await self.web.client.get(url)
        if found.status >= 400:
            raise ConnectionError(f"{found.url} answered {found.status}")
        return found.body

    async def _alerted(self, payload: dict[str, Any]) -> None:
        """Alertmanager's webhook: the owner is told, then what watches the alert is woken."""
        await self.monitoring.alerts.receive(payload)
        await self.automation.alerted(payload)

    def _show_notice(self, text: str) -> None:
        """Show a text to whoever watches the owner's conversation right now."""
        self.events.publish(Event("notice", SessionKey.main(), {"text": text, "turn": "", "message_ids": []}))

    async def _undeliverable(self, row: Row, reason: str) -> None:
        self.audit.record("undeliverable", channel=row.channel, outbox=row.id, reason=reason)
        if row.kind != "notice":
            await self.tell_owner(say("undeliverable", self.owner_language, channel=row.channel, reason=reason))

    def _on_budget(self, event: BudgetEvent) -> None:
        self.audit.record("budget", kind_of=event.kind, scope=event.scope, percent=event.percent, spent=event.spent)
        self.spawn(self.monitoring.on_budget(event), "budget-mark")

    def _record_tool(self, name: str, context: ToolContext, arguments: dict[str, Any], result: ToolResult) -> None:
        shown = {k: (v if len(str(v)) <= 200 else str(v)[:200] + "…") for k, v in arguments.items()}
        self.audit.record(
            "tool", tool=name, session=context.session.value, turn=context.turn, ok=result.ok, arguments=shown
        )
