"""What every carrier does before and after a call to its platform: look at a file, understand trouble."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from appliance.channels.pacer import Pacer
from appliance.errors import ApplianceError, DeliveryError
from appliance.messages import Attachment

_TOKEN_SECONDS = 60.0  # how long a message waits while the platform does not accept our token


async def file_of(attachment: Attachment) -> tuple[Path, str, int]:
    """Path, name and size of a file that goes out. Raises DeliveryError, for good, when it cannot be read."""
    path = Path(attachment.path)
    name = attachment.name or path.name
    try:
        return path, name, (await asyncio.to_thread(path.stat)).st_size
    except OSError as error:
        raise _unreadable(name, error) from None


async def content_of(path: Path, name: str) -> bytes:
    """The whole of a file that goes out. Raises DeliveryError, for good, when it cannot be read."""
    try:
        return await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: OSError) -> DeliveryError:
    return DeliveryError(f"The file {name} cannot be read: {error.strerror}.", permanent=True)


class PlatformRefusalError(DeliveryError):
    """The platform understood a call and said no; each channel's own kind knows the platform's words."""


def noted(trouble: ApplianceError, outcome: Callable[[str], None], pacer: Pacer, chat: object) -> DeliveryError:
    """What delivery is told of trouble with a call: a token that is wrong or used elsewhere is no fault of the message,
    which waits; a wait that the platform asks for holds the chat. Counts it."""
    if not isinstance(trouble, DeliveryError):
        return DeliveryError(str(trouble), retry_after=_TOKEN_SECONDS)
    outcome("refused" if isinstance(trouble, PlatformRefusalError) else "network")
    if trouble.retry_after is not None:
        pacer.hold(str(chat), trouble.retry_after)
    return trouble
