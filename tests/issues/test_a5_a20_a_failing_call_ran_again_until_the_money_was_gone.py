"""A5, A20: without a limit, a failing or unknown tool was called for minutes to hours."""

from typing import Any

from appliance.testing.anthropic_replies import Reply
from appliance.testing.tools import Says
from tests.integration.gateway.conftest import Home, Start


async def test_an_unknown_tool_is_called_at_most_three_times_and_ends_as_a_failure(home: Home) -> None:
    home.provider.default(lambda body: Reply(tools=[("nope", {})]))
    reply = await home.say("do it")
    assert len(home.provider.calls) == 3
    assert "nope" in reply["reply"]
    row = (await home.rows())[-1]
    assert row["error"] == "failures"


async def test_two_failing_calls_that_alternate_end_too(home: Home) -> None:
    calls = 0

    def answer(body: dict[str, Any]) -> Reply:
        nonlocal calls
        calls += 1
        return Reply(tools=[("read", {"path": f"missing-{calls % 2}.txt"})])

    home.provider.default(answer)
    await home.say("do it")
    assert calls == 5


async def test_a_call_that_always_succeeds_ends_at_the_step_limit(start: Start) -> None:
    home = await start(APPLIANCE_AGENT__MAX_STEPS="6", APPLIANCE_BUDGET__DAILY_USD="50")
    home.provider.default(lambda body: Reply(tools=[("read", {"path": "."})]))
    reply = await home.say("for ever")
    assert len(home.provider.calls) == 6
    assert "6" in reply["reply"]
    assert (await home.rows())[-1]["error"] == "steps"


async def test_after_a_compaction_the_failing_request_is_not_replayed_as_new(start: Start) -> None:
    home = await start(APPLIANCE_MODELS__WORKING_WINDOW="32000", APPLIANCE_BUDGET__DAILY_USD="50")
    files = home.house.workspace("main").files
    (files / "log.txt").write_text("error " * 5_000)
    asked = 0

    def answer(body: dict[str, Any]) -> Reply:
        nonlocal asked
        system = str(body.get("system", ""))
        if "memory of a household" in system or "Summarise the conversation" in system:
            return Reply(text="rubbish")
        asked += 1
        return Reply(tools=[("read", {"path": "log.txt"})])

    home.provider.default(answer)
    reply = await home.say("run the nightly job")
    assert asked <= 20
    assert reply["reply"]


async def test_a_scheduled_job_whose_command_always_fails_at_length_is_tried_three_times(automation: Any) -> None:
    home = await automation(APPLIANCE_MODELS__WORKING_WINDOW="32000", APPLIANCE_BUDGET__DAILY_USD="50")
    command = Says(lambda n: "error: the disk is not there\n" * 1_050, fails=True)
    home.house.tools.add(command)
    home.provider.default(lambda body: Reply(tools=[("say_it", {})]))
    job = await home.schedule("'15 8 * * *' run the backup")
    await home.at("2026-11-30T08:15:10Z")
    assert command.runs == 3
    assert len(home.provider.calls) == 3
    assert home.states(job) == ["failed"]
    await home.at("2026-11-30T09:30:00Z")
    assert command.runs == 3
