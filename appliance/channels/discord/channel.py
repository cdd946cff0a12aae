"""The Discord channel: who may speak, what they said into the inbox, greetings, start and stop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from functools import partial
from typing import Any

import apsw
import structlog

from appliance.channels.access import Access, Meeting, session_for
from appliance.channels.attachments import AttachmentStore
from appliance.channels.base import Counts, Extra, Intake, NoCounts
from appliance.channels.discord import state
from appliance.channels.discord.api import DiscordApi, IntentError, Raw, TokenError
from appliance.channels.discord.carrier import DiscordCarrier
from appliance.channels.discord.gaps import Gaps
from appliance.channels.discord.updates import FileRef, Heard, read_message, read_press
from appliance.clock import Clock
from appliance.database import Database
from appliance.errors import ApplianceError, DeliveryError, InputError, TooLargeError
from appliance.messages import Attachment, Inbound, Person, Role, Source
from appliance.observability.health import Health, State
from appliance.settings_discord import DiscordSettings
from appliance.texts import language_of, say

log = structlog.get_logger(__name__)

_RETRY = (1.0, 2.0, 5.0, 10.0, 30.0)
_TOKEN_SECONDS = 60.0  # a token that is refused is tried again this often
_ACKNOWLEDGED = {"type": 6}  # "seen": the message under the button stays as it is


class DiscordChannel:
    """Give it its settings and everybody it works with; `carrier` is what delivery attaches.

    `start` returns at once: discord.py is imported and Discord reached behind it, and again for as long as needed.
    """

    name = "discord"

    def __init__(
        self,
        settings: DiscordSettings,
        database: Database,
        clock: Clock,
        access: Access,
        intake: Intake,
        attachments: AttachmentStore,
        health: Health,
        counts: Counts | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._access = access
        self._intake = intake
        self._attachments = attachments
        self._health = health
        self._counts = counts or NoCounts()
        self._guilds = frozenset(settings.channels)
        self._api = DiscordApi(settings.bot_token.get_secret_value(), settings.api_base)
        self._gaps = Gaps(self._api, database, self._guilds, self._message)
        self.carrier = DiscordCarrier(
            self._api,
            clock,
            me=lambda: self._bot,
            known=lambda chat: state.known_messages(database, chat),
            outcome=lambda outcome: self._counts.message(self.name, "out", outcome),
        )
        self._bot = 0
        self._content = True
        self._events: asyncio.Queue[Raw] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._aside: set[asyncio.Task[None]] = set()
        self._opened = asyncio.Event()
        access.on_paired(self._paired)

    async def start(self) -> None:
        self._health.set(self.name, State.STARTING, "Reaching Discord.")
        self._tasks = [
            asyncio.create_task(self._guarded(self._connect()), name="discord"),
            asyncio.create_task(self._guarded(self._work()), name="discord-events"),
        ]

    async def pause(self) -> None:
        """Stop hearing; a message that is not stored yet is fetched at the next start. Sending still works."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._api.silence()

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
        """Return once Discord has been reached for the first time (delivery is attached then)."""
        await self._opened.wait()

    # --- life ---------------------------------------------------------------------------------------------------------

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as problem:  # the edge of the channel's own task: it must not end without a word
            log.exception("the channel stopped", channel=self.name)
            self._health.set(self.name, State.FAILED, f"Stopped by {type(problem).__name__}: {problem}")

    async def _connect(self) -> None:
        """Be connected, for as long as it takes."""
        try:
            await self._api.open()
        except ApplianceError as missing:
            self._health.set(self.name, State.FAILED, str(missing))
            return
        tries = 0
        while True:
            try:
                self._bot = await self._api.login(self._hear, self._lost, content=self._content)
                self._opened.set()
                tries = 0
                await self._api.listen()
            except IntentError:
                log.warning("message contents are not given; going on without", channel=self.name)
                self._content = False
            except TokenError as error:
                self._health.set(self.name, State.FAILED, str(error))
                log.error("token refused", channel=self.name)
                await self._clock.sleep(_TOKEN_SECONDS)
            except ApplianceError as trouble:
                self._health.set(self.name, State.DEGRADED, trouble.what)
                await self._clock.sleep(_RETRY[min(tries, len(_RETRY) - 1)])
                tries += 1

    def _hear(self, event: Raw) -> None:
        self._counts.polled(self.name, self._clock.now())  # heartbeats are answered too: silence is an outage
        if event.get("t") in ("READY", "RESUMED", "MESSAGE_CREATE", "INTERACTION_CREATE"):
            self._events.put_nowait(event)

    def _lost(self) -> None:
        self._health.set(self.name, State.DEGRADED, "The connection was cut; connecting again.")

    def _well(self) -> None:
        if self._content:
            self._health.set(self.name, State.READY, "Connected.")
        else:
            self._health.set(self.name, State.DEGRADED, say("discord_no_content"))

    async def _work(self) -> None:
        """Handle events in order; one that cannot be stored now is tried until it is."""
        while True:
            event = await self._events.get()
            tries = 0
            while not await self._handled(event):
                await self._clock.sleep(_RETRY[min(tries, len(_RETRY) - 1)])
                tries += 1

    async def _handled(self, event: Raw) -> bool:
        try:
            match event["t"]:
                case "READY":
                    await self._gaps.fill(str(self._bot))
                    self._well()
                case "RESUMED":
                    self._well()
                case "MESSAGE_CREATE":
                    await self._message(event["d"])
                case _:
                    await self._press(event["d"])
        except (ApplianceError, OSError, apsw.Error) as trouble:
            log.warning("could not be taken, trying again", channel=self.name, reason=type(trouble).__name__)
            self._health.set(self.name, State.DEGRADED, f"A message could not be taken: {type(trouble).__name__}.")
            return False
        except (KeyError, TypeError, ValueError):  # a payload of a form that nobody has described
            if event["t"] == "READY":
                raise
            log.exception("event cannot be read", channel=self.name, event_type=event["t"])
        return True

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something whose outcome nothing waits for; it ends with the channel."""
        task = asyncio.create_task(work)
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    # --- what comes in ------------------------------------------------------------------------------------------------

    async def _message(self, raw: Raw) -> None:
        """Take one message, live or from history; return once what follows from it is on disk."""
        heard = read_message(raw, self._bot)
        if heard is None:
            return
        mark = partial(
            state.put_mark, account=str(self._bot), chat=heard.chat, message=int(heard.id), private=heard.private
        )
        if self._listens(heard):
            await self._accept(heard, mark)
        elif heard.private:
            await self._meet(heard)
            await self._database.write(mark)
        else:
            self._counts.message(self.name, "in", "ignored")

    async def _press(self, raw: Raw) -> None:
        heard = read_press(raw)
        if heard is None:
            return
        self._beside(self._acknowledge(heard))
        if self._listens(heard):
            await self._accept(heard, None)

    def _listens(self, heard: Heard) -> bool:
        """In private: to people we know. In a guild: when the channel is on the list and we are addressed."""
        if heard.private:
            return self._access.check(self.name, heard.user) is not None
        return heard.chat in self._guilds and heard.addressed

    async def _accept(self, heard: Heard, mark: Extra | None) -> None:
        known = self._access.check(self.name, heard.user)
        person = Person(heard.user, heard.name, known.role if known else Role.GUEST, known.language if known else "")
        # Only what the owner writes in private, in their own words, is the owner's.
        source = Source.OWNER if heard.private and person.role is Role.OWNER else Source.OUTSIDE
        attachments, notes = await self._fetch(heard.files, source)
        inbound = Inbound(
            channel=self.name,
            account=str(self._bot),
            chat=str(heard.chat),
            kind=heard.kind,
            id=heard.id,
            text="\n".join([heard.text, *notes]).strip(),
            person=person,
            session=session_for(person, self.name, str(heard.chat), private=heard.private),
            at=heard.at,
            attachments=attachments,
            source=source,
            place=heard.place,
            reply_to=heard.reply_to,
            options={"quoted": heard.quoted} if heard.quoted else {},
        )
        try:
            receipt = await self._intake.accept(inbound, mark)
        except InputError as refusal:
            log.info("message refused", channel=self.name, reason=refusal.what)
            self._counts.message(self.name, "in", "refused")
            if mark is not None:
                await self._database.write(mark)
            return
        self._counts.message(self.name, "in", "accepted" if receipt.new else "duplicate")
        if receipt.new and heard.kind != "callback":
            self._beside(self.carrier.typing(heard.place))

    async def _fetch(self, files: tuple[FileRef, ...], source: Source) -> tuple[tuple[Attachment, ...], list[str]]:
        """The files of a message; one that cannot be had becomes a note in it, never a lost message."""
        attachments: list[Attachment] = []
        notes: list[str] = []
        for file in files:
            try:
                if file.size > self._attachments.max_bytes:
                    raise TooLargeError(f"it is too large ({file.size:,} bytes).")
                content = self._api.download(file.url)
                attachments.append(
                    await self._attachments.save(content, name=file.name, media_type=file.media_type, source=source)
                )
            except (DeliveryError, TooLargeError) as trouble:
                notes.append(f"[The file {file.name} was not fetched: {trouble.what}]")
            except OSError as error:
                notes.append(f"[The file {file.name} could not be stored: {error.strerror}]")
        return tuple(attachments), notes

    async def _acknowledge(self, heard: Heard) -> None:
        """End the button's spinner, within Discord's three seconds; what the press did is said in the chat."""
        path = "/interactions/{interaction_id}/{token}/callback"
        with contextlib.suppress(ApplianceError):  # too late to be acknowledged: the press counts all the same
            await self._api.call("POST", path, _ACKNOWLEDGED, interaction_id=int(heard.id), token=heard.token)

    # --- people -------------------------------------------------------------------------------------------------------

    async def _meet(self, heard: Heard) -> None:
        """Someone unknown wrote in private. Nothing of what they wrote goes further."""
        meeting = await self._access.meet(self.name, heard.user, text=heard.text, name=heard.name)
        self._counts.message(self.name, "in", f"stranger_{meeting.outcome}")
        text = _greeting(meeting, language_of(heard.text))
        if text:
            self._beside(self._tell(heard.place, text, heard.id))

    async def _paired(self, channel: str, person: Person) -> None:
        """A listener of Access: greet whoever was paired here."""
        if channel == self.name:
            self._beside(self._greet(person))

    async def _greet(self, person: Person) -> None:
        language = person.language or "en"
        text = say("paired", language, role=say(f"role_{person.role}", language))
        try:
            opened = await self._api.call("POST", "/users/@me/channels", {"recipient_id": person.id})
        except ApplianceError as trouble:
            log.warning("could not be greeted", channel=self.name, reason=str(trouble))
            return
        await self._tell({"chat": int(opened["id"]), "private": True}, text, "")

    async def _tell(self, place: dict[str, Any], text: str, nonce: str) -> None:
        """Say something outside the outbox, beside the loop: it matters little and may be lost."""
        try:
            for number, part in enumerate(self.carrier.split(text)):
                await self.carrier.send(place, part, f"told-{nonce}-{number}" if nonce else "")
        except ApplianceError as trouble:
            log.warning("could not be told", channel=self.name, reason=str(trouble))


def _greeting(meeting: Meeting, language: str) -> str:
    if meeting.outcome == "request":
        return say("pair_request", language, code=meeting.code)
    if meeting.outcome in ("no_owner", "wrong"):
        return say(f"pair_{meeting.outcome}", language)
    return ""
