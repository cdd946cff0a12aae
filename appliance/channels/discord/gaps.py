"""What was written while nobody listened: after each new session the channels' history after the mark."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import structlog

from appliance.channels.discord import state
from appliance.channels.discord.api import DiscordApi, RefusedError
from appliance.database import Database

log = structlog.get_logger(__name__)

_PAGE = 100
_MESSAGES = "/channels/{channel_id}/messages"
Handle = Callable[[dict[str, Any]], Awaitable[None]]


class Gaps:
    """Give it the guild channels of the settings; `fill` after each new session, before anything newer is handled."""

    def __init__(self, api: DiscordApi, database: Database, channels: frozenset[int], handle: Handle) -> None:
        self._api = api
        self._database = database
        self._channels = channels
        self._handle = handle

    async def fill(self, account: str) -> None:
        """Handle what is newer than the marks, oldest first. A channel without a mark gets one: nothing is replayed.

        Raises DeliveryError when Discord cannot be asked; what was handled until then has moved its mark.
        """
        direct = state.marks(self._database, account, private=True)
        guilds = state.marks(self._database, account, private=False)
        for chat, mark in sorted(direct.items()):
            await self._careful(self._since(account, chat, mark, private=True), account, chat)
        for chat in sorted(self._channels):
            work = (
                self._since(account, chat, guilds[chat], private=False)
                if chat in guilds
                else self._begin(account, chat)
            )
            await self._careful(work, account, chat)

    async def _careful(self, work: Coroutine[Any, Any, None], account: str, chat: int) -> None:
        """A channel that is gone or closed to us keeps nothing else waiting."""
        try:
            await work
        except RefusedError as refusal:
            log.warning("history cannot be read", channel="discord", status=refusal.status)
            if refusal.status == 404:
                await self._database.write(partial(state.forget, account=account, chat=chat))

    async def _begin(self, account: str, chat: int) -> None:
        newest = await self._api.call("GET", _MESSAGES, channel_id=chat, query={"limit": 1})
        await self._mark(account, chat, int(newest[0]["id"]) if newest else 0, private=False)

    async def _since(self, account: str, chat: int, mark: int, *, private: bool) -> None:
        while True:
            query = {"after": str(mark), "limit": _PAGE}
            page = await self._api.call("GET", _MESSAGES, channel_id=chat, query=query)
            for message in sorted(page, key=lambda one: int(one["id"])):
                # History leaves out where a message is from, which the gateway says; the mark remembers it.
                await self._handle(message if private else message | {"guild_id": "known"})
                mark = int(message["id"])
            await self._mark(account, chat, mark, private=private)
            if len(page) < _PAGE:
                return

    async def _mark(self, account: str, chat: int, message: int, *, private: bool) -> None:
        await self._database.write(
            partial(state.put_mark, account=account, chat=chat, message=message, private=private)
        )
