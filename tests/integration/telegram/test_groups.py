"""Groups change: a topic is deleted, a group becomes a supergroup, the bot is thrown out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.errors import DeliveryError
from appliance.testing.fake_telegram import FakeTelegram
from tests.telegram_bench import OWNER, Bench

GROUP = -50
FORUM = -1007


@pytest.fixture
async def grouped(telegram: FakeTelegram, tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(telegram, tmp_path, {"groups": [GROUP, FORUM]})
    await made.start()
    await made.pair()
    telegram.people.group(GROUP, title="Family", kind="group")
    telegram.people.group(FORUM, title="Forum", forum=True)
    yield made
    await made.stop()


async def test_an_answer_to_a_deleted_topic_goes_to_the_general_one(grouped: Bench) -> None:
    fake = grouped.telegram
    fake.people.say(OWNER, "@home_appliance_bot here?", chat=FORUM, topic=5)
    await grouped.until(lambda: "You said: here?" in fake.texts(FORUM))
    fake.people.set_chat(FORUM, gone_topics={5})
    place = grouped.front.heard[0].place
    message = await grouped.channel.carrier.place(place)
    await grouped.channel.carrier.edit(place, message, grouped.channel.carrier.split("still here")[0])
    [shown] = [m for m in fake.world.visible(FORUM) if m.get("text") == "still here"]
    assert "message_thread_id" not in shown


async def test_a_group_that_became_a_supergroup_stays_on_the_list_with_its_conversation(grouped: Bench) -> None:
    fake = grouped.telegram
    fake.people.say(OWNER, "@home_appliance_bot before", chat=GROUP)
    await grouped.until(lambda: fake.texts(GROUP) == ["You said: before"])
    fake.people.migrate(GROUP, -1050)
    fake.people.say(OWNER, "@home_appliance_bot after", chat=-1050)
    await grouped.until(lambda: fake.texts(-1050) == ["You said: after"])
    assert len({i.session.value for i in grouped.front.heard}) == 1
    assert [str(GROUP) in text and "-1050" in text for text in grouped.told] == [True]
    await grouped.restart()
    fake.people.say(OWNER, "@home_appliance_bot after a restart", chat=-1050)
    await grouped.until(lambda: "You said: after a restart" in fake.texts(-1050))


async def test_an_answer_on_its_way_follows_the_group(grouped: Bench) -> None:
    fake = grouped.telegram
    fake.people.group(-1051)
    fake.people.set_chat(GROUP, migrated_to=-1051)
    message = await grouped.channel.carrier.place({"chat": GROUP, "private": False})
    await grouped.channel.carrier.edit({"chat": GROUP, "private": False}, message, {"text": "moved", "entities": []})
    assert fake.texts(-1051) == ["moved"]
    await grouped.until(lambda: grouped.told)


async def test_the_owner_learns_that_the_bot_was_thrown_out_and_nothing_more_is_tried(grouped: Bench) -> None:
    fake = grouped.telegram
    fake.people.member(GROUP, OWNER, inside=False)
    await grouped.until(lambda: grouped.told)
    assert "Family" in grouped.told[0]
    with pytest.raises(DeliveryError) as refused:
        await grouped.channel.carrier.place({"chat": GROUP, "private": False})
    assert refused.value.permanent


async def test_who_puts_the_bot_into_an_unknown_group_learns_its_id_if_they_may(grouped: Bench) -> None:
    fake = grouped.telegram
    fake.people.group(-77, title="Elsewhere")
    fake.people.member(-77, 99, inside=True)
    fake.people.group(-78, title="Mine")
    fake.people.member(-78, OWNER, inside=True)
    await grouped.until(lambda: any("-78" in text for text in grouped.replies()))
    assert not any("-77" in text for text in grouped.replies())
