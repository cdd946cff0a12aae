"""The e-mail channel: new letters by IDLE; what all platforms share stands in channels/platform.py."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from functools import partial
from typing import Any

import apsw
import structlog

from appliance.channels.access import valid_id
from appliance.channels.attachments import MAX_BYTES
from appliance.channels.base import ChannelParts
from appliance.channels.heard import FileRef, Heard
from appliance.channels.mail import state
from appliance.channels.mail.carrier import MailCarrier
from appliance.channels.mail.letters import Letter, read_letter
from appliance.channels.mail.mailbox import LoginError, Mailbox
from appliance.channels.platform import PlatformChannel
from appliance.errors import ApplianceError, DeliveryError
from appliance.messages import Person, Source
from appliance.observability.health import State
from appliance.settings.channels import EmailSettings

log = structlog.get_logger(__name__)

_IDLE_SECONDS = 60.0
_LETTER_BYTES = MAX_BYTES * 4 // 3 + 1024 * 1024


class MailChannel(PlatformChannel):
    """Give it its settings and the parts of the house; `carrier` is what delivery attaches."""

    name = "email"
    title = "the mailbox"

    def __init__(self, settings: EmailSettings, parts: ChannelParts) -> None:
        super().__init__(parts, self._enclosed)
        self._settings = settings
        self._mailbox = Mailbox(settings)
        self._enclosures: dict[str, bytes] = {}
        self._thread: asyncio.Future[Any] | None = None
        self.carrier = MailCarrier(settings, outcome=lambda outcome: self._counts.message(self.name, "out", outcome))

    @property
    def _account(self) -> str:
        return self._settings.address.lower()

    def _loops(self) -> list[Coroutine[Any, Any, None]]:
        return [self._run()]

    async def _silence(self) -> None:
        # A thread cannot be cancelled: its connection is cut, and it ends by itself.
        self._mailbox.cut()
        if self._thread is not None:
            await asyncio.gather(self._thread, return_exceptions=True)
        self._mailbox.close()

    async def private_place(self, person: Person) -> dict[str, Any]:
        return {"chat": person.id, "private": True}

    async def _in_thread(self, work: Any, *arguments: Any) -> Any:
        self._thread = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
        return await asyncio.shield(self._thread)

    async def _run(self) -> None:
        tries = 0
        while True:
            try:
                validity, coming = await self._in_thread(self._mailbox.open)
                await self._begin(validity, coming)
                tries = 0
                while True:
                    await self._take_new(validity)
                    self._health.set(self.name, State.READY, "Listening.")
                    self._counts.polled(self.name, self._clock.now())
                    await self._in_thread(self._mailbox.wait, _IDLE_SECONDS)
            except LoginError as error:
                await self._refused_token(error)
            except (ApplianceError, OSError, apsw.Error) as trouble:
                what = trouble.what if isinstance(trouble, ApplianceError) else type(trouble).__name__
                await self._troubled(ApplianceError(what), tries)
                tries += 1
            finally:
                await asyncio.to_thread(self._mailbox.close)

    async def _begin(self, validity: int, coming: int) -> None:
        """The first time, and when the server counts anew, nothing old is answered."""
        self._opened.set()
        known = state.mark(self._parts.database, self._account)
        if known is None or known[0] != validity:
            await self._parts.database.write(
                partial(state.put_mark, account=self._account, validity=validity, uid=coming - 1)
            )

    async def _take_new(self, validity: int) -> None:
        known = state.mark(self._parts.database, self._account)
        for uid in await self._in_thread(self._mailbox.newer, known[1] if known else 0):
            raw, whole = await self._in_thread(self._mailbox.fetch, uid, _LETTER_BYTES)
            mark = partial(state.put_mark, account=self._account, validity=validity, uid=uid)
            letter = read_letter(raw, self._settings.trusted_server)
            if (
                letter is None
                or letter.robot
                or letter.sender == self._account
                or not valid_id(letter.sender, self.name)
            ):
                self._counts.message(self.name, "in", "ignored")
                await self._commit(mark)
            elif not letter.proved:
                log.warning("a letter whose sender is not proved", channel=self.name)
                self._counts.message(self.name, "in", "not_proved")
                await self._commit(mark)
            else:
                await self._take(self._heard(letter, uid, whole), mark)
                self._enclosures.clear()

    def _heard(self, letter: Letter, uid: int, whole: bool) -> Heard:
        identity = letter.id or f"uid-{uid}"
        text = letter.text if whole else f"{letter.text}\n[The letter is too large and was not fetched.]".strip()
        files = []
        for number, one in enumerate(letter.enclosures):
            self._enclosures[f"{uid}-{number}"] = one.data
            files.append(FileRef(f"{uid}-{number}", one.name, one.media_type, len(one.data)))
        place: dict[str, Any] = {"chat": letter.sender, "private": True, "subject": letter.subject}
        if letter.id:
            place |= {"message": letter.id, "references": list(letter.references)}
        return Heard(
            kind="command" if text.startswith("/") else "message",
            id=identity,
            chat=letter.sender,
            private=True,
            user=letter.sender,
            name=letter.name,
            text=text,
            at=letter.at,
            place=place,
            source=Source.OUTSIDE if letter.forwarded else Source.OWNER,
            files=tuple(files),
            reply_to=letter.references[-1] if letter.references else None,
        )

    async def _enclosed(self, ref: str) -> AsyncIterator[bytes]:
        found = self._enclosures.get(ref)
        if found is None:
            raise DeliveryError("The enclosure is not at hand.", permanent=True)
        yield found
