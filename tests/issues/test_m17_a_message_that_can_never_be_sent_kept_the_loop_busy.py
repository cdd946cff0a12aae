"""A message that Telegram can never take was queued again under a new id each time."""

from __future__ import annotations

from tests.telegram_bench import OWNER, Bench


async def test_it_is_tried_at_most_twice_and_set_aside(paired: Bench) -> None:
    before = len(paired.telegram.calls("sendMessage"))
    paired.telegram.people.fault("sendMessage", times=99, code=400, description="Bad Request: message is too long")
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: paired.outbox.counts().get("dead") == 1)
    paired.telegram.people.say(OWNER, "another")
    await paired.until(lambda: paired.outbox.counts().get("dead") == 2)
    assert len(paired.telegram.calls("sendMessage")) - before <= 4
    assert paired.outbox.open_rows() == []
    paired.telegram.people.clear_faults()
    paired.telegram.people.say(OWNER, "and now?")
    await paired.until(lambda: "You said: and now?" in paired.replies())
