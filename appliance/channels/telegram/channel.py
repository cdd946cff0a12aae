"""The Telegram channel: who may speak, what they said into the inbox, greetings, menus, start and stop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from typing import Any

import apsw
import structlog

from appliance.channels.access import Access, Meeting, session_for
from appliance.channels.attachments import AttachmentStore
from appliance.channels.base import Counts, Extra, Intake, Menu, NoCounts, TellOwner
from appliance.channels.telegram import state
from appliance.channels.telegram.api import TelegramApi, TokenError
from appliance.channels.telegram.carrier import TelegramCarrier
from appliance.channels.telegram.fetching import Fetcher
from appliance.channels.telegram.menu import CommandMenus
from appliance.channels.telegram.polling import Poller
from appliance.channels.telegram.updates import Bot, Heard, Membership, read_update
from appliance.clock import Clock
from appliance.database import Database
from appliance.errors import ApplianceError, InputError
from appliance.messages import Inbound, Person, Role, Source
from appliance.observability.health import Health, State
from appliance.roles import Right, may
from appliance.settings import TelegramSettings
from appliance.texts import language_of, say

log = structlog.get_logger(__name__)

_RETRY_START = (1.0, 2.0, 5.0, 10.0)


class TelegramChannel:
    """Give it its settings and everybody it works with; `carrier` is what delivery attaches.

    `start` returns at once: aiogram is imported and Telegram reached behind it, and again for as long as needed.
    """

    name = "telegram"

    def __init__(
        self,
        settings: TelegramSettings,
        database: Database,
        clock: Clock,
        access: Access,
        intake: Intake,
        attachments: AttachmentStore,
        health: Health,
        menu: Menu,
        tell_owner: TellOwner,
        counts: Counts | None = None,
    ) -> None:
        self._settings = settings
        self._database = database
        self._clock = clock
        self._access = access
        self._intake = intake
        self._health = health
        self._menu = menu
        self._tell_owner = tell_owner
        self._counts = counts or NoCounts()
        self._groups = frozenset(settings.groups)
        self._api = TelegramApi(settings.bot_token.get_secret_value(), settings.api_base)
        self._fetcher = Fetcher(self._api, attachments)
        self.carrier = TelegramCarrier(
            self._api,
            clock,
            known=lambda chat: state.known_messages(database, chat),
            outcome=lambda outcome: self._counts.message(self.name, "out", outcome),
        )
        self._bot: Bot | None = None
        self._menus: CommandMenus | None = None
        self._main: asyncio.Task[None] | None = None
        self._aside: set[asyncio.Task[None]] = set()
        self._opened = asyncio.Event()
        access.on_paired(self._paired)

    async def start(self) -> None:
        self._health.set(self.name, State.STARTING, "Reaching Telegram.")
        self._main = asyncio.create_task(self._guarded(), name="telegram")

    async def pause(self) -> None:
        """Stop polling; an update that is being stored is stored or comes again. Sending still works."""
        if self._main is not None:
            self._main.cancel()
            await asyncio.gather(self._main, return_exceptions=True)
        await self._fetcher.close()

    async def stop(self) -> None:
        """Stop everything. Delivery should have been closed before, so that what is ready could go out."""
        await self.pause()
        aside = list(self._aside)
        for task in aside:
            task.cancel()
        await asyncio.gather(*aside, return_exceptions=True)
        await self._api.close()
        self._health.set(self.name, State.OFF, "Stopped.")

    async def opened(self) -> None:
        """Return once Telegram has been reached for the first time (delivery is attached then)."""
        await self._opened.wait()

    @property
    def username(self) -> str:
        """The bot's username, for a link that opens the chat; empty until Telegram was reached."""
        return self._bot.username if self._bot else ""

    # --- life ---------------------------------------------------------------------------------------------------------

    async def _guarded(self) -> None:
        try:
            await self._run()
        except Exception as problem:  # the edge of the channel's own task: it must not end without a word
            log.exception("the channel stopped", channel=self.name)
            self._health.set(self.name, State.FAILED, f"Stopped by {type(problem).__name__}: {problem}")

    async def _run(self) -> None:
        bot = await self._reach()
        if bot is None:
            return
        self._bot = bot
        account = str(bot.id)
        self._menus = CommandMenus(self._api, self._database, self._clock, account, self._menu)
        self._opened.set()
        self._beside(self._menus.register([person for of, person in self._access.people() if of == self.name]))
        poller = Poller(
            self._api,
            self._clock,
            self._handle,
            self._prepare,
            self._health,
            self._counts,
            self._tell_owner,
            state.get_offset(self._database, account, self._clock.now()),
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
                self._health.set(self.name, State.FAILED, str(error))
                log.error("token refused", channel=self.name)
                await self._clock.sleep(60.0)
            except ApplianceError as trouble:
                self._health.set(self.name, State.DEGRADED, trouble.what)
                await self._clock.sleep(_RETRY_START[min(tries, len(_RETRY_START) - 1)])
                tries += 1

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something whose outcome nothing waits for; it ends with the channel."""
        task = asyncio.create_task(work)
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    # --- what comes in ------------------------------------------------------------------------------------------------

    def _prepare(self, updates: Sequence[Any]) -> None:
        """Start fetching the files of a batch, but only for people who may send them."""
        assert self._bot is not None
        for update in updates:
            heard = read_update(update, self._bot)
            if isinstance(heard, Heard) and heard.files and self._listens(heard):
                self._fetcher.begin(update.update_id, heard.files, self._source(heard, self._person(heard)))

    async def _handle(self, update: Any) -> None:
        """Take one update; return once what follows from it is on disk."""
        assert self._bot is not None
        account, number, now = str(self._bot.id), int(update.update_id), self._clock.now()

        def extra(connection: apsw.Connection) -> None:
            state.put_offset(connection, account, number, now)

        heard = read_update(update, self._bot)
        if isinstance(heard, Heard) and self._listens(heard):
            await self._accept(heard, account, number, extra)
            return
        if isinstance(heard, Heard) and heard.private and heard.kind != "callback":
            await self._meet(heard)
        elif isinstance(heard, Heard):
            self._counts.message(self.name, "in", "ignored")
        elif isinstance(heard, Membership):
            self._membership(heard)
        await self._database.write(extra)

    def _listens(self, heard: Heard) -> bool:
        """In private: to people we know. In a group: when it is on the list and we are addressed."""
        if heard.private:
            return self._access.check(self.name, heard.user) is not None
        return heard.chat in self._groups and heard.addressed

    def _person(self, heard: Heard) -> Person:
        known = self._access.check(self.name, heard.user)
        role = known.role if known else Role.GUEST
        return Person(heard.user, heard.name, role, heard.language or (known.language if known else ""))

    @staticmethod
    def _source(heard: Heard, person: Person) -> Source:
        """Only what the owner writes in private, in their own words, is the owner's."""
        return heard.source if person.role is Role.OWNER else Source.OUTSIDE

    async def _accept(self, heard: Heard, account: str, number: int, extra: Extra) -> None:
        person = self._person(heard)
        attachments, notes = await self._fetcher.result(number, heard.files, self._source(heard, person))
        topic = heard.place.get("topic")
        inbound = Inbound(
            channel=self.name,
            account=account,
            chat=str(heard.chat),
            kind=heard.kind,
            id=heard.id,
            text="\n".join([heard.text, *notes]).strip(),
            person=person,
            session=session_for(
                person, self.name, str(heard.chat), private=heard.private, topic=str(topic) if topic else None
            ),
            at=heard.at or self._clock.now(),
            attachments=attachments,
            source=self._source(heard, person),
            place=heard.place,
            reply_to=heard.reply_to,
            options={"quoted": heard.quoted} if heard.quoted else {},
        )
        try:
            receipt = await self._intake.accept(inbound, extra)
        except InputError as refusal:
            log.info("message refused", channel=self.name, reason=refusal.what)
            self._counts.message(self.name, "in", "refused")
            await self._database.write(extra)
            return
        self._counts.message(self.name, "in", "accepted" if receipt.new else "duplicate")
        if heard.callback:
            self._beside(self._answer_callback(heard.callback))
        elif receipt.new:
            self._beside(self.carrier.typing(heard.place))

    async def _answer_callback(self, identity: str) -> None:
        """End the button's spinner; what the press did is said in the chat."""
        with contextlib.suppress(ApplianceError):  # too old to be answered: the press counts all the same
            await self._api.call("answer_callback_query", callback_query_id=identity)

    # --- people -------------------------------------------------------------------------------------------------------

    async def _meet(self, heard: Heard) -> None:
        """Someone unknown wrote in private. Nothing of what they wrote goes further."""
        if heard.kind == "edit":
            return
        meeting = await self._access.meet(
            self.name, heard.user, text=heard.text, name=heard.name, language=heard.language
        )
        self._counts.message(self.name, "in", f"stranger_{meeting.outcome}")
        text = _greeting(meeting, heard)
        if text:
            self._tell(heard.chat, text)

    async def _paired(self, channel: str, person: Person) -> None:
        """A listener of Access: greet whoever was paired here, and give them their menu."""
        if channel != self.name or self._menus is None:
            return
        language = person.language or "en"
        self._tell(int(person.id), say("paired", language, role=say(f"role_{person.role}", language)))
        self._beside(self._menus.register_person(person))

    def _membership(self, change: Membership) -> None:
        """Tell the owner, who put us into a group, what is still to do there."""
        by = self._access.check(self.name, change.by)
        if change.private or not change.inside or change.chat in self._groups:
            return
        if by is not None and may(by.role, Right.MANAGE):
            language = by.language or "en"
            self._tell(int(by.id), say("group_unknown", language, title=change.title, chat=change.chat))

    def _tell(self, chat: int, text: str) -> None:
        """Say something outside the outbox, beside the loop: it matters little and may be lost."""
        self._beside(self._send(chat, text))

    async def _send(self, chat: int, text: str) -> None:
        place = {"chat": chat, "private": True}
        try:
            for part in self.carrier.split(text):
                await self.carrier.send(place, part, "")
        except ApplianceError as trouble:
            log.warning("could not be told", channel=self.name, reason=str(trouble))


def _greeting(meeting: Meeting, heard: Heard) -> str:
    language = heard.language or language_of(heard.text)
    if meeting.outcome == "request":
        return say("pair_request", language, code=meeting.code)
    if meeting.outcome in ("no_owner", "wrong"):
        return say(f"pair_{meeting.outcome}", language)
    return ""
