"""What is Slack's own: envelopes, gaps from history, channels and threads, /appliance, refusals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.channels.slack import check
from appliance.errors import DeliveryError, SettingsError
from appliance.messages import Attachment, Button, Inbound, Source
from appliance.observability.health import State
from appliance.settings.load import load_settings
from appliance.testing.fake_slack import APP_TOKEN, BOT, BOT_TOKEN, FakeSlack, RefusalError, direct
from tests.slack_bench import OWNER, STRANGER, SlackBench

HOME = "C0HOME"
PLACE = {"chat": direct(OWNER), "private": True}


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[SlackBench]:
    fake = FakeSlack()
    await fake.start()
    fake.world.chats[HOME] = {}
    made = SlackBench(fake, tmp_path, {"channels": [HOME]})
    yield made
    await made.stop()
    await fake.stop()


@pytest.fixture
async def paired(bench: SlackBench) -> SlackBench:
    await bench.start()
    await bench.pair()
    return bench


async def test_every_envelope_is_acknowledged_and_one_that_comes_again_is_one_message(paired: SlackBench) -> None:
    slack = paired.slack
    ts = await slack.say(OWNER, "hello")
    await slack.repeat(OWNER, ts)
    await slack.say(STRANGER, "in a channel that is not on the list", chat="C0OTHER")
    await paired.until(lambda: len(slack.acknowledged) == 4 and paired.replies() == ["You said: hello"])
    assert len(paired.front.heard) == 1
    assert paired.database.read("SELECT count(*) FROM held_calls") == [(0,)]


async def test_when_slack_asks_for_a_new_connection_nothing_is_lost_or_repeated(paired: SlackBench) -> None:
    slack = paired.slack
    await slack.say(OWNER, "one")
    await paired.until(lambda: paired.replies() == ["You said: one"])
    await slack.ask_to_reconnect()
    slack.world.write(direct(OWNER), {"user": OWNER, "text": "between"})  # nobody was told of it
    await paired.until(lambda: len(paired.replies()) == 2)
    await slack.say(OWNER, "two")
    await paired.until(lambda: len(paired.replies()) == 3)
    assert [i.text for i in paired.front.heard] == ["one", "between", "two"]
    assert slack.connections == 2


async def test_a_first_start_answers_nothing_old_and_a_gap_is_filled_in_order(bench: SlackBench) -> None:
    slack = bench.slack
    slack.world.write(HOME, {"user": OWNER, "text": f"<@{BOT}> long ago"})
    await bench.start()
    await bench.pair()
    await bench.stop()
    texts = [f"<@{BOT}> number {n}" for n in range(250)]
    first = slack.world.write(HOME, {"user": OWNER, "text": texts[0]})
    slack.world.write(HOME, {"user": OWNER, "text": f"<@{BOT}> in a thread", "thread_ts": first["ts"]})
    for text in texts[1:]:
        slack.world.write(HOME, {"user": OWNER, "text": text})
    await bench.start()
    await bench.until(lambda: len(bench.front.heard) == 251, 60)
    assert [i.text for i in bench.front.heard] == [
        "number 0", "in a thread", *(f"number {n}" for n in range(1, 250))
    ]  # fmt: skip


async def test_what_was_edited_while_it_was_away_is_heard_once(paired: SlackBench) -> None:
    slack, chat = paired.slack, direct(OWNER)
    milk = await slack.say(OWNER, "buy milk")
    eggs = await slack.say(OWNER, "buy eggs")
    await paired.until(lambda: len(paired.front.heard) == 2)
    await slack.edit(OWNER, milk, "buy oat milk")  # told live
    await paired.until(lambda: len(paired.replies()) == 3)
    await paired.stop()
    slack.world.change(chat, eggs, "buy six eggs")
    bread = slack.world.write(chat, {"user": OWNER, "text": "buy bread"})["ts"]
    slack.world.write(chat, {"user": OWNER, "text": "buy tea"})
    slack.world.change(chat, bread, "buy rye bread")
    missed = [("edit", "buy six eggs"), ("message", "buy tea"), ("message", "buy rye bread")]
    for expected in (missed, []):
        await paired.start()
        await paired.connected()
        assert [(i.kind, i.text) for i in paired.front.heard] == expected
        await paired.until(lambda: len(paired.replies()) == 6)
        await paired.stop()


async def test_an_edit_that_history_told_of_is_no_second_one_when_slack_repeats_it(paired: SlackBench) -> None:
    chat, slack = direct(OWNER), paired.slack
    await paired.stop()
    before = slack.world.write(chat, {"user": OWNER, "text": "buy bread"})
    now = slack.world.change(chat, before["ts"], "buy rye bread")
    await paired.start()
    await paired.until(lambda: paired.replies() == ["You said: buy rye bread"])
    await slack.tell_edit(chat, now, before)
    await slack.say(OWNER, "buy tea")
    await paired.until(lambda: len(paired.replies()) == 2)
    assert [(i.kind, i.text) for i in paired.front.heard] == [("message", "buy rye bread"), ("message", "buy tea")]


async def test_what_became_a_question_by_an_edit_is_answered_once(bench: SlackBench) -> None:
    await bench.start()
    await bench.pair()
    said = await bench.slack.say(OWNER, "is there milk?", chat=HOME)  # to the others
    await bench.slack.edit(OWNER, said, f"<@{BOT}> is there milk?", chat=HOME)
    await bench.until(lambda: bench.texts(HOME) == ["You said: is there milk?"])
    await bench.stop()
    await bench.start()
    await bench.connected()
    assert bench.front.heard == []


async def test_threads_that_went_on_while_it_was_away_are_answered_once(bench: SlackBench) -> None:
    slack, person = bench.slack, {"user": OWNER}
    old = slack.world.write(HOME, {**person, "text": f"<@{BOT}> before its time"})["ts"]
    slack.world.write(HOME, {**person, "text": f"<@{BOT}> also before its time", "thread_ts": old})
    slack.world.change(HOME, old, f"<@{BOT}> long before its time")
    await bench.start()
    await bench.pair()
    asked = await slack.say(OWNER, f"<@{BOT}> here?", chat=HOME, thread_ts=old, mrkdwn=True)
    await bench.until(lambda: bench.texts(HOME) == ["You said: here?"])
    said = slack.world.write(HOME, {"user": BOT, "bot_id": "B1", "text": "a notice"})["ts"]
    for number in range(210):  # more than what is looked at of the channel itself
        slack.world.write(HOME, {**person, "text": f"to others {number}"})
    newest = slack.world.write(HOME, {"user": BOT, "bot_id": "B1", "text": "another notice"})["ts"]
    await slack.say(OWNER, f"<@{BOT}> and now?", chat=HOME, mrkdwn=True)
    await bench.until(lambda: len(bench.texts(HOME)) == 4)
    await bench.stop()
    for thread, text in ((old, f"<@{BOT}> in a thread it knows"), (newest, "under what it said"), (said, "too far")):
        slack.world.write(HOME, {**person, "text": text, "thread_ts": thread})
    slack.world.change(HOME, asked, f"<@{BOT}> or here?")
    for expected in (["in a thread it knows", "under what it said", "or here?"], []):
        await bench.start()
        await bench.connected()
        assert [i.text for i in bench.front.heard] == expected
        await bench.until(lambda: len(bench.texts(HOME)) == 7)
        await bench.stop()


async def test_a_thread_that_was_deleted_keeps_nothing_waiting(paired: SlackBench) -> None:
    slack = paired.slack
    asked = await slack.say(OWNER, f"<@{BOT}> here?", chat=HOME, mrkdwn=True)
    await slack.say(OWNER, f"<@{BOT}> and here?", chat=HOME, thread_ts=asked, mrkdwn=True)
    await paired.until(lambda: len(paired.texts(HOME)) == 2)
    await paired.stop()
    del slack.world.chats[HOME][asked]
    slack.world.write(HOME, {"user": OWNER, "text": f"<@{BOT}> still there?"})
    await paired.start()
    await paired.until(lambda: [i.text for i in paired.front.heard] == ["still there?"])


async def test_in_a_channel_it_answers_who_mentions_it_and_in_the_thread_it_was_asked_in(paired: SlackBench) -> None:
    slack = paired.slack
    ts = await slack.say(STRANGER, f"<@{BOT}> what is 1 &lt; 2?", chat=HOME, mrkdwn=True)
    await slack.say(STRANGER, "<!channel> not for the bot", chat=HOME, mrkdwn=True)
    thread = await slack.say(STRANGER, f"<@{BOT}> here?", chat=HOME, thread_ts=ts, mrkdwn=True)
    await paired.until(lambda: paired.texts(HOME) == ["You said: what is 1 < 2?", "You said: here?"])
    plain, threaded = paired.front.heard
    assert (plain.source, str(plain.session)) == (Source.OUTSIDE, f"agent:main:slack:group:{HOME}")
    assert str(threaded.session) == f"agent:main:slack:group:{HOME}:topic:{ts}"
    answers = [m for m in slack.world.chats[HOME].values() if m["user"] == BOT]
    assert [m.get("thread_ts") for m in answers] == [None, ts]
    assert thread > ts


async def test_names_and_links_are_read_as_slack_shows_them(paired: SlackBench) -> None:
    paired.slack.world.people[OWNER] = {"real_name": "Sam", "locale": "zh-TW"}
    said = "<@U0KIM|kim> and <#C1|home>: <https://a.example/?x=1&amp;y=2|the page>, <https://b.example>, a &amp;&amp; b"
    await paired.slack.say(OWNER, said, mrkdwn=True)
    await paired.until(lambda: paired.front.heard)
    heard = paired.front.heard[0]
    assert heard.text == "@kim and #home: the page (https://a.example/?x=1&y=2), https://b.example, a && b"


async def test_the_name_and_language_of_a_person_come_from_their_profile(paired: SlackBench) -> None:
    paired.slack.world.people[STRANGER] = {"profile": {"display_name": "Eve"}, "locale": "zh-TW"}
    await paired.slack.say(STRANGER, "hello")
    await paired.until(lambda: paired.replies(STRANGER))
    assert paired.access.pending()[0].name == "Eve"
    assert "配對" in paired.replies(STRANGER)[0]


async def test_an_edit_is_heard_and_a_preview_that_came_is_none(paired: SlackBench) -> None:
    ts = await paired.slack.say(OWNER, "buy milk")
    await paired.until(lambda: paired.replies())
    await paired.slack.edit(OWNER, ts, "buy milk")  # the same text: something else of it changed
    await paired.slack.edit(OWNER, ts, "buy oat milk")
    await paired.until(lambda: len(paired.front.heard) == 2)
    assert [(i.kind, i.text) for i in paired.front.heard] == [("message", "buy milk"), ("edit", "buy oat milk")]


async def test_a_command_typed_elsewhere_is_answered_in_the_conversation_with_the_bot(paired: SlackBench) -> None:
    await paired.slack.command(OWNER, "status", chat="D0SOMEBODY")
    await paired.slack.command(OWNER, "", chat="D0SOMEBODY")
    await paired.until(lambda: paired.replies() == ["You said: /status", "You said: /help"])
    assert "D0SOMEBODY" not in paired.slack.world.chats


async def test_a_mark_stands_under_a_message_while_it_is_worked_on(paired: SlackBench) -> None:
    shown: list[object] = []

    async def look(inbound: Inbound) -> str:
        await paired.until(lambda: paired.slack.world.reactions)
        shown.extend(paired.slack.world.reactions)
        return "done"

    paired.front.answer = look
    ts = await paired.slack.say(OWNER, "work")
    await paired.until(lambda: paired.replies() == ["done"] and not paired.slack.world.reactions)
    assert shown == [(direct(OWNER), ts, "eyes")]


async def test_patience_is_obeyed_and_trouble_is_told_apart(paired: SlackBench) -> None:
    cases = [
        (RefusalError("ratelimited", 429), False, 1.0),
        (RefusalError("token_revoked"), False, 60.0),
        (RefusalError("internal_error"), False, None),
        (RefusalError("is_archived"), True, None),
    ]
    for fault, permanent, wait in cases:
        paired.slack.faults["chat.postMessage"] = [fault]
        with pytest.raises(DeliveryError) as refused:
            await paired.channel.carrier.send(PLACE, {"text": "hi"}, "")
        assert (refused.value.permanent, refused.value.retry_after) == (permanent, wait)


async def test_a_missing_scope_is_named(paired: SlackBench, tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("x")
    fault = RefusalError("missing_scope", needed="files:write")
    paired.slack.faults["files.getUploadURLExternal"] = [fault]
    with pytest.raises(DeliveryError, match="files:write"):
        await paired.channel.carrier.send_file(PLACE, Attachment("document", str(file), "text/plain", 1, "x.txt"))


async def test_a_placeholder_whose_id_was_lost_is_swept_and_nothing_else(paired: SlackBench) -> None:
    slack, chat = paired.slack, direct(OWNER)
    asked = slack.world.write(chat, {"user": OWNER, "text": "…"})
    slack.world.write(chat, {"user": BOT, "text": "…"})
    kept = slack.world.write(chat, {"user": BOT, "text": "an answer"})
    ours = await paired.channel.carrier.place(PLACE)
    assert await paired.channel.carrier.sweep({**PLACE, "message": asked["ts"]}, None, ours) == 1
    assert {asked["ts"], kept["ts"], ours} <= slack.world.chats[chat].keys()


async def test_a_message_that_was_deleted_while_it_was_written_is_sent_anew(paired: SlackBench) -> None:
    message = await paired.channel.carrier.place(PLACE)
    del paired.slack.world.chats[direct(OWNER)][message]
    for text in ("half", "whole"):
        await paired.channel.carrier.edit(PLACE, message, {"text": text}, (Button("Once", "opaque"),))
    assert paired.replies() == ["whole"]


@pytest.mark.parametrize("which", ["bot_token", "app_token"])
async def test_health_says_which_token_is_refused(bench: SlackBench, which: str) -> None:
    setattr(bench, which, "x-revoked")
    await bench.start()
    await bench.until(lambda: (part := bench.health.get("slack")) and part.state is State.FAILED)
    part = bench.health.get("slack")
    assert part is not None
    assert f"SLACK_{which.upper()}" in part.detail
    assert "revoked" not in part.detail


async def test_health_says_that_socket_mode_is_off(paired: SlackBench) -> None:
    await paired.slack.ask_to_reconnect("link_disabled")
    await paired.until(lambda: (part := paired.health.get("slack")) and "Socket mode" in part.detail)


async def test_a_file_is_fetched_from_slack_alone(paired: SlackBench) -> None:
    elsewhere = paired.slack.add_file("a.txt", b"x", "text/plain") | {
        "url_private_download": "http://elsewhere.example/a"
    }
    gone = paired.slack.add_file("b.txt", b"x", "text/plain")
    del paired.slack.world.files[gone["id"]]
    await paired.slack.say(OWNER, "look", subtype="file_share", files=[elsewhere, gone])
    await paired.until(lambda: paired.front.heard)
    assert paired.front.heard[0].attachments == ()
    assert "does not lie with Slack" in paired.front.heard[0].text
    assert "could not be fetched (404)" in paired.front.heard[0].text


def test_one_token_alone_is_said_at_start() -> None:
    with pytest.raises(SettingsError, match="app_token"):
        load_settings(environ={"SLACK_BOT_TOKEN": "xoxb-1"})


async def test_doctor_tries_both_tokens_and_names_missing_scopes(bench: SlackBench) -> None:
    def examined(app_token: str = APP_TOKEN) -> tuple[str, ...]:
        given = {"bot_token": BOT_TOKEN, "app_token": app_token, "api_base": bench.slack.url, "channels": [HOME]}
        return check.look(load_settings(environ={}, overrides={"slack": given}), online=True) or ()

    assert (await asyncio.to_thread(examined))[0] == "pass"
    assert (await asyncio.to_thread(examined, "xapp-other"))[:2] == (
        "fail", "Slack does not accept a token: invalid_auth.",
    )  # fmt: skip
    bench.slack.scopes -= {"files:write", "channels:history"}
    assert (await asyncio.to_thread(examined))[:2] == (
        "warn", "The app lacks the scopes channels:history, files:write.",
    )  # fmt: skip
    await bench.slack.stop()
    assert (await asyncio.to_thread(examined))[0] == "warn"
