"""In `appliance chat` an answer stood twice after a message had joined the turn, or after the gateway was killed."""

from __future__ import annotations

import asyncio
import io

from appliance.client import GatewayClient
from appliance.command_line.terminal import Screen, chat, unseen
from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Home


async def test_after_a_message_joined_the_turn_each_answer_stands_once_on_lines_of_its_own(home: Home) -> None:
    home.provider.script(Reply(text="The answer is 42.", delay=0.5), Reply(text="And it rains."))
    out = io.StringIO()
    client = GatewayClient.find(home.house.state, {})
    terminal = asyncio.create_task(asyncio.to_thread(chat, client, "what?", screen=Screen(out, io.StringIO())))
    await home.asked(left=1)
    await asyncio.sleep(0.1)
    await home.leave("and the weather?", "m2")
    assert await terminal == 0
    assert out.getvalue().split("\n") == ["The answer is 42.", "And it rains.", ""]


def test_only_what_is_missing_is_shown_at_the_end() -> None:
    assert unseen("one two", "one ", "one ") == "two"
    assert unseen("Found it.", "Looking.Found it.", "Found it.") == ""
    assert unseen("Found it, here.", "Looking.Found it", "Found it") == ", here."
    assert unseen("First.\n\nSecond.", "First.Looking.Second.", "Second.") == ""
    assert unseen("First.\n\nStopped.", "Looking.First.", "") == "\nStopped."
    assert unseen("anew", "half an", "half an") == "\nanew"
    assert unseen("stored before", "", "") == "stored before"
