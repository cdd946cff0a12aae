"""At the first start, without a mark, the history of a channel was treated as new work."""

from __future__ import annotations

from appliance.channels.marks import marks
from tests.discord_bench import OWNER, DiscordBench


async def test_a_first_start_answers_nothing_and_remembers_the_newest(discord_bench: DiscordBench) -> None:
    world = discord_bench.discord.world
    channel = world.channel(333_333_333_333_333_333)
    mention = {"content": f"<@{world.bot}> old", "mentions": [world.user(world.bot)]}
    newest = [world.write(channel, OWNER, mention)["id"] for _ in range(500)][-1]
    discord_bench.settings = {"channels": [channel]}
    await discord_bench.start()
    await discord_bench.connected()
    assert discord_bench.front.heard == []
    assert discord_bench.discord.texts(channel) == []
    account = str(world.bot)
    assert marks(discord_bench.database, "discord", account, private=False) == {str(channel): str(newest)}
    assert len(discord_bench.discord.calls("GET", f"/{channel}/messages")) == 1
