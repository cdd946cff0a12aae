"""What kind of trouble a refusal is, and how long to wait."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from appliance.errors import ModelFault
from appliance.models.claude_errors import refused
from appliance.models.retry_after import retry_after


def body(kind: str, message: str = "") -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message}}


@pytest.mark.parametrize(
    ("status", "kind", "fault"),
    [
        (400, "invalid_request_error", ModelFault.FORMAT),
        (401, "authentication_error", ModelFault.AUTH),
        (402, "billing_error", ModelFault.AUTH),
        (403, "permission_error", ModelFault.AUTH),
        (404, "not_found_error", ModelFault.NOT_FOUND),
        (413, "request_too_large", ModelFault.TOO_LONG),
        (429, "rate_limit_error", ModelFault.RATE_LIMIT),
        (500, "api_error", ModelFault.OVERLOADED),
        (504, "timeout_error", ModelFault.OVERLOADED),
        (529, "overloaded_error", ModelFault.OVERLOADED),
        (418, "", ModelFault.OVERLOADED),
        (400, "billing_error", ModelFault.AUTH),
    ],
)
def test_each_refusal_has_its_kind_and_bills_nothing(status: int, kind: str, fault: ModelFault) -> None:
    error = refused("claude-x", status, body(kind), {})
    assert error.kind is fault
    assert error.partial is None


def test_a_page_of_a_proxy_is_overload_and_is_not_shown() -> None:
    error = refused("claude-x", 502, "<html>nginx</html>", {})
    assert error.kind is ModelFault.OVERLOADED
    assert "html" not in str(error)


@pytest.mark.parametrize("odd", [None, [], "text", {"error": None}, {"error": "text"}, {"error": {"type": None}}])
def test_a_body_of_any_form_is_survived(odd: object) -> None:
    assert refused("claude-x", 503, odd, {}).kind is ModelFault.OVERLOADED


@pytest.mark.parametrize("message", ["prompt is too long: 1000001 tokens > 1000000 maximum", "Prompt is too long"])
def test_an_overflow_is_known_by_how_the_providers_own_message_begins(message: str) -> None:
    assert refused("claude-x", 400, body("invalid_request_error", message), {}).kind is ModelFault.TOO_LONG


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": formatdate(1_000_030, usegmt=True)}, 30.0),
        ({"retry-after": formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_both_forms_of_retry_after_are_read_and_nonsense_is_not(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=1_000_000) == seconds
