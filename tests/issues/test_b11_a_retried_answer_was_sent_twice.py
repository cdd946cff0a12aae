"""An answer that was streamed, then begun again after compaction, was sent twice."""

from __future__ import annotations

import secrets

from appliance.gateway import outbox
from appliance.messages import Event, Outbound
from tests.telegram_bench import OWNER, Bench


async def test_a_restarted_answer_ends_as_one_message(paired: Bench) -> None:
    paired.telegram.people.say(OWNER, "begin")
    await paired.until(lambda: "You said: begin" in paired.replies())
    heard = paired.front.heard[0]
    turn = secrets.token_hex(8)
    outbound = Outbound("telegram", heard.place, "", session=heard.session)
    paired.delivery.begin(outbound, turn)
    paired.delivery.on_event(Event("text", heard.session, {"turn": turn, "delta": "first attempt"}))
    await paired.until(lambda: "first attempt" in paired.replies())
    # The provider said "too long" in the middle; the loop compacted and began again.
    again = {"turn": turn, "delta": "second", "restart": True}
    paired.delivery.on_event(Event("text", heard.session, again))
    final = Outbound("telegram", heard.place, "second attempt", session=heard.session)
    identity = await paired.database.write(lambda c: outbox.finish(c, final, turn, paired.clock.now()))
    paired.delivery.committed(identity, turn)
    await paired.until(lambda: "second attempt" in paired.replies())
    assert paired.replies() == ["You said: begin", "second attempt"]
