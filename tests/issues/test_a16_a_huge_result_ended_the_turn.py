"""A16: one output of 280 KB, or of 184,000 tokens, overflowed in the same turn and no recovery began."""

import pytest

from appliance.testing.anthropic_replies import Reply
from appliance.testing.tools import Says
from tests.integration.gateway.conftest import Home


async def test_a_result_of_300_000_characters_is_cut_before_it_is_stored_and_the_turn_answers(home: Home) -> None:
    (home.house.workspace("main").files / "big.txt").write_text("START " + "word " * 60_000 + " END")
    home.provider.script(Reply(tools=[("read", {"path": "big.txt", "lines": 5000})]), Reply(text="read"))
    assert (await home.say("read it"))["reply"] == "read"
    transcript = home.house.sessions.transcript(home.house.sessions.require("main"))
    stored = [b for r in transcript.records for b in r.get("content", ()) if b.get("type") == "tool_result"]
    assert len(stored[0]["content"]) <= 16_000
    assert stored[0]["content"].startswith("START")
    assert "END" in stored[0]["content"]


async def test_four_results_of_60_000_in_one_turn_are_answered(home: Home) -> None:
    files = home.house.workspace("main").files
    for number in range(4):
        (files / f"{number}.txt").write_text("line " * 12_000)
    calls = [("read", {"path": f"{number}.txt", "lines": 5000}) for number in range(4)]
    home.provider.script(Reply(tools=calls), Reply(text="all read"))
    assert (await home.say("read them"))["reply"] == "all read"
    assert len(str(home.provider.calls[-1].request["messages"])) < 80_000


@pytest.mark.parametrize(
    "text",
    ["START " + "word " * 60_000 + " END", "START " + "abc " * 184_000 + " END", "START" + "資料" * 92_000 + "END"],
    ids=["300,000 characters", "184,000 tokens of English", "184,000 tokens of Chinese"],
)
async def test_what_a_command_prints_is_cut_whatever_its_length_and_language(home: Home, text: str) -> None:
    home.house.tools.add(Says(lambda n: text))
    home.provider.script(Reply(tools=[("say_it", {})]), Reply(text="read"))
    assert (await home.say("run it"))["reply"] == "read"
    assert len(home.provider.calls) == 2
    result = home.prompts()[-1]
    assert len(result) <= 16_100
    assert result.startswith("START")
    assert "END" in result
    identity = result.rpartition("read_output id=")[2].rstrip("]\n")
    home.provider.script(Reply(tools=[("read_output", {"id": identity, "from": len(text) - 50})]), Reply(text="yes"))
    assert (await home.say("and its end?"))["reply"] == "yes"
    assert home.prompts()[-1].endswith("END")
