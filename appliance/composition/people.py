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
    """Given who is known, the audit log, the inbox, how a person's jobs are paused, and who is told that the owner may
    be somebody else, hear of every change."""

    access: Access
    audit: Audit
    inbox: Inbox
    pause_jobs: Callable[[str], Awaitable[None]]
    know_owners: Callable[[], Awaitable[None]]

    def hear(self) -> None:
        self.access.on_paired(self._paired)
        self.access.on_changed(self._changed)

    async def _paired(self, channel: str, person: Person) -> None:
        self.audit.record("person", channel=channel, person=person.id, role=person.role)
        await self.know_owners()

    async def _changed(self, channel: str, user: str, role: Role | None) -> None:
        """Whoever is no owner any more gets no notices; whoever may not schedule has nothing that runs."""
        self.audit.record("person", channel=channel, person=user, role=role or "removed")
        for place, person, _ in self.inbox.owner_places():  # an owner is one to every bot of a platform
            if person != user:
                continue
            known = self.access.check(place, user)
            if known is None or known.role is not Role.OWNER:
                await self.inbox.forget_place(place, user)
        if role in (None, Role.GUEST):
            await self.pause_jobs(user)
        await self.know_owners()
