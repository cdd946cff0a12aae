"""The HTTP client of a platform's API: opened by the first call, closed for good with the channel."""

from __future__ import annotations

import aiohttp

from appliance.errors import DeliveryError


class Connection:
    """Give it the platform's name, for what is said once it is closed."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    def open(self) -> aiohttp.ClientSession:
        """The session. Raises DeliveryError after `close`."""
        if self._closed:
            raise DeliveryError(f"{self._title} is not connected.", retry_after=1.0)
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=True)
        return self._session

    async def close(self) -> None:
        """Drop the connections for good; calls are refused from now on."""
        self._closed = True
        if self._session is not None:
            await self._session.close()
