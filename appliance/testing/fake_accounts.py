"""What the checks ask over HTTP, played strictly on loopback: CalDAV, an ICS file, mentions and a forecast."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import msgspec

from appliance.testing.loopback import LoopbackServer, Request, Response

_DAV, _CAL = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}"
_UTC = re.compile(r"\d{8}T\d{6}Z")


@dataclass(slots=True)
class FakeAccounts:
    """`events` are the CalDAV calendar's objects, `ics` the file; `book` lists (method, path) of every request."""

    user: str = "sam"
    password: str = "calendar-canary"
    token: str = "mentions-canary"
    events: list[str] = field(default_factory=list)
    ics: str = ""
    mentions: list[dict[str, Any]] = field(default_factory=list)
    forecast: dict[str, Any] = field(default_factory=dict)
    book: list[tuple[str, str]] = field(default_factory=list)
    port: int = 0
    _server: LoopbackServer | None = None

    async def start(self) -> int:
        self._server = LoopbackServer(self._answer)
        self.port = await self._server.start()
        return self.port

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop()

    async def _answer(self, request: Request) -> Response:
        self.book.append((request.method, request.path))
        path = urlsplit(request.path).path
        match request.method, path:
            case "REPORT", "/dav/home/":
                return self._report(request)
            case "GET", "/secret-address/home.ics":
                return Response(200, {"content-type": "text/calendar"}, self.ics.encode())
            case "GET", "/moved/home.ics":
                return Response(302, {"location": "http://evil.example/"}, b"")
            case "GET", "/api/v1/notifications":
                if request.headers.get("authorization") != f"Bearer {self.token}":
                    return Response(401, {}, b"{}")
                if parse_qs(urlsplit(request.path).query) != {"types[]": ["mention"], "limit": ["30"]}:
                    return Response(400, {}, b"{}")
                return Response(200, {"content-type": "application/json"}, msgspec.json.encode(self.mentions))
            case "GET", "/v1/forecast":
                asked = parse_qs(urlsplit(request.path).query)
                if asked.get("timezone") != ["auto"] or not {"latitude", "longitude", "daily", "current"} <= set(asked):
                    return Response(400, {}, b"{}")
                return Response(200, {"content-type": "application/json"}, msgspec.json.encode(self.forecast))
        return Response(404, {}, b"")

    def _report(self, request: Request) -> Response:
        """RFC 4791's calendar-query, checked word by word."""
        login = b64encode(f"{self.user}:{self.password}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {login}":
            return Response(401, {"www-authenticate": "Basic"}, b"")
        tree = ElementTree.fromstring(request.body)  # noqa: S314 - a test's own request
        span = tree.find(f"{_CAL}filter/{_CAL}comp-filter[@name='VCALENDAR']/{_CAL}comp-filter/{_CAL}time-range")
        wanted = tree.find(f"{_DAV}prop/{_CAL}calendar-data")
        if tree.tag != f"{_CAL}calendar-query" or span is None or wanted is None or request.headers.get("depth") != "1":
            return Response(400, {}, b"")
        if not all(_UTC.fullmatch(span.get(name, "")) for name in ("start", "end")):
            return Response(400, {}, b"")
        rows = "".join(
            f"<d:response><d:href>/dav/home/{n}.ics</d:href><d:propstat><d:prop><c:calendar-data>{escape(event)}"
            "</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
            for n, event in enumerate(self.events)
        )
        body = f'<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">{rows}</d:multistatus>'
        return Response(207, {"content-type": "application/xml"}, body.encode())
