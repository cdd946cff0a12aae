"""What was written and edited on Discord while nobody listened."""

from __future__ import annotations

from collections.abc import Iterable

from appliance.channels.discord.api import DiscordApi, Raw, RefusedError
from appliance.channels.discord.updates import changed_at
from appliance.channels.gaps import Gaps, Handle
from appliance.channels.known import known_by_edit
from appliance.database import Database
from appliance.errors import DeliveryError

_PAGE = 100
_MESSAGES = "/channels/{channel_id}/messages"


class DiscordGaps(Gaps):
    """Gaps of private channels that were written in, and of the guild channels of the settings."""

    def __init__(
        self, api: DiscordApi, database: Database, channel: str, channels: Iterable[int], handle: Handle
    ) -> None:
        super().__init__(database, channel, channels, handle)
        self._api = api

    async def newest(self, chat: str) -> str:
        return str(max(map(changed_at, await self._page(chat)), default=0))

    async def after(self, chat: str, mark: str, *, private: bool) -> list[tuple[str, Raw]]:
        """As Gaps says. Discord has no list of edits, so the messages before the mark are looked at for some."""
        found = await self._page(chat, before=int(mark) + 1)
        newest = mark
        while page := await self._page(chat, after=newest):
            found += page
            newest = str(max(int(one["id"]) for one in page))
        # History leaves out where a message is from, which the gateway says; the mark remembers it.
        where = {} if private else {"guild_id": "known"}
        fresh = sorted((one for one in found if changed_at(one) > int(mark)), key=changed_at)
        return [(str(changed_at(one)), self._told(one | where, int(mark))) for one in fresh]

    async def _page(self, chat: str, **query: int | str) -> list[Raw]:
        return list(await self._api.call("GET", _MESSAGES, channel_id=int(chat), query={"limit": _PAGE, **query}))

    def _told(self, message: Raw, mark: int) -> Raw:
        """A message of history as the gateway tells of it: a new one, or the edit of one that we know already."""
        number, chat = str(message["id"]), str(message["channel_id"])
        known = int(number) <= mark or (
            message.get("edited_timestamp") and known_by_edit(self._database, self._channel, chat, number)
        )
        return {"t": "MESSAGE_UPDATE" if known else "MESSAGE_CREATE", "d": message}

    def is_gone(self, refusal: DeliveryError) -> bool:
        return isinstance(refusal, RefusedError) and refusal.status == 404
