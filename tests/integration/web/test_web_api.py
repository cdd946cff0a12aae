"""The HTTP API over a real server: what a client sends and gets."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import apsw
import httpx2
import pytest

from appliance.messages import Event, Inbound, SessionKey
from appliance.observability.health import State

from .house import House, Reply, Running


def sse(text: str) -> list[tuple[str, dict[str, Any]]]:
    events = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "event" in lines:
            events.append((lines["event"], json.loads(lines["data"])))
    return events


async def test_a_message_gets_its_reply(owner: httpx2.AsyncClient) -> None:
    answer = await owner.post("/api/messages", json={"session": "main", "text": "hello 你好 🎉"})
    assert answer.status_code == 200
    assert answer.json() == {
        "reply": "You said: hello 你好 🎉",
        "session": "agent:main:main",
        "message_id": "a1",
        "model": "scripted",
        "usage": {"input": 10, "cache_read": 5, "cache_write": 0, "output": 3},
        "cost_usd": "0.0001",
    }


async def test_a_repeated_id_gets_the_stored_reply_and_is_said_once(owner: httpx2.AsyncClient, house: House) -> None:
    body = {"text": "once", "id": "c-1"}
    first = await owner.post("/api/messages", json=body)
    again = await owner.post("/api/messages", json=body)
    streamed = await owner.post("/api/messages", json=body, headers={"accept": "text/event-stream"})
    assert first.json() == again.json()
    assert sse(streamed.text)[-1] == ("done", first.json())
    assert len(house.book) == 1


async def test_a_repeated_id_joins_the_running_turn(owner: httpx2.AsyncClient, house: House) -> None:
    go = asyncio.Event()

    async def slow(_: House, inbound: Inbound, row: int) -> Reply:
        await go.wait()
        return Reply("late", inbound.session, f"a{row}")

    house.script = slow
    tries = [asyncio.create_task(owner.post("/api/messages", json={"text": "x", "id": "same"})) for _ in range(3)]
    async with asyncio.timeout(5):
        while not house.book:
            await asyncio.sleep(0.01)
    go.set()
    answers = await asyncio.gather(*tries)
    assert [answer.json()["reply"] for answer in answers] == ["late"] * 3
    assert len(house.book) == 1


async def test_a_stream_shows_the_turn_in_order(owner: httpx2.AsyncClient, house: House) -> None:
    async def script(home: House, inbound: Inbound, row: int) -> Reply:
        def emit(kind: Any, **data: Any) -> None:
            home.events.emit(Event(kind, inbound.session, {**data, "message_ids": [row]}))

        home.events.emit(Event("text", inbound.session, {"delta": "not mine", "message_ids": [999]}))
        emit("tool_start", id="t1", name="exec", input={"command": "ls"})
        emit("tool_end", id="t1", name="exec", ok=True, summary="a\nb")
        emit("notice", text="fell back")
        emit("text", delta="line one\n\nevent: fake\n")
        emit("text", delta="two")
        return Reply("line one\n\nevent: fake\ntwo", inbound.session, f"a{row}")

    house.script = script
    body = {"text": "x", "session": "garden", "id": "c-9"}
    answer = await owner.post("/api/messages", json=body, headers={"accept": "text/event-stream"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = sse(answer.text)
    assert [name for name, _ in events] == ["accepted", "tool_start", "tool_end", "notice", "text", "text", "done"]
    assert events[0][1] == {"message_id": "c-9", "new": True, "session": "agent:main:web:garden"}
    assert events[2][1]["summary"] == "a\nb"
    assert "".join(data["delta"] for name, data in events if name == "text") == events[-1][1]["reply"]


async def test_a_client_that_leaves_does_not_stop_the_turn(owner: httpx2.AsyncClient, house: House) -> None:
    go = asyncio.Event()

    async def slow(home: House, inbound: Inbound, row: int) -> Reply:
        home.events.emit(Event("text", inbound.session, {"delta": "be", "message_ids": [row]}))
        await go.wait()
        return Reply("begun and ended", inbound.session, f"a{row}")

    house.script = slow
    headers = {"accept": "text/event-stream"}
    async with owner.stream("POST", "/api/messages", json={"text": "x", "id": "left"}, headers=headers) as response:
        async for line in response.aiter_lines():
            if line.startswith("event: text"):
                break
    async with asyncio.timeout(5):
        while house.events.open:
            await asyncio.sleep(0.01)  # the watcher is gone, the turn is not
    go.set()
    again = await owner.post("/api/messages", json={"text": "x", "id": "left"})
    assert again.json()["reply"] == "begun and ended"


async def test_without_waiting_it_is_accepted_and_answered_later(owner: httpx2.AsyncClient, house: House) -> None:
    answer = await owner.post("/api/messages?wait=false", json={"text": "x", "id": "c-2"})
    assert answer.status_code == 202
    assert answer.json()["message_id"] == "c-2"
    assert (await owner.post("/api/messages", json={"text": "x", "id": "c-2"})).json()["reply"] == "You said: x"
    rows = (await owner.get("/api/sessions/main/messages")).json()["messages"]
    assert [row["id"] for row in rows] == ["c-2", "a1"]


async def test_a_turn_that_failed_says_why(owner: httpx2.AsyncClient, house: House) -> None:
    async def failing(_: House, inbound: Inbound, row: int) -> Reply:
        return Reply("", inbound.session, f"a{row}", error="The provider refuses the key.")

    house.script = failing
    answer = await owner.post("/api/messages", json={"text": "x", "id": "f"})
    assert answer.status_code == 502
    assert answer.json()["error"]["message"] == "The provider refuses the key."
    streamed = await owner.post("/api/messages", json={"text": "x", "id": "f"}, headers={"accept": "text/event-stream"})
    assert sse(streamed.text)[-1][0] == "error"


BAD_BODIES: list[tuple[Any, int]] = [
    (b"", 400),
    (b"{", 400),
    (b"[]", 400),
    (b"null", 400),
    (b'"text"', 400),
    (b"\xff\xfe", 400),
    (b'{"text":"\xff"}', 400),
    (b'{"text":"a\\ud800"}', 400),
    (b"[" * 100_000, 400),
    (b'{"text":' + b"[" * 100_000, 400),
    ({"text": ""}, 400),
    ({"text": "  \n"}, 400),
    ({}, 400),
    ({"text": 5}, 400),
    ({"text": None}, 400),
    ({"text": "x", "session": "A B"}, 400),
    ({"text": "x", "session": ""}, 400),
    ({"text": "x", "session": "../../etc/passwd"}, 400),
    ({"text": "x", "session": "x" * 65}, 400),
    ({"text": "x", "session": None}, 400),
    ({"text": "x", "id": ""}, 400),
    ({"text": "x", "id": 5}, 400),
    ({"text": "x", "id": "x" * 201}, 400),
    ({"text": "x", "mode": "never"}, 400),
    ({"text": "x", "sesion": "typo"}, 400),
    ({"text": "x", "attachments": "no"}, 400),
    ({"text": "x", "attachments": ["nope"]}, 400),
    ({"text": "x", "attachments": ["../token"]}, 400),
    ({"text": "x", "attachments": ["2026-01-01/none.png"]}, 404),
    ({"text": "x", "attachments": [{"name": "a", "data": "***"}]}, 400),
    ({"text": "x" * 65_537}, 413),
    ({"text": "字" * 21_846}, 413),
]


async def test_bad_input_gets_a_clear_refusal_and_is_not_stored(owner: httpx2.AsyncClient, house: House) -> None:
    got = []
    for body, _ in BAD_BODIES:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = await owner.post("/api/messages", content=raw, headers={"content-type": "application/json"})
        assert len(answer.json()["error"]["message"]) > 10
        got.append((body, answer.status_code))
    assert got == BAD_BODIES
    assert house.book == []


async def test_64_kib_of_text_go_through_whole(owner: httpx2.AsyncClient) -> None:
    text = "x" * 65_536
    answer = await owner.post("/api/messages", json={"text": text})
    assert answer.status_code == 200
    assert answer.json()["reply"] == f"You said: {text}"


async def test_a_5_mb_attachment_is_taken_by_upload_form_and_base64(owner: httpx2.AsyncClient, house: House) -> None:
    data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0" + bytes(5_000_000)
    raw = await owner.post("/api/attachments?name=a%2Fb.png", content=data, headers={"content-type": "image/png"})
    form = await owner.post("/api/attachments", files={"file": ("c.png", data)})
    assert (raw.status_code, form.status_code) == (201, 201)
    assert {k: raw.json()[k] for k in ("name", "kind", "media_type", "size")} == {
        "name": "b.png",
        "kind": "image",
        "media_type": "image/png",
        "size": len(data),
    }
    inline = {"name": "d.png", "media_type": "image/png", "data": base64.b64encode(data).decode()}
    body = {"text": "", "attachments": [raw.json()["id"], {"id": form.json()["id"]}, inline]}
    answer = await owner.post("/api/messages", json=body)
    assert answer.status_code == 200
    assert [(item.name, item.size, item.kind) for item in house.book[0].attachments] == [
        ("b.png", len(data), "image"),
        ("c.png", len(data), "image"),
        ("d.png", len(data), "image"),
    ]
    shown = await owner.get(f"/api/attachments/{raw.json()['id']}")
    assert shown.content == data
    assert shown.headers["content-type"] == "image/png"


async def test_an_attachment_over_20_mb_is_refused_and_the_limit_named(owner: httpx2.AsyncClient, house: House) -> None:
    big = bytes(20 * 1024 * 1024 + 1)
    answer = await owner.post("/api/attachments?name=a", content=big)
    assert answer.status_code == 413
    assert "20 MB" in answer.json()["error"]["message"]


async def test_a_page_that_was_uploaded_is_never_shown_as_a_page(owner: httpx2.AsyncClient) -> None:
    page = b"<script>alert(document.cookie)</script>"
    made = await owner.post("/api/attachments?name=x.html", content=page, headers={"content-type": "text/html"})
    shown = await owner.get(f"/api/attachments/{made.json()['id']}")
    assert shown.headers["content-type"].startswith("application/octet-stream")
    assert shown.headers["content-disposition"].startswith("attachment")
    assert shown.headers["x-content-type-options"] == "nosniff"


async def test_sessions_are_found_by_name_and_by_key(owner: httpx2.AsyncClient, house: House) -> None:
    await owner.post("/api/messages", json={"text": "x", "session": "garden"})
    for name in ("garden", "agent:main:web:garden", "agent%3Amain%3Aweb%3Agarden"):
        found = await owner.get(f"/api/sessions/{name}/messages")
        assert found.status_code == 200
        assert len(found.json()["messages"]) == 2
    listed = (await owner.get("/api/sessions")).json()["sessions"]
    assert [row["name"] for row in listed] == ["garden"]
    stopped = await owner.post("/api/sessions/garden/stop")
    assert stopped.json() == {"stopped": True}
    assert house.stopped == [SessionKey.web("garden")]


async def test_main_exists_before_the_first_word(owner: httpx2.AsyncClient) -> None:
    assert (await owner.get("/api/sessions/main/messages")).json()["messages"] == []


async def test_what_does_not_exist_or_cannot_be_says_so(owner: httpx2.AsyncClient) -> None:
    wanted = [
        ("/api/sessions/unknown/messages", 404),
        ("/api/sessions/agent:main:web:unknown/messages", 404),
        ("/api/sessions/BAD/messages", 400),
        ("/api/sessions/a%00b/messages", 400),
        ("/api/sessions/..%2F..%2Fetc%2Fpasswd/messages", 404),
        (f"/api/sessions/{'x' * 300}/messages", 400),
        ("/api/sessions/main/messages?limit=0", 400),
        ("/api/sessions/main/messages?limit=x", 400),
        ("/api/sessions/main/messages?limit=99999999999999", 400),
        ("/api/context?session=unknown", 404),
        ("/api/spend?by=nothing", 400),
        ("/api/spend?day=yesterday", 400),
        ("/api/events?session=unknown", 404),
        ("/api/attachments/nope", 404),
        ("/api/attachments/nope/x.png", 400),
        ("/api/attachments/2026-01-01/x.png", 404),
        ("/api/attachments/2026-01-01/..%2F..%2Fx.png", 404),
        ("/api/attachments/..%2F..%2F/token", 404),
        ("/api/attachments/../token", 404),
        ("/v1/models/gpt-9", 404),
        ("/api/approvals", 404),  # not handed over, so it does not exist
        ("/nothing", 404),
        ("/static/../../settings.py", 404),
        ("/static/%2e%2e%2f%2e%2e%2fsettings.py", 404),
    ]
    got = []
    for path, _ in wanted:
        answer = await owner.get(path)
        assert answer.json()["error"]["message"]
        got.append((path, answer.status_code))
    assert got == wanted


async def test_a_fault_of_the_gateway_is_logged_and_its_insides_are_not_told(
    running: Running, owner: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("an inner secret")

    monkeypatch.setattr(running.house, "list", broken)
    answer = await owner.get("/api/sessions")
    assert answer.status_code == 500
    assert set(answer.json()["error"]) == {"message", "fix", "type", "code"}
    assert "inner secret" not in answer.text


async def test_a_wrong_method_is_told(owner: httpx2.AsyncClient) -> None:
    answer = await owner.delete("/api/messages")
    assert answer.status_code == 405
    assert answer.json()["error"]["type"] == "method_not_allowed"


async def test_the_budget_is_shown_and_raised(owner: httpx2.AsyncClient) -> None:
    assert (await owner.get("/api/budget")).json()[0]["limit"] == "2.00"
    raised = await owner.post("/api/budget/raise", json={"usd": "1.50"})
    assert raised.status_code == 200
    assert raised.json()[0]["limit"] == "3.50"


async def test_a_raise_that_is_no_amount_is_refused(owner: httpx2.AsyncClient, house: House) -> None:
    for usd in ("", "x", "NaN", "inf", "-1", "0", 0, -5, "1e9", "10000.01", None, []):
        assert (await owner.post("/api/budget/raise", json={"usd": usd})).status_code == 400, usd
    assert str(house.limit) == "2.00"


async def test_an_unknown_budget_is_not_found(owner: httpx2.AsyncClient) -> None:
    assert (await owner.post("/api/budget/raise", json={"usd": 1, "scope": "moon"})).status_code == 404


async def test_events_of_every_session_come_to_a_watcher(owner: httpx2.AsyncClient, house: House) -> None:
    async with asyncio.timeout(10), owner.stream("GET", "/api/events") as response:
        lines = response.aiter_lines()
        assert (await anext(lines)).startswith(":")
        while not house.events.open:
            await asyncio.sleep(0.01)
        house.events.emit(Event("text", SessionKey.dm("telegram", "7"), {"delta": "hej", "message_ids": [1]}))
        async for line in lines:
            if line.startswith("data: "):
                assert json.loads(line[6:]) == {"delta": "hej", "answers": 1, "session": "agent:main:telegram:dm:7"}
                break


async def test_health_needs_no_login_and_readiness_names_the_part(
    running: Running, stranger: httpx2.AsyncClient
) -> None:
    assert (await stranger.get("/healthz")).json() == {"status": "ok"}
    assert (await stranger.get("/readyz")).status_code == 200
    running.health.set("lanes", State.STARTING, "a secret detail", needed=True)
    answer = await stranger.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "starting", "parts": {"gateway": "ready", "lanes": "starting"}}


async def test_a_full_disk_is_503_and_nothing_is_claimed_to_be_accepted(
    owner: httpx2.AsyncClient, house: House
) -> None:
    async def full(_: Inbound) -> Any:
        raise apsw.FullError("database or disk is full")

    house.accept = full  # type: ignore[method-assign, assignment]
    answer = await owner.post("/api/messages", json={"text": "x"})
    assert answer.status_code == 503
    assert "not accepted" in answer.json()["error"]["message"]
    streamed = await owner.post("/api/messages", json={"text": "x"}, headers={"accept": "text/event-stream"})
    assert streamed.status_code == 503
    assert (await owner.get("/healthz")).status_code == 200
