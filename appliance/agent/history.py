"""From transcript records to messages that every provider accepts, whatever happened to the file.

Rules the result keeps: roles alternate and the first message is the user's; every tool_use is answered right after by
exactly one tool_result; no id stands twice; no block is empty.
"""

from __future__ import annotations

from typing import Any

from appliance.agent.transcript import Record
from appliance.messages import Block, Message

INTERRUPTED = "interrupted, outcome unknown"


def messages_of(records: list[Record]) -> list[Message]:
    """Given records of a window (a compaction marker may come first), return well-formed messages."""
    raw: list[Message] = []
    for record in records:
        if record.get("type") == "marker":
            summary = record.get("summary")
            if summary:
                raw.append({"role": "user", "content": [{"type": "text", "text": f"[Earlier, summarised]\n{summary}"}]})
            continue
        content = [block for block in record["content"] if _solid(block)]
        if content:
            raw.append({"role": record["role"], "content": content})
    return repair(raw)


def repair(messages: list[Message]) -> list[Message]:
    """Given messages in order, return them with broken tool pairs mended and roles alternating."""
    result: list[Message] = []
    seen: set[str] = set()
    open_calls: list[Block] = []
    for message in _joined(messages):
        if message["role"] == "assistant":
            _answer_open(result, open_calls)
            content, open_calls = _assistant(message["content"], seen)
            if content:
                _add(result, "assistant", content)
        else:
            content = _user(message["content"], open_calls)
            open_calls = []
            if content:
                _add(result, "user", content)
    _answer_open(result, open_calls)
    while result and result[0]["role"] == "assistant":
        result.pop(0)
    if result:
        result[0] = {"role": "user", "content": [b for b in result[0]["content"] if b["type"] != "tool_result"]}
        if not result[0]["content"]:
            return repair(result[1:])
    return result


def _joined(messages: list[Message]) -> list[Message]:
    """Consecutive user messages as one: each tool result is a record of its own, stored as soon as it is known."""
    joined: list[Message] = []
    for message in messages:
        if joined and message["role"] == "user" == joined[-1]["role"]:
            joined[-1] = {"role": "user", "content": [*joined[-1]["content"], *message["content"]]}
        else:
            joined.append(message)
    return joined


def _solid(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    match block.get("type"):
        case "text":
            return isinstance(block.get("text"), str) and bool(block["text"].strip())
        case "tool_use":
            return all(isinstance(block.get(k), t) for k, t in (("id", str), ("name", str), ("input", dict)))
        case "tool_result":
            return isinstance(block.get("tool_use_id"), str)
        case None:
            return False
        case _:
            return True


def _assistant(content: list[Block], seen: set[str]) -> tuple[list[Block], list[Block]]:
    """Blocks with calls of a known id dropped; and the calls that now wait for a result."""
    kept: list[Block] = []
    calls: list[Block] = []
    for block in content:
        if block["type"] == "tool_result":
            continue  # only a user message answers a call
        if block["type"] == "tool_use":
            if block["id"] in seen:
                continue
            seen.add(block["id"])
            calls.append(block)
        kept.append(block)
    return kept, calls


def _user(content: list[Block], open_calls: list[Block]) -> list[Block]:
    """Results first and in the order of their calls, one each; a result nobody asked for is dropped."""
    results: dict[str, Block] = {}
    rest: list[Block] = []
    for block in content:
        if block["type"] == "tool_result":
            results.setdefault(block["tool_use_id"], block)
        elif block["type"] in ("text", "image"):
            rest.append(block)
    answered = [_result(call, results.get(call["id"])) for call in open_calls]
    return [*answered, *rest]


def _result(call: Block, found: Block | None) -> Block:
    if found is None:
        return {"type": "tool_result", "tool_use_id": call["id"], "content": f"({INTERRUPTED})", "is_error": True}
    content = found.get("content")
    if not isinstance(content, str) or not content.strip():
        return {**found, "content": "(empty)" if not content or isinstance(content, str) else str(content)}
    return found


def _answer_open(result: list[Message], open_calls: list[Block]) -> None:
    if open_calls:
        _add(result, "user", [_result(call, None) for call in open_calls])
        open_calls.clear()


def _add(result: list[Message], role: str, content: list[Block]) -> None:
    if result and result[-1]["role"] == role:
        merged = [*result[-1]["content"], *content]
        if role == "user":  # results stand before other blocks
            merged.sort(key=lambda block: block["type"] != "tool_result")
        result[-1] = {"role": role, "content": merged}
    else:
        result.append({"role": role, "content": list(content)})
