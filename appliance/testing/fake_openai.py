"""A strict OpenAI-compatible server on loopback: chat completions, streamed or not, with tools and usage, and a book.

    async with FakeOpenAI() as server:
        server.script(Reply(text="hello"))
        ... Endpoint(server.url, "tiny", 8192) ...

Replies and faults are those of anthropic_replies.Reply, as far as this protocol has them. Without a script it answers
with `default`, which repeats what the user said until another is given.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from appliance.clock import Clock, SystemClock
from appliance.testing.anthropic_cache import count
from appliance.testing.anthropic_replies import Reply, split
from appliance.testing.loopback import CutError, LoopbackServer, Request, Response

__all__ = ["Answering", "Completion", "FakeOpenAI", "Reply", "last_user"]

_ROLES = {"system", "developer", "user", "assistant", "tool"}
Answering = Callable[[dict[str, Any]], Reply]


@dataclass(slots=True)
class Completion:
    """A line of the book. `came` and `ended` are readings of the clock's `monotonic`."""

    request: dict[str, Any]
    status: int
    prompt_tokens: int
    completion_tokens: int
    outcome: str
    came: float
    ended: float = 0.0


class FakeOpenAI:
    """`url` is the base URL with its /v1, `calls` the book, `open` the streams under way.

    Prompts with more tokens than `window` are refused.
    """

    def __init__(self, *, window: int = 8_192, clock: Clock | None = None, think: str = "") -> None:
        self.url = ""
        self.calls: list[Completion] = []
        self.open = 0
        self._window = window
        self._think = think
        self._clock = clock or SystemClock()
        self._queue: deque[Reply] = deque()
        self._default: Answering = echo
        self._server = LoopbackServer(self._handle)

    async def __aenter__(self) -> FakeOpenAI:
        self.url = f"http://127.0.0.1:{await self._server.start()}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop()

    def script(self, *replies: Reply) -> None:
        """Add replies that are played in order, before the default."""
        self._queue.extend(replies)

    def default(self, answer: Answering) -> None:
        """What is answered when the script is empty; `echo` at first."""
        self._default = answer

    async def _handle(self, request: Request) -> Response:
        if (request.method, request.path) == ("GET", "/v1/models"):
            return _json(200, {"object": "list", "data": [{"id": "tiny", "object": "model"}]})
        if (request.method, request.path) != ("POST", "/v1/chat/completions"):
            return _error(404, "not_found", f"{request.method} {request.path}")
        body = json.loads(request.body)
        read = [*body.get("messages", []), *(body.get("tools") or [])]
        prompt = sum(count(json.dumps(part, ensure_ascii=False)) for part in read)
        call = Completion(body, 200, prompt, 0, "left", self._clock.monotonic())
        wrong = wrong_with(body)
        if wrong:
            return self._refuse(call, _error(400, "invalid_request_error", wrong))
        if prompt > self._window:
            text = f"This model's maximum context length is {self._window} tokens, the request has {prompt}."
            return self._refuse(call, _error(400, "context_length_exceeded", text))
        reply = self._queue.popleft() if self._queue else self._default(body)
        if reply.delay:
            await self._clock.sleep(reply.delay)
        if reply.fault == "refuse_connection":
            return self._refuse(call, Response(cut=True))
        if reply.status != 200:
            response = _error(reply.status, reply.error, reply.message)
            response.headers.update(reply.headers)
            return self._refuse(call, response)
        if not body.get("stream"):
            return self._whole(call, reply)
        return Response(200, {"content-type": "text/event-stream"}, self._stream(call, reply))

    def _refuse(self, call: Completion, response: Response) -> Response:
        call.status, call.prompt_tokens = response.status, 0
        self._enter(call, "refused")
        return response

    def _whole(self, call: Completion, reply: Reply) -> Response:
        """The answer in one piece, for a client that does not stream."""
        tools = [
            {"id": self._id(index), "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for index, (name, arguments) in enumerate(reply.tools)
        ]
        message = {"role": "assistant", "content": reply.text, **({"tool_calls": tools} if tools else {})}
        call.completion_tokens = count(json.dumps(message, ensure_ascii=False))
        self._enter(call, "ok")
        choice = {"index": 0, "message": message, "finish_reason": _stop(reply)}
        return _json(200, {**_envelope(call), "object": "chat.completion", "choices": [choice], "usage": _usage(call)})

    def _enter(self, call: Completion, outcome: str) -> None:
        call.outcome, call.ended = outcome, self._clock.monotonic()
        self.calls.append(call)

    async def _stream(self, call: Completion, reply: Reply) -> AsyncIterator[bytes]:
        """Chunk by chunk, with the reply's fault; the book is written when it ends, however it ends."""
        outcome, pieces = "left", 0
        self.open += 1
        try:
            for delta in self._deltas(reply):
                call.completion_tokens += count(json.dumps(delta, ensure_ascii=False))
                yield _chunk(call, {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
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
            yield _chunk(call, {"choices": [{"index": 0, "delta": {}, "finish_reason": _stop(reply)}]})
            if reply.fault != "no_usage" and (call.request.get("stream_options") or {}).get("include_usage"):
                yield _chunk(call, {"choices": [], "usage": {**_usage(call), **reply.last_usage}})
            yield b"data: [DONE]\n\n"
            outcome = "ok"
        finally:
            self.open -= 1
            self._enter(call, outcome)

    def _id(self, index: int) -> str:
        """An id that no other call of this server has."""
        return f"call_{len(self.calls)}_{index}"

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
                    call = {"index": index, "id": self._id(index), "type": "function"}
                    call["function"] = {"name": name, "arguments": piece}
                yield {"tool_calls": [call]}


def wrong_with(body: dict[str, Any]) -> str:
    """What a strict server would refuse."""
    messages = body.get("messages")
    if not body.get("model") or not messages:
        return "model and messages are required"
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


def last_user(body: dict[str, Any]) -> str:
    """The text of the last message that is the user's."""
    for message in reversed(body["messages"]):
        if message["role"] == "user":
            content = message["content"]
            return content if isinstance(content, str) else " ".join(p.get("text", "") for p in content)
    return ""


def echo(body: dict[str, Any]) -> Reply:
    """Repeat the last text that the user wrote."""
    return Reply(text=f"You said: {last_user(body)}")


def _stop(reply: Reply) -> str:
    return reply.stop or ("tool_calls" if reply.tools else "stop")


def _envelope(call: Completion) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "model": call.request["model"]}


def _usage(call: Completion) -> dict[str, int]:
    prompt, written = call.prompt_tokens, call.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}


def _chunk(call: Completion, data: dict[str, Any]) -> bytes:
    whole = {**_envelope(call), "object": "chat.completion.chunk", **data}
    return f"data: {json.dumps(whole, ensure_ascii=False)}\n\n".encode()


def _json(status: int, data: Any) -> Response:
    return Response(status, {"content-type": "application/json"}, json.dumps(data, ensure_ascii=False).encode())


def _error(status: int, code: str, message: str) -> Response:
    return _json(status, {"error": {"message": message, "type": code, "code": code}})
