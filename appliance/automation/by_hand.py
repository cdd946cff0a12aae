"""Schedules by the owner's hand on the page: the list with what comes next, and one deed at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from appliance.automation.commands import Beat
from appliance.automation.cron import Cron
from appliance.automation.desk import Desk
from appliance.automation.jobs import OWNER, Standing
from appliance.automation.occurrences import following, utc_text
from appliance.errors import InputError, NoAgentError
from appliance.messages import MAIN

_SHOWN = 3  # occurrences
ACTIONS = ("approve", "pause", "resume", "run", "remove")


@dataclass(frozen=True, slots=True)
class ByHand:
    """Given the desk, cron and each agent's heartbeat, what GET and POST /api/schedules do."""

    desk: Desk
    cron: Cron
    beats: Mapping[str, Beat]

    def rows(self) -> list[dict[str, Any]]:
        """Every job as `appliance cron list --json` shows it, with `upcoming`: the next three instants (UTC)."""
        return [{**self.cron.shown(one), "upcoming": self._upcoming(one)} for one in self.desk.jobs.all()]

    def heartbeats(self) -> dict[str, dict[str, str]]:
        """By agent: {state: on, off, paused or resting; reason}."""
        return {agent: beat.shown() for agent, beat in self.beats.items()}

    async def act(self, name: str, action: str) -> dict[str, Any]:
        """Do one of ACTIONS to a job (its id or name), or pause or resume `heartbeat`, of another agent `heartbeat:ID`;
        return how it stands then.

        Raises NotFoundError (no such job), InputError (not a deed, or not one for how the job stands).
        """
        if action not in ACTIONS:
            raise InputError(f"action must be one of {', '.join(ACTIONS)}.")
        kind, _, agent = name.partition(":")
        if kind == "heartbeat":
            return await self._beat(name, agent or MAIN, action)
        standing = self.desk.jobs.find(name)
        if action == "remove":
            await self.desk.remove(standing)
            return {"id": standing.job.id, "state": "removed"}
        if action == "run":
            await self.desk.run_now(standing)
        elif action == "approve" and standing.state != "pending":
            raise InputError(f"{standing.job.name!r} does not wait for a yes.")
        elif action == "resume" and standing.state == "pending":
            raise InputError(f"{standing.job.name!r} waits for a yes.", fix="Approve it.")
        else:
            await self.desk.set_state(standing, "paused" if action == "pause" else "active", OWNER)
        return {"id": standing.job.id, "state": self.desk.jobs.find(standing.job.id).state}

    async def _beat(self, name: str, agent: str, action: str) -> dict[str, Any]:
        if action not in ("pause", "resume"):
            raise InputError("The heartbeat can be paused and resumed.")
        beat = self.beats.get(agent)
        if beat is None:
            raise NoAgentError(agent)
        await (beat.pause() if action == "pause" else beat.resume())
        return {"id": name, **beat.shown()}

    def _upcoming(self, standing: Standing) -> list[str]:
        if standing.state != "active":
            return []
        try:
            rule = self.cron.plan(standing.job).rule
        except InputError:
            return []  # its schedule cannot be read any more; its `note` says why
        since = max(self.desk.clock.now(), standing.cursor)
        return [utc_text(at) for at in islice(following(rule, since), _SHOWN)]
