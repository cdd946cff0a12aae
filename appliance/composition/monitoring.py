"""Metrics, notices and alerts put together from what the house has; a part of the composition root."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Sequence

from appliance.clock import Clock
from appliance.database import Database
from appliance.memory.house import Memory
from appliance.messages import Event
from appliance.observability.alerts import Alerts
from appliance.observability.metrics import Metrics
from appliance.observability.notices import Choices, Notices
from appliance.settings import Settings
from appliance.spending.budget import Budget, BudgetEvent
from appliance.spending.calls import raise_command
from appliance.spending.figures import Figures
from appliance.spending.prices import Prices
from appliance.spending.show import event_text
from appliance.texts import say

_MOST_TURNS = 1_000  # running at once; far more than lanes allow


class Monitoring:
    """Given the parts that it reads, offer `metrics`, `notices` and `alerts`, and listen.

    `tell` says something to the owner with buttons; `language` is theirs. core.db must have the tables of
    observability.notices.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        core: Database,
        budget: Budget,
        prices: Prices,
        clock: Clock,
        version: str,
        tell: Callable[[str, Choices], Awaitable[None]],
        language: Callable[[], str] = lambda: "en",
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._language = language
        self._began: dict[str, float] = {}
        self.scraped_at: float | None = None  # Unix seconds
        figures = Figures(
            core, prices, lambda: settings.limits, lambda: settings.owner.zone, clock, damage=lambda: budget.damage
        )
        self.metrics = Metrics(version=version, money=figures, channels=settings.chats)
        self.metrics.at_scrape("state_free_bytes", lambda: float(shutil.disk_usage(settings.state).free))
        self.notices = Notices(core, clock, tell)
        self.alerts = Alerts(self.notices, budget, lambda: settings.budget.pause_on_alerts, language)

    def memory(self, memory: Memory) -> None:
        """Count what is remembered at each scrape."""
        self.metrics.at_scrape(
            "memory_items", lambda: float(sum(len(memory.items(a).active()) for a in memory.workspaces))
        )
        self.metrics.at_scrape("memory_waiting", lambda: float(len(memory.quarantine.list())))
        self.metrics.at_scrape("memory_notes", lambda: float(sum(len(w.days()) for w in memory.workspaces.values())))

    async def on_budget(self, event: BudgetEvent) -> None:
        """Tell the owner of a mark or an overrun, once, with what they can do."""
        language = self._language()
        choices = [(say("budget_raise_label", language), raise_command(event.name))] if event.percent == 100 else []
        await self.notices.once(event.notice, event_text(event, self._settings.owner.zone, language), choices)

    def on_event(self, event: Event) -> None:
        """Measure turns from what the house publishes (gateway.events)."""
        turn = str(event.data.get("turn", ""))
        if event.type == "accepted":
            if len(self._began) >= _MOST_TURNS:  # turns that ended without a word
                self._began.pop(next(iter(self._began)))
            self._began[turn] = self._clock.monotonic()
        elif event.type in ("done", "error") and turn in self._began:
            self.metrics.observe("turn_duration_seconds", self._clock.monotonic() - self._began.pop(turn))

    def scrape(self) -> bytes:
        """The metrics in Prometheus' format; when they were last asked for is kept for the doctor."""
        self.scraped_at = self._clock.now()
        return self.metrics.render()

    def context(self, sections: Sequence[tuple[str, int]]) -> None:
        """What the last prompt held: each section's name and tokens."""
        for name, size in sections:
            self.metrics.set("context_tokens", float(size), section=name)

    def message(self, channel: str, direction: str, outcome: str) -> None:
        """Count a message (channels.base.Counts)."""
        self.metrics.add("channel_messages_total", channel=channel, direction=direction, outcome=outcome)

    def polled(self, channel: str, at: float) -> None:
        """A channel heard from its platform, at Unix seconds (channels.base.Counts)."""
        self.metrics.set("channel_last_poll_timestamp_seconds", at, channel=channel)
