"""Slack's Web API and its socket. Nothing that leaves here holds a token.

Spoken over aiohttp, not slack_sdk: the SDK's socket client takes envelopes in tasks of their own, which loses their
order, and tries a refused token for ever without a word.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from appliance.channels.connection import Connection
from appliance.channels.fetching import pieces
from appliance.channels.outgoing import PlatformRefusalError, content_of
from appliance.channels.proxy import proxy_for
from appliance.errors import ApplianceError, DeliveryError

Raw = dict[str, Any]
_SECONDS = 30.0
_FILE_SECONDS = 120.0
_HEARTBEAT = 20.0  # a socket that does not answer a ping for half of that is dead
_PATIENCE = 30.0
_FILES = "files.slack.com"
_BAD_TOKEN = frozenset(
    "invalid_auth not_authed account_inactive token_revoked token_expired not_allowed_token_type".split()
)
_AGAIN = frozenset("internal_error fatal_error service_unavailable request_timeout team_added_to_org".split())
_GONE = frozenset("message_not_found cant_update_message edit_window_closed".split())


class TokenError(ApplianceError):
    """Slack does not accept one of the tokens."""


class SocketModeError(ApplianceError):
    """Socket mode is switched off for the app."""


class RefusedError(PlatformRefusalError):
    """Slack said no; `error` is its word for it."""

    def __init__(self, error: str, needed: str = "") -> None:
        what = f"Slack refused it: {error}"
        super().__init__(f"{what}; the app needs the scope {needed}." if needed else f"{what}.", permanent=True)
        self.error = error

    @property
    def message_gone(self) -> bool:
        return self.error in _GONE


class SlackApi:
    """Give it the bot's token, the app's token (for the socket) and the API's address."""

    def __init__(self, bot_token: str, app_token: str, base: str) -> None:
        self._bot = bot_token
        self._app = app_token
        self._base = base.rstrip("/")
        self._http = Connection("Slack")

    async def close(self) -> None:
        """Drop the connections for good; calls are refused from now on."""
        await self._http.close()

    async def call(self, method: str, *, app: bool = False, **fields: Any) -> Raw:
        """Call a method with the bot's token (`app`: the app's) and return its JSON; a field that is None is left out.

        Raises RefusedError, TokenError, or DeliveryError for trouble on the way.
        """
        form = {name: _field(value) for name, value in fields.items() if value is not None}
        headers = {"Authorization": f"Bearer {self._app if app else self._bot}"}
        limit = aiohttp.ClientTimeout(total=_SECONDS)
        try:
            async with self._http.open().post(
                f"{self._base}/{method}", data=form, headers=headers, timeout=limit
            ) as answer:
                body = {} if answer.status >= 400 else await answer.json(content_type=None)
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise _unreached(error) from None
        if body.get("ok"):
            return dict(body)
        raise _refusal(answer, body, app=app)

    async def listen(self, hear: Callable[[Raw], Awaitable[None]]) -> None:
        """Open a socket and hand on what comes; an envelope is acknowledged once `hear` has returned.

        Returns when Slack asks for a new connection. Raises what `hear` raises (the envelope comes again),
        SocketModeError, TokenError or DeliveryError.
        """
        opened = str((await self.call("apps.connections.open", app=True))["url"])
        try:
            async with self._http.open().ws_connect(opened, heartbeat=_HEARTBEAT, proxy=proxy_for(opened)) as socket:
                async for message in socket:
                    if message.type is not aiohttp.WSMsgType.TEXT:
                        break
                    envelope = json.loads(message.data)
                    if envelope.get("type") == "disconnect":
                        if envelope.get("reason") == "link_disabled":
                            raise SocketModeError("Socket mode is switched off for the app.")
                        return
                    await hear(envelope)
                    if envelope.get("envelope_id"):
                        await socket.send_json({"envelope_id": envelope["envelope_id"]})
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise _unreached(error) from None
        raise DeliveryError("The connection to Slack was cut.")

    async def upload(self, path: Path, name: str) -> str:
        """Hand over a file, which nobody sees yet; return its id. Raises DeliveryError."""
        data = await content_of(path, name)
        asked = await self.call("files.getUploadURLExternal", filename=name, length=len(data))
        limit = aiohttp.ClientTimeout(total=_FILE_SECONDS)
        try:
            async with self._http.open().post(str(asked["upload_url"]), data=data, timeout=limit) as answer:
                if answer.status != 200:
                    raise DeliveryError(f"Slack did not take the file ({answer.status}).")
        except (TimeoutError, aiohttp.ClientError) as error:
            raise _unreached(error) from None
        return str(asked["file_id"])

    async def download(self, url: str) -> AsyncIterator[bytes]:
        """The bytes of a file, as they come; only from Slack's own hosts, for the token goes along."""
        if urlsplit(url).hostname not in (_FILES, urlsplit(self._base).hostname):
            raise DeliveryError("The file does not lie with Slack.", permanent=True)
        limit = aiohttp.ClientTimeout(total=_FILE_SECONDS)
        headers = {"Authorization": f"Bearer {self._bot}"}
        # Without the scope files:read Slack sends to its login page.
        asked = self._http.open().get(url, headers=headers, timeout=limit, allow_redirects=False)
        async for piece in pieces(asked):
            yield piece


def _field(value: Any) -> str:
    """As Slack's forms take it: words as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _unreached(error: Exception) -> DeliveryError:
    never_left = isinstance(error, aiohttp.ClientConnectorError)
    return DeliveryError(f"Slack cannot be reached: {type(error).__name__}.", ambiguous=not never_left)


def _refusal(answer: aiohttp.ClientResponse, body: Raw, *, app: bool) -> ApplianceError:
    error = str(body.get("error", ""))
    if error in _BAD_TOKEN:
        name = "SLACK_APP_TOKEN" if app else "SLACK_BOT_TOKEN"
        return TokenError(
            f"Slack does not accept the {'app' if app else 'bot'}'s token ({error}).",
            fix=f"Copy it again from https://api.slack.com/apps and set {name}.",
        )
    if answer.status == 429 or error in ("ratelimited", "rate_limited"):
        asked = answer.headers.get("Retry-After", "")
        return DeliveryError("Slack asks for patience.", retry_after=float(asked) if asked.isdigit() else _PATIENCE)
    if not error or error in _AGAIN:
        return DeliveryError(f"Slack has trouble ({error or answer.status}).", ambiguous=True)
    return RefusedError(error, str(body.get("needed", "")))
