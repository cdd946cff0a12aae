"""Schedules and the heartbeat belong to one agent: its session, its models, its files, its way to the owner."""

from __future__ import annotations

import asyncio
import json

import pytest

from appliance.errors import InputError
from appliance.memory.scopes import Scope
from appliance.messages import SessionKey
from appliance.testing.anthropic_replies import Reply
from tests.integration.automation.conftest import Home, Start

STUDY = {"APPLIANCE_AGENTS": json.dumps({"study": {"chain": ["claude-opus-5-5"], "cheap": "claude-opus-5-5"}})}
ON = {**STUDY, "APPLIANCE_HEARTBEAT__ENABLED": "true"}


async def ask(home: Home, text: str, agent: str = "study") -> str:
    body = {"session": "main", "agent": agent, "text": text}
    return str((await home.client.post("/api/messages", json=body)).json()["reply"])


async def said(home: Home, agent: str) -> str:
    rows = (await home.client.get(f"/api/sessions/agent:{agent}:main/messages")).json()["messages"]
    return str([row["text"] for row in rows if row["role"] == "assistant"])


async def test_a_job_runs_as_the_agent_that_it_was_given_to(start: Start) -> None:
    home = await start(**STUDY)
    await ask(home, '/cron add "0 9 * * *" Say: learn ten words')
    (job,) = home.house.automation.schedules()
    assert job["agent"] == "study"
    assert job["id"] in await ask(home, "/cron")
    assert job["id"] not in await ask(home, "/cron", "main")
    home.provider.script(Reply(text="Ten words 十個字"))
    await home.at("2026-11-30T09:00:00Z")
    (call,) = home.provider.calls
    assert call.model.startswith("claude-opus")
    key = SessionKey.cron(job["id"], "study")
    assert (key.agent, key.job) == ("study", job["id"])
    assert home.house.sessions.path(key).parent == home.house.workspace("study").sessions
    assert home.house.sessions.path(key).exists()
    assert home.pocket.got == ["Ten words 十個字"]  # it has no channel of its own, so the owner reads the main agent's
    spent = (await home.client.get("/api/spend?by=agent")).json()["rows"]
    assert [row["key"] for row in spent] == ["study"]
    async with asyncio.timeout(20):  # it is indexed behind the turn
        while not await home.house.memory.search("ten words", Scope(SessionKey.main("study"))):
            await asyncio.sleep(0.05)
    assert await home.house.memory.search("ten words", Scope(SessionKey.main())) == []


async def test_the_model_sees_and_removes_only_the_jobs_of_its_own_agent(start: Start) -> None:
    home = await start(**STUDY)
    await ask(home, '/cron add "0 9 * * *" Say: bins out', "main")
    (job,) = home.house.automation.schedules()
    home.provider.script(
        Reply(tools=[("schedule", {"action": "list"}), ("schedule", {"action": "remove", "id": job["id"]})]),
        Reply(text="None."),
    )
    await ask(home, "what is scheduled?")
    results = str(home.provider.calls[-1].request["messages"][-1])
    assert "Nothing is scheduled." in results
    assert "somebody else's" in results
    assert len(home.house.automation.schedules()) == 1


async def test_each_heartbeat_reads_its_own_list_and_tells_in_its_own_conversation(start: Start) -> None:
    home = await start(page=True, **ON)
    home.house.workspace("study").write("HEARTBEAT.md", "- [daily 09:00] Look for CANARY-4711\n")
    home.house.workspace("main").write("HEARTBEAT.md", "- [daily 09:00] Look at the calendar\n")
    await home.quiet()

    def answer(request: dict[str, object]) -> Reply:
        found = "CANARY-4711 found" if "4711" in str(request["messages"]) else "Dentist at 15:00"
        return Reply(tools=[("report", {"notify": True, "text": found})])

    home.provider.default(answer)
    await home.at("2026-11-30T09:00:10Z")
    await home.at("2026-11-30T09:01:00Z")
    assert sorted(call.model.split("-")[1] for call in home.provider.calls) == ["haiku", "opus"]
    assert ("4711" in await said(home, "study"), "Dentist" in await said(home, "study")) == (True, False)
    assert ("4711" in await said(home, "main"), "Dentist" in await said(home, "main")) == (False, True)
    home.provider.default(lambda _: Reply(text="Hello."))
    await ask(home, "hello", "main")
    assert "4711" not in str(home.provider.calls[-1].request)


async def test_one_heartbeat_rests_while_the_other_goes_on(start: Start) -> None:
    home = await start(**ON)
    assert "paused" in await ask(home, "/cron pause heartbeat")
    assert "heartbeat: on" in await ask(home, "/cron", "main")
    beats = (await home.client.get("/api/schedules")).json()["heartbeats"]
    assert {agent: beat["state"] for agent, beat in beats.items()} == {"main": "on", "study": "paused"}
    done = await home.client.post("/api/schedules/heartbeat:study", json={"action": "resume"})
    assert done.json() == {"id": "heartbeat:study", "state": "on", "reason": ""}
    assert (await home.client.post("/api/schedules/heartbeat:nobody", json={"action": "resume"})).status_code == 404
    assert (await home.client.get("/schedules")).text.count('data-post="/api/schedules/heartbeat') == 2


async def test_quiet_hours_told_to_one_agent_hold_for_all_and_each_says_its_own_digest(start: Start) -> None:
    home = await start(**STUDY, APPLIANCE_SCHEDULES__QUIET_HOURS='["08:30-09:30"]')
    await ask(home, '/cron add "0 9 * * *" Say: learn')
    await ask(home, '/cron add "0 9 * * *" Say: bins', "main")
    home.provider.default(lambda request: Reply(text="learn!" if "learn" in str(request["messages"]) else "bins!"))
    await home.at("2026-11-30T09:00:00Z")
    assert home.pocket.got == []
    await home.at("2026-11-30T09:31:00Z")
    assert sorted(home.pocket.got) == ["bins!", "learn!"]


async def test_jobs_of_an_agent_that_is_no_longer_declared_are_paused_and_said(start: Start) -> None:
    home = await start(**STUDY)
    await ask(home, '/cron add "0 9 * * *" Say: learn ten words')
    await home.house.stop()
    again = await start()
    await again.at("2026-12-01T09:00:00Z")
    (job,) = again.house.automation.schedules()
    assert (job["state"], job["reason"]) == ("paused", "There is no agent 'study'. `appliance agents` lists them.")
    assert again.provider.calls == []
    with pytest.raises(InputError):
        await again.house.automation.desk.set_state(again.house.automation.jobs.find(job["id"]), "active", "owner")
