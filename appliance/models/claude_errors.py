"""What went wrong at the Anthropic API, by status and type, never by words that a user could have written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from appliance.errors import ModelError, ModelFault
from appliance.models.retry_after import retry_after

_BY_TYPE = {
    "authentication_error": ModelFault.AUTH,
    "permission_error": ModelFault.AUTH,
    "billing_error": ModelFault.AUTH,
    "not_found_error": ModelFault.NOT_FOUND,
    "rate_limit_error": ModelFault.RATE_LIMIT,
    "overloaded_error": ModelFault.OVERLOADED,
    "api_error": ModelFault.OVERLOADED,
    "timeout_error": ModelFault.OVERLOADED,
    "request_too_large": ModelFault.TOO_LONG,
    "invalid_request_error": ModelFault.FORMAT,
}
_BY_STATUS = {
    400: ModelFault.FORMAT,
    401: ModelFault.AUTH,
    402: ModelFault.AUTH,
    403: ModelFault.AUTH,
    404: ModelFault.NOT_FOUND,
    408: ModelFault.OVERLOADED,
    409: ModelFault.OVERLOADED,
    413: ModelFault.TOO_LONG,
    422: ModelFault.FORMAT,
    429: ModelFault.RATE_LIMIT,
}
# The provider has no code for an overflow. This is how its own message begins; ours and the user's text are not in it.
_OVERFLOW = ("prompt is too long", "input length and `max_tokens` exceed context limit")
_FIXES = {
    ModelFault.AUTH: "Check ANTHROPIC_API_KEY and the account's credit, then restart.",
    ModelFault.NOT_FOUND: "Check the name in models.chain.",
    ModelFault.RATE_LIMIT: "Wait a moment, or add another model to models.chain.",
    ModelFault.OVERLOADED: "Try again in a moment.",
    ModelFault.TOO_LONG: "/compact shortens the conversation.",
    ModelFault.FORMAT: "/new starts a fresh conversation if this repeats.",
}


def fault_of_type(error_type: str) -> ModelFault:
    """The fault that an `error.type` names; an unknown one counts as overloaded."""
    return _BY_TYPE.get(error_type, ModelFault.OVERLOADED)


def fault_of_response(status: int, error_type: str, provider_message: str) -> ModelFault:
    """Given the status, `error.type` and `error.message` of a refused call, return what kind of trouble it is."""
    if status in (400, 422) and error_type == "invalid_request_error":
        return ModelFault.TOO_LONG if provider_message.lower().startswith(_OVERFLOW) else ModelFault.FORMAT
    if error_type in _BY_TYPE and error_type != "api_error":
        return _BY_TYPE[error_type]
    return _BY_STATUS.get(status, ModelFault.OVERLOADED)


def refused(model: str, status: int, body: Any, headers: Mapping[str, str]) -> ModelError:
    """A response that is not 2xx, as a ModelError without `partial`: the provider bills nothing for it."""
    error = body.get("error") if isinstance(body, dict) else None
    error = error if isinstance(error, dict) else {}
    error_type, message = str(error.get("type") or ""), str(error.get("message") or "")
    kind = fault_of_response(status, error_type, message)
    detail = f": {message[:300]}" if message else ""
    return ModelError(
        f"{model} refused the call ({status} {error_type or 'without a reason'}){detail}",
        kind=kind,
        retry_after=retry_after(headers),
        fix=_FIXES.get(kind, ""),
    )
