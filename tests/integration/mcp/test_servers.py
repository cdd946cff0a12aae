"""Tools of real MCP servers, asked for by a message over HTTP and a model that wants them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from appliance.testing.anthropic_replies import Reply
from tests.integration.mcp.conftest import Home, Start, good, plain, with_servers


def call(server: str, tool: str = "", arguments: dict[str, Any] | None = None) -> Reply:
    """A model that uses the tool."""
    given: dict[str, Any] = {"server": server}
    if tool:
        given["tool"] = tool
    if arguments is not None:
        given["arguments"] = arguments
    return Reply(tools=[("mcp", given)])


async def use(home: Home, *replies: Reply, session: str = "main") -> str:
    """Say something; return what the model read as the last tool result."""
    home.provider.script(*replies, Reply(text="Done."))
    reply = await home.say("Do it", session=session)
    assert reply["reply"] == "Done.", reply
    return home.prompts()[-1]


def tool_in(request: dict[str, Any]) -> dict[str, Any]:
    (found,) = [tool for tool in request["tools"] if tool["name"] == "mcp"]
    return dict(found)


async def test_a_tool_of_a_program_is_listed_described_and_called_when_it_is_needed(start: Start) -> None:
    home = await start(**with_servers(notes=good(about="the shopping list", free=["*"])))
    home.provider.script(Reply(text="hello"))
    await home.say("hello")
    first = home.provider.calls[-1].request
    assert "notes (the shopping list)" in tool_in(first)["description"]
    assert "Add a line" not in json.dumps(first)
    assert (await home.client.get("/api/mcp")).json()["servers"][0]["state"] == "idle"
    listed = await use(home, call("notes"))
    assert "- add: Add a line to the list." in listed
    assert "Never ask before it" not in listed
    described = await use(home, call("notes", "add"))
    assert '"text"' in described
    assert "Never ask before it" in described
    done = await use(home, call("notes", "add", {"text": "牛奶 🥛"}))
    assert "added 牛奶 🥛" in done
    assert '<outside id="' in done
    assert 'from="mcp notes"' in done
    assert (home.house.state / "mcp" / "notes" / "list.txt").read_text(encoding="utf-8") == "牛奶 🥛\n"
    assert home.provider.calls[-1].request["tools"] == first["tools"]
    assert "mcp: ready notes: 2 tools" in home.house.overview.status_text("en")


async def test_a_tool_over_streamable_http_is_used_the_same_way(start: Start, http_server: str) -> None:
    home = await start(**with_servers(far={"url": http_server, "free": ["*"]}))
    assert "- add: Add a line" in await use(home, call("far"))
    assert "added tea" in await use(home, call("far", "add", {"text": "tea"}))
    assert "Error executing tool broken" in await use(home, call("far", "broken", {}))
    rows = (await home.client.get("/api/mcp")).json()["servers"]
    assert [(row["name"], row["place"], row["state"]) for row in rows] == [("far", "http", "ready")]


async def test_names_that_are_known_stand_in_the_prompt_and_the_prefix_stays_the_same(start: Start) -> None:
    home = await start(**with_servers(notes=plain(free=["*"])))
    home.provider.script(Reply(text="hi"))
    await home.say("hi")
    before = tool_in(home.provider.calls[-1].request)["description"]
    assert "add" not in before.partition("Servers: ")[2]
    await use(home, call("notes"))
    assert tool_in(home.provider.calls[-1].request)["description"] == before
    answer = await home.client.post("/api/mcp/check", json={})
    assert [tool["name"] for tool in answer.json()["servers"][0]["tools"]][:2] == ["add", "long"]
    home.provider.script(Reply(text="hi"))
    await home.say("hi")
    assert "notes: add, long, page, variables" in tool_in(home.provider.calls[-1].request)["description"]
    account = (await home.client.get("/api/context")).json()
    assert 0 < next(tool["tokens"] for tool in account["tools"] if tool["name"] == "mcp") < 200


async def test_only_the_tools_on_the_owners_list_exist(start: Start) -> None:
    home = await start(**with_servers(notes=plain(tools=["add", "gone"], free=["*"])))
    listed = await use(home, call("notes"))
    assert "- add" in listed
    assert "- long" not in listed
    assert "not there: gone" in listed
    assert "notes has no tool 'long'" in await use(home, call("notes", "long", {}))


async def test_a_long_result_is_cut_and_the_whole_can_be_read(start: Start) -> None:
    home = await start(**with_servers(notes=plain(free=["*"])))
    cut = await use(home, call("notes", "long", {}))
    assert len(cut) < 17_000
    assert "first line" in cut
    assert "last word" in cut
    identity = cut.rpartition("read_output id=")[2].partition("]")[0]
    rest = await use(home, Reply(tools=[("read_output", {"id": identity, "from": 295_000})]))
    assert "last word" in rest
    assert "<outside" in rest


async def test_missing_arguments_bring_the_parameters_along(start: Start) -> None:
    home = await start(**with_servers(notes=plain(free=["*"])))
    told = await use(home, call("notes", "add", {}))
    assert "add needs: text." in told
    assert '"required":["text"]' in told.replace(" ", "")


async def test_a_program_gets_the_variables_that_are_named_and_no_other(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOUSE", "s3cret-s3cret")
    (tmp_path / "token").write_text("tok3n-tok3n\n")
    monkeypatch.setenv("NOTES_TOKEN_FILE", str(tmp_path / "token"))
    home = await start(**with_servers(notes=plain(env=["NOTES_TOKEN"], free=["*"])))
    told = await use(home, call("notes", "variables", {}))
    assert "NOTES_TOKEN" in told
    assert "SECRET_OF_THE_HOUSE" not in told
    assert "ANTHROPIC_API_KEY" not in told
    assert "tok3n" not in json.dumps([seen.request for seen in home.provider.calls])


async def test_a_conversation_that_read_outside_text_asks_the_owner_before_it_acts(start: Start) -> None:
    home = await start(**with_servers(notes=plain(free=["page"])))
    assert "4711" in await use(home, call("notes", "page", {}))
    home.provider.script(call("notes", "add", {"text": "door code"}), Reply(text="Stopped."))
    waiting = asyncio.create_task(home.say("And now"))
    async with asyncio.timeout(20):
        while not (asked := (await home.client.get("/api/approvals")).json()["approvals"]):
            await asyncio.sleep(0.02)
    assert "mcp notes add" in asked[0]["text"]
    assert "door code" in asked[0]["text"]
    await home.client.post(f"/api/approvals/{asked[0]['id']}", json={"decision": "deny"})
    await waiting
    assert "Not called: The person said no." in home.prompts()[-1]
    assert not (home.house.state / "mcp" / "notes" / "list.txt").exists()


async def test_the_owners_yes_lets_exactly_that_call_through(start: Start) -> None:
    home = await start(**with_servers(notes=plain(free=["page"])))
    await use(home, call("notes", "page", {}))
    home.provider.script(call("notes", "add", {"text": "milk"}), Reply(text="Done."))
    waiting = asyncio.create_task(home.say("Add milk"))
    async with asyncio.timeout(20):
        while not (asked := (await home.client.get("/api/approvals")).json()["approvals"]):
            await asyncio.sleep(0.02)
    await home.client.post(f"/api/approvals/{asked[0]['id']}", json={"decision": "once"})
    await waiting
    assert "added milk" in home.prompts()[-1]


async def test_a_call_is_counted_and_stands_in_the_audit(start: Start) -> None:
    home = await start(**with_servers(notes=plain(free=["*"])))
    await use(home, call("notes", "add", {"text": "tea"}))
    token = (home.house.state / "metrics-token").read_text() if (home.house.state / "metrics-token").exists() else ""
    page = (await home.client.get("/metrics", headers={"authorization": f"Bearer {token}"} if token else {})).text
    assert 'appliance_mcp_requests_total{action="call",outcome="ok",server="notes"} 1.0' in page
    await home.house.audit.flush()
    assert any('"tool":"mcp"' in line and "tea" in line for line in home.house.audit.export())


async def test_without_servers_there_is_no_tool_and_nothing_is_loaded(home: Home) -> None:
    home.provider.script(Reply(text="hi"))
    await home.say("hi")
    assert "mcp" not in {tool["name"] for tool in home.provider.calls[-1].request["tools"]}
    assert (await home.client.get("/api/mcp")).json() == {"servers": []}
