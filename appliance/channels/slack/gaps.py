"""What was written on Slack while nobody listened; of threads what began after the mark or was shown in the channel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from appliance.channels.gaps import Gaps, Handle
from appliance.channels.slack.api import Raw, RefusedError, SlackApi
from appliance.database import Database
from appliance.errors import DeliveryError

_PAGE = 200


class SlackGaps(Gaps):
    """Gaps of private conversations that were written in, and of the channels of the settings."""

    def __init__(
        self, api: SlackApi, database: Database, channel: str, channels: Iterable[str], handle: Handle
    ) -> None:
        super().__init__(database, channel, channels, handle)
        self._api = api

    async def newest(self, chat: str) -> str:
        found = (await self._api.call("conversations.history", channel=chat, limit=1))["messages"]
        return str(found[0]["ts"]) if found else "0"

    async def after(self, chat: str, mark: str, *, private: bool) -> tuple[list[tuple[str, Raw]], bool]:
        found = await self._all("conversations.history", channel=chat, oldest=mark)
        for parent in [one for one in found if one.get("reply_count")]:
            found += await self._all("conversations.replies", channel=chat, ts=parent["ts"])
        unique = {str(one["ts"]): one | {"channel": chat} for one in found}
        return sorted(unique.items()), False

    def is_gone(self, refusal: DeliveryError) -> bool:
        return isinstance(refusal, RefusedError) and refusal.error == "channel_not_found"

    async def _all(self, method: str, **fields: Any) -> list[Raw]:
        """All pages: Slack's first is the newest, and marks must not jump."""
        found: list[Raw] = []
        cursor: str | None = ""
        while cursor is not None:
            page = await self._api.call(method, limit=_PAGE, cursor=cursor or None, **fields)
            found += page["messages"]
            cursor = page.get("response_metadata", {}).get("next_cursor") or None
        return found
