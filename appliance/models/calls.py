"""Tool calls as models make them, turned into blocks that can always be stored and answered."""

from __future__ import annotations

import json
from typing import Any

_RAW_KEPT = 2_000


def tool_use(call_id: str, name: str, raw: str, default: dict[str, Any]) -> dict[str, Any]:
    """A call as a block. Arguments that are not a JSON object become {} with the raw text under `invalid`."""
    block: dict[str, Any] = {"type": "tool_use", "id": call_id, "name": name, "input": default}
    if raw.strip():
        try:
            block["input"] = json.loads(raw)
        except ValueError:
            block.update(input={}, invalid=raw[:_RAW_KEPT])
        if not isinstance(block["input"], dict):
            block.update(input={}, invalid=raw[:_RAW_KEPT])
    return block


def unique_calls(content: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Drop a call that repeats another one whole; give another id to one that only shares the id."""
    seen: dict[str, dict[str, Any]] = {}
    kept: list[dict[str, Any]] = []
    for block in content:
        if block["type"] == "tool_use":
            if seen.get(block["id"]) == block:
                continue
            original, number = block["id"], 2
            while block["id"] in seen:
                block = {**block, "id": f"{original}_{number}"}
                number += 1
            seen[block["id"]] = block
        kept.append(block)
    return tuple(kept)
