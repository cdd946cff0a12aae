"""Voice messages as words: a transcriber in the house writes them down, or the person is told that there is none.

The transcriber is any server with OpenAI's `/v1/audio/transcriptions`, such as whisper.cpp's or Speaches. It is the
owner's own, so it costs nothing and nothing spoken leaves the house by it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import structlog

from appliance.messages import Attachment, Inbound
from appliance.settings_channels import SpeechSettings
from appliance.texts import language_of, say

log = structlog.get_logger(__name__)

_MOST_CHARS = 20_000


class SpeechError(Exception):
    """The transcriber did not do it; the text says why, without the words."""


class Listener:
    """Give it the settings; `listen` is what the front door asks before a message goes to its lane."""

    def __init__(self, settings: SpeechSettings) -> None:
        self._settings = settings

    async def listen(self, inbound: Inbound) -> Inbound:
        """The message with what was spoken in it as text, or with the reason why it is not."""
        spoken = [await self._line(one, inbound) for one in inbound.attachments if one.kind == "audio"]
        return replace(inbound, text="\n".join([inbound.text, *spoken]).strip())

    def refusal(self, inbound: Inbound) -> str:
        """What the person is told instead of an answer when nothing but speech came and nobody can write it down."""
        only_speech = not inbound.text and all(a.kind == "audio" for a in inbound.attachments)
        if self._settings.url or not (inbound.attachments and only_speech):
            return ""
        return say("voice_unheard", inbound.person.language or language_of(inbound.text))

    async def _line(self, attachment: Attachment, inbound: Inbound) -> str:
        if not self._settings.url:
            return "[voice message: nobody can write it down here, because speech.url is not set]"
        try:
            words = await self._transcribe(attachment)
        except SpeechError as problem:
            log.warning("a voice message was not written down", channel=inbound.channel, reason=str(problem))
            return f"[voice message: it could not be written down: {problem}]"
        return words or "[voice message: no words in it]"

    async def _transcribe(self, attachment: Attachment) -> str:
        import httpx2

        settings = self._settings
        try:
            data = await asyncio.to_thread(Path(attachment.path).read_bytes)
        except OSError as error:
            raise SpeechError(f"the file cannot be read ({error.strerror})") from None
        form = {"model": settings.model, "response_format": "json"}
        if settings.language:
            form["language"] = settings.language
        file = (attachment.name or "voice.ogg", data, attachment.media_type or "application/octet-stream")
        try:
            async with httpx2.AsyncClient(timeout=settings.timeout_seconds, follow_redirects=False) as client:
                answer = await client.post(
                    f"{settings.url.rstrip('/')}/v1/audio/transcriptions", data=form, files={"file": file}
                )
            if answer.status_code != 200:
                raise SpeechError(f"the transcriber answered {answer.status_code}")
            return str(answer.json()["text"]).strip()[:_MOST_CHARS]
        except httpx2.TimeoutException:
            raise SpeechError(f"it took longer than {settings.timeout_seconds:.0f} seconds") from None
        except httpx2.HTTPError as error:
            raise SpeechError(f"the transcriber cannot be reached ({type(error).__name__})") from None
        except (ValueError, KeyError, TypeError):
            raise SpeechError("the transcriber's answer cannot be read") from None
