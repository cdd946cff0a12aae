"""Servers that die, hang, flood, lie and change: bounded, said, and never the end of a turn or of the house."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from appliance.mcp_client import connection, wire
from appliance.testing.loopback import LoopbackServer, Request, Response
from tests.integration.mcp.conftest import HERE, Home, Start, odd, plain, with_servers
from tests.integration.mcp.test_servers import call, tool_in, use


def children(name: str) -> list[int]:
    """Processes of this machine whose command line holds `name` and this test's server."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(word.endswith(b"odd_server.py") for word in words) and name.encode() in words:
            found.append(int(folder.name))
    return found


def counted(home: Home, **labels: str) -> float:
    """How often a server was asked, by the metrics."""
    found = [
        line
        for line in home.house.metrics.render().decode().splitlines()
        if line.startswith("appliance_mcp_requests_total") and all(f'{k}="{v}"' in line for k, v in labels.items())
    ]
    return sum(float(line.rpartition(" ")[2]) for line in found)


async def gone(name: str) -> None:
    async with asyncio.timeout(20):
        while children(name):
            await asyncio.sleep(0.05)


async def test_a_server_that_dies_is_named_with_its_last_words_and_started_anew(start: Start) -> None:
    home = await start(**with_servers(sick=odd("die", free=["*"])))
    told = await use(home, call("sick", "look", {}))
    assert "The server sick went away" in told
    assert "code 4" in told
    assert "out of paper" in told
    assert "unknown" in told
    status = home.house.overview.status_text("en")
    assert "mcp: degraded sick: went away" in status
    assert "- look" in await use(home, call("sick"))
    assert "mcp: ready" in home.house.overview.status_text("en")


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("hang", "did not answer within 1 s"),
        ("flood", "unasked"),
        ("line", "a line longer than"),
        ("rubbish", "no message of the protocol"),
    ],
)
async def test_a_server_that_hangs_floods_or_talks_rubbish_is_ended(
    start: Start, monkeypatch: pytest.MonkeyPatch, kind: str, why: str
) -> None:
    monkeypatch.setattr(wire, "MOST_UNASKED", 2 * 1024 * 1024)
    monkeypatch.setattr(wire, "MOST_LINE", 1024 * 1024)
    seconds = 1.0 if kind == "hang" else 60.0
    home = await start(**with_servers(sick=odd(kind, free=["*"], timeout_seconds=seconds)))
    told = await use(home, call("sick", "look", {}))
    assert why in told
    await gone(kind)


async def test_a_server_that_never_gets_ready_is_given_up_and_not_tried_again_at_once(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    home = await start(**with_servers(sick=odd("mute")))
    assert "did not get ready within 0.5 s" in await use(home, call("sick"))
    await gone("mute")
    assert "did not get ready" in await use(home, call("sick"), session="other")
    assert (await home.client.get("/api/mcp")).json()["servers"][0]["state"] == "failed"
    assert counted(home, action="connect", outcome="error") == 1.0


async def test_a_program_that_is_not_there_is_named(start: Start) -> None:
    home = await start(**with_servers(sick={"command": "no-such-program-here", "allow_host": True}))
    assert "no-such-program-here cannot be started" in await use(home, call("sick"))
    rows = (await home.client.get("/api/mcp")).json()["servers"]
    assert rows[0]["state"] == "failed"
    findings = {row["check"]: row for row in await home.house.overview.doctor("en")}
    assert findings["mcp"]["status"] == "warn"
    assert "there is no program no-such-program-here" in findings["mcp"]["detail"]


async def test_names_and_texts_that_do_not_fit_are_left_out_and_counted(start: Start) -> None:
    home = await start(**with_servers(odd=odd("odd", free=["*"])))
    listed = await use(home, call("odd"))
    assert [line.partition(":")[0] for line in listed.splitlines() if line.startswith("- ")] == [
        "- look",
        "- exec",
        "- large",
    ]
    assert "4 with a name that cannot be used left out" in listed
    assert "1 left out because the name stands twice" in listed
    assert "ignore all rules" not in listed
    assert "Then obey me" not in listed
    described = await use(home, call("odd", "large"))
    assert len(described) < 6_000
    picture = await use(home, call("odd", "look", {}))
    assert "[image/png, 6 bytes: not shown]" in picture
    # A tool with the name of one of the house's own is only ever reached through its server.
    assert "looked" in await use(home, call("odd", "exec", {}))
    await home.client.post("/api/mcp/check", json={})
    await use(home, call("odd"))
    shown = tool_in(home.provider.calls[-1].request)["description"]
    assert "odd: look, exec, large" in shown
    assert "obey" not in shown


async def test_thousands_of_tools_take_no_more_of_the_prompt_than_a_few(start: Start) -> None:
    home = await start(**with_servers(many=odd("many", free=["*"])))
    await home.client.post("/api/mcp/check", json={})
    listed = await use(home, call("many"))
    assert "over the limit of 300 left out" in listed
    assert len(json.dumps(tool_in(home.provider.calls[-1].request))) < 2_200


async def test_a_server_that_changes_its_tools_is_news_to_the_owner_once(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = await start(**with_servers(sly=odd("changing", free=["*"])))
    told: list[str] = []

    async def tell(text: str, choices: Any = ()) -> None:
        told.append(text)

    monkeypatch.setattr(home.house.monitoring.notices, "_tell", tell)
    await use(home, call("sly", "look", {}))
    assert told == []
    assert "Now it does something else" in await use(home, call("sly"))
    await use(home, call("sly", "look", {}))
    await use(home, call("sly"))
    assert len(told) == 1
    assert "sly" in told[0]
    assert "+extra" in told[0]
    assert "~look" in told[0]


async def test_what_a_server_says_cannot_end_its_own_wrapping(start: Start) -> None:
    home = await start(**with_servers(notes=plain(free=["*"])))
    told = await use(home, call("notes", "page", {}))
    assert told.count("</outside") == 1
    assert told.rstrip().splitlines()[-1].startswith("</outside")
    assert "[marker removed]" in told


async def test_stopping_the_house_ends_every_program(start: Start) -> None:
    home = await start(**with_servers(notes=plain(), slow=odd("hang")))
    await use(home, call("notes"))
    await use(home, call("slow"))
    assert children("plain")
    assert children("hang")
    await home.house.stop()
    assert not children("plain")
    assert not children("hang")


async def test_a_redirect_to_another_place_is_not_followed(start: Start) -> None:
    seen: list[str] = []

    async def inside(request: Request) -> Response:
        seen.append(request.path)
        return Response(200, {"content-type": "application/json"}, b"{}")

    hidden = LoopbackServer(inside)
    port = await hidden.start()

    async def redirecting(request: Request) -> Response:
        return Response(307, {"location": f"http://127.0.0.1:{port}/secret"}, b"")

    server = LoopbackServer(redirecting)
    try:
        url = f"http://127.0.0.1:{await server.start()}/mcp"
        home = await start(**with_servers(far={"url": url, "token": "tok3n-tok3n"}))
        told = await use(home, call("far"))
        assert "not followed" in told
        assert seen == []
        assert "tok3n" not in json.dumps([call.request for call in home.provider.calls])
    finally:
        await server.stop()
        await hidden.stop()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Response(401, {"content-type": "text/plain"}, b"no"), "HTTP 401"),
        (Response(200, {"content-type": "text/html"}, b"<html>"), "content type"),
        (Response(200, {"content-type": "application/json"}, b"[1, 2"), "JSON"),
        (Response(cut=True), "cannot be used"),
    ],
)
async def test_an_address_that_is_no_server_is_said_to_be_none(start: Start, answer: Response, why: str) -> None:
    async def serve(request: Request) -> Response:
        return answer

    server = LoopbackServer(serve)
    try:
        home = await start(**with_servers(far={"url": f"http://127.0.0.1:{await server.start()}/mcp"}))
        assert why.lower() in (await use(home, call("far"))).lower()
    finally:
        await server.stop()


async def test_an_answer_over_http_is_bounded_however_it_is_packed(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MOST_UNASKED", 1024 * 1024)

    async def serve(request: Request) -> Response:
        async def pieces() -> Any:
            for _ in range(200):
                yield b"x" * 65_536

        return Response(200, {"content-type": "application/json"}, pieces())

    server = LoopbackServer(serve)
    try:
        home = await start(**with_servers(far={"url": f"http://127.0.0.1:{await server.start()}/mcp"}))
        assert "more than 1 MiB" in await use(home, call("far"))
    finally:
        await server.stop()


async def test_nobody_at_the_address_is_said(start: Start) -> None:
    home = await start(**with_servers(far={"url": "http://127.0.0.1:9/mcp"}))
    assert "nobody answers at its address" in await use(home, call("far"))


async def test_without_a_sandbox_nothing_is_started_on_the_host_instead(start: Start) -> None:
    section = {"command": "python3", "args": [str(HERE / "odd_server.py"), "unboxed"]}
    home = await start(**with_servers(notes=section))
    told = await use(home, call("notes"))
    assert "it runs in the sandbox, and exec.enabled is false" in told
    assert children("unboxed") == []


async def test_a_server_over_http_that_went_away_is_said_and_found_again(start: Start) -> None:
    asked: list[str] = []

    async def serve(request: Request) -> Response:
        """A server of the older kind: a handshake, a session, then calls."""
        message = json.loads(request.body or b"{}")
        asked.append(str(message.get("method", request.method)))
        if request.method != "POST" or "id" not in message:
            return Response(202 if request.method == "POST" else 405)
        if message["method"] == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
            result["serverInfo"] = {"name": "far", "version": "1"}
        elif message["method"] == "tools/list":
            result = {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
        elif message["method"] == "tools/call":
            if asked.count("tools/call") == 2:
                return Response(404)  # it was started anew and knows this session no more
            result = {"content": [{"type": "text", "text": "looked"}]}
        else:
            return Response(400)
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        return Response(200, {"content-type": "application/json", "mcp-session-id": "s1"}, body)

    server = LoopbackServer(serve)
    port = await server.start()
    home = await start(**with_servers(far={"url": f"http://127.0.0.1:{port}/mcp", "free": ["*"]}))
    assert "looked" in await use(home, call("far", "look", {}))
    assert "The server far went away" in await use(home, call("far", "look", {}))
    assert "looked" in await use(home, call("far", "look", {}))
    assert asked.count("initialize") == 2
    await server.stop()
    assert "The server far" in await use(home, call("far", "look", {}), session="other")
    rows = (await home.client.get("/api/mcp")).json()["servers"]
    assert rows[0]["state"] == "failed"
