"""What every part stands on: the databases, who may come in, the durable path of a message, money, models.

The lowest part of the composition root; `parts.py` builds the rooms on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from appliance import __version__
from appliance.automation.hooks import Hooks
from appliance.backup import newest_backup
from appliance.clock import Clock, SystemClock
from appliance.composition.hooking import Hooking
from appliance.composition.monitoring import Monitoring
from appliance.composition.owner import OwnerVoice
from appliance.composition.rooms import core_rooms
from appliance.database import Database
from appliance.gateway import auth, buttons
from appliance.gateway.commands import Commands
from appliance.gateway.delivery import Delivery
from appliance.gateway.disk import Disk
from appliance.gateway.events import Events
from appliance.gateway.inbox import Inbox
from appliance.gateway.outbox import Outbox
from appliance.gateway.replies import Replies
from appliance.local_models.supervisor import Supervisor, needed
from appliance.models.resolver import Resolver
from appliance.models.shelf import Shelf
from appliance.observability import audit, logs
from appliance.observability.health import Health
from appliance.settings import Settings, secret_values
from appliance.settings.mcp import secrets_of
from appliance.spending.budget import Budget, BudgetEvent
from appliance.spending.prices import Prices
from appliance.spending.report import Spending

log = structlog.get_logger(__name__)
_AGAIN_SECONDS = 60.0


class Foundation:
    """Given settings, the ground of the house. `spawn` runs something beside everything else."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock = clock or SystemClock()
        self.state = settings.state
        self._background: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Any, name: str) -> None:
        """Run `work` in the background until it ends or the house stops."""
        task = asyncio.create_task(work, name=name)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def keep(self, loop: Callable[[], Awaitable[None]], name: str) -> None:
        """Run an endless loop in the background until the house stops; what fails begins again a little later."""
        self.spawn(self._kept(loop, name), name)

    async def _kept(self, loop: Callable[[], Awaitable[None]], name: str) -> None:
        while True:
            try:
                await loop()
                return
            except Exception:  # the edge of a loop: a full disk now must not end it for good
                log.exception("a background loop failed, it begins again", loop=name)
            await self.clock.sleep(_AGAIN_SECONDS)

    def lay(self) -> None:
        """Open the databases and make what everything else is handed."""
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
        logs.configure(
            settings.logging,
            secret_values=[*self.auth.secret_values(), *secret_values(settings), *secrets_of(settings.mcp)],
        )
        self._build_path()
        self._build_money()
        self._build_monitoring()
        self._build_models()

    def _build_path(self) -> None:
        """What is durable on the path of a message, and the owner's end of it."""
        self.events = Events()
        self.inbox = Inbox(self.core, self.clock)
        self.replies = Replies(self.inbox.reply)
        self.delivery = Delivery(
            Outbox(self.core, self.clock), self.clock, lambda *undelivered: self.owner.undeliverable(*undelivered)
        )
        self.disk = Disk(
            self.state,
            self.clock,
            self.health,
            began=lambda: self.owner.notice("disk_full"),
            over=lambda: self.owner.notice("disk_room"),
        )
        self.commands = Commands(buttons.Buttons(self.core, self.clock), written=("email",))
        folder = self.state / "config" / "hooks"
        self.hooks = Hooks(folder, self.state, self.clock, lambda: self.settings.hooks)
        self.hooking = Hooking(self.hooks, self.commands.handles)
        self.delivery.sent = self.hooking.sent
        self.owner = OwnerVoice(self.settings, self.events, self.inbox, self.delivery, self.commands, self.audit)

    def _build_money(self) -> None:
        settings = self.settings
        zone = lambda: settings.owner.zone  # noqa: E731 - the same small answer for three parts
        self.prices = Prices(settings.budget.price_file)
        self.budget = Budget(self.core, self.prices, lambda: settings.limits, zone, self.clock, self._on_budget)
        self.spending = Spending(self.core, lambda: settings.limits, zone, self.clock)
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
            tell=self.owner.tell,
            language=self.owner.language,
        )
        self.metrics = self.monitoring.metrics
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
            chain=lambda: settings.models_named,
            at_limit=lambda: settings.budget.at_limit,
            watcher=self.metrics,
        )

    def _on_budget(self, event: BudgetEvent) -> None:
        self.audit.record("budget", kind_of=event.kind, scope=event.scope, percent=event.percent, spent=event.spent)
        self.spawn(self.monitoring.on_budget(event), "budget-mark")
        self.hooking.on_budget(event)
