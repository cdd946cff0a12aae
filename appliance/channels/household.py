"""Writing to somebody of the household by name, wherever they are paired."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from appliance.channels.access import Access
from appliance.channels.base import ChatChannel
from appliance.channels.webchat import CHANNEL as WEB
from appliance.errors import DeliveryError, ToolError
from appliance.gateway.delivery import Delivery, silently
from appliance.messages import Attachment, Outbound, Person, Role
from appliance.settings.agents import Further, speaks_on


class Household:
    """Given who is paired, the channels and the further agents, carry a message to one person; silently where
    `no_pushes` says so of them. Names are looked up, never trusted: two people of one name have to be told apart by
    channel and id."""

    def __init__(
        self,
        access: Access,
        channels: Callable[[], Sequence[ChatChannel]],
        agents: Further,
        delivery: Delivery,
        no_pushes: Callable[[Person], bool],
    ) -> None:
        self._access = access
        self._channels = channels
        self._agents = agents
        self._delivery = delivery
        self._no_pushes = no_pushes

    def shows_files(self, channel: str) -> bool:
        """Whether an answer on this channel can carry files: on the chat platforms, and on the page."""
        return channel == WEB or any(one.name == channel for one in self._channels())

    def person(self, agent: str, to: str) -> Person:
        """Who is meant. Raises ToolError for somebody unknown to that agent's channels."""
        return self._find(agent, to)[1]

    async def send(self, agent: str, to: str, text: str, files: Sequence[Attachment]) -> str:
        """Put a message of an agent on its way; return to whom. Raises ToolError for somebody unknown to that agent's
        channels or out of reach."""
        name, person = self._find(agent, to)
        channel = next(one for one in self._channels() if one.name == name)
        try:
            place = await channel.private_place(person)
        except DeliveryError as error:
            raise ToolError(f"{to} cannot be reached: {error.what}") from None
        if self._no_pushes(person):
            place = silently(place)
        await self._delivery.say(Outbound(name, place, text, attachments=tuple(files)))
        return f"{person.name or person.id} on {name}"

    def _find(self, agent: str, to: str) -> tuple[str, Person]:
        there = speaks_on(self._agents, agent, [one.name for one in self._channels()])
        wanted = to.strip().casefold()
        people = [(channel, person) for channel in sorted(there) for person in self._access.known_on(channel)]
        if wanted == "owner":
            owners = [one for one in self._access.owners() if one[0] in there]
            found = (owners or [one for one in people if one[1].role is Role.OWNER])[:1]
        else:
            found = [
                (channel, person)
                for channel, person in people
                if wanted in (person.id.casefold(), f"{channel}:{person.id}".casefold(), person.name.strip().casefold())
            ]
        if len(found) == 1:
            return found[0]
        known = ", ".join(f"{channel}:{person.id} ({person.name})" for channel, person in found or people)
        what = "is not one person" if found else "is not known"
        raise ToolError(f"{to!r} {what}. People: {known or 'nobody is paired yet'}.")
