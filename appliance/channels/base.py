"""What every channel is, and what it is handed: the front door, health, counts."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

import apsw

from appliance.channels.access import Access
from appliance.channels.attachments import AttachmentStore
from appliance.clock import Clock
from appliance.database import Database
from appliance.gateway.delivery import Carrier
from appliance.gateway.webhooks import Webhook
from appliance.messages import MAIN, Inbound, Person, Role
from appliance.observability.health import Health

Extra = Callable[[apsw.Connection], object]
TellOwner = Callable[[str], Coroutine[Any, Any, None]]
Menu = Callable[[Role, str], list[tuple[str, str]]]  # role, language -> (command, description)


class Channel(Protocol):
    """A platform. `start` returns once it listens or has begun to try; `stop` once nothing of it runs."""

    name: str

    async def start(self) -> None: ...
    async def stop(self) -> None: ...


class ChatChannel(Channel, Protocol):
    """A platform that delivery writes to by `carrier`, once `opened` has returned.

    `pause` stops hearing; sending still works. `webhooks` are what the platform calls at /hooks/<name>.
    """

    webhooks: dict[str, Webhook]

    @property
    def carrier(self) -> Carrier: ...

    async def opened(self) -> None: ...

    async def private_place(self, person: Person) -> dict[str, Any]:
        """Where a person is written to in private. Raises DeliveryError."""
        ...

    async def pause(self) -> None: ...


class Intake(Protocol):
    """The front door. When `accept` returns the message is on disk; `extra` was committed with it."""

    async def accept(self, inbound: Inbound, extra: Extra | None = None) -> Any: ...


class Counts(Protocol):
    """Numbers for the metrics; no id, name or text ever goes here."""

    def message(self, channel: str, direction: str, outcome: str) -> None: ...
    def polled(self, channel: str, at: float) -> None: ...


class NoCounts:
    """Counts nothing."""

    def message(self, channel: str, direction: str, outcome: str) -> None:
        pass

    def polled(self, channel: str, at: float) -> None:
        pass


@dataclass(slots=True)
class ChannelParts:
    """The parts of the house that every chat platform works with."""

    database: Database
    clock: Clock
    access: Access
    intake: Intake
    attachments: AttachmentStore
    health: Health
    menu: Menu
    tell_owner: TellOwner
    counts: Counts = field(default_factory=NoCounts)
    agent: str = MAIN  # whose channel it is
