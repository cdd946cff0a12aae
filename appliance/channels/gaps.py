"""What was written while nobody listened: after each new connection the chats' history after their marks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import partial
from typing import Any

import structlog

from appliance.channels.marks import forget, marks, put_mark
from appliance.database import Database
from appliance.errors import DeliveryError

log = structlog.get_logger(__name__)

Raw = dict[str, Any]
Handle = Callable[[Raw, str], Awaitable[None]]  # what was found, and the mark that is to follow from it


class Gaps(ABC):
    """Give it the channel's name, the groups of the settings and what handles a message; `fill` after each new
    connection, before anything newer is handled."""

    def __init__(self, database: Database, channel: str, groups: Iterable[int | str], handle: Handle) -> None:
        self._database = database
        self._channel = channel
        self._groups = sorted(str(group) for group in groups)
        self._handle = handle

    @abstractmethod
    async def newest(self, chat: str) -> str:
        """The mark that a group begins with: its newest message. Raises DeliveryError."""

    @abstractmethod
    async def after(self, chat: str, mark: str, *, private: bool) -> list[tuple[str, Raw]]:
        """What was written or edited after a mark, each with the mark that is to follow from it, in that order.

        Raises DeliveryError.
        """

    @abstractmethod
    def is_gone(self, refusal: DeliveryError) -> bool:
        """Whether a refusal says that the chat is there no more."""

    async def fill(self, account: str) -> None:
        """Handle what is newer than the marks, oldest first. A group without a mark gets one: nothing is replayed.

        Raises ApplianceError when the platform cannot be asked; what was handled until then has moved its mark.
        """
        direct = marks(self._database, self._channel, account, private=True)
        groups = marks(self._database, self._channel, account, private=False)
        for chat, mark in sorted(direct.items()):
            await self._careful(self._since(account, chat, mark, private=True), account, chat)
        for chat in self._groups:
            known = groups.get(chat)
            work = self._begin(account, chat) if known is None else self._since(account, chat, known, private=False)
            await self._careful(work, account, chat)

    async def _careful(self, work: Coroutine[Any, Any, None], account: str, chat: str) -> None:
        """A chat that is gone or closed to us keeps nothing else waiting."""
        try:
            await work
        except DeliveryError as refusal:
            if not refusal.permanent:
                raise
            log.warning("history cannot be read", channel=self._channel, reason=refusal.what)
            if self.is_gone(refusal):
                await self._database.write(partial(forget, channel=self._channel, account=account, chat=chat))

    async def _begin(self, account: str, chat: str) -> None:
        await self._mark(account, chat, await self.newest(chat), private=False)

    async def _since(self, account: str, chat: str, mark: str, *, private: bool) -> None:
        following = mark
        for following, message in await self.after(chat, mark, private=private):
            await self._handle(message, following)
        await self._mark(account, chat, following, private=private)

    async def _mark(self, account: str, chat: str, message: str, *, private: bool) -> None:
        await self._database.write(
            partial(put_mark, channel=self._channel, account=account, chat=chat, message=message, private=private)
        )
