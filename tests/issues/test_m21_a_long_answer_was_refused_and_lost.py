"""An answer of more than 2,000 characters was refused by Discord (400) and lost after retries."""

from __future__ import annotations

from appliance.messages import Inbound
from tests.discord_bench import OWNER, DiscordBench


async def test_2001_characters_become_two_messages_of_which_the_first_is_the_reply(
    discord_bench: DiscordBench,
) -> None:
    async def long(_: Inbound) -> str:
        return "x" * 2001

    world = discord_bench.discord.world
    channel = world.channel(333_333_333_333_333_333)
    discord_bench.settings, discord_bench.answer = {"channels": [channel]}, long
    await discord_bench.start()
    await discord_bench.pair()
    asked = await discord_bench.discord.say(OWNER, f"<@{world.bot}> at length", channel=channel)
    await discord_bench.until(lambda: discord_bench.discord.texts(channel) == ["x" * 2000, "x"])
    sent = discord_bench.discord.calls("POST", f"/{channel}/messages")
    answered = [call.body.get("message_reference", {}).get("message_id") for call in sent]
    assert answered == [str(asked), None]
    assert all(call.status == 200 for call in sent)
