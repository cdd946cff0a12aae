"""The offset moved before the handler had finished; an error in it lost the press for good."""

from __future__ import annotations

from tests.telegram_bench import OWNER, Bench


async def test_a_press_whose_storing_fails_once_takes_effect_once(paired: Bench) -> None:
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies())
    shown = paired.telegram.world.visible(OWNER)[-1]
    paired.front.fail_next = 1
    press = paired.telegram.people.press(OWNER, shown["message_id"], "opaque")
    await paired.until(lambda: len(paired.front.heard) == 2)
    assert paired.front.heard[1].id == press["callback_query"]["id"]
    offsets = [int(c.params.get("offset", 0)) for c in paired.telegram.calls("getUpdates")]
    assert offsets.count(press["update_id"]) >= 2  # asked for again, not skipped
    await paired.until(lambda: int(paired.telegram.calls("getUpdates")[-1].params["offset"]) > press["update_id"])
    assert len(paired.front.heard) == 2


async def test_a_full_disk_keeps_the_update_until_there_is_room(paired: Bench) -> None:
    paired.front.fail_next = 4
    paired.telegram.people.say(OWNER, "hello")
    paired.telegram.people.say(OWNER, "again")
    await paired.until(lambda: len(paired.front.heard) == 2, 15)
    assert [i.text for i in paired.front.heard] == ["hello", "again"]
