"""The offset was lost on restart, so old messages were answered again."""

from __future__ import annotations

from tests.telegram_bench import OWNER, Bench


async def test_one_reply_although_the_update_comes_again_after_a_restart(paired: Bench) -> None:
    update = paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies())
    await paired.restart()
    paired.telegram.people.repeat(update["update_id"])
    paired.telegram.people.say(OWNER, "next")
    await paired.until(lambda: "You said: next" in paired.replies())
    assert paired.replies() == ["You said: hello", "You said: next"]


async def test_one_reply_although_the_offset_was_never_written(paired: Bench) -> None:
    update = paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies())
    await paired.stop()
    paired.database.open()
    paired.database.write_now(lambda c: c.execute("DELETE FROM telegram_state WHERE key = 'offset'"))
    paired.database.close()
    paired.telegram.people.repeat(update["update_id"])
    await paired.start()
    paired.telegram.people.say(OWNER, "next")
    await paired.until(lambda: "You said: next" in paired.replies())
    assert paired.replies() == ["You said: hello", "You said: next"]


async def test_the_same_message_under_a_new_update_number_is_heard_once(paired: Bench) -> None:
    update = paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: paired.front.heard)
    paired.telegram.people.repeat(update["update_id"], new_id=True)
    paired.telegram.people.say(OWNER, "next")
    await paired.until(lambda: "You said: next" in paired.replies())
    assert [i.text for i in paired.front.heard] == ["hello", "next"]
    assert ("telegram", "in", "duplicate") in paired.counts.messages
