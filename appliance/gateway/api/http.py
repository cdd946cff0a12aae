"""What every handler needs: JSON in and out, bounded bodies, errors of one shape, server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

import apsw
import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.response import Stream

from appliance.errors import (
    AccessError,
    ApplianceError,
    BudgetError,
    InputError,
    NotFoundError,
    StateError,
    TooLargeError,
)
from appliance.gateway.auth import LockedError, Principal
from appliance.messages import MAIN
from appliance.texts.sentences import in_language

log = structlog.get_logger(__name__)
T = TypeVar("T")
AnyRequest = Request[Any, Any, Any]
BODY_SECONDS = 600.0  # a body that takes longer is given up: 20 MB on a slow phone take five minutes
_MOST_DOLLARS = 10_000
_QUERY_LIMIT = 2_000
IDLE_SECONDS = 30.0  # and so is one of which nothing comes for this long
_encode = msgspec.json.Encoder(enc_hook=lambda value: str(value)).encode


def reply(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response[bytes]:
    """Given anything JSON-able (dates, Decimals and session keys become text), answer with it."""
    return Response(_encode(value), status_code=status, media_type="application/json", headers=headers)


def error_body(what: str, fix: str = "", kind: str = "error") -> dict[str, Any]:
    """The one shape of every error; OpenAI's clients read the same keys."""
    return {"error": {"message": what, "fix": fix, "type": kind, "code": None}}


def principal_of(request: AnyRequest) -> Principal:
    """Who asks; the door has made sure that there is somebody on every closed path."""
    found = request.scope.get("principal")
    if not isinstance(found, Principal):
        raise AccessError("Who is asking? This needs a token or a login.", status=401)
    return found


def language_asked(request: AnyRequest) -> str:
    """The language in which whoever asks reads; the door has looked."""
    return str(request.scope.get("language", "en"))


def address_of(request: AnyRequest) -> str:
    """The peer's address. Headers that claim another one are not believed."""
    return request.client.host if request.client is not None else "unknown"


async def body_pieces(request: AnyRequest, limit: int, seconds: float = BODY_SECONDS) -> AsyncIterator[bytes]:
    """The body as it comes, counted. Raises TooLargeError, InputError (too slow, gone)."""
    size = 0
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            async with asyncio.timeout_at(min(deadline, asyncio.get_running_loop().time() + IDLE_SECONDS)):
                message: Any = await request.receive()
        except TimeoutError:
            raise InputError("The request came too slowly.", fix="Send it again on a better connection.") from None
        if message["type"] == "http.disconnect":
            raise InputError("The client went away before the request was whole.")
        piece: bytes = message.get("body", b"")
        size += len(piece)
        if size > limit:
            raise TooLargeError(f"The request is over {limit} bytes.")
        if piece:
            yield piece
        if not message.get("more_body", False):
            return


async def read_body(request: AnyRequest, limit: int, seconds: float = BODY_SECONDS) -> bytes:
    """The whole body. Raises as `body_pieces`."""
    return b"".join([piece async for piece in body_pieces(request, limit, seconds)])


def decode(raw: bytes, kind: type[T]) -> T:
    """Given a JSON body, return it as `kind`. Raises InputError that says what is wrong and where."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise InputError(f"The request is not as expected: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"The request is not valid JSON: {error}.", fix="Send JSON in UTF-8.") from None


def query_int(request: AnyRequest, name: str, default: int, low: int, high: int) -> int:
    """A whole number of the query string within bounds. Raises InputError."""
    raw = request.query_params.get(name)
    if raw is None:
        return default
    if not (raw.isascii() and raw.isdigit()) or len(raw) > 9 or not low <= int(raw) <= high:
        raise InputError(f"{name} must be a whole number from {low} to {high}.")
    return int(raw)


def query_words(request: AnyRequest) -> str:
    """What is searched for: `q` of the query string; of a longer one its beginning. Raises InputError for none."""
    words = request.query_params.get("q", "").strip()[:_QUERY_LIMIT]
    if not words:
        raise InputError(f"q must be 1 to {_QUERY_LIMIT} characters.")
    return words


def dollars(given: str | float, name: str, low: Decimal) -> Decimal:
    """An amount of US dollars from `low` to 10,000. Raises InputError."""
    try:
        amount = Decimal(str(given))
    except InvalidOperation:
        raise InputError(f"{name} must be an amount such as 1.50.") from None
    if not amount.is_finite() or not low <= amount <= _MOST_DOLLARS:
        raise InputError(f"{name} must be at least {low} and at most {_MOST_DOLLARS}.")
    return amount


def refused(
    request: AnyRequest, status: int, what: str, fix: str, kind: str, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """An error in the language of whoever asked."""
    language = language_asked(request)
    body = error_body(in_language(what, language), in_language(fix, language), kind)
    return reply(body, status, headers)


def on_error(request: AnyRequest, error: ApplianceError) -> Response[bytes]:
    """Turn the house's errors into statuses: only trouble of ours is a 5xx."""
    headers: dict[str, str] = {}
    match error:
        case LockedError():
            headers["retry-after"] = str(int(error.retry_after) + 1)
            status, kind = 429, "rate_limited"
        case AccessError():
            status, kind = error.status, "unauthorized" if error.status == 401 else "forbidden"
        case TooLargeError():
            status, kind = 413, "too_large"
            headers["connection"] = "close"
        case NotFoundError():
            status, kind = 404, "not_found"
        case InputError():
            status, kind = 400, "invalid_request"
        case BudgetError():
            status, kind = 402, "budget"
        case StateError():
            status, kind = 503, "state"
        case _:
            status, kind = 500, "appliance"
    return refused(request, status, error.what, error.fix, kind, headers)


def on_database_error(request: AnyRequest, error: Exception) -> Response[bytes]:
    """The disk is full or failing: nothing was accepted, and the client may try again."""
    what = f"The message could not be stored, so it was not accepted: {error}."
    return refused(request, 503, what, "Free disk space under STATE, then send it again with the same id.", "state")


def on_http_error(request: AnyRequest, error: HTTPException) -> Response[bytes]:
    """The framework's own refusals (no such route, wrong method) in the same shape."""
    status = error.status_code
    what = {
        404: "There is nothing here.",
        405: f"This address does not take {request.method}.",
    }.get(status, f"The request was refused: {error.detail}")
    kinds = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
    kind = kinds.get(status, "invalid_request" if status < 500 else "error")
    return refused(request, status, what, "", kind, dict(error.headers or {}))


def on_unexpected(request: AnyRequest, error: Exception) -> Response[bytes]:
    """A fault of ours: it goes to the log whole, and to the client without its insides."""
    log.error("a request failed", route=request.scope.get("path_template", ""), exc_info=error)
    fix = "The gateway's log says what; `appliance doctor` may say why."
    return refused(request, 500, "Something went wrong here.", fix, "appliance")


EXCEPTION_HANDLERS: dict[Any, Any] = {
    ApplianceError: on_error,
    apsw.Error: on_database_error,
    HTTPException: on_http_error,
    Exception: on_unexpected,
}


def sse(event: str, data: Any) -> bytes:
    """One server-sent event. JSON never holds a bare line break, so one data line is enough."""
    return b"event: " + event.encode() + b"\ndata: " + _encode(data) + b"\n\n"


KEEP_ALIVE = b": still here\n\n"


def stream(chunks: AsyncIterator[bytes]) -> Stream:
    """An answer that goes on; proxies are asked not to hold it back."""
    return Stream(
        chunks,
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        status_code=200,
    )


def agent_of(request: AnyRequest) -> str:
    """Which agent a request is about: `?agent=`, else the main one."""
    return request.query_params.get("agent") or MAIN
