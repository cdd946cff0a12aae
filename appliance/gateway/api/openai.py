"""The OpenAI-compatible door, so that existing chat clients and Home Assistant can use the appliance.

Such a client sends the whole conversation each time; the appliance keeps its own. So only the last user message is
said. `appliance-main` says it in the owner's main conversation, `appliance-ID` in that with another agent; `appliance`
in a conversation of its own, found again by the client's `user` field or by how the conversation began. What came
before in a conversation that the appliance has not seen yet (instructions, earlier turns) is given once, as a preface.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote

import msgspec
from litestar import Response, get, post

from appliance.errors import InputError, NotFoundError
from appliance.gateway.api.http import (
    KEEP_ALIVE,
    AnyRequest,
    decode,
    error_body,
    principal_of,
    read_body,
    reply,
    stream,
)
from appliance.gateway.api.watching import follow
from appliance.gateway.services import Reply, Services, WebChat
from appliance.messages import MAIN, WEB_NAME, Attachment, Event, Inbound

BODY_LIMIT = 28 * 1024 * 1024  # bytes; clients send their whole history, pictures included
_ANEW = "appliance"
_PREFACE_CHARS = 24_000
_DATA_URL = re.compile(r"data:(image/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=]+)")
_encode = msgspec.json.Encoder().encode


class GivenChatMessage(msgspec.Struct):
    role: str
    content: str | list[dict[str, Any]] | None = None


class GivenStreamOptions(msgspec.Struct):
    include_usage: bool = False


class GivenCompletion(msgspec.Struct):
    """What we read of the request; other fields (temperature, tools, …) are the client's and change nothing here."""

    messages: list[GivenChatMessage]
    model: str = _ANEW
    stream: bool = False
    user: str = ""
    stream_options: GivenStreamOptions | None = None


def routes(services: Services) -> list[Any]:
    """The handlers of this module."""

    @get("/v1/models")
    async def models() -> Response[Any]:
        return reply({"object": "list", "data": [_model(name) for name in _models(services)]})

    @get("/v1/models/{name:str}")
    async def model(name: str) -> Response[Any]:
        _require(name, services)
        return reply(_model(name))

    @post("/v1/chat/completions", status_code=200)
    async def complete(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, BODY_LIMIT), GivenCompletion)
        inbound = await _inbound(services, given, request.headers.get("idempotency-key"))
        head = {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "created": int(services.clock.now()),
            "model": given.model,
        }
        base = str(request.base_url)
        if given.stream:
            usage = given.stream_options is not None and given.stream_options.include_usage
            found = await follow(services, principal_of(request), inbound)
            return stream(_chunks(found, head, base, with_usage=usage))
        receipt = await services.intake.accept(inbound)
        with services.closing.waiting():
            answer = await services.replies.wait(receipt.row)
        if answer.error and not answer.text:
            return reply(error_body(answer.error, kind="turn_failed"), 502)
        return reply(_completion(head, answer, base))

    return [models, model, complete]


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "home-agent-appliance"}


async def _inbound(services: Services, given: GivenCompletion, key: str | None) -> Inbound:
    _require(given.model, services)
    if not given.messages or given.messages[-1].role != "user":
        raise InputError("The last message must be the user's.")
    said = _text(given.messages[-1])
    agent = MAIN if given.model == _ANEW else given.model.removeprefix(f"{_ANEW}-")
    web = services.web_of(agent)
    files = await _pictures(web, given.messages[-1])
    if given.model != _ANEW:
        return web.inbound("main", said, id=key, attachments=files)
    session = given.user if WEB_NAME.fullmatch(given.user) and given.user != "main" else _name(given)
    if services.sessions.find(session) is None:
        said = _preface(given.messages[:-1]) + said
    return web.inbound(session, said, id=key, attachments=files)


def _models(services: Services) -> list[str]:
    """A conversation of its own with the main agent, and the main conversation with each agent."""
    return [_ANEW, *(f"{_ANEW}-{agent}" for agent in services.settings.agent_ids)]


def _require(name: str, services: Services) -> None:
    """Raises NotFoundError for a model that is not listed."""
    names = _models(services)
    if name not in names:
        raise NotFoundError(f"The model {name[:80]} does not exist.", fix=f"Use {' or '.join(names)}.")


def _name(given: GivenCompletion) -> str:
    """The same beginning is the same conversation: a client that only appends always gets the same name."""
    first = next(message for message in given.messages if message.role == "user")
    return "chat-" + hashlib.sha256(f"{given.user}\n{_text(first)}".encode(errors="replace")).hexdigest()[:16]


def _text(message: GivenChatMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    parts = [part.get("text") for part in message.content or [] if part.get("type") == "text"]
    return "\n".join(part for part in parts if isinstance(part, str))


async def _pictures(web: WebChat, message: GivenChatMessage) -> list[Attachment]:
    """The pictures of a message, kept as attachments. Raises InputError for one that is not sent along."""
    found = []
    for part in message.content if isinstance(message.content, list) else []:
        if part.get("type") in ("text", None):
            continue
        address = part.get("image_url")
        address = address.get("url") if isinstance(address, dict) else address
        match = _DATA_URL.fullmatch(address) if isinstance(address, str) else None
        if part.get("type") != "image_url" or match is None:
            raise InputError(
                "Only text and pictures as data: addresses are read here.", fix="Send files to POST /api/attachments."
            )
        try:
            raw = base64.b64decode(match[2], validate=True)
        except (binascii.Error, ValueError):
            raise InputError("A picture's data is not base64.") from None
        _, attachment = await web.save(f"picture.{match[1].rpartition('/')[2]}", match[1], _once(raw))
        found.append(attachment)
    return found


async def _once(raw: bytes) -> AsyncIterator[bytes]:
    yield raw


def _preface(before: list[GivenChatMessage]) -> str:
    lines = []
    for message in before:
        if text := _text(message).strip():
            label = {"system": "Instructions from the client", "developer": "Instructions from the client"}
            lines.append(f"[{label.get(message.role, f'Earlier, {message.role}')}]\n{text}")
    if not lines:
        return ""
    return "\n\n".join(lines)[-_PREFACE_CHARS:] + "\n\n[Now]\n"


def _usage(usage: Any) -> dict[str, int]:
    prompt = sum(int(usage.get(name, 0) or 0) for name in ("input", "cache_read", "cache_write"))
    output = int(usage.get("output", 0) or 0)
    return {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}


def _with_files(text: str, files: Sequence[dict[str, Any]], base: str) -> str:
    """An answer with the addresses of its files: these clients show nothing but text."""
    links = [f"[{one['name']}]({base}api/attachments/{quote(one['id'])})" for one in files]
    return "\n\n".join([text, *links])


def _completion(head: dict[str, Any], answer: Reply, base: str) -> dict[str, Any]:
    said = _with_files(answer.text, [one.shown() for one in answer.attachments], base)
    message = {"role": "assistant", "content": said}
    return {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _usage(answer.usage),
    }


async def _chunks(
    events: AsyncIterator[Event | None], head: dict[str, Any], base: str, *, with_usage: bool
) -> AsyncIterator[bytes]:
    """The stream as OpenAI's clients read it; text that never came as a delta (a command's answer) comes whole."""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return b"data: " + _encode({**head, "object": "chat.completion.chunk", "choices": choices, **more}) + b"\n\n"

    said, ended = "", False
    async for event in events:
        if event is None:
            yield KEEP_ALIVE
        elif event.type == "accepted":
            yield chunk({"role": "assistant", "content": ""})
        elif event.type == "text":
            said += event.data["delta"]
            yield chunk({"content": event.data["delta"]})
        elif event.type == "error":
            ended = True
            yield b"data: " + _encode(error_body(event.data["message"], kind="turn_failed")) + b"\n\n"
        elif event.type == "done":
            ended = True
            whole = _with_files(event.data["reply"], event.data.get("files", ()), base)
            if rest := whole[len(said) :] if whole.startswith(said) else ("" if whole in said else f"\n\n{whole}"):
                yield chunk({"content": rest})
            yield chunk({}, "stop")
            if with_usage:
                usage = {**head, "object": "chat.completion.chunk", "choices": [], "usage": _usage(event.data["usage"])}
                yield b"data: " + _encode(usage) + b"\n\n"
    if ended:  # a stream that was cut must not look complete
        yield b"data: [DONE]\n\n"
