"""A connection is made when it is needed, closed when idle, and its failures are kept apart."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from appliance.errors import ToolError
from appliance.mcp_client.catalogue import Offered
from appliance.mcp_client.connection import IDLE_SECONDS, REST_SECONDS, Answer, Connection, LinkError, RemoteError
from appliance.settings.mcp import McpServerSettings
from appliance.testing.manual_clock import ManualClock

SETTINGS = McpServerSettings(url="http://notes.example/mcp")


class FakeLink:
    """An open connection that does what the test says."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.why = ""
        self.stale = False
        self.error: Exception | None = None

    async def tools(self) -> list[Offered]:
        return [Offered("add", "Add.", {"type": "object"})]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        if self.error is not None:
            raise self.error
        return Answer(f"{name} done")


class Server:
    """Counts how often it is opened and closed."""

    def __init__(self) -> None:
        self.links: list[FakeLink] = []
        self.closed = 0
        self.refuses = ""

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[FakeLink]:
        if self.refuses:
            raise LinkError(self.refuses)
        self.links.append(FakeLink())
        try:
            yield self.links[-1]
        finally:
            self.closed += 1


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture
async def made() -> AsyncIterator[tuple[Server, Connection, ManualClock]]:
    server, clock = Server(), ManualClock()
    connection = Connection("notes", SETTINGS, server.open, clock)
    yield server, connection, clock
    await connection.close()


Made = tuple[Server, Connection, ManualClock]


async def test_nothing_is_opened_before_it_is_needed_and_one_link_serves_all(made: Made) -> None:
    server, connection, _ = made
    assert (connection.state, server.links) == ("idle", [])
    await asyncio.gather(connection.tools(), connection.call("add", {}), connection.call("add", {}))
    assert len(server.links) == 1
    assert connection.state == "ready"


async def test_an_idle_link_is_closed_and_the_next_call_opens_another(made: Made) -> None:
    server, connection, clock = made
    await connection.call("add", {})
    await clock.advance(IDLE_SECONDS + IDLE_SECONDS / 4)
    assert (server.closed, connection.state) == (1, "idle")
    assert (await connection.call("add", {})).text == "add done"
    assert len(server.links) == 2


async def test_a_link_that_ended_by_itself_is_said_and_opened_anew(made: Made) -> None:
    server, connection, _ = made
    await connection.call("add", {})
    server.links[0].why = "it ended with code 1"
    server.links[0].ended.set()
    await settle()
    assert (connection.state, connection.problem) == ("failed", "it ended with code 1")
    assert (await connection.call("add", {})).ok
    assert (connection.state, connection.problem) == ("ready", "")


async def test_a_refusal_is_repeated_for_a_while_before_it_is_tried_again(made: Made) -> None:
    server, connection, clock = made
    server.refuses = "out of paper"
    with pytest.raises(ToolError, match="notes cannot be used: out of paper"):
        await connection.call("add", {})
    server.refuses = ""
    with pytest.raises(ToolError, match="out of paper"):
        await connection.call("add", {})
    clock.move(REST_SECONDS + 1)
    assert (await connection.call("add", {})).ok


async def test_an_error_of_the_tool_keeps_the_link_and_a_lost_link_is_dropped(made: Made) -> None:
    server, connection, _ = made
    await connection.tools()
    server.links[0].error = RemoteError("no such list")
    with pytest.raises(ToolError, match="no such list"):
        await connection.call("add", {})
    assert connection.state == "ready"
    server.links[0].error = LinkError("the cable")
    with pytest.raises(ToolError, match=r"went away: the cable\. What it did until then is unknown"):
        await connection.call("add", {})
    assert (connection.state, server.closed) == ("failed", 1)


async def test_a_list_that_went_stale_is_asked_for_again(made: Made) -> None:
    server, connection, _ = made
    first = await connection.tools()
    assert await connection.tools() is first
    server.links[0].stale = True
    assert await connection.tools() is not first
