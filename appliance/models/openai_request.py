"""Our request in the words of an OpenAI-compatible chat completion."""

from __future__ import annotations

import json
from typing import Any

from appliance.messages import Block, Message
from appliance.models.base import ModelRequest
from appliance.models.claude_request import image_block


def to_openai(request: ModelRequest, model: str, max_tokens: int, *, vision: bool) -> dict[str, Any]:
    """Given a request, the server's name of the model and the output limit, return the body of chat/completions.

    Reads image files when the model sees; otherwise a text stands in their place.
    """
    system = "\n\n".join(part.text for part in request.system if part.text.strip())
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    for message in request.messages:
        messages += _assistant(message) if message["role"] == "assistant" else _user(message, vision)
    body: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "max_tokens": max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
            }
            for tool in request.tools
        ]
    return body


def _assistant(message: Message) -> list[dict[str, Any]]:
    text = "\n\n".join(block["text"] for block in message["content"] if block["type"] == "text")
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"], ensure_ascii=False)},
        }
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    if not calls and not text.strip():
        return []
    said: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        said["tool_calls"] = calls
    return [said]


def _user(message: Message, vision: bool) -> list[dict[str, Any]]:
    """Results first, each a message of its own, then what the user said and showed."""
    said: list[dict[str, Any]] = []
    shown: list[Block] = []
    for block in message["content"]:
        if block["type"] == "tool_result":
            text = block["content"] or "(no output)"
            said.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": text})
            shown += block.get("images", ())
        elif block["type"] == "image" or (block["type"] == "text" and block["text"].strip()):
            shown.append(block)
    parts = [_part(block, vision) for block in shown]
    if not parts:
        return said
    if all(part["type"] == "text" for part in parts):  # plain text is what every server understands
        return [*said, {"role": "user", "content": "\n\n".join(part["text"] for part in parts)}]
    return [*said, {"role": "user", "content": parts}]


def _part(block: Block, vision: bool) -> dict[str, Any]:
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    if not vision:
        return {"type": "text", "text": "[an image that this model cannot see]"}
    image = image_block(block)
    if image["type"] == "text":
        return image
    source = image["source"]
    return {"type": "image_url", "image_url": {"url": f"data:{source['media_type']};base64,{source['data']}"}}
