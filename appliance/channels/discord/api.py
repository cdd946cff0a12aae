"""Discord through discord.py, which is imported when the channel opens.

Calls are made and events taken as Discord's own JSON, so that what comes live and what is fetched later are read alike.
Every refusal becomes a DeliveryError that says how to react; nothing that leaves here holds the token.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlsplit

from appliance.channels.fetching import pieces
from appliance.channels.outgoing import PlatformRefusalError
from appliance.channels.proxy import proxy_for
from appliance.errors import ApplianceError, DeliveryError

REQUEST_SECONDS = 60.0
FILE_SECONDS = 120.0
_LONGEST_WAIT = 30.0  # a longer wait that Discord asks for is kept by delivery, not inside a call
_UNKNOWN_MESSAGE = 10008
_UNKNOWN_INTERACTION = (10015, 10062, 50027)  # unknown webhook, unknown interaction, its token is over
_BAD_TOKEN = 4004  # close code of the gateway
_CONTENT_REFUSED = 4014

Raw = dict[str, Any]


class TokenError(ApplianceError):
    """Discord does not know the token."""


class IntentError(ApplianceError):
    """The application may not read message contents."""


class RefusedError(PlatformRefusalError):
    """Discord said no. `status` is HTTP's, `code` is Discord's own."""

    def __init__(self, status: int, code: int, words: str) -> None:
        super().__init__(f"Discord refused it: {words} ({status}, {code})", permanent=True)
        self.status = status
        self.code = code

    @property
    def message_gone(self) -> bool:
        return self.code == _UNKNOWN_MESSAGE

    @property
    def interaction_gone(self) -> bool:
        return self.code in (*_UNKNOWN_INTERACTION, _UNKNOWN_MESSAGE)


class DiscordApi:
    """Give it the token and the API's address; `open`, `login`, then `call` and `listen`."""

    def __init__(self, token: str, base: str) -> None:
        self._token = token
        self._base = base.rstrip("/")
        self._client: Any = None
        self._closed = False

    async def open(self) -> None:
        """Import discord.py beside the event loop. Raises ApplianceError when it is not installed."""
        try:
            await asyncio.to_thread(_import)
        except ImportError:
            raise ApplianceError(
                "The Discord library is not installed.",
                fix="Install the extra: pip install 'home-agent-appliance[discord]'",
            ) from None

    async def login(self, heard: Callable[[Raw], None], lost: Callable[[], None], *, content: bool) -> int:
        """Connect and return the bot's user id. `heard` gets each event of the gateway, `lost` a cut connection.

        `content` asks for the message-content intent. Raises TokenError or DeliveryError.
        """
        import discord
        import yarl
        from discord.gateway import DiscordWebSocket
        from discord.http import Route

        await self._drop()
        Route.BASE = self._base
        self._client = _client(heard, lost, content=content, proxy=proxy_for(self._base))
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._client.login(self._token)
        except discord.LoginFailure:
            raise _token_error() from None
        except (discord.HTTPException, OSError) as error:
            raise self._failure(error) from None
        gateway = await self.call("GET", "/gateway/bot")
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway["url"])
        return int(self._client.user.id)

    async def listen(self) -> None:
        """Take events until that cannot go on. Raises IntentError, TokenError or DeliveryError."""
        import discord

        try:
            await self._client.connect(reconnect=True)
        except discord.PrivilegedIntentsRequired:
            raise IntentError("Discord does not let this application read message contents.") from None
        except discord.ConnectionClosed as closed:
            if closed.code == _BAD_TOKEN:
                raise _token_error() from None
            raise DeliveryError(f"Discord closed the connection ({closed.code}).") from None
        except (discord.DiscordException, OSError) as error:
            raise self._failure(error) from None
        raise DeliveryError("The connection to Discord ended.")

    async def silence(self) -> None:
        """Stop listening; calls still work."""
        if self._client is not None and self._client.ws is not None and self._client.ws.open:
            await self._client.ws.close(code=1000)

    async def close(self) -> None:
        """Drop everything for good; calls are refused from now on."""
        self._closed = True
        await self._drop()

    async def call(self, method: str, path: str, body: Raw | list[Raw] | None = None, **params: Any) -> Any:
        """Call the API and return its JSON. `params` fill the path; `query` is the query string's.

        Raises RefusedError, TokenError, or DeliveryError for trouble on the way, whose `ambiguous` says that Discord
        may have acted.
        """
        query = params.pop("query", None)
        extra: Raw = {"params": query} if query else {}
        if body is not None:
            extra["json"] = body
        return await self._request(method, path, REQUEST_SECONDS, params, **extra)

    async def upload(self, chat: int, path: str, name: str, body: Raw) -> Any:
        """Send a file with a message; return the message."""
        import discord

        try:
            file = discord.File(path, filename=name)
        except OSError as error:
            raise DeliveryError(f"The file {name} cannot be read: {error.strerror}.", permanent=True) from None
        with contextlib.closing(file):
            form = [
                {"name": "payload_json", "value": json.dumps(body)},
                {"name": "files[0]", "value": file.fp, "filename": name, "content_type": "application/octet-stream"},
            ]
            path = "/channels/{channel_id}/messages"
            return await self._request("POST", path, FILE_SECONDS, {"channel_id": chat}, files=[file], form=form)

    async def download(self, url: str) -> AsyncIterator[bytes]:
        """The bytes of an attachment, as they come; only from Discord's own hosts. Raises DeliveryError."""
        import aiohttp

        host, own = urlsplit(url).hostname or "", urlsplit(self._base).hostname
        if host not in (own, "cdn.discordapp.com", "media.discordapp.net"):
            raise DeliveryError("The file does not lie with Discord.", permanent=True)
        limit = aiohttp.ClientTimeout(total=FILE_SECONDS)
        async with aiohttp.ClientSession(trust_env=True, timeout=limit) as session:
            async for piece in pieces(session.get(url, allow_redirects=False)):
                yield piece

    async def _request(self, method: str, path: str, seconds: float, into: Raw, **extra: Any) -> Any:
        if self._closed or self._client is None:
            raise DeliveryError("Discord is not connected.", retry_after=1.0)
        import aiohttp
        import discord
        from discord.http import Route

        try:
            async with asyncio.timeout(seconds):
                return await self._client.http.request(Route(method, path, **into), **extra)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            raise self._failure(error) from None
        except (RuntimeError, AttributeError):
            # The client was exchanged or closed under a call that had just taken it.
            raise DeliveryError("The connection to Discord was reset.", ambiguous=True) from None

    def _failure(self, error: BaseException) -> ApplianceError:
        import discord

        if isinstance(error, discord.RateLimited):
            return DeliveryError("Discord asks for patience.", retry_after=float(error.retry_after))
        if isinstance(error, discord.HTTPException):
            if error.status == 401:
                return _token_error()
            if error.status == 429:
                return DeliveryError("Discord asks for patience.", retry_after=_LONGEST_WAIT)
            if error.status < 500:
                return RefusedError(error.status, error.code, error.text.replace(self._token, "<token>"))
            return DeliveryError(f"Discord has trouble ({error.status}).", ambiguous=True)
        return DeliveryError(f"Discord cannot be reached: {type(error).__name__}.", ambiguous=not _never_left(error))

    async def _drop(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()


def _import() -> None:
    import discord

    # discord.py's own lines hold session ids and addresses; what matters of them is reported by the channel.
    logging.getLogger(discord.__name__).setLevel(logging.CRITICAL)


def _client(heard: Callable[[Raw], None], lost: Callable[[], None], *, content: bool, proxy: str | None) -> Any:
    import discord

    class Client(discord.Client):
        """Hands on what the gateway says, in its order."""

        async def on_socket_raw_receive(self, text: str) -> None:
            heard(json.loads(text))

        async def on_disconnect(self) -> None:
            lost()

    intents = discord.Intents.none()
    intents.guild_messages = intents.dm_messages = True
    intents.message_content = content
    return Client(
        intents=intents,
        enable_debug_events=True,
        max_messages=None,
        chunk_guilds_at_startup=False,
        member_cache_flags=discord.MemberCacheFlags.none(),
        max_ratelimit_timeout=_LONGEST_WAIT,
        proxy=proxy,
    )


def _token_error() -> TokenError:
    return TokenError(
        "Discord does not accept the token.",
        fix="Reset the token on the application's Bot page and set DISCORD_BOT_TOKEN.",
    )


def _never_left(error: BaseException) -> bool:
    """True when no connection was made, so that Discord cannot have seen the request."""
    from aiohttp import ClientConnectorError

    return isinstance(error, ClientConnectorError)
