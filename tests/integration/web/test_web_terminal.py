"""`appliance chat` against a real server: once, back and forth, stopped, cut off, and with nobody there."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.client import GatewayClient, NotRunningError
from appliance.command_line import terminal
from appliance.command_line.terminal import Conversation, Screen, chat, progress_line
from appliance.errors import AccessError, InputError, NotFoundError, StateError
from appliance.gateway.server import Server
from appliance.messages import Event, Inbound

from .house import House, Reply, Running


@pytest.fixture
def client(running: Running) -> GatewayClient:
    (running.state / "gateway.json").write_text(json.dumps({"url": running.url}))
    return GatewayClient.find(running.state, {})


class Terminal:
    """Both streams, kept apart; `live` makes it a terminal that shows progress."""

    def __init__(self, live: bool = False) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.screen = Screen(self.out, self.err)
        self.screen.live = live


async def test_one_message_is_said_and_answered(client: GatewayClient, house: House) -> None:
    shown = Terminal()
    assert await asyncio.to_thread(chat, client, "hello 你好", screen=shown.screen) == 0
    assert shown.out.getvalue() == "You said: hello 你好\n"
    assert shown.err.getvalue() == ""
    assert house.book[0].session.is_main


async def test_json_is_the_whole_answer_and_nothing_else(client: GatewayClient) -> None:
    shown = Terminal()
    assert await asyncio.to_thread(chat, client, "x", session="garden", as_json=True, screen=shown.screen) == 0
    answer = json.loads(shown.out.getvalue())
    assert (answer["reply"], answer["session"]) == ("You said: x", "agent:main:web:garden")


async def test_tools_and_notices_are_beside_the_answer_not_in_it(client: GatewayClient, house: House) -> None:
    async def script(home: House, inbound: Inbound, row: int) -> Reply:
        def emit(kind: Any, **data: Any) -> None:
            home.events.emit(Event(kind, inbound.session, {"message_ids": [row], **data}))

        emit("text", delta="Looking.")
        emit("tool_start", id="1", name="exec", input={"command": "ls"})
        emit("tool_end", id="1", name="exec", ok=False, summary="no such file")
        emit("notice", text="The local model answers now.")
        emit("text", delta="half of", restart=False)
        emit("text", delta="Found nothing.", restart=True)
        return Reply("Found nothing.", inbound.session, f"a{row}")

    house.script = script
    shown = Terminal()
    assert await asyncio.to_thread(chat, client, "x", screen=shown.screen) == 0
    assert shown.out.getvalue() == "Looking.half of\nFound nothing.\n"
    assert shown.err.getvalue().splitlines() == [
        '· exec {"command": "ls"}',
        "  failed: no such file",
        "The local model answers now.",
    ]


async def test_what_is_said_cannot_steer_the_terminal(client: GatewayClient, house: House) -> None:
    nasty = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31mred\rover\ttab\nline"

    async def script(home: House, inbound: Inbound, row: int) -> Reply:
        data = {"message_ids": [row], "id": "1", "name": "exec", "ok": False, "summary": nasty, "input": {}}
        home.events.emit(Event("tool_start", inbound.session, data))
        home.events.emit(Event("tool_end", inbound.session, data))
        home.events.emit(Event("notice", inbound.session, {"message_ids": [row], "text": nasty}))
        return Reply(nasty, inbound.session, f"a{row}")

    house.script = script
    shown = Terminal()
    assert await asyncio.to_thread(chat, client, "x", screen=shown.screen) == 0
    assert shown.out.getvalue() == "]52;c;ZXZpbA==[2J31mredover\ttab\nline\n"
    for stream in (shown.out, shown.err):
        assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in stream.getvalue())


async def test_a_line_beside_the_answer_starts_on_a_line_of_its_own(client: GatewayClient, house: House) -> None:
    async def script(home: House, inbound: Inbound, row: int) -> Reply:
        home.events.emit(Event("text", inbound.session, {"message_ids": [row], "delta": "Looking."}))
        home.events.emit(Event("notice", inbound.session, {"message_ids": [row], "text": "note"}))
        return Reply("Looking.", inbound.session, f"a{row}")

    house.script = script
    shown = Terminal(live=True)
    shown.screen.err = shown.screen.out  # as on a terminal
    assert await asyncio.to_thread(chat, client, "x", screen=shown.screen) == 0
    assert "Looking.\n\x1b[2mnote" in shown.out.getvalue()


async def test_a_failed_turn_is_an_error_with_exit_code_1(client: GatewayClient, house: House) -> None:
    async def failing(_: House, inbound: Inbound, row: int) -> Reply:
        return Reply("", inbound.session, f"a{row}", error="The provider refuses the key.")

    house.script = failing
    shown = Terminal()
    assert await asyncio.to_thread(chat, client, "x", screen=shown.screen) == 1
    assert "refuses the key" in shown.err.getvalue()
    assert shown.out.getvalue() == ""


async def test_a_bad_session_name_is_told(client: GatewayClient) -> None:
    shown = Terminal()
    assert await asyncio.to_thread(chat, client, "x", session="Bad Name", screen=shown.screen) == 1
    assert "session name" in shown.err.getvalue()


def typed(*lines: str | BaseException) -> Callable[[str], str]:
    queue: Iterator[str | BaseException] = iter(lines)

    def read(_: str) -> str:
        line = next(queue, EOFError())
        if isinstance(line, BaseException):
            raise line
        return line

    return read


async def test_back_and_forth_until_the_end_of_input(client: GatewayClient, house: House) -> None:
    shown = Terminal()
    read = typed("one", "  ", "two")
    assert await asyncio.to_thread(chat, client, screen=shown.screen, read=read) == 0
    assert [inbound.text for inbound in house.book] == ["one", "two"]
    assert "You said: one\nYou said: two\n" in shown.out.getvalue()


@pytest.mark.parametrize("leave", ["/quit", "/exit", KeyboardInterrupt(), EOFError()])
async def test_there_are_four_ways_to_leave(client: GatewayClient, house: House, leave: str | BaseException) -> None:
    assert await asyncio.to_thread(chat, client, screen=Terminal().screen, read=typed(leave, "never")) == 0
    assert house.book == []


async def test_ctrl_c_stops_the_turn_and_shows_how_it_ended(
    client: GatewayClient, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def slow(home: House, inbound: Inbound, row: int) -> Reply:
        home.events.emit(Event("text", inbound.session, {"message_ids": [row], "delta": "one two"}))
        await go.wait()
        return Reply("one two\n\nStopped.", inbound.session, f"a{row}")

    house.script = slow
    stream = client.stream
    calls = []

    def interrupted(path: str, body: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        calls.append(body["id"])
        for event in stream(path, body):
            yield event
            if len(calls) == 1 and event[0] == "text":
                loop.call_soon_threadsafe(go.set)
                raise KeyboardInterrupt

    monkeypatch.setattr(client, "stream", interrupted)
    shown = Terminal()
    assert await asyncio.to_thread(chat, client, "x", screen=shown.screen) == 0
    assert len(house.stopped) == 1
    assert calls[0] == calls[1]  # the same message, so it is not said twice
    assert len(house.book) == 1
    assert shown.out.getvalue() == "one two\n\nStopped.\n"


async def test_a_restart_in_the_middle_of_an_answer_is_survived(
    running: Running, client: GatewayClient, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal.time, "sleep", lambda _: None)
    go = asyncio.Event()

    async def slow(home: House, inbound: Inbound, row: int) -> Reply:
        home.events.emit(Event("text", inbound.session, {"message_ids": [row], "delta": "half"}))
        await go.wait()
        return Reply("half and whole", inbound.session, f"a{row}")

    house.script = slow
    shown = Terminal()
    port = running.server.port
    asking = asyncio.create_task(asyncio.to_thread(chat, client, "x", screen=shown.screen))
    async with asyncio.timeout(20):
        while "half" not in shown.out.getvalue():
            await asyncio.sleep(0.01)
        await running.server.stop()
        settings = running.services.settings
        moved = settings.server.model_copy(update={"port": port})
        running.services.settings = settings.model_copy(update={"server": moved})
        running.services.closing = type(running.services.closing)()
        running.server = Server(running.services)
        await running.server.start()
        go.set()
        assert await asking == 0
    assert shown.out.getvalue() == "half and whole\n"
    assert len(house.book) == 1


async def test_stopping_the_server_ends_waits_with_a_hint_and_at_once(
    running: Running, client: GatewayClient, house: House
) -> None:
    async def never(_: House, inbound: Inbound, row: int) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError

    house.script = never
    asking = asyncio.create_task(asyncio.to_thread(client.call, "POST", "/api/messages", {"text": "x", "id": "k"}))
    async with asyncio.timeout(5):
        while not house.book:
            await asyncio.sleep(0.01)
        await running.server.stop()
        with pytest.raises(Exception, match="same id"):
            await asking


async def test_progress_of_the_local_model_is_shown_on_a_terminal_only(
    client: GatewayClient, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "_POLL_SECONDS", 0.01)
    call = client.call
    status = {"phase": "fetching", "percent": 43.4, "detail": "smollm2"}
    monkeypatch.setattr(client, "call", lambda m, p, b=None: status if p == "/api/models" else call(m, p, b))
    shown = Terminal(live=True)

    async def slow(_: House, inbound: Inbound, row: int) -> Reply:
        async with asyncio.timeout(5):
            while "43%" not in shown.err.getvalue():
                await asyncio.sleep(0.01)
        return Reply("ok", inbound.session, f"a{row}")

    house.script = slow
    assert await asyncio.to_thread(chat, client, "x", screen=shown.screen) == 0
    assert "Local model: fetching 43% · smollm2" in shown.err.getvalue()
    assert shown.err.getvalue().endswith("\r\x1b[K")
    assert shown.out.getvalue() == "ok\n"


def test_progress_lines() -> None:
    assert progress_line({"phase": "ready"}) == ""
    assert progress_line({"phase": "off"}) == ""
    assert progress_line({}) == ""
    assert progress_line({"phase": "building", "percent": None, "detail": ""}) == "Local model: building"


def test_without_a_gateway_the_start_command_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotRunningError, match="No gateway is running") as told:
        GatewayClient.find(tmp_path, {})
    assert "appliance up" in told.value.fix
    (tmp_path / "token").write_text("t")
    (tmp_path / "gateway.json").write_text('{"url": "http://127.0.0.1:9"}')
    shown = Terminal()
    client = GatewayClient.find(tmp_path, {})
    assert chat(client, "x", screen=shown.screen) == 1
    assert "appliance up" in shown.err.getvalue()
    assert chat(client, screen=shown.screen, read=typed("x")) == 1


@pytest.mark.parametrize("content", ["", "{", "[]", '{"no": 1}'])
def test_a_damaged_gateway_file_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "gateway.json").write_text(content)
    with pytest.raises(NotRunningError, match="cannot be used"):
        GatewayClient.find(tmp_path, {})


def test_an_unreadable_token_is_told(tmp_path: Path) -> None:
    (tmp_path / "gateway.json").write_text('{"url": "http://127.0.0.1:9"}')
    with pytest.raises(StateError, match="cannot be read"):
        GatewayClient.find(tmp_path, {})
    with pytest.raises(InputError, match="address"):
        GatewayClient.find(tmp_path, {"APPLIANCE_URL": "localhost:8321", "APPLIANCE_TOKEN": "x"})


async def test_refusals_come_as_the_houses_errors(running: Running, client: GatewayClient) -> None:
    wrong = GatewayClient(running.url, "wrong")
    for asked, kind, path in (
        (wrong, AccessError, "/api/sessions"),
        (client, NotFoundError, "/api/sessions/unknown/messages"),
        (client, InputError, "/api/sessions/BAD/messages"),
    ):
        with pytest.raises(kind):
            await asyncio.to_thread(asked.call, "GET", path)


async def test_the_environment_names_another_gateway(running: Running, tmp_path: Path) -> None:
    environ = {"APPLIANCE_URL": running.url, "APPLIANCE_TOKEN": running.token}
    client = GatewayClient.find(tmp_path / "elsewhere", environ)
    shown = Terminal()
    answer = await asyncio.to_thread(Conversation(client, "main", shown.screen).say, "x")
    assert answer["reply"] == "You said: x"
