"""T19, T30: what a platform's call may bring is an object that can be read, or is refused; nothing else comes of it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.channels.whatsapp.updates import read_call
from appliance.gateway.webhooks import read_object

PHONE = "1055"
# What WhatsApp's channel leaves out as a form that nobody has described.
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
KEYS = (
    "entry", "changes", "value", "metadata", "phone_number_id", "contacts", "wa_id", "profile", "name", "messages",
    "from", "id", "type", "text", "body", "timestamp", "context", "image", "document", "file_size", "filename",
    "interactive", "button_reply", "list_reply", "button", "payload", "location", "formatted_name", "forwarded",
)  # fmt: skip
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12),
    st.sampled_from([PHONE, "text", "image", "document", "interactive", "contacts", "location", "9" * 400, "1e999"]),
)  # fmt: skip
ANYTHING = st.recursive(
    ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
)
MESSAGES = st.lists(st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=8), max_size=3)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"7", b"null", b'"text"', b'{"update_id": 1e999}', b'{"update_id": NaN}', b'{"a": -Infinity}',
        b"\xff\xfe", b'{"a": ' + b"[" * 200_000, b'{"a": "\xed\xa0\x80"}', b'{"update_id": ' + b"9" * 5_000 + b"}",
    ],
    ids=lambda body: repr(body[:24]),
)  # fmt: skip
def test_what_is_no_object_of_finite_values_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):
        read_object(body)


@given(st.binary(max_size=200))
def test_noise_is_an_object_or_refused(noise: bytes) -> None:
    try:
        found = read_object(noise)
    except ValueError:
        return
    assert isinstance(found, dict)


@given(MESSAGES, st.lists(ANYTHING, max_size=2))
@settings(max_examples=300, deadline=None)
def test_messages_of_any_form_are_understood_or_left_out(messages: list[Any], contacts: list[Any]) -> None:
    value = {"metadata": {"phone_number_id": PHONE}, "messages": messages, "contacts": contacts}
    body = json.dumps({"entry": [{"changes": [{"value": value}]}]})
    try:
        heard = list(read_call(json.loads(body), PHONE))
    except UNREADABLE:
        return
    for one in heard:
        assert one.text or one.files
        assert math.isfinite(one.at)
