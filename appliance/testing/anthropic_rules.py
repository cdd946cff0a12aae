"""What the Messages API refuses, as far as a client of it can get wrong. Each rule speaks as the API does."""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from typing import Any

from appliance.models.claude_models import claude_model

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_SAMPLING = ("temperature", "top_p", "top_k")
_MOST_MARKS = 4
_IMAGE_SIGNS = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_FIELDS = {
    "model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "stop_sequences", "metadata",
    "thinking", "service_tier", "cache_control", "output_config", *_SAMPLING,
}  # fmt: skip
_BLOCK_FIELDS = {
    "text": {"type", "text", "cache_control", "citations"},
    "image": {"type", "source", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
}


class RefusedError(Exception):
    """The request is malformed; the text is what the API would say."""


def generation(model: str) -> tuple[int, int]:
    """(major, minor) of a model id: claude-opus-4-7 is (4, 7), claude-sonnet-5 is (5, 0)."""
    numbers = [int(part) for part in model.split("-") if part.isdigit() and len(part) < 3]
    return (numbers[0] if numbers else 0, numbers[1] if len(numbers) > 1 else 0)


def check(body: dict[str, Any], *, counting: bool = False) -> None:
    """Raise RefusedError for the first rule that the request breaks."""
    _check_fields(body, counting)
    marks = _check_tools(body) + _check_system(body)
    messages = body["messages"]
    _need(isinstance(messages, list) and messages, "messages: at least one message is required")
    for index, message in enumerate(messages):
        marks += _check_message(f"messages.{index}", message)
    _need(marks <= _MOST_MARKS, f"A maximum of 4 blocks with cache_control may be provided. Found {marks}.")
    _check_roles(body["model"], messages)
    _check_pairs(messages)


def _need(holds: object, text: str) -> None:
    if not holds:
        raise RefusedError(text)


def _check_fields(body: dict[str, Any], counting: bool) -> None:
    for name in body:
        _need(name in _FIELDS, f"{name}: Extra inputs are not permitted")
    for name in ("model", "messages") if counting else ("model", "messages", "max_tokens"):
        _need(name in body, f"{name}: Field required")
    model = body["model"]
    if not counting:
        most = claude_model(model).max_output
        limit = body["max_tokens"]
        _need(isinstance(limit, int) and limit >= 1, "max_tokens: must be greater than or equal to 1")
        _need(limit <= most, f"max_tokens: {limit} > {most}, which is the maximum for {model}")
    if generation(model) >= (5, 0) or (model.startswith("claude-opus") and generation(model) >= (4, 7)):
        for name in _SAMPLING:
            _need(name not in body, f"{name}: not supported by {model}")
    choice = (body.get("tool_choice") or {}).get("type", "auto")
    if generation(model) >= (5, 0) and "haiku" not in model:
        _need(choice in ("auto", "none"), f"tool_choice: {choice} is not supported by {model}, which always thinks")


def _check_tools(body: dict[str, Any]) -> int:
    names = set()
    marks = 0
    for index, tool in enumerate(body.get("tools") or []):
        where = f"tools.{index}"
        _need(_TOOL_NAME.fullmatch(tool.get("name", "")), f"{where}.name: String should match pattern")
        _need(tool["name"] not in names, "tools: Tool names must be unique.")
        _need(set(tool) <= {"name", "description", "input_schema", "cache_control"}, f"{where}: Extra inputs")
        schema = tool.get("input_schema")
        _need(isinstance(schema, dict) and schema.get("type") == "object", f"{where}.input_schema.type: Field required")
        names.add(tool["name"])
        marks += "cache_control" in tool
    return marks


def _check_system(body: dict[str, Any]) -> int:
    system = body.get("system")
    if system is None or isinstance(system, str):
        return 0
    return sum(_check_block(f"system.{index}", block, {"text"}) for index, block in enumerate(system))


def _check_message(where: str, message: dict[str, Any]) -> int:
    _need(set(message) <= {"role", "content"}, f"{where}: Extra inputs are not permitted")
    role = message.get("role")
    _need(role in ("user", "assistant"), f"{where}.role: Input should be 'user' or 'assistant'")
    content = message.get("content")
    if isinstance(content, str):
        _need(content.strip(), f"{where}: text content blocks must contain non-whitespace text")
        return 0
    _need(isinstance(content, list) and content, f"{where}: content must not be empty")
    allowed = {"text", "image", "tool_result"} if role == "user" else set(_BLOCK_FIELDS) - {"tool_result", "image"}
    return sum(_check_block(f"{where}.content.{index}", block, allowed) for index, block in enumerate(content or []))


def _check_block(where: str, block: dict[str, Any], allowed: set[str]) -> int:
    kind = block.get("type", "")
    _need(kind in allowed, f"{where}.type: Input tag '{kind}' is not allowed here")
    extra = set(block) - _BLOCK_FIELDS[kind]
    _need(not extra, f"{where}.{', '.join(sorted(extra))}: Extra inputs are not permitted")
    if kind == "text":
        text = block.get("text")
        _need(isinstance(text, str) and text.strip(), f"{where}: text content blocks must contain non-whitespace text")
    elif kind == "image":
        _check_image(where, block.get("source") or {})
    elif kind == "tool_use":
        _need(_ID.fullmatch(block.get("id", "")), f"{where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        _need(isinstance(block.get("input"), dict), f"{where}.input: Input should be a valid dictionary")
        _need(_TOOL_NAME.fullmatch(block.get("name", "")), f"{where}.name: String should match pattern")
    elif kind == "tool_result":
        _need(_ID.fullmatch(block.get("tool_use_id", "")), f"{where}.tool_use_id: String should match pattern")
        content = block.get("content")
        if isinstance(content, list):
            for index, part in enumerate(content):
                _check_block(f"{where}.content.{index}", part, {"text", "image"})
    elif kind == "thinking":
        _need(block.get("signature"), f"{where}.signature: Field required")
        _need(
            block["signature"] == sign(block.get("thinking", "")),
            f"{where}: `thinking` blocks cannot be modified: Invalid `signature`",
        )
    return int("cache_control" in block)


def sign(thinking: str) -> str:
    """The signature that this fake puts on its thinking, so that a changed block is found out."""
    return "sig-" + format(binascii.crc32(thinking.encode()), "08x")


def _check_image(where: str, source: dict[str, Any]) -> None:
    _need(source.get("type") == "base64", f"{where}.source.type: only base64 is faked")
    signs = _IMAGE_SIGNS.get(source.get("media_type", ""))
    _need(signs, f"{where}.source.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'")
    try:
        raw = base64.b64decode(source.get("data", ""), validate=True)
    except (binascii.Error, ValueError):
        raise RefusedError(f"{where}.source.base64: invalid base64 data") from None
    _need(len(source["data"]) <= 5 * 1024 * 1024, f"{where}.source.base64: image exceeds 5 MB maximum")
    _need(raw.startswith(signs or ()), f"{where}.source.base64.data: Could not process image")


def _check_roles(model: str, messages: list[dict[str, Any]]) -> None:
    _need(messages[0]["role"] == "user", 'messages: first message must use the "user" role')
    for before, after in itertools.pairwise(messages):
        _need(before["role"] != after["role"], 'messages: roles must alternate between "user" and "assistant"')
    if generation(model) >= (4, 6):
        _need(messages[-1]["role"] == "user", f"{model} does not support assistant message prefill.")


def _check_pairs(messages: list[dict[str, Any]]) -> None:
    """Every tool_use is answered right after, by results that come first, once each; no id is used twice."""
    seen: set[str] = set()
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        first_other = next((i for i, block in enumerate(blocks) if block["type"] != "tool_result"), len(blocks))
        for result in results:
            _need(
                result in open_ids,
                f"messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {result}. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
            )
        _need(len(results) == len(set(results)), f"messages.{index}: each tool_use must have a single result")
        missing = [i for i in open_ids if i not in results]
        _need(
            not missing,
            f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}",
        )
        _need(not open_ids or first_other >= len(results), f"messages.{index}: `tool_result` blocks must come first")
        open_ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for call_id in open_ids:
            _need(call_id not in seen, f"messages.{index}: `tool_use` ids must be unique")
            seen.add(call_id)
    _need(not open_ids, "messages: `tool_use` ids were found without `tool_result` blocks immediately after")
