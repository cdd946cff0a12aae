"""The Bot API through aiogram, which is loaded when the channel opens (`library.py`).

Every refusal becomes a DeliveryError that says how to react; nothing that leaves here holds the token.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import structlog

from appliance.channels.outgoing import PlatformRefusalError
from appliance.channels.telegram import library
from appliance.errors import ApplianceError, DeliveryError

log = structlog.get_logger(__name__)

REQUEST_SECONDS = 30
FILE_SECONDS = 120
# Answers to a send that mean "nothing happened because it is so already".
_DONE = ("message is not modified",)
_ENTITIES = (
    "can't parse entities",
    "can't parse messageentity",
    "entity_bounds_invalid",
    "entities_too_long",
    "entity ",
)
_GONE_CHAT = ("chat not found", "user is deactivated", "bot was kicked", "bot was blocked", "not enough rights to send")
_GONE_TOPIC = ("message thread not found", "topic_deleted", "topic_closed")
_GONE_MESSAGE = ("message to edit not found", "message can't be edited", "message_id_invalid")


class ConflictError(ApplianceError):
    """Another program polls with the same token (or a webhook is set; then `webhook` is true)."""

    def __init__(self, what: str, *, webhook: bool) -> None:
        super().__init__(what)
        self.webhook = webhook


class TokenError(ApplianceError):
    """Telegram does not know the token."""


class UnreadableUpdatesError(ApplianceError):
    """An answer to getUpdates that aiogram cannot read. `raw` is what came."""

    def __init__(self, raw: Any) -> None:
        super().__init__("Telegram sent updates that cannot be read.")
        self.raw = raw


class RefusedError(PlatformRefusalError):
    """Telegram said no. `description` is its own words, in lower case."""

    def __init__(self, description: str, *, permanent: bool, retry_after: float | None = None) -> None:
        super().__init__(f"Telegram refused it: {description}", permanent=permanent, retry_after=retry_after)
        self.description = description.lower()

    @property
    def bad_entities(self) -> bool:
        return any(words in self.description for words in _ENTITIES)

    @property
    def message_gone(self) -> bool:
        return any(words in self.description for words in _GONE_MESSAGE)

    @property
    def chat_gone(self) -> bool:
        return any(words in self.description for words in _GONE_CHAT)

    @property
    def topic_gone(self) -> bool:
        return any(words in self.description for words in _GONE_TOPIC)

    @property
    def done(self) -> bool:
        return any(words in self.description for words in _DONE)


class MovedChatError(DeliveryError):
    """The group became a supergroup with another id."""

    def __init__(self, chat: int) -> None:
        super().__init__("The group became a supergroup with a new id.")
        self.chat = chat


class TelegramApi:
    """Give it the token and the address; `open` it, then `call` methods by aiogram's names."""

    def __init__(self, token: str, base: str) -> None:
        self._token = token
        self._base = base
        self._bot: Any = None
        self._closed = False

    async def open(self) -> None:
        """Import aiogram beside the event loop and make the client. Raises TokenError for a token of wrong form."""
        bot_class, session_class, server_class, token_error = await asyncio.to_thread(_import)
        try:
            session = session_class(api=server_class.from_base(self._base), timeout=REQUEST_SECONDS)
            self._bot = bot_class(self._token, session=session)
        except token_error:
            raise TokenError(
                "The Telegram token has not the form that BotFather gives (123456:ABC...).",
                fix="Copy it again from BotFather into TELEGRAM_BOT_TOKEN.",
            ) from None

    async def reset(self) -> None:
        """Drop the connections; the next call opens new ones."""
        if self._bot is not None:
            await self._bot.session.close()

    async def close(self) -> None:
        """Drop the connections for good; calls are refused from now on."""
        self._closed = True
        await self.reset()

    async def call(self, method: str, *, seconds: float = REQUEST_SECONDS, **params: Any) -> Any:
        """Call a method; return aiogram's object.

        Raises RefusedError, MovedChatError, ConflictError, TokenError, or DeliveryError for trouble on the way, whose
        `ambiguous` says that Telegram may have acted.
        """
        if self._closed or self._bot is None:
            raise DeliveryError("Telegram is not connected.", retry_after=1.0)
        from aiogram.exceptions import AiogramError

        try:
            return await getattr(self._bot, method)(**params, request_timeout=max(1, round(seconds)))
        except AiogramError as error:
            raise _refusal(error, method) or self._failure(error) from None
        except OSError as error:
            raise DeliveryError(f"The file cannot be read: {error.strerror}.", permanent=True) from None
        except RuntimeError:
            # The connections were reset under a call that had just taken them.
            raise DeliveryError("The connection to Telegram was reset.", ambiguous=True) from None

    def _failure(self, error: Any) -> DeliveryError:
        """Trouble on the way: no connection, a server in trouble, an answer that cannot be read."""
        from aiogram import exceptions as trouble

        if isinstance(error, trouble.ClientDecodeError):
            return DeliveryError("Telegram's answer cannot be read.", ambiguous=True)
        words = str(getattr(error, "message", type(error).__name__)).replace(self._token, "<token>")
        if isinstance(error, trouble.TelegramNetworkError):
            return DeliveryError(f"Telegram cannot be reached: {words}.", ambiguous=not _never_left(error))
        return DeliveryError(f"Telegram has trouble: {words}.", ambiguous=True)

    async def download(self, file_id: str) -> AsyncIterator[bytes]:
        """The bytes of a file, as they come. Raises RefusedError (too big, gone) or DeliveryError."""
        from aiohttp import ClientError

        found = await self.call("get_file", file_id=file_id)
        url = self._bot.session.api.file_url(self._token, found.file_path)
        try:
            async for chunk in self._bot.session.stream_content(url, timeout=FILE_SECONDS, raise_for_status=True):
                yield chunk
        except (TimeoutError, ClientError) as error:
            raise DeliveryError(f"The file could not be fetched: {type(error).__name__}.") from None

    def file(self, path: str, name: str) -> Any:
        """A local file as aiogram sends it."""
        from aiogram.types import FSInputFile

        return FSInputFile(path, filename=name)

    @staticmethod
    def file_of(data: bytes, name: str) -> Any:
        """Bytes as a file that aiogram sends."""
        from aiogram.types import BufferedInputFile

        return BufferedInputFile(data, filename=name)


def _import() -> tuple[Any, Any, Any, Any]:
    library.load()
    from aiogram import Bot
    from aiogram.client.session.aiohttp import AiohttpSession
    from aiogram.client.telegram import TelegramAPIServer
    from aiogram.utils.token import TokenValidationError

    class Session(AiohttpSession):
        """One that goes by the proxy of the environment, in compose the only way out; aiohttp by itself does not."""

        async def create_session(self) -> Any:
            session = await super().create_session()
            session._trust_env = True  # aiogram offers no way to ask for it; tests/integration/test_way_out.py holds it
            return session

    return Bot, Session, TelegramAPIServer, TokenValidationError


def _refusal(error: Any, method: str) -> ApplianceError | None:
    """What Telegram's own no means; None when it was not Telegram that said no."""
    from aiogram import exceptions as trouble

    match error:
        case trouble.TelegramRetryAfter():
            return RefusedError("too many requests", permanent=False, retry_after=float(error.retry_after))
        case trouble.TelegramMigrateToChat():
            return MovedChatError(error.migrate_to_chat_id)
        case trouble.TelegramConflictError():
            return ConflictError(error.message, webhook="webhook" in error.message.lower())
        case trouble.TelegramUnauthorizedError() | trouble.TelegramNotFound():
            # A token that was revoked answers 401, one that never was 404.
            return TokenError(
                f"Telegram does not accept the token: {error.message}.",
                fix="Ask BotFather for the token again and set TELEGRAM_BOT_TOKEN.",
            )
        case trouble.TelegramEntityTooLarge():
            return RefusedError("request entity too large", permanent=True)
        case trouble.TelegramBadRequest() | trouble.TelegramForbiddenError():
            return RefusedError(error.message, permanent=True)
        case trouble.ClientDecodeError() if method == "get_updates" and isinstance(error.data, dict):
            return UnreadableUpdatesError(error.data)
    return None


def _never_left(error: BaseException) -> bool:
    """True when no connection was made, so that Telegram cannot have seen the request."""
    from aiohttp import ClientConnectorError

    return isinstance(error.__cause__, ClientConnectorError)
