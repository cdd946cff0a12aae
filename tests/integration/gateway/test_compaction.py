"""Compaction loses no fact, sends no broken request, and ends."""

import itertools
from typing import Any

import pytest

from appliance.agent import asking
from appliance.agent.compaction import HEADINGS
from appliance.messages import SessionKey
from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home, Start

SUMMARY = "\n".join(f"{heading}\n- none" for heading in HEADINGS)


class Provider:
    """Answers quiet calls by their prompt, and everything else plainly."""

    def __init__(self, flush: str = "NOTHING", summary: str = SUMMARY) -> None:
        self.flush = flush
        self.summary = summary
        self.flushes = 0
        self.summaries = 0

    def __call__(self, body: dict[str, Any]) -> Reply:
        system = str(body.get("system", ""))
        if "keep the memory" in system:
            self.flushes += 1
            return Reply(text=self.flush)
        if "Summarise the conversation" in system:
            self.summaries += 1
            return Reply(text=self.summary)
        return Reply(text="ok")


async def filled(start: Start, provider: Provider, window: int = 24_000, count: int = 8) -> Home:
    """A house with a small working window and a conversation that overflows it."""
    home = await start(APPLIANCE_MODELS__WORKING_WINDOW=str(window), APPLIANCE_BUDGET__DAILY_USD="50")
    home.provider.default(provider)
    await home.say("the door code is 4711 and the printer is nas-01")
    for number in range(count):
        await home.say(f"message {number} " + "lorem ipsum dolor " * 450)
    return home


async def test_a_full_window_is_compacted_once_and_the_next_request_is_small(start: Start) -> None:
    provider = Provider()
    home = await filled(start, provider)
    assert provider.summaries == provider.flushes == 1
    last = home.provider.calls[-1].request
    assert len(str(last["messages"])) < 24_000 * 4
    assert "4711" in str(last["messages"])
    assert "nas-01" in str(last["messages"])


async def test_everything_said_stays_in_the_transcript(start: Start) -> None:
    home = await filled(start, Provider())
    texts = [row["text"] for row in await home.rows() if row["role"] == "user"]
    assert len(texts) == 9
    assert "4711" in texts[0]


async def test_what_the_flush_found_is_in_the_day_note_and_appended(start: Start) -> None:
    home = await start(APPLIANCE_BUDGET__DAILY_USD="50")
    workspace = home.house.workspace("main")
    workspace.append_day("- an older line", home.house.clock.now())
    home.provider.default(Provider(flush="- the door code is 4711\n- 快遞週三到"))
    await home.say("the door code is 4711")
    await home.say("x " * 3_000)
    assert "summar" in (await home.say("/compact"))["reply"].lower()
    note = workspace.read_day(workspace.day(home.house.clock.now()))
    assert note.index("an older line") < note.index("4711") < note.index("快遞週三到")


@pytest.mark.parametrize("rubbish", ["", "rubbish", "## Open asks\nonly one heading"])
async def test_a_summary_that_is_rubbish_is_tried_three_times_then_made_by_rules(start: Start, rubbish: str) -> None:
    provider = Provider(summary=rubbish or " ")
    home = await start(APPLIANCE_BUDGET__DAILY_USD="50")
    home.provider.default(provider)
    await home.say("the door code is 4711")
    await home.say("x " * 3_000)
    await home.say("/compact")
    assert 1 <= provider.summaries <= 3
    await home.say("what was the code?")
    assert "4711" in str(home.provider.calls[-1].request["messages"])


async def test_a_failing_cheap_model_costs_nothing_but_the_summary(start: Start) -> None:
    home = await start(APPLIANCE_BUDGET__DAILY_USD="50")

    def answer(body: dict[str, Any]) -> Reply:
        if body["model"].startswith("claude-haiku"):
            return Reply(status=500, error="api_error", message="down")
        return Reply(text="ok")

    home.provider.default(answer)
    await home.say("the door code is 4711")
    await home.say("x " * 3_000)
    assert "without a model" in (await home.say("/compact"))["reply"]
    await home.say("and now?")
    assert "4711" in str(home.provider.calls[-1].request["messages"])


async def test_an_overflow_error_compacts_and_the_turn_is_answered_once(start: Start) -> None:
    provider = Provider()
    home = await start(APPLIANCE_BUDGET__DAILY_USD="50")
    home.provider.default(provider)
    await home.say("the door code is 4711")
    await home.say("x " * 3_000)
    home.provider.script(
        Reply(status=400, error="invalid_request_error", message="prompt is too long: 210000 tokens > 200000 maximum")
    )
    reply = await home.say("go on", id="m9")
    assert reply["reply"] == "ok"
    assert provider.summaries == 1
    answers = [row for row in await home.rows() if "m9" in row.get("in_reply_to", [])]
    assert len(answers) == 1


async def test_an_overflow_that_never_ends_is_a_clear_message_and_the_session_lives(start: Start) -> None:
    home = await start(APPLIANCE_BUDGET__DAILY_USD="50")
    overflow = Reply(status=400, error="invalid_request_error", message="prompt is too long: 9 tokens > 1 maximum")

    def answer(body: dict[str, Any]) -> Reply:
        return overflow if body["model"].startswith("claude-sonnet") else Reply(text=SUMMARY)

    home.provider.default(answer)
    reply = await home.say("hello")
    assert reply["reply"]
    calls = [seen for seen in home.provider.calls if seen.model.startswith("claude-sonnet")]
    assert len(calls) <= 4
    home.provider.default(Provider())
    assert (await home.say("hello again"))["reply"] == "ok"


async def test_nothing_to_say_is_nothing_to_compact(home: Home) -> None:
    assert "nothing" in (await home.say("/compact"))["reply"].lower()
    assert len(home.provider.calls) == 0


async def test_the_request_after_every_place_of_the_cut_is_well_formed(start: Start) -> None:
    """A1: one call/result pair at every position; the strict provider refuses what is not well formed."""
    home = await start(APPLIANCE_BUDGET__DAILY_USD="50")
    provider = Provider()
    home.provider.default(provider)
    (home.house.workspace("main").files / "a.txt").write_text("a")
    for number in range(6):
        if number % 2:
            home.provider.script(Reply(tools=[("read", {"path": "a.txt"})]), Reply(text="read"))
        await home.say(f"step {number} " + "word " * 200)
        await home.say("/compact")
        assert (await home.say("go on"))["reply"] == "ok"


@pytest.fixture
async def small(start: Start, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A house whose window is too small to be compacted, and which soon lets go of a long talk."""
    monkeypatch.setattr(asking, "MOST_HELD", 12)
    home = await start(APPLIANCE_MODELS__WORKING_WINDOW="8192", APPLIANCE_BUDGET__DAILY_USD="50")
    home.provider.default(Provider())
    return home


async def test_a_long_talk_in_a_small_window_leaves_memory_without_a_model_being_asked(small: Home) -> None:
    await small.say("the door code is 4711")
    for number in range(12):
        assert (await small.say(f"message {number} " + "lorem ipsum dolor " * 250))["reply"] == "ok"
    assert len(small.provider.calls) == 13
    held = small.house.sessions.transcript(SessionKey.main()).window()
    assert held[0]["reason"] == "length"
    assert "4711" in held[0]["summary"]
    assert len(held) < 20
    assert len([row for row in await small.rows() if row["role"] == "user"]) == 13


async def test_many_short_messages_in_a_small_window_leave_memory_too(small: Home) -> None:
    held = []
    for number in range(24):
        await small.say(f"hi {number}")
        held.append(len(small.house.sessions.transcript(SessionKey.main()).window()))
    assert max(held) < 20
    assert sum(later < earlier for earlier, later in itertools.pairwise(held)) < 8, "not at every turn"
