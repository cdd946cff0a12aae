"""Voice messages as words: a transcriber in the house writes them down, or the person is told that there is none.

The transcriber is the models service's own, or any server with OpenAI's `/v1/audio/transcriptions`, such as
whisper.cpp's or Speaches. It is the owner's, so it costs nothing and nothing spoken leaves the house by it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import structlog

from appliance.messages import Attachment, Inbound
from appliance.settings.channels import SpeechSettings
from appliance.texts import language_of, say

if TYPE_CHECKING:
    import httpx2

log = structlog.get_logger(__name__)

_MOST_CHARS = 20_000
_AGAIN_SECONDS = 2.0


class SpeechError(Exception):
    """The transcriber did not do it; the text says why, without the words."""


class ModelsService(Protocol):
    """The models service, as far as hearing goes: an address once it is up, and the token that it wants."""

    token: str

    def base_url(self) -> str | None: ...


class Listener:
    """Give it the settings, and the models service where that has a transcriber; `listen` is what the front door asks
    before a message goes to its lane."""

    def __init__(self, settings: SpeechSettings, service: ModelsService | None = None) -> None:
        self._settings = settings
        self._service = service

    async def listen(self, inbound: Inbound) -> Inbound:
        """The message with what was spoken in it as text, or with the reason why it is not."""
        spoken = [await self._line(one, inbound) for one in inbound.attachments if one.kind == "audio"]
        return replace(inbound, text="\n".join([inbound.text, *spoken]).strip())

    def refusal(self, inbound: Inbound) -> str:
        """What the person is told instead of an answer when nothing but speech came and nobody can write it down."""
        only_speech = not inbound.text and all(a.kind == "audio" for a in inbound.attachments)
        if self._hears or not (inbound.attachments and only_speech):
            return ""
        return say("voice_unheard", inbound.person.language or language_of(inbound.text))

    async def _line(self, attachment: Attachment, inbound: Inbound) -> str:
        if not self._hears:
            return "[voice message: nobody can write it down here: neither local.transcriber nor speech.url is set]"
        try:
            words = await self._transcribe(attachment)
        except SpeechError as problem:
            log.warning("a voice message was not written down", channel=inbound.channel, reason=str(problem))
            return f"[voice message: it could not be written down: {problem}]"
        return words or "[voice message: no words in it]"

    @property
    def _hears(self) -> bool:
        return bool(self._settings.url or self._service)

    async def _transcribe(self, attachment: Attachment) -> str:
        import httpx2

        seconds = self._settings.timeout_seconds
        try:
            data = await asyncio.to_thread(Path(attachment.path).read_bytes)
        except OSError as error:
            raise SpeechError(f"the file cannot be read ({error.strerror})") from None
        file = (attachment.name or "voice.ogg", data, attachment.media_type or "application/octet-stream")
        # The models service is on this machine or in this stack: no proxy stands before it.
        client = httpx2.AsyncClient(timeout=seconds, follow_redirects=False, trust_env=bool(self._settings.url))
        try:
            async with asyncio.timeout(seconds), client:
                return await self._asked(client, file)
        except (TimeoutError, httpx2.TimeoutException):
            raise SpeechError(f"it took longer than {seconds:.0f} seconds") from None
        except httpx2.HTTPError as error:
            raise SpeechError(f"the transcriber cannot be reached ({type(error).__name__})") from None
        except (ValueError, KeyError, TypeError):
            raise SpeechError("the transcriber's answer cannot be read") from None

    async def _asked(self, client: httpx2.AsyncClient, file: tuple[str, bytes, str]) -> str:
        """The words of a sound file; waits while the transcriber is being fetched or loaded."""
        settings = self._settings
        form = {"model": settings.model, "response_format": "json"}
        if settings.language:
            form["language"] = settings.language
        while True:
            base, token = self._where()
            if base:
                headers = {"Authorization": f"Bearer {token}"} if token else {}
                answer = await client.post(
                    f"{base}/audio/transcriptions", data=form, files={"file": file}, headers=headers
                )
                if answer.status_code == 200:
                    return str(answer.json()["text"]).strip()[:_MOST_CHARS]
                if answer.status_code != 503:
                    raise SpeechError(_refusal(answer))
            await asyncio.sleep(_AGAIN_SECONDS)

    def _where(self) -> tuple[str | None, str]:
        """Address and token of the transcriber; no address while the models service starts."""
        if self._settings.url or self._service is None:
            return f"{self._settings.url.rstrip('/')}/v1", ""
        return self._service.base_url(), self._service.token


def _refusal(answer: httpx2.Response) -> str:
    """Why the transcriber did not write it down: in its own words, where it has some."""
    try:
        return str(answer.json()["error"]["message"])[:200]
    except (ValueError, KeyError, TypeError):
        return f"the transcriber answered {answer.status_code}"
