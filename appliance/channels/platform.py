"""What all chat platforms share: life, who may speak, what they said into the inbox, greetings.

A channel adds how it listens, how it is reached, and its carrier.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable
from typing import Any

import apsw
import structlog

from appliance.channels.access import Meeting, session_for
from appliance.channels.base import ChannelParts, Extra
from appliance.channels.fetching import Download, Fetcher
from appliance.channels.heard import Heard
from appliance.channels.held import HeldCalls
from appliance.channels.known import known_text
from appliance.channels.marks import mark_of
from appliance.channels.splitting import utf16_length
from appliance.errors import ApplianceError, InputError
from appliance.gateway.delivery import Carrier
from appliance.gateway.webhooks import Webhook, read_object
from appliance.messages import Inbound, Person, Role, Source
from appliance.observability.health import State
from appliance.settings.agents import channel_name
from appliance.tasks import end
from appliance.texts import language_of, say

log = structlog.get_logger(__name__)

GATHER = 0.3  # seconds that the lane waits for more of what a person says in one breath
_GATHER_ALBUM = 0.6
_GATHER_PASTE = 1.0
_CUT_SLACK = 100
RETRY = (1.0, 2.0, 5.0, 10.0, 30.0)  # seconds between tries at something that does not work yet
TOKEN_SECONDS = 60.0  # a token that is refused is tried again this often


class PlatformChannel(ABC):
    """Give it the parts of the house and the groups that are on the list; `start` returns at once, and what the
    platform needs is imported and reached behind it, again for as long as needed.

    A subclass sets `name` (of the main agent's channel), `title` (what people call the platform) and its carrier.
    """

    name: str
    title: str
    carrier: Carrier
    cut_units: int = 0  # clients of the platform cut a longer text into messages of nearly this length; 0: they do not

    def __init__(self, parts: ChannelParts, download: Download, groups: Iterable[int | str] = ()) -> None:
        self._parts = parts
        self.name = channel_name(self.name, parts.agent)
        self._clock = parts.clock
        self._health = parts.health
        self._counts = parts.counts
        self._groups = frozenset(groups)
        self._fetcher = Fetcher(download, parts.attachments, self.name)
        self._tasks: list[asyncio.Task[None]] = []
        self._aside: set[asyncio.Task[None]] = set()
        self._opened = asyncio.Event()
        self._pasting: dict[tuple[int | str, str], tuple[str, float]] = {}
        self.webhooks: dict[str, Webhook] = {}  # what the platform calls at /hooks/<name>
        parts.access.on_paired(self._paired)

    # --- what a platform adds -----------------------------------------------------------------------------------------

    @abstractmethod
    def _loops(self) -> list[Coroutine[Any, Any, None]]:
        """What runs as long as the channel is heard. `_opened` is set once the platform was reached."""

    @property
    @abstractmethod
    def _account(self) -> str:
        """Who the bot is on the platform; known once it was reached."""

    @abstractmethod
    async def private_place(self, person: Person) -> dict[str, Any]:
        """Where a person is written to in private. Raises DeliveryError."""

    async def _silence(self) -> None:
        """Stop hearing, beyond the loops; sending still works."""
        return

    async def _close(self) -> None:
        """Drop all connections."""
        return

    async def _acknowledge(self, heard: Heard) -> None:
        """Tell the platform that a press was seen; what it did is said in the chat."""
        return

    def _greeted(self, person: Person) -> None:
        """Somebody was paired here and has been greeted."""
        return

    def _listed(self, chat: int | str) -> bool:
        """Whether a group is on the list."""
        return chat in self._groups

    def _conversation(self, chat: int | str) -> str:
        """The id under which a group's conversation is kept."""
        return str(chat)

    async def _received(self, heard: Heard) -> None:
        """A message of somebody who is answered is on disk: show it. Nothing waits for this."""
        await self.carrier.typing(heard.place)

    # --- life ---------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        self._health.set(self.name, State.STARTING, f"Reaching {self.title}.")
        self._tasks = [asyncio.create_task(self._guarded(loop), name=self.name) for loop in self._loops()]

    async def pause(self) -> None:
        """Stop hearing; what is being stored is stored or comes again. Sending still works."""
        await end(self._tasks)
        await self._fetcher.close()
        await self._silence()

    async def stop(self) -> None:
        """Stop everything. Delivery should have been closed before, so that what is ready could go out."""
        await self.pause()
        await end(self._aside)
        await self._close()
        self._health.set(self.name, State.OFF, "Stopped.")

    async def opened(self) -> None:
        """Return once the platform has been reached for the first time (delivery is attached then)."""
        await self._opened.wait()

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as problem:  # the edge of the channel's own task: it must not end without a word
            log.exception("the channel stopped", channel=self.name)
            self._health.set(self.name, State.FAILED, f"Stopped by {type(problem).__name__}: {problem}")

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something whose outcome nothing waits for; it ends with the channel."""
        task = asyncio.create_task(work)
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def _refused_token(self, error: ApplianceError) -> None:
        """The platform does not know us: say so, and wait before trying again."""
        self._health.set(self.name, State.FAILED, str(error))
        log.error("token refused", channel=self.name)
        await self._clock.sleep(TOKEN_SECONDS)

    async def _troubled(self, trouble: ApplianceError, tries: int) -> None:
        """The platform cannot be reached: say so, and wait before trying again."""
        self._health.set(self.name, State.DEGRADED, trouble.what)
        await self._clock.sleep(RETRY[min(tries, len(RETRY) - 1)])

    # --- what comes in ------------------------------------------------------------------------------------------------

    async def _take_message(self, heard: Heard | None, mark: str = "") -> None:
        """Take one message, live or from history (then with the mark that follows from it), if it is any of our
        business; return once what follows from it, and the chat's mark, is on disk."""
        if heard is None:
            return
        if not heard.private and not self._listens(heard):
            self._counts.message(self.name, "in", "ignored")
            return
        await self._take(await self._named(heard), mark_of(heard, self.name, self._account, mark))

    async def _take_edit(self, edited: Heard | None, mark: str = "") -> None:
        """The same for an edit. One that is told live moves no mark: what was written before it may still come. One
        whose words history told of already is none."""
        if edited is None or not self._listens(edited):
            return
        extra = mark_of(edited, self.name, self._account, mark) if mark else None
        said = known_text(self._parts.database, self.name, str(edited.chat), edited.id.partition(":")[0])
        if said == edited.text:
            await self._commit(extra)
        else:
            await self._take(await self._named(edited), extra)

    async def _named(self, heard: Heard) -> Heard:
        """With the name and language of who said it, where the platform tells them apart from the message."""
        return heard

    async def _take(self, heard: Heard, extra: Extra | None = None, key: Hashable = None) -> None:
        """Take what was heard; return once what follows from it, and `extra`, is on disk. `key` names its files."""
        if heard.token:
            self._beside(self._acknowledge(heard))
        if self._listens(heard):
            await self._accept(heard, extra, key or heard.id)
            return
        if heard.private and heard.kind in ("message", "command"):
            await self._meet(heard)
        else:
            self._counts.message(self.name, "in", "ignored")
        await self._commit(extra)

    def _listens(self, heard: Heard) -> bool:
        """In private: to people we know. In a group: when it is on the list and we are addressed."""
        if heard.private:
            return self._parts.access.check(self.name, heard.user) is not None
        return self._listed(heard.chat) and heard.addressed

    def _fetch_ahead(self, heard: Heard, key: Hashable) -> None:
        """Begin with the files of a message that will be taken in a moment; only of people who may send them."""
        if heard.files and self._listens(heard):
            self._fetcher.begin(key, heard.files, self._source(heard, self._person(heard)))

    def _person(self, heard: Heard) -> Person:
        known = self._parts.access.check(self.name, heard.user)
        role = known.role if known else Role.GUEST
        return Person(heard.user, heard.name, role, heard.language or (known.language if known else ""))

    @staticmethod
    def _source(heard: Heard, person: Person) -> Source:
        """Only what the owner writes in private, in their own words, is the owner's."""
        return heard.source if heard.private and person.role is Role.OWNER else Source.OUTSIDE

    async def _accept(self, heard: Heard, extra: Extra | None, key: Hashable) -> None:
        inbound = await self._inbound(heard, key)
        try:
            receipt = await self._parts.intake.accept(inbound, extra)
        except InputError as refusal:
            log.info("message refused", channel=self.name, reason=refusal.what)
            self._counts.message(self.name, "in", "refused")
            await self._commit(extra)
            return
        self._counts.message(self.name, "in", "accepted" if receipt.new else "duplicate")
        if receipt.new and heard.kind != "callback":
            self._beside(self._received(heard))

    async def _inbound(self, heard: Heard, key: Hashable) -> Inbound:
        person = self._person(heard)
        source = self._source(heard, person)
        attachments, notes = await self._fetcher.result(key, heard.files, source)
        topic = heard.place.get("topic")
        return Inbound(
            channel=self.name,
            account=self._account,
            chat=str(heard.chat),
            kind=heard.kind,
            id=heard.id,
            text="\n".join([heard.text, *notes]).strip(),
            person=person,
            session=session_for(
                person,
                self.name,
                self._conversation(heard.chat),
                private=heard.private,
                topic=str(topic) if topic else None,
                agent=self._parts.agent,
            ),
            at=heard.at or self._clock.now(),
            attachments=attachments,
            source=source,
            own_words=heard.private and heard.source is Source.OWNER,
            place=heard.place,
            reply_to=heard.reply_to,
            options=({"quoted": heard.quoted} if heard.quoted else {}) | self._gathering(heard),
        )

    def _gathering(self, heard: Heard) -> dict[str, Any]:
        """How long the lane waits for what belongs to a message, and what is one message to the person."""
        if heard.kind != "message":
            return {}
        if heard.together:
            return {"gather": _GATHER_ALBUM, "together": heard.together}
        who, now = (heard.chat, heard.user), self._clock.monotonic()
        key, until = self._pasting.pop(who, ("", 0.0))
        together = {"together": key} if now < until else {}
        if self.cut_units and utf16_length(heard.text) >= self.cut_units - _CUT_SLACK:
            key = key if together else f"paste-{heard.id}"
            self._pasting[who] = (key, now + 2 * _GATHER_PASTE)
            return {"gather": _GATHER_PASTE, "together": key}
        return {"gather": GATHER} | together

    async def _commit(self, extra: Extra | None) -> None:
        if extra is not None:
            await self._parts.database.write(extra)

    async def _take_held(self, held: HeldCalls, take: Callable[[Any], Awaitable[None]]) -> None:
        """Take held calls in their order, once the platform was reached; one that cannot be stored now is tried until
        it is, one of a form that nobody has described is left out."""
        await self._opened.wait()
        tries = 0
        while True:
            number, body = await held.next()
            try:
                await take(read_object(body))
            except (ApplianceError, OSError, apsw.Error) as trouble:
                log.warning("could not be taken, trying again", channel=self.name, reason=type(trouble).__name__)
                self._health.set(self.name, State.DEGRADED, f"A message could not be taken: {type(trouble).__name__}.")
                await self._clock.sleep(RETRY[min(tries, len(RETRY) - 1)])
                tries += 1
                continue
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
                log.exception("call cannot be read", channel=self.name)
            tries = 0
            await held.drop(number)

    # --- people -------------------------------------------------------------------------------------------------------

    async def _meet(self, heard: Heard) -> None:
        """Someone unknown wrote in private. Nothing of what they wrote goes further."""
        meeting = await self._parts.access.meet(
            self.name, heard.user, text=heard.text, name=heard.name, language=heard.language
        )
        self._counts.message(self.name, "in", f"stranger_{meeting.outcome}")
        text = _greeting(meeting, heard.language or language_of(heard.text))
        if text:
            self._beside(self._tell(heard.place, text, f"told-{heard.id}"))

    async def _paired(self, channel: str, person: Person) -> None:
        """A listener of Access: greet whoever was paired here."""
        if channel == self.name and self._opened.is_set():
            self._beside(self._greet(person))

    async def _greet(self, person: Person) -> None:
        language = person.language or "en"
        try:
            place = await self.private_place(person)
        except ApplianceError as trouble:
            log.warning("could not be greeted", channel=self.name, reason=str(trouble))
        else:
            await self._tell(place, say("paired", language, role=say(f"role_{person.role}", language)))
        self._greeted(person)

    async def _tell(self, place: dict[str, Any], text: str, nonce: str = "") -> None:
        """Say something outside the outbox, beside the loop: it matters little and may be lost."""
        try:
            for number, part in enumerate(self.carrier.split(text)):
                await self.carrier.send(place, part, f"{nonce}-{number}" if nonce else "")
        except ApplianceError as trouble:
            log.warning("could not be told", channel=self.name, reason=str(trouble))


def _greeting(meeting: Meeting, language: str) -> str:
    if meeting.outcome == "request":
        return say("pair_request", language, code=meeting.code)
    if meeting.outcome in ("no_owner", "wrong"):
        return say(f"pair_{meeting.outcome}", language)
    return ""
