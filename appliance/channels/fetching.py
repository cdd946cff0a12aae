"""Files of messages: fetched beside the loop, a few at once, each tried again when the network fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

import structlog

from appliance.channels.attachments import AttachmentStore
from appliance.channels.heard import FileRef
from appliance.errors import DeliveryError, TooLargeError
from appliance.messages import Attachment, Source
from appliance.tasks import end

if TYPE_CHECKING:
    from aiohttp import ClientResponse

log = structlog.get_logger(__name__)

_AT_ONCE = 4
_TRIES = 3
_SECONDS = 60.0  # a message does not wait longer for one file
Download = Callable[[str], AsyncIterator[bytes]]
Fetched = tuple[tuple[Attachment, ...], list[str]]


async def pieces(asked: AbstractAsyncContextManager[ClientResponse]) -> AsyncIterator[bytes]:
    """The bytes of a file that a platform was asked for, as they come. Raises DeliveryError."""
    from aiohttp import ClientError

    try:
        async with asked as answer:
            if answer.status != 200:
                raise DeliveryError(f"The file could not be fetched ({answer.status}).", permanent=True)
            async for chunk in answer.content.iter_chunked(65_536):
                yield chunk
    except (TimeoutError, ClientError) as error:
        raise DeliveryError(f"The file could not be fetched: {type(error).__name__}.") from None


class Fetcher:
    """Given how to download a FileRef's `ref`: `begin` starts, `result` waits.

    A file that cannot be had becomes a note in the message, never a lost message.
    """

    def __init__(self, download: Download, store: AttachmentStore, channel: str) -> None:
        self._download = download
        self._store = store
        self._channel = channel
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self._running: dict[Hashable, asyncio.Task[Fetched]] = {}

    def begin(self, key: Hashable, files: Sequence[FileRef], source: Source) -> None:
        if key not in self._running:
            self._running[key] = asyncio.create_task(self._all(files, source))

    async def result(self, key: Hashable, files: Sequence[FileRef], source: Source) -> Fetched:
        """The attachments of the message `key`, and a note in words for each file that is missing."""
        if not files:
            return (), []
        self.begin(key, files, source)
        return await self._running.pop(key)

    async def close(self) -> None:
        await end(self._running.values())
        self._running.clear()

    async def _all(self, files: Sequence[FileRef], source: Source) -> Fetched:
        attachments: list[Attachment] = []
        notes: list[str] = []
        for file in files:
            async with self._gate:
                got = await self._one(file, source)
            if isinstance(got, Attachment):
                attachments.append(got)
            else:
                notes.append(f"[{got}]")
        return tuple(attachments), notes

    async def _one(self, file: FileRef, source: Source) -> Attachment | str:
        if file.size > self._store.max_bytes:
            return f"The file {file.name} is too large ({file.size:,} bytes) and was not fetched."
        reason = ""
        for _ in range(_TRIES):
            try:
                async with asyncio.timeout(_SECONDS):
                    return await self._store.save(
                        self._download(file.ref), name=file.name, media_type=file.media_type, source=source
                    )
            except TooLargeError as refusal:
                return f"The file {file.name} was not fetched: {refusal.what}"
            except OSError as error:
                reason = f"it could not be stored: {error.strerror or type(error).__name__}."
                if isinstance(error, TimeoutError):
                    reason = "it took too long."
                break
            except DeliveryError as trouble:
                reason = trouble.what
                if trouble.permanent:
                    break
        log.warning("attachment not fetched", channel=self._channel, reason=reason)
        return f"The file {file.name} was not fetched: {reason}"
