"""A strict Anthropic API on loopback that keeps a book of every call and what it billed.

In a test:
    async with FakeAnthropic() as api:
        api.script(Reply(text="hello"), rate_limited("2"), Reply(tools=[("exec", {"command": "ls"})]))
        ... ClaudeConnection("key", api.url) ...
        assert api.billed == what the ledger says
As a program, for tests of whole processes:
    python -m appliance.testing.fake_anthropic --port 8999 --book calls.jsonl
    GET /book, POST /script with a JSON list of replies.
Without a script it repeats what the user said.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from appliance.clock import Clock, SystemClock
from appliance.models.claude_models import claude_model
from appliance.testing.anthropic_cache import PromptCache, Unit, bill, units
from appliance.testing.anthropic_replies import Answer, Reply
from appliance.testing.anthropic_rules import RefusedError, check
from appliance.testing.loopback import CutError, LoopbackServer, Request, Response

__all__ = ["Call", "FakeAnthropic", "Reply"]

Answering = Callable[[dict[str, Any]], Reply]
_PING = b'event: ping\ndata: {"type": "ping"}\n\n'


@dataclass(slots=True)
class Call:
    """A line of the book. `usage` in the API's words and `picodollars` are what was billed; `status` 200 or an error.

    `outcome` is ok, refused, cut (by us) or left (the client went away).
    """

    number: int
    at: float
    path: str
    model: str
    request: dict[str, Any]
    status: int
    usage: dict[str, Any]
    picodollars: int
    outcome: str
    reply: str = ""


class FakeAnthropic:
    """`url` is the base URL, `calls` the book of /v1/messages, `counted` that of count_tokens, `billed` their sum."""

    def __init__(self, *, clock: Clock | None = None, book: Path | None = None, keys: set[str] | None = None) -> None:
        self.url = ""
        self.calls: list[Call] = []
        self.counted: list[Call] = []
        self._clock = clock or SystemClock()
        self._cache = PromptCache(self._clock)
        self._queue: deque[Reply | Answering] = deque()
        self._default: Answering = echo
        self._keys = keys
        self._server = LoopbackServer(self._handle)
        self._number = 0
        self._path = book
        self._book: IO[str] | None = None

    async def __aenter__(self) -> FakeAnthropic:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self, port: int = 0, host: str = "127.0.0.1") -> None:
        if self._path is not None:
            self._book = await asyncio.to_thread(self._path.open, "a", encoding="utf-8")
        self.url = f"http://{host}:{await self._server.start(port, host)}"

    async def stop(self) -> None:
        await self._server.stop()
        if self._book is not None:
            self._book.close()
            self._book = None

    def script(self, *replies: Reply | Answering) -> None:
        """Add replies (or functions of the request's body) that are played in order, before the default."""
        self._queue.extend(replies)

    def default(self, answer: Answering) -> None:
        """What is answered when the script is empty; `echo` at first."""
        self._default = answer

    @property
    def left(self) -> int:
        """Replies of the script that nobody asked for yet."""
        return len(self._queue)

    @property
    def billed(self) -> int:
        """Picodollars of all calls."""
        return sum(call.picodollars for call in self.calls)

    async def _handle(self, request: Request) -> Response:
        path = request.path.partition("?")[0]
        match request.method, path:
            case "POST", "/v1/messages":
                return await self._messages(request)
            case "POST", "/v1/messages/count_tokens":
                return self._count(request)
            case "GET", "/v1/models":
                return self._unknown(request) or _json(200, {"data": [], "has_more": False})
            case "GET", "/book":
                return _json(200, [asdict(call) for call in self.calls])
            case "POST", "/script":
                self.script(*(Reply.from_json(item) for item in json.loads(request.body)))
                return _json(200, {"left": self.left})
            case "GET", "/healthz":
                return _json(200, {"ok": True})
        return _error(404, "not_found_error", f"{request.method} {path}")

    def _unknown(self, request: Request) -> Response | None:
        """The refusal of a key that is not known."""
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        key = request.headers.get("x-api-key") or bearer
        known = bool(key) and (self._keys is None or key in self._keys)
        return None if known else _error(401, "authentication_error", "invalid x-api-key")

    def _refusal(self, request: Request, *, counting: bool) -> tuple[dict[str, Any], list[Unit], Response | None]:
        """The body, its prompt in units, and why it is refused, if it is."""
        unknown = self._unknown(request)
        if unknown is not None:
            return {}, [], unknown
        if "anthropic-version" not in request.headers:
            return {}, [], _error(400, "invalid_request_error", "anthropic-version: header is required")
        try:
            body = json.loads(request.body)
        except ValueError:
            return {}, [], _error(400, "invalid_request_error", "The request body is not valid JSON")
        try:
            check(body, counting=counting)
        except RefusedError as refused:
            return body, [], _error(400, "invalid_request_error", str(refused))
        prompt = units(body)
        tokens, window = sum(unit.tokens for unit in prompt), claude_model(body["model"]).window
        if tokens > window:
            text = f"prompt is too long: {tokens} tokens > {window} maximum"
            return body, prompt, _error(400, "invalid_request_error", text)
        return body, prompt, None

    def _count(self, request: Request) -> Response:
        body, prompt, refusal = self._refusal(request, counting=True)
        status = refusal.status if refusal else 200
        self._number += 1
        self.counted.append(self._call(request, body, status, {}, "refused" if refusal else "ok"))
        return refusal or _json(200, {"input_tokens": sum(unit.tokens for unit in prompt)})

    async def _messages(self, request: Request) -> Response:
        self._number += 1
        body, prompt, refusal = self._refusal(request, counting=False)
        if refusal is not None:
            self._enter(self._call(request, body, refusal.status, {}, "refused"))
            return refusal
        step = self._queue.popleft() if self._queue else self._default
        reply = step if isinstance(step, Reply) else step(body)
        if reply.delay:
            await self._clock.sleep(reply.delay)
        if reply.status != 200 or reply.fault == "refuse_connection":
            self._enter(self._call(request, body, reply.status, {}, "refused"))
            return _failure(reply)
        usage = self._cache.read_and_write(body["model"], prompt)
        answer = Answer(reply, body["model"], self._number, usage, body["max_tokens"])
        if not body.get("stream"):
            self._finish(request, body, answer, "ok")
            return _json(200, answer.message())
        if reply.fault or reply.pace:
            return Response(headers=_STREAM.copy(), body=self._paced(request, body, answer))
        events = b"".join(_sse(event) for event in answer.events())
        self._finish(request, body, answer, "ok")
        return Response(headers=_STREAM.copy(), body=_once(events))

    async def _paced(self, request: Request, body: dict[str, Any], answer: Answer) -> AsyncIterator[bytes]:
        """The stream event by event, with its fault; the book is written when it ends, however it ends."""
        reply, outcome, pieces = answer.reply, "left", 0
        try:
            for event in answer.events():
                yield _sse(event)
                if event["type"] != "content_block_delta":
                    continue
                pieces += 1
                if reply.pace:
                    await self._clock.sleep(reply.pace)
                if pieces == reply.after and reply.fault in _ENDINGS:
                    outcome = "cut"
                    async for piece in self._broken(reply.fault):
                        yield piece
                    return
            outcome = "ok"
        finally:
            self._finish(request, body, answer, outcome)

    async def _broken(self, fault: str) -> AsyncIterator[bytes]:
        if fault == "cut":
            raise CutError
        if fault == "error_event":
            error = {"type": "overloaded_error", "message": "Overloaded"}
            yield _sse({"type": "error", "error": error})
        while fault in ("endless", "silent"):
            await asyncio.sleep(0.02)
            yield _PING if fault == "endless" else b""

    def _finish(self, request: Request, body: dict[str, Any], answer: Answer, outcome: str) -> None:
        usage = answer.billed(finished=outcome == "ok")
        self._enter(self._call(request, body, 200, usage, outcome, answer.reply.text))

    def _call(
        self, request: Request, body: dict[str, Any], status: int, usage: dict[str, Any], outcome: str, reply: str = ""
    ) -> Call:
        model = str(body.get("model", ""))
        cost = bill(model, usage) if usage else 0
        return Call(self._number, self._clock.now(), request.path, model, body, status, usage, cost, outcome, reply)

    def _enter(self, call: Call) -> None:
        self.calls.append(call)
        if self._book is not None:
            self._book.write(json.dumps(asdict(call), ensure_ascii=False) + "\n")
            self._book.flush()


_STREAM = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
_ENDINGS = ("cut", "eof", "error_event", "endless", "silent")


def echo(body: dict[str, Any]) -> Reply:
    """Repeat the last text that the user wrote."""
    for message in reversed(body["messages"]):
        if message["role"] == "user":
            content = message["content"]
            texts = [content] if isinstance(content, str) else [b["text"] for b in content if b["type"] == "text"]
            if texts:
                return Reply(text=f"You said: {texts[-1]}")
    return Reply(text="You said nothing.")


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


def _sse(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _json(status: int, data: Any) -> Response:
    body = json.dumps(data, ensure_ascii=False).encode()
    return Response(status, {"content-type": "application/json", "request-id": "req_fake"}, body)


def _error(status: int, kind: str, message: str) -> Response:
    return _json(status, {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_fake"})


def _failure(reply: Reply) -> Response:
    if reply.fault == "refuse_connection":
        return Response(cut=True)
    if reply.html:
        return Response(reply.status, {"content-type": "text/html", **reply.headers}, reply.html.encode())
    response = _error(reply.status, reply.error, reply.message)
    response.headers.update(reply.headers)
    return response


async def _run(port: int, host: str, book: Path | None) -> None:
    api = FakeAnthropic(book=book)
    await api.start(port, host)
    sys.stdout.write(f"{api.url}\n")
    sys.stdout.flush()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    await api.stop()


def main() -> None:
    """Serve until SIGTERM; the first line of output is the base URL."""
    parser = argparse.ArgumentParser(description="A fake Anthropic API that keeps a book.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--book", type=Path, default=None)
    options = parser.parse_args()
    asyncio.run(_run(options.port, options.host, options.book))


if __name__ == "__main__":
    main()
