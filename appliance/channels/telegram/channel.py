"""The Telegram channel: polling, menus, groups; what all platforms share stands in channels/platform.py."""

from __future__ import annotations

import contextlib
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any

import structlog

from appliance.channels.base import ChannelParts
from appliance.channels.heard import Heard
from appliance.channels.known import known_messages
from appliance.channels.platform import PlatformChannel
from appliance.channels.telegram import state
from appliance.channels.telegram.api import TelegramApi, TokenError
from appliance.channels.telegram.carrier import TelegramCarrier
from appliance.channels.telegram.menu import CommandMenus
from appliance.channels.telegram.polling import Poller
from appliance.channels.telegram.updates import Bot, Membership, Moved, read_update
from appliance.channels.telegram.webhook import Webhook, secret_of
from appliance.errors import ApplianceError
from appliance.messages import Person, Role
from appliance.observability.health import State
from appliance.roles import Right, may
from appliance.settings.channels import TelegramSettings
from appliance.texts import say

log = structlog.get_logger(__name__)


class TelegramChannel(PlatformChannel):
    """Give it its settings and the parts of the house; `carrier` is what delivery attaches."""

    name = "telegram"
    title = "Telegram"
    cut_units = 4096

    def __init__(self, settings: TelegramSettings, parts: ChannelParts) -> None:
        token = settings.bot_token.get_secret_value()
        self._api = TelegramApi(token, settings.api_base)
        super().__init__(parts, self._api.download, settings.groups)
        self._moves: dict[int, int] = {}
        self.carrier = self._telegram = TelegramCarrier(
            self._api,
            parts.clock,
            name=self.name,
            known=partial(known_messages, parts.database, self.name),
            outcome=lambda outcome: self._counts.message(self.name, "out", outcome),
            drafts=settings.drafts,
            ack=settings.ack_reaction,
            moved=self._moves,
            on_move=self._moved,
        )
        self._bot: Bot | None = None
        self._menus: CommandMenus | None = None
        self._webhook: Webhook | None = None
        if settings.webhook_url:
            self._webhook = Webhook(
                self._api,
                parts.database,
                self._clock,
                self._handle,
                self._health,
                self._counts,
                address=settings.webhook_url,
                secret=secret_of(token),
            )
            self.webhooks[self.name] = self._webhook.receive

    @property
    def username(self) -> str:
        """The bot's username, for a link that opens the chat; empty until Telegram was reached."""
        return self._bot.username if self._bot else ""

    @property
    def _account(self) -> str:
        return str(self._bot.id) if self._bot else ""

    def _loops(self) -> list[Coroutine[Any, Any, None]]:
        return [self._run()]

    async def _close(self) -> None:
        await self._api.close()

    async def private_place(self, person: Person) -> dict[str, Any]:
        return {"chat": int(person.id), "private": True}

    # --- life ---------------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        bot = await self._reach()
        if bot is None:
            return
        self._bot = bot
        parts = self._parts
        self._menus = CommandMenus(self._api, parts.database, self._clock, self._account, parts.menu)
        self._moves.update(state.moves(parts.database, self._account))
        self._opened.set()
        self._beside(self._menus.register(parts.access.known_on(self.name)))
        if self._webhook is not None:
            await self._webhook.run(self._account)
            return
        poller = Poller(
            self._api,
            self._clock,
            self._handle,
            self._prepare,
            self._health,
            self._counts,
            self._tell_owner,
            state.get_offset(parts.database, self._account, self._clock.now()),
            name=self.name,
        )
        await poller.run()

    async def _reach(self) -> Bot | None:
        """Import, connect and ask who we are, for as long as it takes; None when the token can never work."""
        try:
            await self._api.open()
        except TokenError as error:
            self._health.set(self.name, State.FAILED, str(error))
            log.error("token has the wrong form", channel=self.name)
            return None
        tries = 0
        while True:
            try:
                me = await self._api.call("get_me")
                return Bot(me.id, me.username or "")
            except TokenError as error:
                await self._refused_token(error)
            except ApplianceError as trouble:
                await self._troubled(trouble, tries)
                tries += 1

    # --- what comes in ------------------------------------------------------------------------------------------------

    def _prepare(self, updates: Sequence[Any]) -> None:
        """Start fetching the files of a batch."""
        assert self._bot is not None
        for update in updates:
            heard = read_update(update, self._bot)
            if isinstance(heard, Heard):
                self._fetch_ahead(heard, update.update_id)

    async def _handle(self, update: Any) -> None:
        """Take one update; return once what follows from it is on disk."""
        assert self._bot is not None
        number, now = int(update.update_id), self._clock.now()
        extra = partial(state.put_offset, account=self._account, update=number, now=now)
        heard = read_update(update, self._bot)
        if isinstance(heard, Heard):
            await self._take(heard, extra, number)
            return
        if isinstance(heard, Membership):
            self._membership(heard)
        elif isinstance(heard, Moved):
            self._moved(heard.old, heard.new)
        await self._commit(extra)

    def _listed(self, chat: int | str) -> bool:
        return chat in self._groups or self._before(int(chat)) in self._groups

    def _conversation(self, chat: int | str) -> str:
        return str(self._before(int(chat)))

    def _before(self, chat: int) -> int:
        """The id that a group had first: its conversation goes on under it."""
        for old, new in self._moves.items():
            if new == chat:
                return old
        return chat

    def _moved(self, old: int, new: int) -> None:
        """A group has another id now: it stays on the list, and its conversation goes on."""
        if self._moves.get(old) == new:
            return
        self._moves[old] = new
        now = self._clock.now()
        self._beside(self._note_move(old, new, now))

    async def _note_move(self, old: int, new: int, now: float) -> None:
        await self._parts.database.write(partial(state.put_move, account=self._account, old=old, new=new, now=now))
        if old in self._groups:
            await self._tell_owner("group_moved", old=old, new=new)

    async def _tell_owner(self, key: str, **values: object) -> None:
        known = self._parts.access.known_on(self.name)
        language = next((person.language for person in known if person.role is Role.OWNER), "") or "en"
        await self._parts.tell_owner(say(key, language, **values))

    async def _received(self, heard: Heard) -> None:
        await self.carrier.typing(heard.place)
        await self._telegram.acknowledge(heard.place)

    async def _acknowledge(self, heard: Heard) -> None:
        with contextlib.suppress(ApplianceError):  # too old to be answered: the press counts all the same
            await self._api.call("answer_callback_query", callback_query_id=heard.token)

    def _greeted(self, person: Person) -> None:
        if self._menus is not None:
            self._beside(self._menus.register_person(person))

    def _membership(self, change: Membership) -> None:
        """Tell the owner, who put us into a group, what is still to do there; and that we were thrown out of one."""
        if change.private:
            return
        if self._listed(change.chat):
            if not change.inside:
                self._beside(self._tell_owner("group_removed", title=change.title))
            return
        by = self._parts.access.check(self.name, change.by)
        if change.inside and by is not None and may(by.role, Right.MANAGE):
            text = say("group_unknown", by.language or "en", title=change.title, chat=change.chat)
            self._beside(self._tell({"chat": int(by.id), "private": True}, text))
