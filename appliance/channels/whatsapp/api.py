"""The Graph API's part for one phone number. Nothing that leaves here holds the token."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp

from appliance.channels.connection import Connection
from appliance.channels.fetching import pieces
from appliance.channels.outgoing import PlatformRefusalError, content_of
from appliance.errors import ApplianceError, DeliveryError

Raw = dict[str, Any]
_SECONDS = 30.0
_FILE_SECONDS = 120.0
_BAD_TOKEN = 190
_PATIENCE = {4: 60.0, 80007: 60.0, 130429: 5.0, 131048: 60.0, 131056: 6.0}  # rate limits, with a wait in seconds
_AGAIN = {1, 2, 131000, 131016}  # trouble on their side
_WINDOW_OVER = 131047


class TokenError(ApplianceError):
    """Meta does not accept the access token."""


class RefusedError(PlatformRefusalError):
    """Meta said no; `code` is its own."""

    def __init__(self, code: int, words: str) -> None:
        what = f"WhatsApp refused it: {words} ({code})"
        if code == _WINDOW_OVER:
            what = "WhatsApp lets nobody write first: the person's last message is more than 24 hours old."
        super().__init__(what, permanent=True)
        self.code = code


class WhatsAppApi:
    """Give it the access token, the API's address with its version, and the id of the phone number."""

    def __init__(self, token: str, base: str, phone: str) -> None:
        self._token = token
        self._base = base.rstrip("/")
        self.phone = phone
        self._http = Connection("WhatsApp")

    async def close(self) -> None:
        """Drop the connections for good; calls are refused from now on."""
        await self._http.close()

    async def get(self, path: str) -> Raw:
        return await self._request("GET", path)

    async def send(self, body: Raw) -> Raw:
        """POST a message (or a mark that one was read)."""
        return await self._request("POST", f"{self.phone}/messages", json={"messaging_product": "whatsapp", **body})

    async def upload(self, path: Path, name: str, media_type: str) -> str:
        """Hand over a file; return its media id."""
        data = await content_of(path, name)
        form = aiohttp.FormData()
        form.add_field("messaging_product", "whatsapp")
        form.add_field("type", media_type)
        form.add_field("file", data, filename=name, content_type=media_type)
        return str((await self._request("POST", f"{self.phone}/media", data=form, seconds=_FILE_SECONDS))["id"])

    async def download(self, media: str) -> AsyncIterator[bytes]:
        """The bytes of a media id, as they come. Raises DeliveryError."""
        found = await self.get(media)
        limit = aiohttp.ClientTimeout(total=_FILE_SECONDS)
        async for piece in pieces(self._http.open().get(str(found["url"]), headers=self._headers(), timeout=limit)):
            yield piece

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"}

    async def _request(self, method: str, path: str, *, seconds: float = _SECONDS, **extra: Any) -> Raw:
        limit = aiohttp.ClientTimeout(total=seconds)
        try:
            async with self._http.open().request(
                method, f"{self._base}/{path}", headers=self._headers(), timeout=limit, **extra
            ) as answer:
                body = await answer.json(content_type=None)
        except aiohttp.ClientConnectorError as error:
            raise DeliveryError(f"WhatsApp cannot be reached: {type(error).__name__}.") from None
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise DeliveryError(f"WhatsApp cannot be reached: {type(error).__name__}.", ambiguous=True) from None
        if answer.status < 300 and isinstance(body, dict):
            return body
        raise _refusal(answer.status, body.get("error", {}) if isinstance(body, dict) else {})


def _refusal(status: int, error: Raw) -> ApplianceError:
    code = int(error.get("code", 0))
    if status == 401 or code == _BAD_TOKEN:
        return TokenError(
            "WhatsApp does not accept the access token.",
            fix="Make a new permanent token and set WHATSAPP_ACCESS_TOKEN.",
        )
    if code in _PATIENCE or status == 429:
        return DeliveryError("WhatsApp asks for patience.", retry_after=_PATIENCE.get(code, 30.0))
    if status >= 500 or code in _AGAIN:
        return DeliveryError(f"WhatsApp has trouble ({status}, {code}).", ambiguous=status >= 500)
    return RefusedError(code, str(error.get("message", ""))[:200])
