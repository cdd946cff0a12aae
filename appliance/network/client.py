"""HTTP through the wall: a small GET that follows redirects hop by hop, with bounds on time and size."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from appliance.errors import AddressError, TooLargeError
from appliance.network.proxy import REFUSAL
from appliance.network.wall import Wall

if TYPE_CHECKING:
    import httpx2

_HOPS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AGENT = "Mozilla/5.0 (compatible; home-agent-appliance/0.1)"
# Judges the target of a redirect before it is followed: (from, to). Raises AddressError.
JudgeHop = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back: `url` is where the redirects ended, `media_type` without parameters and in lower case."""

    url: str
    status: int
    media_type: str
    charset: str
    body: bytes


class Client:
    """Given a wall and bounds (`seconds` for everything, `most` bytes of a body), fetch pages.

    With `proxy`, a wall's proxy on the way out, names are looked up and addresses judged there.

    Cookies are not kept, proxies of the environment are not used, and nothing is sent but a plain GET.
    """

    def __init__(self, wall: Wall, *, seconds: float = 30.0, most: int = 5_000_000, proxy: str = "") -> None:
        self._wall = wall
        self._proxy = proxy
        self._seconds = seconds
        self._most = most

    async def get(self, url: str, judge: JudgeHop | None = None, accept: str = "*/*") -> Fetched:
        """Raises AddressError (not opened), TooLargeError, ConnectionError (nobody answers), TimeoutError."""
        import httpx2  # slow to import, and only needed once something is fetched

        address = self._wall.check(url)
        headers = {"user-agent": _AGENT, "accept": accept, "accept-language": "en,zh;q=0.8,*;q=0.5"}
        try:
            async with (
                asyncio.timeout(self._seconds),
                httpx2.AsyncClient(
                    transport=self._transport(), trust_env=False, follow_redirects=False, headers=headers
                ) as client,
            ):
                for _ in range(_HOPS + 1):
                    async with client.stream("GET", address.url, timeout=self._seconds) as response:
                        if self._proxy and response.reason_phrase.startswith(REFUSAL):
                            raise AddressError(str(response.reason_phrase))
                        target = response.headers.get("location", "")
                        if response.status_code not in _REDIRECTS or not target:
                            return await self._read(response, address.url)
                    client.cookies.clear()
                    following = self._wall.check(urljoin(address.url, target))
                    if judge is not None:
                        judge(address.url, following.url)
                    address = following
        except httpx2.ProxyError as error:
            raise AddressError(f"{address.authority} is not reached: {error}") from error
        except httpx2.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise ConnectionError(f"{address.authority} does not answer as a web server should: {reason}") from error
        raise AddressError(f"{address.authority} redirects more than {_HOPS} times.")

    async def ask(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> Fetched:
        """One request as it is given, for endpoints of the owner's. Raises as `get` does.

        Its headers may hold a key, so that a redirect is an answer like any other.
        """
        import httpx2  # slow to import, and only needed once something is fetched

        address = self._wall.check(url)
        try:
            async with (
                asyncio.timeout(self._seconds),
                httpx2.AsyncClient(
                    transport=self._transport(), trust_env=False, headers={"user-agent": _AGENT}
                ) as client,
                client.stream(
                    method, address.url, headers=dict(headers or {}), content=body, timeout=self._seconds
                ) as response,
            ):
                if self._proxy and response.reason_phrase.startswith(REFUSAL):
                    raise AddressError(str(response.reason_phrase))
                return await self._read(response, address.authority)
        except httpx2.ProxyError as error:
            raise AddressError(f"{address.authority} is not reached: {error}") from error
        except httpx2.HTTPError as error:
            raise ConnectionError(f"{address.authority} does not answer: {type(error).__name__}") from error

    def _transport(self) -> httpx2.AsyncHTTPTransport:
        if not self._proxy:
            return walled_transport(self._wall)
        import httpx2  # slow to import, and only needed once something is fetched

        return httpx2.AsyncHTTPTransport(verify=httpx2.create_ssl_context(), proxy=self._proxy, trust_env=False)

    async def _read(self, response: httpx2.Response, url: str) -> Fetched:
        pieces, size = [], 0
        async for piece in response.aiter_bytes(65_536):  # unpacked, so that a small body cannot grow without bound
            size += len(piece)
            if size > self._most:
                raise TooLargeError(f"{url} is larger than {self._most // 1_000_000} MB.")
            pieces.append(piece)
        kind = response.headers.get("content-type", "")
        media_type = kind.partition(";")[0].strip().lower()
        return Fetched(url, response.status_code, media_type, response.charset_encoding or "", b"".join(pieces))


def walled_transport(wall: Wall) -> httpx2.AsyncHTTPTransport:
    """A transport for httpx2 whose every connection goes to an address that the wall has judged."""
    import httpcore2
    import httpx2

    class Backend(httpcore2.AsyncNetworkBackend):
        """Resolves and judges, then connects to what was judged."""

        def __init__(self) -> None:
            self._inner = httpcore2.AnyIOBackend()

        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,  # noqa: ASYNC109 - the interface is httpcore2's
            local_address: str | None = None,
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore2.AsyncNetworkStream:
            failure: Exception | None = None
            for address in await wall.addresses(host, port):
                try:
                    return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
                except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                    failure = error
            raise failure or httpcore2.ConnectError(f"{host} has no address")

        async def connect_unix_socket(
            self,
            path: str,
            timeout: float | None = None,  # noqa: ASYNC109 - the interface is httpcore2's
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore2.AsyncNetworkStream:
            raise AddressError("Sockets of this machine are not opened.")

        async def sleep(self, seconds: float) -> None:
            await self._inner.sleep(seconds)

    class Transport(httpx2.AsyncHTTPTransport):
        def __init__(self) -> None:
            context = httpx2.create_ssl_context()
            super().__init__(verify=context, trust_env=False)
            self._pool = httpcore2.AsyncConnectionPool(ssl_context=context, network_backend=Backend())

    return Transport()
