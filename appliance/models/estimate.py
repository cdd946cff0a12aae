"""How many tokens a text probably is, when nobody who knows can be asked.

Two figures: `tokens` is a fair guess that leans high, for fitting a prompt into a window; `most` is a bound for money:
no tokenizer in use makes more tokens of a text than it has UTF-8 bytes, plus a few for the frame of each message.
"""

from __future__ import annotations

import json
from typing import Any

from appliance.messages import Block, Message, Usage
from appliance.models.base import Finished, ModelRequest

_ASCII_PER_TOKEN = 3.2  # English prose has about 4, code and JSON about 3
_OTHER_PER_CHARACTER = 1.3  # Chinese and Japanese need about 1, emoji 2 to 3, accented letters less than 1
_IMAGE_TOKENS = 1_600  # the most a provider charges for an image of the size it does not shrink
_FRAME = 8  # role and separators of a message or a tool


def tokens(text: str) -> int:
    """A guess for one text, leaning high; 0 for no text."""
    if not text:
        return 0
    if text.isascii():
        return int(len(text) / _ASCII_PER_TOKEN) + 1
    plain = len(text.encode("ascii", "ignore"))
    return int(plain / _ASCII_PER_TOKEN + (len(text) - plain) * _OTHER_PER_CHARACTER) + 1


def request_tokens(request: ModelRequest) -> int:
    """A guess for a whole prompt: system, tools and messages."""
    total = sum(tokens(part.text) for part in request.system)
    for tool in request.tools:
        total += _FRAME + tokens(tool.name) + tokens(tool.description) + tokens(_compact(tool.schema))
    return total + sum(_message_tokens(message) for message in request.messages)


def request_bytes(request: ModelRequest) -> int:
    """UTF-8 bytes of everything that is sent, frames and images included: tokens are never more than this."""
    total = sum(_size(part.text) + _FRAME for part in request.system)
    for tool in request.tools:
        total += _FRAME * 4 + _size(tool.name) + _size(tool.description) + _size(_compact(tool.schema))
    if request.tools:
        total += 600  # what providers put in front of tool definitions
    for message in request.messages:
        total += _FRAME * 2 + sum(_FRAME + _block_bytes(block) for block in message["content"])
    return total


def unknown_input(request: ModelRequest) -> Usage:
    """The input side of a call whose provider did not say it, marked as an estimate and never 0."""
    return Usage(input=max(1, request_tokens(request)), estimated=True)


def unheard(request: ModelRequest, model: str) -> Finished:
    """What a call is charged that was sent and never answered: it may have been accepted, so its input is."""
    return Finished(content=(), stop="stopped", usage=unknown_input(request), model=model)


def _message_tokens(message: Message) -> int:
    total = _FRAME
    for block in message["content"]:
        total += _IMAGE_TOKENS if block["type"] == "image" else tokens(_text_of(block)) + _FRAME
    return total


def _block_bytes(block: Block) -> int:
    return _IMAGE_TOKENS * 4 if block["type"] == "image" else _size(_text_of(block))


def _text_of(block: Block) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use":
            return f"{block['name']} {block['id']} {_compact(block['input'])}"
        case "tool_result":
            return f"{block['tool_use_id']} {block['content']}"
        case _:
            return _compact(block)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
