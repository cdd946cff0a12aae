"""Secrets are masked in every form a log may show them in, and ordinary text is left alone."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.observability.redaction import MASK, Redactor, StreamMask

SECRET = 's3cr3t/with+odd=chars&"quotes"'


@pytest.fixture
def redactor() -> Redactor:
    return Redactor([SECRET])


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        quote(SECRET, safe=""),
        quote(SECRET),
        quote_plus(SECRET),
        json.dumps({"key": SECRET}),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
    ],
)
def test_a_known_secret_is_masked_in_every_form(redactor: Redactor, form: str) -> None:
    shown = redactor.redact(f"GET /x?a={form} failed")
    assert MASK in shown
    assert "s3cr3t" not in shown
    assert form[5:20] not in shown


@given(before=st.binary(max_size=7), after=st.binary(max_size=7))
def test_a_secret_within_longer_base64_is_masked_at_every_alignment(before: bytes, after: bytes) -> None:
    secret = "tok-4f9a8b7c6d5e4f3a2b1c"
    text = base64.b64encode(before + secret.encode() + after).decode()
    shown = Redactor([secret]).redact(text)
    assert MASK in shown
    assert base64.b64encode(secret.encode()).decode()[6:18] not in shown


@pytest.mark.parametrize(
    "text",
    [
        "key sk-ant-REDACTED-abcdefgh here",
        "https://api.telegram.org/bot123456789:AAFakeTokenFakeTokenFakeTokenFakeTok/getMe",
        "token 123456789:AAFakeTokenFakeTokenFakeTokenFakeTok",
        "Authorization: Bearer abcdefghijklmnop1234",
        "headers={'x-api-key': 'abcdef123456'}",
        "https://user:hunter22@nas.local/share",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----",
        "password=correcthorse",
        '{"api_key": "abcdef123456"}',
    ],
)
def test_secret_looking_pieces_are_masked_without_being_known(text: str) -> None:
    shown = Redactor().redact(text)
    assert MASK in shown
    for piece in ("FakeToken", "abcdef", "hunter22", "AKIAIO", "eyJzdWI", "MIIEow", "correcthorse", "AbCd"):
        assert piece not in shown


@pytest.mark.parametrize(
    "text",
    [
        "The task-force met at 12:30:45; 3 of 4 tokens: 1200 used.",
        "tokens=1200 token_type=output",
        "https://example.com/a?b=c#d and me@example.com",
        "sk-short, ghp_x, bot123:abc",
        "設定密碼的步驟如下：先登入。",
        "a" * 5000,
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert Redactor().redact(text) == text


def test_very_short_secrets_do_not_blank_out_everything() -> None:
    assert Redactor(["a", "", "12"]).redact("a banana costs 12") == "a banana costs 12"


def test_the_longer_of_two_overlapping_secrets_is_masked_whole() -> None:
    assert Redactor(["abcdefgh", "abcdefgh-ijkl"]).redact("x abcdefgh-ijkl y") == f"x {MASK} y"


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    Redactor([SECRET]).redact(text)


@given(st.text(max_size=40), st.text(max_size=40), st.data())
def test_in_pieces_a_text_is_masked_as_it_is_whole(before: str, after: str, data: st.DataObject) -> None:
    redactor = Redactor(["sk-ant-canary-1", "hunter2-hunter2"])
    text = f"{before}sk-ant-canary-1{after}hunter2-hunter2"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    mask = StreamMask(redactor)
    pieces = [mask.feed(text[a:b]) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    shown = "".join(pieces) + mask.rest()
    assert shown == redactor.hide(text)
    assert "canary" not in shown


def test_a_text_without_secrets_is_hardly_held_back() -> None:
    mask = StreamMask(Redactor(["sk-ant-canary-1"]))
    assert mask.feed("The weather is fi") == "The weather is fi"
    assert mask.feed("ne, 你好 s") == "ne, 你好 "
    assert mask.feed("o it is.") == "so it is."
    assert mask.rest() == ""


def test_a_tree_is_masked_in_its_texts_only() -> None:
    hidden = Redactor(["hunter2-hunter2"]).hide({"a": ["x hunter2-hunter2", 7, None], "api_key": "of-another-house"})
    assert hidden == {"a": [f"x {MASK}", 7, None], "api_key": "of-another-house"}
