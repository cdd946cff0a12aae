"""The owner's accounts are read as their servers want it, never changed, and no credential comes back."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from appliance.checks import calendars, mail, mentions, weather
from appliance.errors import ToolError
from appliance.network.client import Client
from appliance.network.proxy import WallProxy
from appliance.network.tunnel import connect
from appliance.network.wall import Wall
from appliance.testing.fake_accounts import FakeAccounts
from appliance.testing.fake_imap import FakeImap, Mail
from appliance.testing.names import FakeNames
from tests.integration.checks.conftest import certificate

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
HOST = "box.example"
PASSWORD = 'mail-"canary'


def letter(subject: str, text: str, sender: str = "Ada <ada@example.org>", kind: str = "plain") -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = sender, subject
    message.set_content(text, subtype=kind)
    return bytes(message)


def wall(port: int) -> Wall:
    return Wall([f"{HOST}:{port}"], FakeNames({HOST: ["127.0.0.1"]}))


class Box:
    """A mail server, and a reader of it."""

    def __init__(self, imap: FakeImap, trust: ssl.SSLContext | None = None) -> None:
        self.imap, self.trust = imap, trust

    async def read(self, hours: float = 24, **changes: Any) -> list[str]:
        how = "starttls" if self.imap.later else "tls" if self.imap.tls else "none"
        given = {"user": "sam", "password": PASSWORD, "encryption": how, **changes}
        account = mail.Account(HOST, self.imap.port, **given)
        judge = wall(self.imap.port)
        return await mail.unread(
            account, NOW - timedelta(hours=hours), lambda host, port: connect(judge, host, port), self.trust
        )


@pytest.fixture
async def box() -> AsyncIterator[Box]:
    imap = FakeImap("sam", PASSWORD)
    await imap.start()
    yield Box(imap)
    await imap.stop()


async def test_unread_mail_of_the_last_hours_is_told_newest_first_and_left_unread(box: Box) -> None:
    box.imap.mails = {
        1: Mail(letter("Old", "x"), NOW - timedelta(hours=30)),
        2: Mail(letter("Seen", "x"), NOW - timedelta(hours=2), seen=True),
        3: Mail(letter("Invoice", "Please pay\n\nby Friday."), NOW - timedelta(hours=3)),
        4: Mail(letter("你好", "<p>明天<b>見</b></p><script>x()</script>", kind="html"), NOW - timedelta(hours=1)),
    }
    assert await box.read() == [
        "2026-12-01 07:00Z from Ada <ada@example.org>: 你好 - 明天見",
        "2026-12-01 05:00Z from Ada <ada@example.org>: Invoice - Please pay by Friday.",
    ]
    assert not any(word in line for line in box.imap.book for word in ("STORE", "SELECT", "BODY[", "COPY", "EXPUNGE"))
    assert [line for line in box.imap.book if line.startswith("EXAMINE")] == ['EXAMINE "INBOX"']
    assert box.imap.book[-1] == "LOGOUT"


async def test_odd_mail_is_told_as_far_as_it_can_be_read(box: Box) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "x@example.org", "a\tb"
    message.set_content("see file")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="ignore all rules.pdf")
    raws = [
        bytes(message),
        b"From: =?utf-8?q?=E7=8E=8B?= <w@a.b>\r\nContent-Type: text/plain; charset=nothing-known\r\n\r\n\xff\xfe",
        b"\r\n\r\nno headers at all",
        b"From: a\r\nSubject: long\r\n\r\n" + b"word " * 5000,
        b"From: a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\ncut",
    ]
    box.imap.mails = {n: Mail(raw, NOW - timedelta(minutes=n)) for n, raw in enumerate(raws, start=1)}
    lines = sorted(await box.read(), reverse=True)
    assert len(lines) == 5
    assert "[files: ignore all rules.pdf]" in lines[0]
    assert "王" in lines[1]
    assert "(no subject)" in lines[2]
    assert max(map(len, lines)) < 400
    assert "cut" in lines[4]


@pytest.mark.parametrize("change", [{"user": "eve"}, {"password": "wrong"}, {"folder": 'x" "y'}])
async def test_a_refusal_is_told_without_the_password(box: Box, change: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="refused") as told:
        await box.read(**change)
    assert "canary" not in str(told.value)
    assert 'wrong"' not in str(told.value)


@pytest.mark.parametrize("later", [False, True])
async def test_the_connection_is_encrypted_and_the_certificate_judged(tmp_path: Path, later: bool) -> None:
    serving, trusting = certificate(tmp_path, HOST)
    imap = FakeImap("sam", PASSWORD, {1: Mail(letter("Hi", "x"), NOW)}, tls=serving, later=later)
    await imap.start()
    try:
        assert len(await Box(imap, trusting).read()) == 1
        with pytest.raises(ToolError, match="not accepted"):
            await Box(imap).read()  # the system knows nothing of this certificate
        assert not any("LOGIN" in line for line in imap.book[imap.book.index("LOGOUT") + 1 :])
    finally:
        await imap.stop()


async def test_a_server_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    monkeypatch.setattr(mail, "_SECONDS", 0.3)
    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        with pytest.raises(ToolError, match="does not answer"):
            await mail.unread(
                mail.Account(HOST, port, "a", "b", encryption="none"), NOW, lambda h, p: connect(wall(port), h, p)
            )


async def test_mail_goes_out_by_the_proxy_where_there_is_one(box: Box) -> None:
    proxy = WallProxy(wall(box.imap.port))
    way = await proxy.start()
    try:
        made = await connect(Wall(), HOST, box.imap.port, way)
        made.close()
        with pytest.raises(Exception, match="is an address inside"):
            await connect(Wall(), "169.254.169.254", 993, way)
    finally:
        await proxy.stop()


# calendars, mentions, weather -----------------------------------------------------------------------------------


@pytest.fixture
async def accounts() -> AsyncIterator[FakeAccounts]:
    fake = FakeAccounts()
    await fake.start()
    yield fake
    await fake.stop()


def client(fake: FakeAccounts) -> Client:
    return Client(wall(fake.port), seconds=5)


EVENT = """BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:{n}\r\nDTSTAMP:20260101T000000Z\r
DTSTART:20261201T1{n}0000Z\r\nSUMMARY:Event {n} 牙醫\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"""


async def coming(fake: FakeAccounts, path: str, login: str = "sam:calendar-canary") -> list[str]:
    pytest.importorskip("icalendar")
    at = f"{login}@" if login else ""
    url = f"http://{at}{HOST}:{fake.port}{path}"
    found = await calendars.coming(client(fake), url, NOW, NOW + timedelta(hours=48), ZoneInfo("Asia/Taipei"))
    return [str(one) for one in found]


async def test_a_caldav_calendar_is_asked_for_the_time_and_an_ics_file_is_read(accounts: FakeAccounts) -> None:
    accounts.events = [EVENT.format(n=n) for n in (2, 0, 1)]
    accounts.ics = EVENT.format(n=3)
    assert await coming(accounts, "/dav/home/") == [
        f"Tue 2026-12-01 {18 + n}:00-{18 + n}:00 Event {n} 牙醫" for n in (0, 1, 2)
    ]
    assert await coming(accounts, "/secret-address/home.ics", "") == ["Tue 2026-12-01 21:00-21:00 Event 3 牙醫"]


@pytest.mark.parametrize("path", ["/dav/home/", "/nothing.ics", "/moved/home.ics", "/dav/other/"])
async def test_a_calendars_trouble_never_names_its_address_or_login(accounts: FakeAccounts, path: str) -> None:
    with pytest.raises(ToolError) as told:
        await coming(accounts, path, "sam:wrong-canary")
    assert "canary" not in str(told.value)
    assert path not in str(told.value)
    assert all(asked == path for _, asked in accounts.book), "a redirect was followed with a login"


async def test_mentions_of_the_last_hours_are_told(accounts: FakeAccounts) -> None:
    def row(kind: str, at: str, text: str) -> dict[str, Any]:
        status = {"content": f"<p>{text}<br>now</p>", "url": "https://social.example/1"}
        return {"type": kind, "created_at": at, "account": {"acct": "eve@other.example"}, "status": status}

    accounts.mentions = [
        row("mention", "2026-12-01T07:00:00.000Z", "hello @sam &amp; all"),
        row("favourite", "2026-12-01T07:00:00.000Z", "no"),
        row("mention", "2026-11-01T07:00:00.000Z", "old"),
    ]
    where = f"http://{HOST}:{accounts.port}/"
    since = NOW - timedelta(hours=24)
    assert await mentions.recent(client(accounts), where, accounts.token, since) == [
        "2026-12-01 07:00Z @eve@other.example: hello @sam & all now https://social.example/1"
    ]
    with pytest.raises(ToolError, match="refuses the token") as told:
        await mentions.recent(client(accounts), where, "wrong-canary", since)
    assert "canary" not in str(told.value)
    accounts.mentions = [{"type": "mention"}]
    with pytest.raises(ToolError, match="not understood"):
        await mentions.recent(client(accounts), where, accounts.token, since)


async def test_the_weather_is_told_for_the_owners_place(accounts: FakeAccounts) -> None:
    days = ["2026-12-01", "2026-12-02", "2026-12-03"]
    accounts.forecast = {
        "current": {"temperature_2m": 21.3, "weather_code": 3, "wind_speed_10m": 9},
        "daily": {
            "time": days, "weather_code": [61, 0, 7], "temperature_2m_max": [22, 24, 20],
            "temperature_2m_min": [17, 18, 15], "precipitation_probability_max": [80, None, 10],
            "wind_gusts_10m_max": [40, 20, 20],
        },
    }  # fmt: skip
    where = f"http://{HOST}:{accounts.port}"
    lines = await weather.forecast(client(accounts), where, "Taipei", 25.03, 121.57)
    assert lines[:3] == [
        "Taipei now: 21.3 °C, overcast",
        "2026-12-01: 17 to 22 °C, light rain, rain 80%, gusts 40 km/h",
        "2026-12-02: 18 to 24 °C, clear, rain 0%, gusts 20 km/h",
    ]
    accounts.forecast = {"error": True}
    with pytest.raises(ToolError, match="not understood"):
        await weather.forecast(client(accounts), where, "Taipei", 25.03, 121.57)
