"""Two agents in one house: what is one's is never the other's, and what they share they share."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from appliance.app import Appliance
from appliance.backup import backup, restore
from appliance.composition.rooms import core_rooms
from appliance.errors import InputError, NoAgentError, StateError
from appliance.memory.scopes import Scope
from appliance.messages import Role, SessionKey
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.house_settings import house_settings
from tests.integration.gateway.conftest import Home, Start

STUDY = json.dumps({"study": {"chain": ["claude-haiku-5-5"]}})
CANARY = "the spare key hangs behind CANARY-4711"
ASKED = (
    "CANARY-4711", "canary", "spare key", "where is the spare key?", "key", "the spare key hangs behind",
    "hangs behind", "what do you know?", "MEMORY.md", "study", "4711", "CANARY*", '"CANARY-4711"', "CANARY OR key",
    "key NEAR spare", "備用鑰匙在哪裡", "鑰匙", "canary-4711 study main", "agent:study:main", "secret of the study",
)  # fmt: skip


@pytest.fixture
async def two(start: Start) -> Home:
    """The main agent and `study`, which knows a canary in its MEMORY.md."""
    home: Home = await start(APPLIANCE_AGENTS=STUDY)
    home.house.workspace("study").write("MEMORY.md", CANARY)
    await home.house.memory.index.sync()
    return home


def system(home: Home) -> str:
    return str(home.provider.calls[-1].request["system"])


async def searched(home: Home, query: str, agent: str) -> str:
    answer = await home.client.get(f"/api/memory/search?q={quote(query)}&limit=50&agent={agent}")
    assert answer.status_code == 200, answer.text
    return str(answer.json()["results"])


async def test_each_agent_answers_with_its_own_model_prompt_and_memory(two: Home) -> None:
    two.provider.script(Reply(text="I am the study."), Reply(text="I am the house."))
    study = await two.say("who are you?", agent="study")
    assert (study["reply"], study["session"]) == ("I am the study.", "agent:study:main")
    assert two.provider.calls[-1].model.startswith("claude-haiku")
    assert CANARY in system(two)
    main = await two.say("who are you?")
    assert (main["reply"], main["session"]) == ("I am the house.", "agent:main:main")
    assert two.provider.calls[-1].model.startswith("claude-sonnet")
    assert CANARY not in str(two.provider.calls[-1].request)


async def test_a_canary_of_one_is_found_by_no_session_of_the_other_in_twenty_ways(two: Home) -> None:
    await two.say("a word from the kitchen", session="kitchen")
    sessions = [
        SessionKey.main(), SessionKey.web("kitchen"), SessionKey.cron("j1"), SessionKey.heartbeat(),
        SessionKey.group("telegram", "-5"), SessionKey.dm("telegram", "7"),
    ]  # fmt: skip
    for query in ASKED:
        for session in sessions:
            hits = await two.house.memory.search(query, Scope(session, role=Role.OWNER), 50)
            assert "4711" not in str([hit.as_json() for hit in hits]), (query, session)
    assert CANARY in await searched(two, "spare key", "study")
    for path in ("study/MEMORY.md", "../study/MEMORY.md", "memory/../../study/MEMORY.md", "sessions/../MEMORY.md"):
        with pytest.raises(InputError):
            two.house.memory.read(Scope(SessionKey.main()), path)
    assert "4711" not in two.house.memory.read(Scope(SessionKey.main()), "MEMORY.md")[0]


async def test_what_is_said_to_one_is_captured_and_found_there_alone(two: Home) -> None:
    await two.say("My daughter is allergic to peanuts.", agent="study", id="m1")
    await two.say("From now on use British spelling.", id="m2")
    notes = {a: w.read_day(w.day(two.house.clock.now())) for a, w in two.house.agents.workspaces.items()}
    assert ("peanuts" in notes["study"], "peanuts" in notes["main"]) == (True, False)
    assert ("British" in notes["study"], "British" in notes["main"]) == (False, True)
    assert "peanuts" in await searched(two, "peanut allergy", "study")
    assert "peanuts" not in await searched(two, "peanut allergy", "main")
    two.provider.script(Reply(tools=[("memory_search", {"query": "peanuts"})]), Reply(text="Nothing."))
    await two.say("what is she allergic to?")
    assert "allergic to peanuts" not in str(two.provider.calls[-1].request)
    entries = (await two.client.get("/api/memory/history?agent=study")).json()["entries"]
    assert ["peanuts" in str(entry) for entry in entries] == [True]
    assert (await two.client.post("/api/memory/forget?agent=main", json={"what": "peanuts"})).status_code == 404
    assert (await two.client.post("/api/memory/forget?agent=study", json={"what": "peanuts"})).status_code == 200
    assert "peanuts" in (await two.say("/memory undo", agent="study"))["reply"]


async def test_files_of_the_team_are_read_by_both(two: Home) -> None:
    team = two.house.state / "team"
    team.mkdir(exist_ok=True)
    (team / "house.md").write_text("The boiler is serviced by Mr Marlow every October.\n")
    await two.house.memory.index.sync()
    for agent in ("main", "study"):
        assert "Marlow" in await searched(two, "who services the boiler?", agent)
        assert "Marlow" in two.house.memory.read(Scope(SessionKey.main(agent)), "team/house.md")[0]


async def test_tools_work_in_the_folder_of_their_own_agent(two: Home) -> None:
    two.provider.script(Reply(tools=[("write", {"path": "plan.txt", "text": "study hard"})]), Reply(text="Done."))
    await two.say("write a plan", agent="study")
    assert (two.house.workspace("study").files / "plan.txt").read_text() == "study hard"
    assert not (two.house.workspace("main").files / "plan.txt").exists()
    two.provider.script(Reply(tools=[("read", {"path": "../../study/files/plan.txt"})]), Reply(text="No."))
    await two.say("read the other's plan")
    assert "study hard" not in str(two.provider.calls[-1].request)
    stored = (await two.client.post("/api/attachments?agent=study&name=a.txt", content=b"for the study")).json()
    assert (await two.client.get(f"/api/attachments/{stored['id']}?agent=study")).content == b"for the study"
    assert (await two.client.get(f"/api/attachments/{stored['id']}")).status_code == 404
    answer = await two.say("read it", agent="study", attachments=[stored["id"]])
    assert answer["status"] == 200
    assert (await two.say("read it", attachments=[stored["id"]]))["status"] == 404


async def test_an_agent_that_is_not_declared_does_not_exist(two: Home) -> None:
    said = await two.say("hello", agent="nobody")
    assert said["status"] == 404
    assert "There is no agent 'nobody'" in said["error"]["message"]
    for path in ("/api/memory/search?q=x&agent=nobody", "/api/sessions/agent:nobody:main/messages", "/memory?agent=x"):
        assert (await two.client.get(path)).status_code == 404
    assert (await two.client.get("/api/sessions/agent:study:main/messages")).json()["messages"] == []
    assert not (two.house.state / "agents" / "nobody").exists()
    with pytest.raises(NoAgentError):
        two.house.workspace("nobody")


async def test_the_limit_of_one_stops_it_alone_and_the_days_limit_stops_both(start: Start) -> None:
    home = await start(APPLIANCE_AGENTS=json.dumps({"study": {"daily_usd": "0"}}), APPLIANCE_BUDGET__DAILY_USD="0.20")
    refused = (await home.say("hello", agent="study"))["reply"]
    assert "limit of agent study" in refused
    assert "/budget raise 1 agent:study adds a dollar" in refused
    assert home.provider.calls == []
    assert (await home.say("hello"))["status"] == 200
    assert len(home.provider.calls) == 1
    limits = {row["scope"]: row["limit"] for row in (await home.client.get("/api/budget")).json()}
    assert limits["agent:study"] == 0
    await home.say("/budget raise 1 agent:study", agent="study")
    await home.say("hello", agent="study")
    assert len(home.provider.calls) == 2
    await home.say("/budget set 0")
    for agent in ("main", "study"):
        assert "today's limit:" in (await home.say("hello again", agent=agent))["reply"]
    assert len(home.provider.calls) == 2


async def test_what_each_agent_spends_is_kept_and_shown_by_agent(two: Home) -> None:
    for agent in ("main", "study", "study"):
        await two.say("hello", agent=agent)
    spent = (await two.client.get("/api/spend?by=agent")).json()["rows"]
    assert {row["key"]: row["calls"] for row in spent} == {"main": 1, "study": 2}
    rows = {row["id"]: row for row in (await two.client.get("/api/agents")).json()["agents"]}
    assert rows["study"]["chain"] == ["claude-haiku-5-5"]
    assert rows["study"]["workspace"] == str(two.house.state / "agents" / "study")
    assert (rows["study"]["sessions"], rows["study"]["limit"], rows["study"]["channels"]) == (1, None, [])
    assert rows["study"]["spent"] == pytest.approx(next(r["cost"] for r in spent if r["key"] == "study"))
    status = (await two.say("/status"))["reply"]
    assert "study: claude-haiku-5-5" in status
    assert 'agent="study"' in two.house.monitoring.scrape().decode()


async def test_other_chat_clients_choose_the_agent_by_the_models_name(two: Home) -> None:
    names = [row["id"] for row in (await two.client.get("/v1/models")).json()["data"]]
    assert names == ["appliance", "appliance-main", "appliance-study"]
    two.provider.script(Reply(text="From the study."))
    body = {"model": "appliance-study", "messages": [{"role": "user", "content": "hello"}]}
    answer = (await two.client.post("/v1/chat/completions", json=body)).json()
    assert answer["choices"][0]["message"]["content"] == "From the study."
    assert [row["text"] for row in await two.rows("agent:study:main") if row["role"] == "user"] == ["hello"]
    assert await two.rows() == []


async def test_compaction_keeps_what_one_agent_heard_in_its_own_notes(two: Home) -> None:
    await two.say("Something of no weight.", agent="study")
    await two.say("x " * 3_000, agent="study")
    asked = len(two.provider.calls)
    two.provider.default(lambda _: Reply(text="- the exam is in room 204"))
    await two.say("/compact", agent="study")
    assert all(call.model.startswith("claude-haiku") for call in two.provider.calls[asked:])
    study, main = (two.house.workspace(agent) for agent in ("study", "main"))
    now = two.house.clock.now()
    assert "room 204" in study.read_day(study.day(now))
    assert "room 204" not in main.read_day(main.day(now))


async def test_one_workspace_for_two_agents_is_refused(tmp_path: Path) -> None:
    agents = tmp_path / "state" / "agents"
    (agents / "main").mkdir(parents=True)
    (agents / "study").symlink_to("main")
    house = Appliance(house_settings(tmp_path / "state", APPLIANCE_AGENTS=STUDY))
    with pytest.raises(StateError, match="The agents main and study have the same workspace"):
        house.open_offline()


async def test_a_backup_holds_every_workspace(two: Home, tmp_path: Path) -> None:
    await two.say("My daughter is allergic to peanuts.", agent="study")
    made = backup(two.house.state, tmp_path / "made")
    restore(made.path, tmp_path / "new", core_rooms())
    assert (tmp_path / "new/agents/study/MEMORY.md").read_text() == CANARY
    assert any("peanuts" in note.read_text() for note in (tmp_path / "new/agents/study/memory").glob("*.md"))


async def test_a_kill_while_both_answer_loses_and_repeats_nothing(tmp_path: Path) -> None:
    async with FakeAnthropic() as provider:
        provider.default(lambda _: Reply(text="Answered.", delay=0.05))
        (tmp_path / "state").mkdir()
        house = GatewayProcess(
            tmp_path / "state", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
            APPLIANCE_AGENTS=STUDY, APPLIANCE_BUDGET__DAILY_USD="50",
        )  # fmt: skip
        try:
            await house.start(APPLIANCE_CRASH_AT="before_answer_commit")
            sent = {agent: [f"{agent}-{n}" for n in range(3)] for agent in ("main", "study")}
            for agent, identities in sent.items():
                for identity in identities:
                    await _leave(house, agent, identity)
            await house.kill()
            await house.start()
            for agent, identities in sent.items():
                for identity in identities:
                    await _leave(house, agent, identity)  # as a client that heard nothing does
                answers = await _answers(house, f"agent:{agent}:main", set(identities))
                assert sorted(answers) == identities
        finally:
            await house.close()


async def _leave(house: GatewayProcess, agent: str, identity: str) -> None:
    body = {"text": f"message {identity}", "id": identity, "agent": agent}
    with contextlib.suppress(httpx2.HTTPError):  # killed in the middle: that is the test
        await house.client.post(f"{house.url}/api/messages?wait=false", json=body, timeout=10.0)


async def _answers(house: GatewayProcess, session: str, wanted: set[str]) -> list[str]:
    async with asyncio.timeout(60):
        while True:
            rows: list[dict[str, Any]] = await house.messages(session)
            found = [identity for row in rows for identity in row.get("in_reply_to", ())]
            if wanted <= set(found):
                return found
            await asyncio.sleep(0.05)
