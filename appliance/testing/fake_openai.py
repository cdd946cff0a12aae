"""A strict OpenAI-compatible server on loopback: chat completions, streamed or not, with tools and usage, and a book.

    async with FakeOpenAI() as server:
        server.script(Reply(text="hello"))
        ... Endpoint(server.url, "tiny", 8192) ...

Replies and faults are those of anthropic_replies.Reply, as far as this protocol has them. Without a script it repeats
what the user said.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from appliance.clock import Clock, SystemClock
from appliance.testing.anthropic_cache import count
from appliance.testing.anthropic_replies import Reply, split
from appliance.testing.loopback import CutError, LoopbackServer, Request, Response

__all__ = ["Completion", "FakeOpenAI", "Reply"]

_ROLES = {"system", "user", "assistant", "tool"}


@dataclass(slots=True)
class Completion:
    """A line of the book."""

    request: dict[str, Any]
    status: int
    prompt_tokens: int
    completion_tokens: int
    outcome: str


class FakeOpenAI:
    """`url` is the base URL with its /v1, `calls` the book. `window`: prompts with more tokens are refused."""

    def __init__(self, *, window: int = 8_192, clock: Clock | None = None, think: str = "") -> None:
        self.url = ""
        self.calls: list[Completion] = []
        self._window = window
        self._think = think
        self._clock = clock or SystemClock()
        self._queue: deque[Reply] = deque()
        self._server = LoopbackServer(self._handle)

    async def __aenter__(self) -> FakeOpenAI:
        self.url = f"http://127.0.0.1:{await self._server.start()}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop()

    def script(self, *replies: Reply) -> None:
        """Add replies that are played in order, before the default."""
        self._queue.extend(replies)

    async def _handle(self, request: Request) -> Response:
        if (request.method, request.path) == ("GET", "/v1/models"):
            return _json(200, {"object": "list", "data": [{"id": "tiny", "object": "model"}]})
        if (request.method, request.path) != ("POST", "/v1/chat/completions"):
            return _error(404, "not_found", f"{request.method} {request.path}")
        body = json.loads(request.body)
        prompt = sum(count(json.dumps(message, ensure_ascii=False)) for message in body.get("messages", []))
        wrong = wrong_with(body)
        if wrong:
            return self._refuse(body, _error(400, "invalid_request_error", wrong))
        if prompt > self._window:
            text = f"This model's maximum context length is {self._window} tokens, the request has {prompt}."
            return self._refuse(body, _error(400, "context_length_exceeded", text))
        reply = self._queue.popleft() if self._queue else Reply(text=f"You said: {_last_user(body)}")
        if reply.delay:
            await self._clock.sleep(reply.delay)
        if reply.fault == "refuse_connection":
            return self._refuse(body, Response(cut=True))
        if reply.status != 200:
            response = _error(reply.status, reply.error, reply.message)
            response.headers.update(reply.headers)
            return self._refuse(body, response)
        return Response(200, {"content-type": "text/event-stream"}, self._stream(body, reply, prompt))

    def _refuse(self, body: dict[str, Any], response: Response) -> Response:
        self.calls.append(Completion(body, response.status, 0, 0, "refused"))
        return response

    async def _stream(self, body: dict[str, Any], reply: Reply, prompt: int) -> AsyncIterator[bytes]:
        """Chunk by chunk, with the reply's fault; the book is written when it ends, however it ends."""
        written, outcome, pieces = 0, "left", 0
        try:
            for delta in self._deltas(reply):
                written += count(json.dumps(delta, ensure_ascii=False))
                yield _chunk(body, {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                pieces += 1
                if reply.pace:
                    await self._clock.sleep(reply.pace)
                if reply.fault and pieces == reply.after:
                    outcome = "cut"
                    if reply.fault == "cut":
                        raise CutError
                    if reply.fault == "eof":
                        return
                    while reply.fault == "silent":
                        await asyncio.sleep(0.02)
                        yield b""
            stop = reply.stop or ("tool_calls" if reply.tools else "stop")
            yield _chunk(body, {"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
            if reply.fault != "no_usage" and (body.get("stream_options") or {}).get("include_usage"):
                usage = {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}
                yield _chunk(body, {"choices": [], "usage": {**usage, **reply.last_usage}})
            yield b"data: [DONE]\n\n"
            outcome = "ok"
        finally:
            self.calls.append(Completion(body, 200, prompt, written, outcome))

    def _deltas(self, reply: Reply) -> Iterator[dict[str, Any]]:
        yield {"role": "assistant", "content": ""}
        text = f"<think>{self._think}</think>\n\n{reply.text}" if self._think else reply.text
        for piece in split(text, reply.pieces):
            yield {"content": piece}
        for index, (name, arguments) in enumerate(reply.tools):
            raw = json.dumps(arguments, ensure_ascii=False)
            if reply.fault == "broken_tool_json":
                raw = raw[: max(1, len(raw) // 2)]
            for number, piece in enumerate(split(raw, 2)):
                call: dict[str, Any] = {"index": index, "function": {"arguments": piece}}
                if number == 0:
                    call = {"index": index, "id": str(index), "type": "function"}
                    call["function"] = {"name": name, "arguments": piece}
                yield {"tool_calls": [call]}


def wrong_with(body: dict[str, Any]) -> str:
    """What a strict server would refuse."""
    messages = body.get("messages")
    if not body.get("model") or not messages:
        return "model and messages are required"
    if body.get("stream") is not True:
        return "only streaming is faked"
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        if message.get("role") not in _ROLES:
            return f"messages[{index}].role is unknown"
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_ids:
                return f"messages[{index}]: no call has the id {message.get('tool_call_id')}"
            open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            return f"messages[{index}]: calls without an answer: {', '.join(open_ids)}"
        if not message.get("content") and not message.get("tool_calls"):
            return f"messages[{index}].content is empty"
        open_ids = [call["id"] for call in message.get("tool_calls") or []]
    return ""


def _last_user(body: dict[str, Any]) -> str:
    for message in reversed(body["messages"]):
        if message["role"] == "user":
            content = message["content"]
            return content if isinstance(content, str) else " ".join(p.get("text", "") for p in content)
    return ""


def _chunk(body: dict[str, Any], data: dict[str, Any]) -> bytes:
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": body["model"], **data}
    return f"data: {json.dumps(whole, ensure_ascii=False)}\n\n".encode()


def _json(status: int, data: Any) -> Response:
    return Response(status, {"content-type": "application/json"}, json.dumps(data, ensure_ascii=False).encode())


def _error(status: int, code: str, message: str) -> Response:
    return _json(status, {"error": {"message": message, "type": code, "code": code}})
