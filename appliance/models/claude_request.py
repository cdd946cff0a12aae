"""Our request in the words of the Anthropic Messages API.

The agent hands over a history whose pairs are whole; here nothing is repaired, but nothing is sent either that the API
is known to refuse for its form alone: empty text, two messages of one role in a row, ids with odd characters,
thinking that another model wrote.
"""

from __future__ import annotations

import base64
import re
import zlib
from pathlib import Path
from typing import Any

from appliance.errors import ModelError, ModelFault
from appliance.messages import Block, Purpose
from appliance.models.base import ModelRequest
from appliance.models.pictures import MOST_BYTES, as_shown

_MARK = {"type": "ephemeral"}
_MOST_MARKS = 4
# One call and done: a mark on the conversation would pay 1.25 times for a cache that nobody reads.
_ONE_SHOT = {Purpose.FLUSH, Purpose.COMPACTION, Purpose.HEARTBEAT, Purpose.TITLE, Purpose.MEMORY}
_ODD_ID = re.compile(r"[^a-zA-Z0-9_-]")
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")


def has_images(request: ModelRequest) -> bool:
    """Whether the conversion will read files (and so belongs in a thread)."""
    return any(
        block["type"] == "image" or block.get("images") for message in request.messages for block in message["content"]
    )


def to_anthropic(request: ModelRequest, model: str, max_tokens: int) -> dict[str, Any]:
    """Given a request, the model's id and the output limit, return the arguments of messages.create.

    Raises ModelError FORMAT when the conversation does not start and end with the user. Reads image files.
    """
    messages = _messages(request, model)
    if not messages or messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        raise ModelError(
            "The conversation must begin and end with a user message; this one does not.", kind=ModelFault.FORMAT
        )
    body: dict[str, Any] = {"model": model, "max_tokens": max_tokens, "messages": messages}
    marks = _MOST_MARKS
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema} for tool in request.tools
        ]
        if any(part.mark for part in request.system):
            body["tools"][-1]["cache_control"] = _MARK
            marks -= 1
    system = [{"type": "text", "text": part.text} for part in request.system if part.text.strip()]
    if system:
        body["system"] = system
        marks -= _mark_system(request, system, marks - 1)
    if request.purpose not in _ONE_SHOT:
        _mark_conversation(messages, min(marks, 2))
    return body


def _mark_system(request: ModelRequest, system: list[dict[str, Any]], most: int) -> int:
    """Mark the last `most` parts that ask for it; return how many."""
    wanted = [part.mark for part in request.system if part.text.strip()]
    marked = [index for index, mark in enumerate(wanted) if mark][-most:]
    for index in marked:
        system[index]["cache_control"] = _MARK
    return len(marked)


def _mark_conversation(messages: list[dict[str, Any]], count: int) -> None:
    """Roll a mark along: on the last user message and, when one is left, on the one before it."""
    for message in reversed(messages):
        if count == 0:
            return
        if message["role"] == "user":
            message["content"][-1]["cache_control"] = _MARK
            count -= 1


def _messages(request: ModelRequest, model: str) -> list[dict[str, Any]]:
    merged: list[dict[str, Any]] = []
    for message in request.messages:
        content = [block for block in (_block(source, model) for source in message["content"]) if block is not None]
        if not content:
            continue
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1]["content"].extend(content)
        else:
            merged.append({"role": message["role"], "content": content})
    for message in merged:
        if message["role"] == "user":
            # The API wants results before anything else in the message that answers a call.
            message["content"].sort(key=lambda block: block["type"] != "tool_result")
    return merged


def _block(block: Block, model: str) -> dict[str, Any] | None:
    match block["type"]:
        case "text":
            return {"type": "text", "text": block["text"]} if block["text"].strip() else None
        case "image":
            return image_block(block)
        case "tool_use":
            return {"type": "tool_use", "id": _id(block["id"]), "name": block["name"], "input": block["input"]}
        case "tool_result":
            result: dict[str, Any] = {"type": "tool_result", "tool_use_id": _id(block["tool_use_id"])}
            images = [image_block(image) for image in block.get("images", ())]
            if images:
                text = [{"type": "text", "text": block["content"]}] if block["content"].strip() else []
                result["content"] = [*text, *images]
            elif block["content"]:
                result["content"] = block["content"]
            if block.get("is_error"):
                result["is_error"] = True
            return result
        case "thinking" | "redacted_thinking":
            # Signed by the model that wrote it; another one refuses it, and nothing is lost without it.
            if block.get("model") != model:
                return None
            return {key: value for key, value in block.items() if key != "model"}
        case _:
            return None


def image_block(block: Block) -> dict[str, Any]:
    """An image from disk as base64; a text in its place when it cannot be read, shown or is too large."""
    path = Path(block["path"])
    if block["media_type"] not in IMAGE_TYPES:
        return {"type": "text", "text": f"[image {path.name} left out: {block['media_type']} cannot be shown]"}
    try:
        media_type, raw = as_shown(path, block["media_type"])
    except OSError as error:
        return {"type": "text", "text": f"[image {path.name} left out: {error.strerror}]"}
    if not raw or len(raw) > MOST_BYTES:
        return {"type": "text", "text": f"[image {path.name} left out: {len(raw)} bytes, at most {MOST_BYTES}]"}
    data = base64.b64encode(raw).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def _id(value: str) -> str:
    """An id the API takes; different ids stay different."""
    plain = _ODD_ID.sub("_", value)
    return plain if plain == value and value else f"{plain}_{zlib.crc32(value.encode()):08x}"
