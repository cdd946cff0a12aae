"""Any text survives: what is read is what was written, each part within the platform's limit, on every platform that
takes marked-up text (Telegram: test_rendering.py)."""

from __future__ import annotations

import json
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from appliance.channels.discord.carrier import MESSAGE_UNITS as DISCORD_UNITS
from appliance.channels.discord.carrier import DiscordCarrier
from appliance.channels.mail.carrier import MailCarrier
from appliance.channels.rendering import tidy
from appliance.channels.slack.mrkdwn import MESSAGE_UNITS as SLACK_UNITS
from appliance.channels.slack.mrkdwn import slack_parts
from appliance.channels.splitting import utf16_length
from appliance.channels.whatsapp.carrier import MESSAGE_UNITS as WHATSAPP_UNITS
from appliance.channels.whatsapp.carrier import WhatsAppCarrier
from appliance.clock import SystemClock
from appliance.settings.channels import EmailSettings
from appliance.testing.fake_slack import _checked as accepted_by_slack
from tests.slack_bench import readable

Read = Callable[[str], list[str]]
MAIL = EmailSettings(
    address="a@b.example", password=SecretStr("x"), imap_host="i", smtp_host="s", trusted_server="b.example"
)


def discord(text: str) -> list[str]:
    return sent(DiscordCarrier(None, SystemClock(), me=lambda: 1).split(text), DISCORD_UNITS)  # type: ignore[arg-type]


def whatsapp(text: str) -> list[str]:
    return sent(WhatsAppCarrier(None, SystemClock()).split(text), WHATSAPP_UNITS)  # type: ignore[arg-type]


def slack(text: str) -> list[str]:
    parts = slack_parts(text)
    for part in parts:
        assert accepted_by_slack({"text": part}, SLACK_UNITS)["text"] == part
        assert not any(f"<{sign}" in part for sign in "!@#"), "nobody is rung"
    return [readable(part) for part in parts]


def mail(text: str) -> list[str]:
    """Through a whole letter, as a mail program reads it."""
    [part] = MailCarrier(MAIL).split(text)
    letter = EmailMessage()
    letter.set_content(part["text"] + "\n", cte="quoted-printable")
    body = message_from_bytes(letter.as_bytes(policy=policy.SMTP), policy=policy.default).get_body()
    assert isinstance(body, EmailMessage)
    return [str(body.get_content()).replace("\r\n", "\n")]


def sent(parts: list[dict[str, Any]], limit: int) -> list[str]:
    texts = [str(part["text"]) for part in parts]
    assert all(0 < utf16_length(text) <= limit for text in texts)
    return texts


CHANNELS: dict[str, Read] = {"discord": discord, "whatsapp": whatsapp, "slack": slack, "email": mail}
ALPHABET = "abXY \n<>*_~#+-=.!(){}[]`:/\\&\"'$%@^你。好「」😀👩\u200d\ufe0f\u202eאم\t\ud83d\ude00\x00"
SEEN = "你好אم"  # letters that no mark is made of, and no language of a fence


@pytest.mark.parametrize("channel", CHANNELS)
@given(text=st.text(ALPHABET, max_size=400))
@settings(max_examples=150, deadline=None)
def test_no_letter_is_lost_moved_or_doubled(channel: str, text: str) -> None:
    read = "".join(CHANNELS[channel](text))
    read.encode()  # no half of a character
    assert [c for c in read if c in SEEN] == [c for c in tidy(text) if c in SEEN]


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(
    "text",
    [
        "a < b && c > d",
        "&" * 4097,
        "<&>" * 3000,
        "x" * 9000,
        "字" * 9000,
        "👩‍👩‍👧‍👦" * 1200,
        "```\n" + "\n".join("y" * 1900 for _ in range(6)) + "\n```",
        "שלום עולם مرحبا \u202e" * 300,
        "zero\u200bwidth\u2060 " * 800,
        "snake_case_name and 2*3*4 and ~5 and C:\\dir\\*.txt",
        "\ud83d alone",
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_what_is_read_is_what_was_meant(channel: str, text: str) -> None:
    shown = CHANNELS[channel](text)
    fences = "\n".join(shown).replace("```\n", "").replace("\n```", "")
    meant = tidy(text).replace("```\n", "").replace("\n```", "")
    assert fences.replace("\n", "").replace(" ", "") == meant.replace("\n", "").replace(" ", "")
    json.dumps(shown).encode()
