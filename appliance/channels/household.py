"""Writing to somebody of the household by name, wherever they are paired."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from appliance.channels.access import Access
from appliance.channels.base import ChatChannel
from appliance.errors import DeliveryError, ToolError
from appliance.gateway.delivery import Delivery
from appliance.messages import Attachment, Outbound, Person, Role


class Household:
    """Given who is paired and the channels, carry a message to one person. Names are looked up, never trusted: two
    people of one name have to be told apart by channel and id."""

    def __init__(self, access: Access, channels: Callable[[], Sequence[ChatChannel]], delivery: Delivery) -> None:
        self._access = access
        self._channels = channels
        self._delivery = delivery

    def shows_files(self, channel: str) -> bool:
        """Whether an answer on this channel can carry files: on the chat platforms."""
        return any(one.name == channel for one in self._channels())

    async def send(self, to: str, text: str, files: Sequence[Attachment]) -> str:
        """Put a message on its way; return to whom. Raises ToolError for somebody unknown or out of reach."""
        name, person = self._find(to)
        channel = next((one for one in self._channels() if one.name == name), None)
        if channel is None:
            raise ToolError(f"{to} is known on {name}, which is not set up now.")
        try:
            place = await channel.private_place(person)
        except DeliveryError as error:
            raise ToolError(f"{to} cannot be reached: {error.what}") from None
        await self._delivery.say(Outbound(name, place, text, attachments=tuple(files)))
        return f"{person.name or person.id} on {name}"

    def _find(self, to: str) -> tuple[str, Person]:
        wanted = to.strip().casefold()
        there = {one.name for one in self._channels()}
        people = self._access.people()
        if wanted == "owner":
            found = [one for one in people if one[1].role is Role.OWNER and one[0] in there][:1]
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
