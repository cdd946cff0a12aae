"""How many tokens a text probably is, when nobody who knows can be asked.

`tokens` and `request_tokens` are guesses that lean high, for fitting a prompt into a window and for providers that say
nothing. `request_bytes` is for the budget's hard bound: no tokenizer makes more tokens of a text than it has bytes.
"""

from __future__ import annotations

import json
import re
from typing import Any

from appliance.messages import Block, Message, Usage
from appliance.models.base import Finished, ModelRequest

_ASCII_PER_TOKEN = 3.2  # English prose has about 4, code and JSON about 3
_OTHER_PER_CHARACTER = 1.3  # Chinese and Japanese need about 1, emoji 2 to 3, accented letters less than 1
_DENSE = re.compile(r"[A-Za-z0-9+/=_-]{40,}")  # base64, hashes, keys: hardly a token spans two characters
_IMAGE_TOKENS = 1_600  # what an image of the largest size comes to that providers do not shrink
_IMAGE_BYTES = 8_000  # what the budget wants counted for one, see spending.budget.CallSpec
_BUFFERED_TOKENS = 64
_TOKENS_PER_SECOND = 150
_FRAME = 8  # role and separators of a message or a tool


def dense_characters(text: str) -> int:
    """How many characters stand in long runs without blanks, of which hardly a token spans two."""
    return sum(map(len, _DENSE.findall(text)))


def tokens(text: str) -> int:
    """A guess for one text, leaning high; 0 for no text."""
    if not text:
        return 0
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    dense = dense_characters(text)
    return int((plain - dense) / _ASCII_PER_TOKEN + dense + (len(text) - plain) * _OTHER_PER_CHARACTER) + 1


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


def in_flight(seconds: float, max_tokens: int, *, hidden: bool = True) -> int:
    """Output tokens that may have been written in `seconds` and never reached us: what lay in buffers, and, when the
    model may have been thinking where nobody sees it, as much as the fastest model writes in that time."""
    return min(max_tokens, _BUFFERED_TOKENS + (int(seconds * _TOKENS_PER_SECOND) if hidden else 0))


def unheard(model: str, max_tokens: int, seconds: float) -> Finished:
    """What a call is charged that was sent and of which nothing came back in `seconds`. It may have been accepted, so
    the budget fills in the likely prompt."""
    usage = Usage(output=in_flight(seconds, max_tokens), estimated=True)
    return Finished(content=(), stop="stopped", usage=usage, model=model)


def _message_tokens(message: Message) -> int:
    total = _FRAME
    for block in message["content"]:
        images = (block["type"] == "image") + len(block.get("images", ()))
        total += tokens(_text_of(block)) + images * _IMAGE_TOKENS + _FRAME
    return total


def _block_bytes(block: Block) -> int:
    return (
        _IMAGE_BYTES
        if block["type"] == "image"
        else _size(_text_of(block)) + len(block.get("images", ())) * _IMAGE_BYTES
    )


def _text_of(block: Block) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use":
            return f"{block['name']} {block['id']} {_compact(block['input'])}"
        case "tool_result":
            return f"{block['tool_use_id']} {block['content']}"
        case "image":
            return ""
        case _:
            return _compact(block)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
