"""What was written on Discord while nobody listened."""

from __future__ import annotations

from collections.abc import Iterable

from appliance.channels.discord.api import DiscordApi, Raw, RefusedError
from appliance.channels.gaps import Gaps, Handle
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
        found = await self._api.call("GET", _MESSAGES, channel_id=int(chat), query={"limit": 1})
        return str(found[0]["id"]) if found else "0"

    async def after(self, chat: str, mark: str, *, private: bool) -> tuple[list[tuple[str, Raw]], bool]:
        query = {"after": mark, "limit": _PAGE}
        page = await self._api.call("GET", _MESSAGES, channel_id=int(chat), query=query)
        # History leaves out where a message is from, which the gateway says; the mark remembers it.
        where = {} if private else {"guild_id": "known"}
        ordered = sorted(page, key=lambda one: int(one["id"]))
        return [(str(message["id"]), message | where) for message in ordered], len(page) == _PAGE

    def is_gone(self, refusal: DeliveryError) -> bool:
        return isinstance(refusal, RefusedError) and refusal.status == 404
