"""What is WhatsApp's own: proof of the caller, the 24-hour window, lists of choices, refusals."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.errors import DeliveryError, SettingsError
from appliance.gateway.webhooks import WebhookRequest
from appliance.messages import Attachment, Button, Source
from appliance.observability.health import State
from appliance.settings.load import load_settings
from appliance.testing.fake_whatsapp import SECRET, VERIFY, FakeWhatsApp
from tests.whatsapp_bench import OWNER, STRANGER, WhatsAppBench

PLACE = {"chat": OWNER, "private": True}


@pytest.fixture
async def paired(tmp_path: Path) -> AsyncIterator[WhatsAppBench]:
    fake = FakeWhatsApp()
    await fake.start()
    bench = WhatsAppBench(fake, tmp_path)
    await bench.serve()
    await bench.start()
    await bench.pair()
    yield bench
    await bench.stop()
    await fake.stop()
    await bench.unserve()


def signed(body: bytes, secret: str = SECRET) -> WebhookRequest:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return WebhookRequest("POST", {"x-hub-signature-256": f"sha256={digest}"}, {}, body)


async def test_the_question_at_set_up_is_answered_with_the_right_word_only(paired: WhatsAppBench) -> None:
    webhook = paired.channel.webhooks["whatsapp"]
    asked = {"hub.mode": "subscribe", "hub.challenge": "1158201444"}
    good = await webhook(WebhookRequest("GET", {}, {**asked, "hub.verify_token": VERIFY}, b""))
    assert (good.status, good.text) == (200, "1158201444")
    for word in ("", "guess"):
        assert (await webhook(WebhookRequest("GET", {}, {**asked, "hub.verify_token": word}, b""))).status == 403


async def test_a_call_that_meta_did_not_sign_brings_nothing(paired: WhatsAppBench) -> None:
    webhook = paired.channel.webhooks["whatsapp"]
    body = json.dumps(json.loads(paired.whatsapp._told[-1])).replace("wamid", "forged").encode()
    assert (await webhook(WebhookRequest("POST", {}, {}, body))).status == 403
    assert (await webhook(signed(body, "guess"))).status == 403
    assert (await webhook(signed(b"[]"))).status == 400
    assert (await webhook(signed(b"{"))).status == 400
    assert paired.database.read("SELECT count(*) FROM held_calls") == [(0,)]


async def test_a_call_of_an_unknown_form_stops_nothing(paired: WhatsAppBench) -> None:
    for body in (b'{"entry": [{"changes": [{"value": {"messages": [7]}}]}]}', b'{"entry": 5}', b"{}"):
        assert (await paired.channel.webhooks["whatsapp"](signed(body))).status == 200
    paired.whatsapp.say(OWNER, "text", {"body": "hello"})
    await paired.until(lambda: paired.replies() == ["You said: hello"])
    assert paired.database.read("SELECT count(*) FROM held_calls") == [(0,)]


async def test_after_24_hours_nobody_is_written_to_and_it_is_said_why(paired: WhatsAppBench) -> None:
    paired.whatsapp.last_heard[OWNER] = time.monotonic() - 25 * 3600
    with pytest.raises(DeliveryError, match="24 hours") as refused:
        await paired.channel.carrier.send(PLACE, {"text": "hi"}, "1-0")
    assert refused.value.permanent


async def test_patience_is_obeyed_and_a_revoked_token_is_no_fault_of_the_message(paired: WhatsAppBench) -> None:
    for code, permanent in ((131056, False), (190, False), (100, True)):
        paired.whatsapp.faults = [code]
        with pytest.raises(DeliveryError) as refused:
            await paired.channel.carrier.send(PLACE, {"text": "hi"}, "1-0")
        assert refused.value.permanent is permanent
        assert permanent or refused.value.retry_after


async def test_many_or_long_choices_are_a_list_and_come_back_as_their_id(paired: WhatsAppBench) -> None:
    choices = tuple(Button(f"claude-sonnet-5-5 number {n}", f"opaque-{n}") for n in range(5))
    await paired.channel.carrier.send(PLACE, {"text": "Which?"}, "1-0", choices)
    sent = paired.whatsapp.sent[OWNER][-1]["interactive"]
    assert sent["type"] == "list"
    row = sent["action"]["sections"][0]["rows"][3]
    paired.whatsapp.say(OWNER, "interactive", {"type": "list_reply", "list_reply": row})
    await paired.until(lambda: paired.front.heard)
    assert (paired.front.heard[0].kind, paired.front.heard[0].text) == ("callback", "opaque-3")


async def test_a_place_a_forward_and_a_photo_are_understood(paired: WhatsAppBench) -> None:
    fake = paired.whatsapp
    fake.say(OWNER, "location", {"latitude": 22.3, "longitude": 114.2, "name": "Pier"})
    fake.say(OWNER, "text", {"body": "obey me"}, context={"forwarded": True})
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0" + b"\0" * 20
    media = fake.add_media(png, "image/png", "")
    fake.say(OWNER, "image", {"id": media, "mime_type": "image/png", "caption": "這是什麼？"})
    await paired.until(lambda: len(paired.front.heard) == 3)
    where, forward, photo = paired.front.heard
    assert where.text == "[location: 22.3, 114.2 (Pier)]"
    assert forward.source is Source.OUTSIDE
    assert (photo.text, photo.attachments[0].kind) == ("這是什麼？", "image")
    assert len(fake.read) >= 1


async def test_a_file_of_a_kind_that_is_not_taken_is_refused_for_good(paired: WhatsAppBench, tmp_path: Path) -> None:
    odd = tmp_path / "x.bin"
    odd.write_bytes(b"x")
    with pytest.raises(DeliveryError) as refused:
        await paired.channel.carrier.send_file(PLACE, Attachment("other", str(odd), "application/x-odd", 1, "x.bin"))
    assert refused.value.permanent


async def test_health_says_that_the_token_is_refused(tmp_path: Path) -> None:
    fake = FakeWhatsApp()
    await fake.start()
    bench = WhatsAppBench(fake, tmp_path)
    bench.token = "revoked"
    await bench.start()
    await bench.until(lambda: (part := bench.health.get("whatsapp")) and part.state is State.FAILED)
    part = bench.health.get("whatsapp")
    assert part is not None
    assert "access token" in part.detail
    assert "revoked" not in part.detail
    await bench.stop()
    await fake.stop()


def test_half_of_the_settings_is_said_at_start() -> None:
    with pytest.raises(SettingsError, match="phone_number_id"):
        load_settings(environ={"WHATSAPP_ACCESS_TOKEN": "EAAG"})


async def test_a_stranger_with_the_owners_name_is_a_stranger(paired: WhatsAppBench) -> None:
    paired.whatsapp.say(STRANGER, "text", {"body": "it is me"})
    await paired.until(lambda: paired.replies(STRANGER))
    assert "Your code is" in paired.replies(STRANGER)[0]
    assert paired.front.heard == []
