"""What was written and edited on Slack while nobody listened, in channels and in the threads of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from appliance.channels.gaps import Gaps, Handle
from appliance.channels.known import known_by_edit, known_topics
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
        found = await self._before(chat)
        return max((max(_changed(one), str(one.get("latest_reply", ""))) for one in found), default="0")

    async def after(self, chat: str, mark: str, *, private: bool) -> list[tuple[str, Raw]]:
        """As Gaps says.

        Slack has no list of changes. So besides what is new the messages before the mark are looked at, for edits and
        for threads that went on, and the threads that somebody talked to us in.
        """
        found = await self._all("conversations.history", channel=chat, oldest=mark)
        found += await self._before(chat, mark)
        threads = {str(one["ts"]) for one in found if str(one.get("latest_reply", "")) > mark}
        for thread in sorted(threads | known_topics(self._database, self._channel, chat)):
            found += await self._thread(chat, thread)
        unique = {str(one["ts"]): one for one in found}
        changed = sorted((_changed(one), ts) for ts, one in unique.items())
        return [(at, self._told(unique[ts], chat, mark)) for at, ts in changed if at > mark]

    def _told(self, message: Raw, chat: str, mark: str) -> Raw:
        """A message of history as Slack tells of it live: a new one, or the edit of one that we know already."""
        number = str(message["ts"])
        known = number <= mark or (message.get("edited") and known_by_edit(self._database, self._channel, chat, number))
        if not known:
            return message | {"channel": chat}
        return {"type": "message", "subtype": "message_changed", "channel": chat, "message": message}

    async def _before(self, chat: str, mark: str | None = None) -> list[Raw]:
        """The newest messages up to a mark, without the threads under them."""
        page = await self._api.call("conversations.history", channel=chat, latest=mark, inclusive=True, limit=_PAGE)
        return list(page["messages"])

    async def _thread(self, chat: str, thread: str) -> list[Raw]:
        try:
            return await self._all("conversations.replies", channel=chat, ts=thread)
        except RefusedError as refusal:
            if refusal.error != "thread_not_found":  # it was deleted
                raise
            return []

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


def _changed(message: Raw) -> str:
    """When a message was written or last edited."""
    return max(str(message["ts"]), str((message.get("edited") or {}).get("ts", "")))
