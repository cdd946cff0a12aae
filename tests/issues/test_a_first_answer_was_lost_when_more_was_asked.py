"""A message that came during the final call joined the turn, and the answer to the first was neither said nor kept."""

import asyncio

from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home


async def test_both_answers_are_in_the_reply_and_in_the_transcript(home: Home) -> None:
    home.provider.script(Reply(text="The answer is 42.", delay=0.5), Reply(text="And it rains."))
    await home.leave("what is the answer?", "m1")
    await home.asked(left=1)
    await asyncio.sleep(0.1)
    await home.leave("and the weather?", "m2")
    answers = await home.answered("m1", "m2")
    assert answers == [["m1", "m2"]]
    row = next(r for r in await home.rows() if r.get("in_reply_to"))
    assert row["text"] == "The answer is 42.\n\nAnd it rains."
    await home.say("go on")
    texts = [b.get("text", "") for m in home.provider.calls[-1].request["messages"] for b in m["content"]]
    assert any("The answer is 42." in text for text in texts)
    assert [m["role"] for m in home.provider.calls[-1].request["messages"]] == ["user", "assistant"] * 2 + ["user"]
