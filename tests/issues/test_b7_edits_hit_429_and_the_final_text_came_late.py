"""Edits were refused with 429 and the final text came minutes late or not at all."""

from __future__ import annotations

from itertools import pairwise

from appliance.errors import DeliveryError
from tests.telegram_bench import OWNER, Bench


async def test_nothing_is_edited_while_told_to_wait_and_the_final_text_is_whole(paired: Bench) -> None:
    paired.telegram.people.say(OWNER, "begin")
    await paired.until(lambda: "You said: begin" in paired.replies())
    place, carrier = paired.front.heard[0].place, paired.channel.carrier
    paired.telegram.people.fault("editMessageText", every=4, retry_after=3)
    message = await carrier.place(place)
    refusals = []
    # As delivery does: a draft's edit may fail, the final one is tried again.
    for text in [*(f"draft {number}" for number in range(12)), "the end", "the end"]:
        try:
            await carrier.edit(place, message, carrier.split(text)[0])
        except DeliveryError as refusal:
            refusals.append(refusal)
    assert paired.replies()[-1] == "the end"
    assert len(refusals) >= 2
    assert {refusal.retry_after for refusal in refusals} == {3.0}
    calls = paired.telegram.calls("editMessageText")
    for earlier, later in pairwise(calls):
        if "Too Many" in earlier.outcome:
            assert (later.at - earlier.at) * paired.pace >= 2.9


async def test_a_chat_that_must_wait_delays_no_other(paired: Bench) -> None:
    await paired.pair(12)
    paired.telegram.people.fault("sendMessage", retry_after=37, chat=OWNER)
    paired.telegram.people.say(OWNER, "slow")
    await paired.until(lambda: any("Too Many" in c.outcome for c in paired.telegram.calls("sendMessage")))
    refused = next(c for c in paired.telegram.calls("sendMessage") if "Too Many" in c.outcome)
    paired.telegram.people.say(12, "quick")
    await paired.until(lambda: "You said: quick" in paired.replies(12))
    assert (paired.telegram.calls("editMessageText")[0].at - refused.at) * paired.pace < 30
    await paired.until(lambda: "You said: slow" in paired.replies(), 15)
    again = next(c for c in paired.telegram.calls("sendMessage") if c.at > refused.at and c.params["chat_id"] == "11")
    assert 36.5 <= (again.at - refused.at) * paired.pace <= 42
    assert paired.replies().count("You said: slow") == 1
