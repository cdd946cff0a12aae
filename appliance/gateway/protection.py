"""The door: every request passes here before anything reads its body.

In this order: who is asking (401), under which name the page was opened (Host, against DNS rebinding, 403), which page
asks (Origin, 403), how large it says it is (413). Security headers go on every answer.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

import msgspec

from appliance.gateway.auth import COOKIE, Auth, Principal
from appliance.texts.sentences import in_language

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# Answered without a login: health, the login itself, the files of the page (they hold nothing private).
_OPEN = ("/healthz", "/readyz", "/login", "/api/login", "/favicon.ico", "/robots.txt")
_OPEN_UNDER = ("/static/", "/hooks/")  # a hook proves its caller by the platform's own secret
_NO_HOST_CHECK = ("/healthz", "/readyz", "/metrics")  # read by probes under whatever name they know
_ONLY = {"metrics": "/metrics", "alerts": "/api/alerts"}  # what the narrow tokens open
_SMALL_BODY = 256 * 1024
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", _CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=()"),
)


class Hosts:
    """The names under which the page may be opened. An address is always fine: only names can be re-bound."""

    def __init__(self, host: str, further: Iterable[str]) -> None:
        self._names = {"localhost", *(name.lower().rstrip(".") for name in further)}
        if host not in ("127.0.0.1", "::1", "localhost"):
            mine = socket.gethostname().lower()
            self._names |= {mine, f"{mine}.local"}

    def allow(self, host: str) -> bool:
        """Given a Host header's value, say whether it is one of ours."""
        name = _without_port(host).lower().rstrip(".")
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.endswith(".localhost")
        return True


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _same_origin(origin: str, host: str) -> bool:
    """True when the page that asks was served under this very name and port, directly or through TLS in front."""
    scheme, _, rest = origin.partition("://")
    return scheme in ("http", "https") and rest.lower() == host.lower()


class Protection:
    """ASGI: given the app behind it, the Auth, the allowed hosts, body limits by path (bytes) and the language that a
    page's reader has. The app finds that as the scope's `language`; programs, which send a token, read English."""

    def __init__(
        self, app: App, auth: Auth, hosts: Hosts, body_limits: dict[str, int], language: Callable[[Scope], str]
    ) -> None:
        self._app = app
        self._auth = auth
        self._hosts = hosts
        self._limits = body_limits
        self._language = language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":  # there is none here; a handshake gets a plain refusal
                await send({"type": "websocket.close", "code": 1008})
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        path: str = scope["path"]
        principal = self._who(headers)
        refusal = self._refuse(scope, headers, path, principal)
        guarded = _with_headers(send)
        scope["language"] = "en" if b"authorization" in headers else self._language(scope)
        if refusal is not None:
            await _plain(guarded, scope["language"], *refusal)
            return
        scope["principal"] = principal
        if principal is not None:
            await self._auth.touch(principal)
        await self._app(scope, receive, guarded)

    def _who(self, headers: dict[bytes, bytes]) -> Principal | None:
        authorization = headers.get(b"authorization")
        if authorization is not None:
            return self._auth.by_bearer(authorization)
        cookie = headers.get(b"cookie")
        if cookie is None:
            return None
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(cookie.decode("latin-1")[:4096])
        except CookieError:
            return None
        found = jar.get(COOKIE)
        return self._auth.by_cookie(found.value) if found is not None else None

    def _refuse(
        self, scope: Scope, headers: dict[bytes, bytes], path: str, principal: Principal | None
    ) -> tuple[int, str, str, list[tuple[bytes, bytes]]] | None:
        open_path = path in _OPEN or path.startswith(_OPEN_UNDER)
        if not open_path and (principal is None or _ONLY.get(principal.kind, path) != path):
            if _is_page(scope, headers, path):
                return 303, "Log in first.", "", [(b"location", b"/login")]
            fix = "Send `Authorization: Bearer <token>` with the token of STATE/token, or log in at /login."
            return 401, "Who is asking? This needs a token or a login.", fix, [(b"www-authenticate", b"Bearer")]
        host = headers.get(b"host", b"").decode("latin-1")
        if path not in _NO_HOST_CHECK and not path.startswith("/hooks/") and not self._hosts.allow(host):
            shown = _without_port(host)[:80]
            return (
                403,
                f"This page is not known as {shown!r}.",
                f"Add {shown} to server.allowed_hosts if it is yours.",
                [],
            )
        origin = headers.get(b"origin")
        if origin is not None and not _same_origin(origin.decode("latin-1"), host):
            return 403, "Another page asked for this; only the appliance's own page may.", "", []
        if (
            origin is None
            and headers.get(b"sec-fetch-site") == b"cross-site"
            and scope["method"] not in ("GET", "HEAD")
        ):
            return 403, "Another page asked for this; only the appliance's own page may.", "", []
        return self._too_large(headers, path)

    def _too_large(
        self, headers: dict[bytes, bytes], path: str
    ) -> tuple[int, str, str, list[tuple[bytes, bytes]]] | None:
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit():
            return 400, "Content-Length is not a number.", "", []
        limit = self._limits.get(path, _SMALL_BODY)
        if int(declared) > limit:
            return 413, f"The request has {int(declared)} bytes; {limit} is the most here.", "", []
        return None


def _is_page(scope: Scope, headers: dict[bytes, bytes], path: str) -> bool:
    """Whether a person opened an address of ours in a browser: they are led to the login page."""
    if scope["method"] not in ("GET", "HEAD") or path.startswith(("/api/", "/v1/")):
        return False
    return path == "/" or b"text/html" in headers.get(b"accept", b"")


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            headers.extend(SECURITY_HEADERS)
            if not any(name == b"cache-control" for name, _ in headers):
                headers.append((b"cache-control", b"no-store"))
            message["headers"] = headers
        await send(message)

    return guarded


async def _plain(send: Send, language: str, status: int, what: str, fix: str, extra: list[tuple[bytes, bytes]]) -> None:
    shown = {"message": in_language(what, language), "fix": in_language(fix, language)}
    body = msgspec.json.encode({"error": {**shown, "type": _TYPES.get(status, "error")}})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *extra]
    if status == 413:  # the body is not read, so the connection cannot go on
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


_TYPES = {400: "invalid_request", 401: "unauthorized", 403: "forbidden", 413: "too_large"}
