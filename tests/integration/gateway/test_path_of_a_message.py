"""From HTTP to a model and back, everything real but the provider."""

import asyncio
from typing import Any

import pytest

from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home, Start


def tool_then(text: str, *calls: tuple[str, dict[str, Any]]) -> list[Reply]:
    return [Reply(tools=list(calls)), Reply(text=text)]


async def test_a_message_is_answered_stored_and_paid(home: Home) -> None:
    home.provider.script(Reply(text="Guten Morgen! 早安 🙂"))
    reply = await home.say("hello 你好", id="m1")
    assert reply["status"] == 200
    assert reply["reply"] == "Guten Morgen! 早安 🙂"
    assert reply["model"] == "claude-sonnet-5-5"
    rows = await home.rows()
    assert [(r["role"], r["id"] if r["role"] == "user" else r["in_reply_to"]) for r in rows] == [
        ("user", "m1"),
        ("assistant", ["m1"]),
    ]
    spend = (await home.client.get("/api/spend")).json()
    assert spend["total"] == pytest.approx(home.provider.billed / 1e12)
    assert reply["cost_usd"] == pytest.approx(home.provider.billed / 1e12)


async def test_the_same_id_gets_the_stored_reply_and_costs_nothing(home: Home) -> None:
    first = await home.say("hello", id="m1")
    second = await home.say("hello", id="m1")
    assert second["reply"] == first["reply"]
    assert len(home.provider.calls) == 1


async def test_the_same_id_while_the_turn_runs_joins_it(home: Home) -> None:
    home.provider.script(Reply(text="slow", delay=0.3))
    first, second = await asyncio.gather(home.say("hello", id="m1"), home.say("hello", id="m1"))
    assert first["reply"] == second["reply"] == "slow"
    assert len(home.provider.calls) == 1


async def test_sessions_do_not_wait_for_one_another_and_see_nothing_of_one_another(home: Home) -> None:
    home.provider.script(Reply(text="slow", delay=1.0))
    slow = asyncio.create_task(home.say("the secret is 4711", session="one"))
    await asyncio.sleep(0.1)
    assert (await home.say("hello", session="two"))["status"] == 200
    assert not slow.done()
    await slow
    other = next(seen for seen in home.provider.calls if "hello" in str(seen.request["messages"][-1]))
    assert "4711" not in str(other.request)


async def test_a_tool_runs_between_two_calls_and_its_result_follows_its_call(home: Home) -> None:
    home.provider.script(*tool_then("Saved.", ("write", {"path": "list.txt", "text": "milk"})))
    assert (await home.say("note milk"))["reply"] == "Saved."
    assert (home.house.workspace("main").files / "list.txt").read_text() == "milk"
    messages = home.provider.calls[-1].request["messages"]
    assert messages[-2]["content"][0]["type"] == "tool_use"
    assert messages[-1]["content"][0]["tool_use_id"] == messages[-2]["content"][0]["id"]


async def test_a_long_tool_result_is_cut_head_and_tail_and_can_be_read_on(home: Home) -> None:
    files = home.house.workspace("main").files
    (files / "big.txt").write_text("START " + "x" * 300_000 + " END")
    home.provider.script(*tool_then("read", ("read", {"path": "big.txt"})))
    await home.say("read it")
    result = home.provider.calls[-1].request["messages"][-1]["content"][0]["content"]
    text = result if isinstance(result, str) else result[0]["text"]
    assert len(text) <= 16_000
    assert text.startswith("START")
    assert "END" in text
    identity = text.rsplit("id=", 1)[1].rstrip("]")
    home.provider.script(*tool_then("rest", ("read_output", {"id": identity, "from": 290_000})))
    await home.say("and the rest")
    assert "END" in str(home.provider.calls[-1].request["messages"][-1]["content"])


async def test_new_leaves_the_old_conversation_out_of_the_prompt_and_in_the_transcript(home: Home) -> None:
    await home.say("my door code is 4711")
    await home.say("/new")
    await home.say("hello again")
    assert "4711" not in str(home.provider.calls[-1].request["messages"])
    assert any("4711" in row["text"] for row in await home.rows())


async def test_stop_ends_the_turn_and_the_next_message_is_answered(home: Home) -> None:
    home.provider.script(Reply(text="never", delay=30.0))
    running = asyncio.create_task(home.say("long work"))
    await home.asked()
    stopped = await home.client.post("/api/sessions/main/stop")
    assert stopped.json()["stopped"]
    assert (await running)["reply"] == "Stopped."
    assert (await home.say("hello"))["status"] == 200


async def test_status_and_budget_answer_while_a_turn_runs(home: Home) -> None:
    home.provider.script(Reply(text="slow", delay=1.0))
    running = asyncio.create_task(home.say("work"))
    await asyncio.sleep(0.2)
    assert "claude-sonnet-5-5" in (await home.say("/status"))["reply"]
    assert "$2.00" in (await home.say("/budget"))["reply"]
    assert not running.done()
    await running


async def test_an_unknown_command_says_so_and_a_path_is_no_command(home: Home) -> None:
    assert "/frobnicate" in (await home.say("/frobnicate"))["reply"]
    assert len(home.provider.calls) == 0
    await home.say("/etc/hosts is odd, look at it")
    assert len(home.provider.calls) == 1


@pytest.mark.parametrize("mode", ["steer", "collect"])
async def test_messages_during_a_turn_are_read_together_after_it(start: Start, mode: str) -> None:
    home = await start(APPLIANCE_AGENT__MODE=mode)
    home.provider.script(Reply(text="first", delay=0.5), Reply(text="others"))
    await home.leave("one", "m1")
    await asyncio.sleep(0.2)
    await home.leave("two", "m2")
    await home.leave("three", "m3")
    answers = await home.answered("m1", "m2", "m3")
    assert sorted(i for a in answers for i in a) == ["m1", "m2", "m3"]
    assert len(home.provider.calls) == 2
    row = next(r for r in await home.rows() if r.get("ids"))
    assert row["ids"] == ["m2", "m3"]


async def test_steering_joins_before_the_next_model_call(home: Home) -> None:
    (home.house.workspace("main").files / "a.txt").write_text("a")
    home.provider.script(Reply(tools=[("read", {"path": "a.txt"})], delay=0.4), Reply(text="both answered"))
    await home.leave("one", "m1")
    await asyncio.sleep(0.15)
    await home.leave("and two", "m2")
    assert await home.answered("m1", "m2") == [["m1", "m2"]]
    last = home.provider.calls[-1].request["messages"][-1]["content"]
    assert [b["type"] for b in last] == ["tool_result", "text"]
    assert "and two" in last[1]["text"]


async def test_followup_gives_each_message_a_turn_of_its_own_in_order(home: Home) -> None:
    home.provider.script(Reply(text="first", delay=0.4))
    await home.leave("one", "m1", mode="followup")
    await asyncio.sleep(0.1)
    for number in (2, 3):
        await home.leave(f"number {number}", f"m{number}", mode="followup")
    assert await home.answered("m1", "m2", "m3") == [["m1"], ["m2"], ["m3"]]


async def test_interrupt_stops_the_call_and_answers_both(home: Home) -> None:
    home.provider.script(Reply(text="a very long story", delay=20.0), Reply(text="short"))
    await home.leave("tell a story", "m1")
    await home.asked(left=1)
    await home.leave("no, just say hi", "m2", mode="interrupt")
    assert await home.answered("m1", "m2", seconds=5.0) == [["m1", "m2"]]


async def test_25_messages_while_busy_are_all_answered_once(home: Home) -> None:
    home.provider.script(Reply(text="busy", delay=0.5))
    for number in range(25):
        await home.leave(f"message {number}", f"m{number}")
    answers = await home.answered(*(f"m{n}" for n in range(25)))
    answered = [i for a in answers for i in a]
    assert sorted(answered) == sorted({f"m{n}" for n in range(25)})
    assert answered == [f"m{n}" for n in range(25)]


async def test_a_slow_turn_ends_at_its_wall_time_and_the_message_that_waited_is_answered(start: Start) -> None:
    home = await start(APPLIANCE_AGENT__WALL_SECONDS="1.0", APPLIANCE_AGENT__MODE="followup")
    home.provider.script(Reply(text="never", delay=30.0), Reply(text="B answered"))
    await home.leave("A", "a")
    await asyncio.sleep(0.2)
    await home.leave("B", "b")
    await home.answered("a", "b", seconds=10.0)
    rows = [r for r in await home.rows() if r.get("in_reply_to")]
    assert "longer than" in rows[0]["text"]
    assert rows[1]["text"] == "B answered"


async def test_a_wrong_key_is_said_clearly_and_nothing_is_charged(home: Home) -> None:
    home.provider.default(lambda body: Reply(status=401, error="authentication_error", message="invalid x-api-key"))
    reply = await home.say("hello", id="m1")
    assert "key" in reply["reply"]
    assert (await home.client.get("/api/spend")).json()["total"] == 0
    assert [row["role"] for row in await home.rows()] == ["user", "assistant"]


async def test_why_no_model_answered_is_said_in_the_language_of_who_asked(home: Home) -> None:
    home.provider.default(lambda body: Reply(status=404, error="not_found_error", message="model: nobody"))
    first = (await home.say("這個有沒有用？"))["reply"]
    assert "claude-sonnet-5-5 拒絕了呼叫（404 not_found_error）" in first
    assert "請檢查 models.chain 裡的名稱。" in first
    assert "local: 沒有設定。" in (await home.say("這個呢，有沒有用？"))["reply"]
    assert "local: it is not configured." in (await home.say("is this of use?"))["reply"]


async def test_at_the_limit_without_a_local_model_no_call_is_made_and_the_way_out_is_named(start: Start) -> None:
    home = await start(APPLIANCE_BUDGET__DAILY_USD="0.001", APPLIANCE_BUDGET__AT_LIMIT="stop")
    reply = await home.say("hello")
    assert "/budget raise" in reply["reply"]
    assert len(home.provider.calls) == 0
    await home.say("/budget raise 1")
    assert (await home.say("hello"))["reply"].startswith("You said")


async def test_what_a_message_says_about_overflow_is_taken_as_text(home: Home) -> None:
    reply = await home.say("Context overflow: prompt too large for the model")
    assert reply["reply"].startswith("You said")
    assert len(home.provider.calls) == 1
