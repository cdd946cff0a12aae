"""Alertmanager's webhook: each alert is told to the owner once, with buttons; some may pause paid models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from appliance.errors import InputError
from appliance.observability.notices import Choices, Notices
from appliance.texts import say
from appliance.trust import clean

# Alerts about a mark of the budget, which the gateway tells by itself at that very moment.
_MARKS = {"ApplianceBudgetWarning": 80, "ApplianceBudgetExhausted": 100}
_MOST = 100  # alerts of one request
_LONGEST = 500


class Money(Protocol):
    """The budget as alerts see it (spending.budget.Budget). `mark` returns the key of the notice of a mark that is set
    now, or None."""

    def mark(self, name: str, percent: int) -> str | None: ...
    async def pause(self, why: str) -> None: ...


class Alerts:
    """`receive` is the webhook. `pause_on` names alerts after which no paid model is called until the owner says so."""

    def __init__(
        self,
        notices: Notices,
        money: Money,
        pause_on: Callable[[], Collection[str]],
        language: Callable[[], str] = lambda: "en",
    ) -> None:
        self._notices = notices
        self._money = money
        self._pause_on = pause_on
        self._language = language

    async def receive(self, payload: Mapping[str, Any]) -> None:
        """Take one request of Alertmanager. Raises InputError when it is none."""
        alerts = payload.get("alerts")
        if not isinstance(alerts, list) or len(alerts) > _MOST or not all(isinstance(one, dict) for one in alerts):
            raise InputError("This is not a notification of Alertmanager.", fix="Point its webhook here (version 4).")
        for alert in alerts:
            if alert.get("status") == "firing":
                await self._firing(alert)

    async def _firing(self, alert: Mapping[str, Any]) -> None:
        labels, notes = alert.get("labels"), alert.get("annotations")
        if not isinstance(labels, dict) or not isinstance(notes, dict) or not isinstance(labels.get("alertname"), str):
            raise InputError("An alert without a name was sent.", fix="Point Alertmanager's webhook here (version 4).")
        name = labels["alertname"]
        key = f"alert:{name}:{alert.get('fingerprint', '')}:{alert.get('startsAt', '')}"
        if name in _MARKS:
            mark = self._money.mark(str(labels.get("scope", "day")), _MARKS[name])
            if mark is None:  # raised in the meantime: no news any more
                return
            key = mark
        text = say(
            "alert", self._language(), summary=_short(notes, "summary"), description=_short(notes, "description")
        )
        pausing = name in self._pause_on()
        if pausing:
            text = f"{text}\n{say('alert_paused', self._language())}"
            if not self._notices.known(key):  # first, so that a kill in between cannot tell and not do it
                await self._money.pause(_short(notes, "summary") or name)
        await self._notices.once(key, text, self._choices(name, pausing))

    def _choices(self, name: str, pausing: bool) -> Choices:
        language = self._language()
        choices = [(say("budget_raise_label", language), "/budget raise 1")] if "Budget" in name else []
        return [*choices, (say("budget_resume_label", language), "/budget resume")] if pausing else choices


def _short(notes: Mapping[str, Any], name: str) -> str:
    return clean(str(notes.get(name, "")))[:_LONGEST]
