"""What is said once is there later: captured by rule, searchable, and only where it may be."""

import asyncio
import json
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appliance.cli import app
from appliance.memory.commands import history
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.integration.gateway.conftest import Home, Start, until


def note(home: Home) -> str:
    workspace = home.house.workspace("main")
    return workspace.read_day(workspace.day(home.house.clock.now()))


async def test_a_boundary_said_in_chinese_is_in_the_day_note_before_the_answer(home: Home) -> None:
    await home.say("最近在帶娃，凌晨基本不看手機，別半夜推東西給我啦", id="m1")
    assert "[B]" in note(home)
    assert "半夜推東西" in note(home)
    assert "message=m1" in note(home)


async def test_the_same_wish_twice_is_one_item(home: Home) -> None:
    await home.say("From now on use British spelling.")
    await home.say("From now on use British spelling.")
    assert note(home).count("British") == 1


async def test_a_take_back_marks_the_item_and_is_none_itself(home: Home) -> None:
    await home.say("I hate clickbait headlines.")
    assert "clickbait" in note(home)
    await home.say("Forget what I said about clickbait headlines.")
    assert note(home).count("[forget]") == 1
    await home.say("/new")
    await home.say("hello")
    assert "clickbait" not in str(home.provider.calls[-1].request)


@pytest.mark.parametrize(
    ("said", "instead", "kept"),
    [
        ("I like tea.", "forget that I like tea, I prefer coffee now", "I prefer coffee now"),
        ("我喜欢蓝色", "别记我喜欢蓝色了，我现在喜欢绿色", "我现在喜欢绿色"),
    ],
)
async def test_what_is_wanted_instead_of_what_is_taken_back_is_kept(
    home: Home, said: str, instead: str, kept: str
) -> None:
    await home.say(said)
    await home.say(instead)
    assert [item.text for item in home.house.memory.items().active()] == [kept]


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("I'm allergic to peanuts.", "Good news: the test was negative. I'm no longer allergic to peanuts."),
        ("我對花生過敏", "我對花生已經不過敏了"),
        ("We have a dog called Rex.", "we don't have the dog any more"),
        ("I'm a vegetarian.", "I stopped being vegetarian"),
    ],
)
async def test_what_is_over_leaves_the_prompt_and_stays_in_the_history(home: Home, said: str, over: str) -> None:
    await home.say(said)
    [item] = home.house.memory.items().active()
    await home.say(over)
    await home.say("/new")
    await home.say("hello")
    assert item.text not in str(home.provider.calls[-1].request["system"])
    assert [row["kind"] for row in history(home.house.memory, item.text)] == ["item", "forget"]
    await home.say("/memory undo")
    assert item in home.house.memory.items().active()


@pytest.mark.parametrize("said", ["夜10時以降は通知しないで", "22時から7時まで静かにして"])
async def test_quiet_hours_said_in_japanese_are_kept_by_the_house(home: Home, said: str) -> None:
    await home.say(said)
    night = datetime(2026, 11, 30, 23, tzinfo=home.house.settings.owner.zone).timestamp()
    assert home.house.automation.outlet.quiet("owner", night) == night + 8 * 3600
    assert "22:00-07:00" in (await home.say("/memory"))["reply"]


async def test_what_was_said_is_found_by_the_tool_and_the_api(home: Home) -> None:
    await home.say("My daughter is allergic to peanuts.")
    found = (await home.client.get("/api/memory/search?q=peanuts allergy")).json()
    assert "peanuts" in str(found)
    home.provider.script(Reply(tools=[("memory_search", {"query": "allergic"})]), Reply(text="Peanuts."))
    await home.say("/new")
    assert (await home.say("what is she allergic to?"))["reply"] == "Peanuts."
    assert "peanuts" in str(home.provider.calls[-1].request["messages"][-1])


async def test_a_canary_of_the_owner_is_in_no_other_session(home: Home) -> None:
    home.house.workspace("main").write("MEMORY.md", "CANARY-4711")
    home.provider.script(Reply(tools=[("memory_search", {"query": "CANARY-4711"})]), Reply(text="done"))
    await home.say("look for it", session="kitchen")
    assert "CANARY" not in str([seen.request for seen in home.provider.calls]).replace(
        '"query": "CANARY-4711"', ""
    ).replace("'query': 'CANARY-4711'", "")
    await home.say("hello")
    assert "CANARY-4711" in str(home.provider.calls[-1].request["system"])


async def test_a_fact_survives_a_restart_and_a_lost_index(start: Start) -> None:
    home = await start()
    await home.say("The printer is called nas-01.")
    await home.house.stop()
    for path in home.house.state.glob("index.db*"):
        path.unlink()
    again = await start(provider=home.provider)
    for _ in range(100):
        found = (await again.client.get("/api/memory/search?q=nas-01")).json()
        if "nas-01" in str(found):
            break
    assert "nas-01" in str(found)


async def test_an_erased_secret_is_nowhere_any_more(home: Home) -> None:
    remind = ("schedule", {"action": "add", "when": "0 7 * * *", "text": "pay with 4929-1234-SECRET"})
    home.provider.script(Reply(tools=[remind]), Reply(text="Every morning."))
    await home.say("my card is 4929-1234-SECRET, keep it", id="m1")
    erased = await home.client.post("/api/memory/forget", json={"what": "4929-1234-SECRET", "erase": True})
    assert erased.status_code == 200, erased.text
    assert [row["name"] for row in home.house.automation.schedules()] == ["pay with [erased]"]
    await home.say("what was it?")
    assert "4929-1234-SECRET" not in str(home.provider.calls[-1].request)
    assert "4929-1234-SECRET" not in str(await home.rows())
    assert "4929-1234-SECRET" not in str(await home.say("my card", id="m1"))
    for path in home.house.state.rglob("*"):
        if path.is_file() and path.suffix in (".jsonl", ".md", ".txt"):
            assert b"4929-1234-SECRET" not in path.read_bytes(), path


@pytest.mark.parametrize("way", ["erased", "taken back", "edited by hand"])
async def test_what_is_gone_leaves_the_prompt_of_a_conversation_that_goes_on(home: Home, way: str) -> None:
    async def told() -> bool:
        await home.say("and now?")
        return "clickbait" in str(home.provider.calls[-1].request["system"])

    await home.say("I hate clickbait headlines.")
    await home.say("/new")
    assert await told()
    if way == "erased":
        await home.client.post("/api/memory/forget", json={"what": "clickbait", "erase": True})
    elif way == "edited by hand":
        workspace = home.house.workspace("main")
        path = workspace.day_path(workspace.day(home.house.clock.now()))
        path.write_text(path.read_text().replace("clickbait", "long"))
        async with asyncio.timeout(40):
            while "hate long headlines" not in (await home.client.get("/api/memory/search?q=hate headlines")).text:
                await asyncio.sleep(0.1)
    else:
        await home.say("Forget what I said about clickbait headlines.")
    assert not await told()


@pytest.mark.parametrize("online", [True, False])
async def test_a_question_of_ten_kilobytes_is_answered_on_the_command_line(
    home: Home, monkeypatch: pytest.MonkeyPatch, online: bool
) -> None:
    await home.say("My daughter is allergic to peanuts. 我女兒對花生過敏")
    monkeypatch.setenv("APPLIANCE_STATE_DIR", str(home.house.state))
    if not online:
        await home.house.stop()
    for query in ("peanuts " * 1_280, "花生過敏" * 1_000, "🥜 peanuts" * 1_000, "peanuts \udcff"):
        done = await asyncio.to_thread(CliRunner().invoke, app, ["memory", "search", query, "--json"])
        assert done.exit_code == 0, done.output + str(done.exception)
        assert "peanuts" in done.output


async def test_a_short_number_that_is_erased_leaves_what_is_stored_whole(start: Start) -> None:
    home = await start()
    await home.say("my PIN is 1796", id="m-1796")
    stored = home.house.core.read("SELECT body FROM inbox")
    for form in ("1796", str(int(home.house.clock.now()))[:4]):
        await home.client.post("/api/memory/forget", json={"what": form, "erase": True})
    assert "1796" not in (await home.rows())[0]["text"]
    assert (await home.rows())[0]["id"] == "m-1796"
    [(body,)] = home.house.core.read("SELECT body FROM inbox")
    assert json.loads(body) == {**json.loads(stored[0][0]), "text": "my PIN is [erased]"}
    assert (await home.say("my PIN is 1796", id="m-1796"))["status"] == 200


async def test_a_line_that_the_owner_deleted_by_hand_does_not_come_back_with_a_compaction(home: Home) -> None:
    await home.say("I hate clickbait headlines.")
    workspace = home.house.workspace("main")
    path = workspace.day_path(workspace.day(home.house.clock.now()))
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if "clickbait" not in line))
    await home.say("x " * 3_000)
    await home.say("/compact")
    assert "compaction" in [row["text"] for row in await home.rows()]
    assert "clickbait" not in note(home)


async def test_what_capture_left_out_after_a_turn_is_kept_at_the_compaction(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("appliance.memory.capturing.capture", lambda text: 1 // len(""))
        assert (await home.say("I hate clickbait headlines."))["status"] == 200
    await home.say("x " * 3_000)
    assert "clickbait" not in note(home)
    await home.say("/compact")
    assert "clickbait" in note(home)


async def test_a_kill_between_a_turn_and_its_capture_loses_nothing(tmp_path: Path) -> None:
    async with FakeAnthropic() as provider:
        (tmp_path / "state").mkdir()
        house = GatewayProcess(tmp_path / "state", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url)
        try:
            await house.start(APPLIANCE_CRASH_AT="after_final_record")
            body = {"text": "I hate clickbait headlines.", "id": "m1"}
            await house.client.post(f"{house.url}/api/messages?wait=false", json=body)
            async with asyncio.timeout(20):
                while house.alive:
                    await asyncio.sleep(0.05)
            await house.start()
            async with asyncio.timeout(20):
                while not any("clickbait" in path.read_text() for path in house.state.glob("agents/main/memory/*.md")):
                    await asyncio.sleep(0.05)
        finally:
            await house.close()


async def test_what_a_stopped_turn_was_told_is_kept(home: Home) -> None:
    home.provider.script(Reply(text="never", delay=30.0))
    running = asyncio.create_task(home.say("I'm allergic to peanuts. Write me a long story."))
    await home.asked()
    await home.client.post("/api/sessions/main/stop")
    assert (await running)["reply"] == "Stopped."
    assert "allergic to peanuts" in note(home)


async def test_what_a_message_said_that_no_turn_could_answer_is_kept(home: Home) -> None:
    def ask(*_: object) -> None:
        raise KeyError("boom")

    home.house.agent.ask = ask  # type: ignore[assignment,method-assign]
    await home.leave("I'm allergic to peanuts.", "m1")
    await until(lambda: home.house.inbox.counts().get("dead") == 1)
    assert "allergic to peanuts" in note(home)
