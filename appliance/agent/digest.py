"""What of a conversation must survive its summary, found by rules: identifiers and open asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.agent.transcript import Record
from appliance.agent.window import middle_cut

_IDENTIFIER = re.compile(
    r"https?://[^\s<>\"')\]]+"  # addresses
    r"|[\w.+-]+@[\w-]+\.[\w.]+"  # mail
    r"|(?:/[\w.-]+){2,}"  # paths
    r"|\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2})?\b"  # dates
    r"|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{3,}\b"  # nas-01, id-77, hashes
    r"|\b\d{4,}\b"  # codes and numbers
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b"  # addresses of machines
)
_MOST_IDENTIFIERS = 60
_LINE = 160


def plain_text(records: Sequence[Record], limit: int) -> str:
    """The conversation as lines for a summariser, tool results shortened, `limit` characters at most (newest kept)."""
    lines: list[str] = []
    for record in records:
        if record.get("type") == "marker":
            if record.get("summary"):
                lines.append(f"[earlier summary]\n{record['summary']}")
            continue
        for block in record["content"]:
            match block.get("type"):
                case "text":
                    who = "USER" if record["role"] == "user" else "AGENT"
                    lines.append(f"{who}: {block['text']}")
                case "tool_use":
                    lines.append(f"AGENT CALLS {block['name']}: {middle_cut(str(block['input']), 300)}")
                case "tool_result":
                    lines.append(f"RESULT: {middle_cut(str(block['content']), 600)}")
                case _:
                    pass
    text = "\n".join(lines)
    return text if len(text) <= limit else "[…]\n" + text[-limit:]


def identifiers(records: Sequence[Record], most: int = _MOST_IDENTIFIERS) -> list[str]:
    """Exact names, numbers, addresses and dates that people and the agent used, the latest kept when there are many."""
    found: dict[str, None] = {}
    for record in records:
        for text in _said(record):
            for match in _IDENTIFIER.findall(text):
                word = match.rstrip(".,;:")
                found.pop(word, None)
                found[word] = None
    return list(found)[-most:]


def open_asks(records: Sequence[Record]) -> list[str]:
    """What users wrote that no final answer of these records answers, or that ended in an error."""
    answered = {row for r in records if r.get("final") and not r.get("error") for row in r.get("rows", ())}
    return [
        middle_cut(" ".join(str(r.get("text", "")).split()), _LINE)
        for r in records
        if "rows" in r and r.get("role") == "user" and not set(r["rows"]) <= answered
    ]


def by_rules(records: Sequence[Record]) -> str:
    """A summary without a model: what users said, a line each, the newest sixty."""
    earlier = [str(r["summary"]) for r in records if r.get("type") == "marker" and r.get("summary")]
    said = [
        "- " + middle_cut(" ".join(str(r.get("text", "")).split()), _LINE)
        for r in records
        if r.get("role") == "user" and "rows" in r
    ]
    return "\n".join([*(middle_cut(e, 2_000) for e in earlier), "## What was said", *said[-60:]])


def has_talk(records: Sequence[Record]) -> bool:
    """True when somebody said something in these records; results and markers alone are not worth a model call."""
    return any(r.get("role") == "user" and "rows" in r and str(r.get("text", "")).strip() for r in records)


def _said(record: Record) -> list[str]:
    if record.get("type") == "marker":
        return [str(record.get("summary", ""))]
    if "rows" in record and record.get("text"):
        return [str(record["text"])]
    if record.get("role") == "assistant":
        return [b["text"] for b in record["content"] if b.get("type") == "text"]
    return []
