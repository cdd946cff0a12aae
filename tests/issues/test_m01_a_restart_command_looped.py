"""The offset lived in memory only, so a restart command was handled again after each restart."""

from __future__ import annotations

from tests.telegram_bench import OWNER, Bench


async def test_the_first_poll_after_a_start_asks_for_the_next_update(paired: Bench) -> None:
    update = paired.telegram.people.say(OWNER, "/restart")["update_id"]
    await paired.until(lambda: paired.front.heard)
    # The process goes at once, before any other poll could tell Telegram.
    await paired.stop()
    polls = len(paired.telegram.calls("getUpdates"))
    await paired.start()
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: [i.text for i in paired.front.heard] == ["hello"])
    assert paired.telegram.calls("getUpdates")[polls].params["offset"] == str(update + 1)
