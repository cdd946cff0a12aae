"""Threats T20, T21, T22 and T30: an open port, a hostile page, forged tokens, slow and many clients."""

from __future__ import annotations

import asyncio
import contextlib
import time

import httpx2
import pytest

from appliance.errors import StateError
from appliance.gateway.server import Server

from .house import House, Running

CLOSED = [
    ("GET", "/"), ("GET", "/api/sessions"), ("GET", "/api/events"), ("POST", "/api/messages"), ("GET", "/api/budget"),
    ("POST", "/api/budget/raise"), ("GET", "/metrics"), ("GET", "/v1/models"), ("POST", "/v1/chat/completions"),
    ("POST", "/api/attachments"), ("POST", "/api/password"), ("POST", "/api/login-code"), ("POST", "/api/token/rotate"),
    ("GET", "/api/logins"), ("POST", "/api/logout"), ("GET", "/docs"), ("GET", "/schema"), ("GET", "/nothing"),
]  # fmt: skip


async def test_without_a_token_every_closed_path_is_401_whatever_the_headers_claim(
    stranger: httpx2.AsyncClient,
) -> None:
    claims: list[dict[str, str]] = [
        {},
        {"x-forwarded-for": "127.0.0.1"},
        {"forwarded": "for=127.0.0.1"},
        {"x-real-ip": "127.0.0.1"},
        {"host": "evil.example"},
        {"authorization": "Bearer x"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer null"},
        {"cookie": "appliance_login=" + "x" * 43},
        {"cookie": "appliance_login"},
        {"cookie": '"; =;;'},
    ]
    for claim in claims:
        for method, path in CLOSED:
            answer = await stranger.request(method, path, headers=claim)
            wanted = 303 if path == "/" else 401
            assert answer.status_code == wanted, (method, path, claim)


async def test_a_person_without_a_login_is_led_to_the_login_page_a_program_is_not(stranger: httpx2.AsyncClient) -> None:
    browser = {"accept": "text/html,application/xhtml+xml"}
    assert (await stranger.get("/spend", headers=browser)).headers["location"] == "/login"
    assert (await stranger.get("/spend")).status_code == 401
    assert (await stranger.get("/api/sessions", headers=browser)).status_code == 401
    assert (await stranger.post("/spend", headers=browser)).status_code == 401


async def test_every_answer_has_the_security_headers(running: Running, stranger: httpx2.AsyncClient) -> None:
    for path in ("/login", "/static/style.css", "/healthz", "/nothing", "/api/sessions"):
        headers = (await stranger.get(path)).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


async def test_no_page_holds_an_inline_script_or_style_or_another_host(owner: httpx2.AsyncClient) -> None:
    for path in ("/", "/login?again=1"):
        html = (await owner.get(path)).text
        assert "<script>" not in html
        assert " style=" not in html
        assert " onclick" not in html
        assert "http://" not in html
        assert "https://" not in html


async def test_the_metrics_token_opens_metrics_and_nothing_else(running: Running) -> None:
    token = (running.state / "metrics_token").read_text().strip()
    async with httpx2.AsyncClient(base_url=running.url, headers={"authorization": f"Bearer {token}"}) as reader:
        assert (await reader.get("/metrics")).text == "up 1\n"
        for method, path in CLOSED:
            if path not in ("/metrics", "/"):
                assert (await reader.request(method, path)).status_code == 401


async def test_the_alerts_token_opens_the_webhook_and_nothing_else(running: Running, house: House) -> None:
    token = (running.state / "alerts_token").read_text().strip()
    async with httpx2.AsyncClient(base_url=running.url, headers={"authorization": f"Bearer {token}"}) as manager:
        assert (await manager.post("/api/alerts", json={"alerts": []})).status_code == 200
        for method, path in CLOSED:
            if path != "/":
                assert (await manager.request(method, path)).status_code == 401
    assert house.alerts == [{"alerts": []}]


async def test_another_page_can_do_nothing_even_with_the_owners_cookie(running: Running, house: House) -> None:
    async with httpx2.AsyncClient(base_url=running.url) as browser:
        await browser.post("/api/login", json={"code": running.auth.new_code()})
        body = {"text": "transfer"}
        attacks = [
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": running.url.replace("127.0.0.1", "localhost")},
            {"origin": "http://127.0.0.1:1"},
            {"origin": "file://"},
            {"origin": ""},
            {"sec-fetch-site": "cross-site"},
        ]
        for headers in attacks:
            answer = await browser.post("/api/messages", json=body, headers=headers)
            assert answer.status_code == 403, headers
        form = {"content-type": "text/plain", "origin": "http://evil.example"}
        assert (await browser.post("/api/messages", content=b'{"text":"x"}', headers=form)).status_code == 403
        assert house.book == []
        assert (await browser.post("/api/messages", json=body, headers={"origin": running.url})).status_code == 200


async def test_a_rebound_name_is_refused_with_the_setting_that_would_allow_it(owner: httpx2.AsyncClient) -> None:
    for host in ("evil.example", "evil.example:8321", "127.0.0.1.nip.io", ""):
        answer = await owner.get("/api/sessions", headers={"host": host})
        assert answer.status_code == 403, host
    assert "allowed_hosts" in answer.json()["error"]["fix"]


async def test_the_login_cookie_cannot_be_read_by_scripts_or_sent_by_other_sites(running: Running) -> None:
    async with httpx2.AsyncClient(base_url=running.url) as browser:
        answer = await browser.post("/api/login", json={"code": running.auth.new_code()})
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "path=/" in cookie
        assert "secure" not in cookie
        secure = await browser.post(
            "/api/login",
            json={"code": running.auth.new_code()},
            headers={"origin": f"https://{running.url.partition('//')[2]}"},
        )
        assert "secure" in secure.headers["set-cookie"].lower()


async def test_a_hundred_guesses_lock_after_five_on_loopback_too(
    running: Running, stranger: httpx2.AsyncClient
) -> None:
    code = running.auth.new_code()
    tries = [stranger.post("/api/login", json={"code": f"AAAA-{n:04}"}) for n in range(100)]
    statuses = [answer.status_code for answer in await asyncio.gather(*tries)]
    assert (statuses.count(401), statuses.count(429)) == (5, 95)
    locked = await stranger.post("/api/login", json={"code": code}, headers={"x-forwarded-for": "10.9.9.9"})
    assert locked.status_code == 429
    assert int(locked.headers["retry-after"]) > 60
    assert [kind for kind, _ in running.audit].count("login.failed") == 5
    assert code not in str(running.audit)


async def test_login_wants_one_thing_and_survives_odd_bodies(running: Running, stranger: httpx2.AsyncClient) -> None:
    for body in (b"", b"{}", b"[]", b'{"code":1}', b'{"code":"a","password":"b"}', b'{"code":"' + b"x" * 5000 + b'"}'):
        assert (await stranger.post("/api/login", content=body)).status_code in (400, 401)
    assert (await stranger.post("/api/login", content=b"x" * 9000)).status_code == 413
    assert (await stranger.post("/api/login", content=b"x" * 300_000)).status_code == 413


async def test_the_whole_way_of_a_person_code_password_logins_logout(running: Running) -> None:
    async with httpx2.AsyncClient(base_url=running.url, headers={"origin": running.url}) as browser:
        assert (await browser.post("/api/login", json={"code": running.auth.new_code()})).json()[
            "has_password"
        ] is False
        assert (await browser.post("/api/password", json={"password": "short"})).status_code == 400
        assert (await browser.post("/api/password", json={"password": "correct horse"})).status_code == 200
        assert (await browser.get("/")).status_code == 200
        assert (await browser.get("/login")).status_code == 303
        assert (await browser.post("/api/login-code")).status_code == 403  # a browser cannot make codes
        assert (await browser.post("/api/token/rotate")).status_code == 403
        async with httpx2.AsyncClient(base_url=running.url, headers={"origin": running.url}) as phone:
            assert (await phone.post("/api/login", json={"password": "correct horse"})).status_code == 200
            logins = (await phone.get("/api/logins")).json()["logins"]
            other = next(row["id"] for row in logins if not row["this"])
            assert (await phone.delete(f"/api/logins/{other}")).status_code == 200
            assert (await browser.get("/api/sessions")).status_code == 401
            assert (await phone.post("/api/logout")).status_code == 200
            assert (await phone.get("/api/sessions")).status_code == 401


async def test_a_rotated_token_ends_open_streams_within_five_seconds(
    running: Running, owner: httpx2.AsyncClient
) -> None:
    async with owner.stream("GET", "/api/events") as events:
        lines = events.aiter_lines()
        await anext(lines)
        assert (await owner.post("/api/token/rotate")).status_code == 200
        started = time.monotonic()
        async with asyncio.timeout(5):
            async for _ in lines:
                pass
        assert time.monotonic() - started < 5
    assert (await owner.get("/api/sessions")).status_code == 401


async def test_a_revoked_login_ends_its_open_stream(running: Running, owner: httpx2.AsyncClient) -> None:
    async with httpx2.AsyncClient(base_url=running.url) as browser:
        await browser.post("/api/login", json={"code": running.auth.new_code()})
        async with browser.stream("GET", "/api/events") as events:
            pieces = events.aiter_raw()
            await anext(pieces)
            login = (await owner.get("/api/logins")).json()["logins"][0]["id"]
            await owner.delete(f"/api/logins/{login}")
            async with asyncio.timeout(5):
                async for _ in pieces:
                    pass


async def test_a_websocket_is_refused(running: Running) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.server.port)
    writer.write(
        b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    async with asyncio.timeout(5):
        assert b" 401 " in await reader.readline()
    writer.close()


async def raw(running: Running, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.server.port)
    writer.write(data)
    try:
        async with asyncio.timeout(5):
            return await reader.read(400)
    finally:
        writer.close()


async def test_requests_that_lie_about_their_size_or_are_none_get_a_4xx(running: Running) -> None:
    token = running.token.encode()
    head = b"POST /api/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + b"\r\n"
    huge = b"Content-Length: 5000000000\r\n\r\n"
    assert b" 413 " in await raw(running, head + huge)
    assert b" 413 " in await raw(running, head.replace(b"/api/messages", b"/api/attachments") + huge)
    assert b" 413 " in await raw(
        running, head.replace(b"/api/messages", b"/api/password") + b"Content-Length: 300000\r\n\r\n"
    )
    assert b" 400 " in await raw(running, head + b"Content-Length: -5\r\n\r\n")
    assert b" 400 " in await raw(running, head + b"Content-Length: x\r\n\r\n")
    assert b" 400 " in await raw(running, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    assert b" 400 " in await raw(running, b"HELP\r\n\r\n")


async def test_a_megabyte_of_headers_is_cut_off_before_it_is_looked_at(running: Running) -> None:
    request = (
        b"GET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + b"x" * 1_000_000 + b"\r\n\r\n"
    )
    with contextlib.suppress(ConnectionError):  # closed while the rest was still on its way is as good
        assert b" 431 " in await raw(running, request)
    async with httpx2.AsyncClient(base_url=running.url) as client:
        assert (await client.get("/healthz")).status_code == 200


async def test_a_body_that_drips_is_given_up(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.gateway.api.http.IDLE_SECONDS", 0.2)
    for path in (b"/api/login", b"/api/messages", b"/api/attachments"):
        reader, writer = await asyncio.open_connection("127.0.0.1", running.server.port)
        token = running.token.encode()
        writer.write(b"POST " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token)
        writer.write(b"\r\nContent-Length: 100\r\n\r\n{")
        async with asyncio.timeout(5):
            assert b" 400 " in await reader.readline()
        writer.close()


async def test_500_idle_sockets_and_dawdlers_do_not_stop_others(
    running: Running, owner: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.gateway.connections.HEADER_SECONDS", 1.0)
    sockets = [await asyncio.open_connection("127.0.0.1", running.server.port) for _ in range(450)]
    for _, writer in sockets[::2]:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    assert (await owner.get("/healthz")).status_code == 200
    assert (await owner.post("/api/messages", json={"text": "x"})).status_code == 200
    async with asyncio.timeout(10):
        ends = await asyncio.gather(*(reader.read() for reader, _ in sockets), return_exceptions=True)
    assert all(end == b"" or isinstance(end, ConnectionError) for end in ends)  # let go after the second
    for _, writer in sockets:
        writer.close()
    assert (await owner.get("/healthz")).status_code == 200


async def test_a_kept_connection_may_be_idle_longer_than_a_header_may_take(
    running: Running, owner: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.gateway.connections.HEADER_SECONDS", 0.2)
    reader, writer = await asyncio.open_connection("127.0.0.1", running.server.port)
    request = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for _ in range(2):
        writer.write(request)
        async with asyncio.timeout(5):
            assert b" 200 " in await reader.readline()
            await reader.readuntil(b'{"status":"ok"}')
        await asyncio.sleep(0.4)
    writer.close()


async def test_a_second_server_on_the_port_is_told_what_to_do(running: Running) -> None:
    running.services.settings = running.services.settings.model_copy(
        update={"server": running.services.settings.server.model_copy(update={"port": running.server.port})}
    )
    with pytest.raises(StateError, match="already in use") as refused:
        Server(running.services).bind()
    assert "--port" in refused.value.fix


async def test_a_bind_wider_than_loopback_says_how_it_is_protected(running: Running) -> None:
    assert running.server.exposure == ""
    running.services.settings = running.services.settings.model_copy(
        update={"server": running.services.settings.server.model_copy(update={"host": "0.0.0.0"})}
    )
    said = Server(running.services).exposure
    assert "0.0.0.0" in said
    assert "token" in said
