"""In a forum's general topic a send must leave out thread 1, and typing must name it."""

from __future__ import annotations

from pathlib import Path

from appliance.testing.fake_telegram import FakeTelegram
from tests.telegram_bench import OWNER, Bench

FORUM = -1007


async def test_two_different_calls_are_seen(telegram: FakeTelegram, tmp_path: Path) -> None:
    bench = Bench(telegram, tmp_path, {"groups": [FORUM]})
    await bench.start()
    await bench.pair()
    telegram.people.group(FORUM, forum=True)
    telegram.people.say(OWNER, "@home_appliance_bot general?", chat=FORUM)
    telegram.people.say(OWNER, "@home_appliance_bot topic?", chat=FORUM, topic=5)
    await bench.until(lambda: {"You said: general?", "You said: topic?"} <= set(telegram.texts(FORUM)))
    await bench.stop()
    of_forum = [c for c in telegram.world.book if c.params.get("chat_id") == str(FORUM)]
    sends = {c.params.get("message_thread_id") for c in of_forum if c.method == "sendMessage"}
    typing = {c.params.get("message_thread_id") for c in of_forum if c.method == "sendChatAction"}
    assert sends == {None, "5"}
    assert "1" in typing
    assert {i.session.value for i in bench.front.heard} == {
        f"agent:main:telegram:group:{FORUM}:topic:1",
        f"agent:main:telegram:group:{FORUM}:topic:5",
    }
