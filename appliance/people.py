"""What follows when somebody is let in, gets another role or is removed; part of the composition root."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from appliance.channels.access import Access
from appliance.gateway.inbox import Inbox
from appliance.messages import Person, Role
from appliance.observability.audit import Audit


@dataclass(frozen=True, slots=True)
class PeopleChanges:
    """Given the audit log, the inbox and how a person's jobs are paused, hear of every change."""

    audit: Audit
    inbox: Inbox
    pause_jobs: Callable[[str], Awaitable[None]]

    def hear(self, access: Access) -> None:
        access.on_paired(self._paired)
        access.on_changed(self._changed)

    async def _paired(self, channel: str, person: Person) -> None:
        self.audit.record("person", channel=channel, person=person.id, role=person.role)

    async def _changed(self, channel: str, user: str, role: Role | None) -> None:
        """Whoever is no owner any more gets no notices; whoever may not schedule has nothing that runs."""
        self.audit.record("person", channel=channel, person=user, role=role or "removed")
        if role is not Role.OWNER:
            await self.inbox.forget_place(channel, user)
        if role in (None, Role.GUEST):
            await self.pause_jobs(user)
