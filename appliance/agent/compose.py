"""What a turn writes: the record of what was said to it, and the record of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from appliance.agent.loop import Said
from appliance.agent.transcript import Record
from appliance.errors import ApplianceError, BudgetExceededError, ModelError, ModelFault
from appliance.messages import Attachment, Block, Received, Role, Source, Usage
from appliance.models.resolver import ChainError
from appliance.observability.redaction import redact
from appliance.settings import AgentSettings
from appliance.spending.calls import raise_command
from appliance.texts import say
from appliance.texts.sentences import in_language, told
from appliance.trust import clean, new_marker, worst, wrap


def user_record(received: Sequence[Received], zone: ZoneInfo) -> Record:
    """Given messages that are read together, return their record: a context line, their text, their files.

    Text of people who are not the owner is outside text: cleaned and wrapped.
    """
    inbounds = [r.inbound for r in received]
    source = worst([i.source for i in inbounds] + [a.source for i in inbounds for a in i.attachments])
    content: list[Block] = []
    lines: list[str] = []
    marker = new_marker()
    for inbound in inbounds:
        lines.append(_context_line(inbound.at, inbound.channel, inbound.person.name, inbound.person.role, zone))
        text = clean(inbound.text)
        if inbound.source is Source.OUTSIDE and text:
            text = wrap(text, marker, f"{inbound.person.role} {inbound.person.name}".strip())
        quoted = str(inbound.options.get("quoted") or "")
        if quoted:  # what is quoted may be anybody's: it informs, and it is not what the person says
            lines.append(wrap(quoted, marker, "quoted message"))
        lines.append(text)
        lines.extend(_file_line(a) for a in inbound.attachments)
        content.extend(
            {"type": "image", "media_type": a.media_type, "path": a.path}
            for a in inbound.attachments
            if a.kind == "image"
        )
    record: Record = {
        "role": "user",
        "content": [{"type": "text", "text": "\n".join(line for line in lines if line)}, *content],
        "rows": [r.row for r in received],
        "ids": [i.id for i in inbounds],
        "text": "\n".join(i.text for i in inbounds),
        "source": source,
        "person": inbounds[0].person.name or inbounds[0].person.id,
    }
    files = [{"name": a.name, "path": a.path, "size": a.size} for i in inbounds for a in i.attachments]
    if files:
        record["files"] = files
    return record


def _context_line(at: float, channel: str, name: str, role: Role, zone: ZoneInfo) -> str:
    when = datetime.fromtimestamp(at, zone).strftime("%Y-%m-%d %H:%M %a")
    who = "" if role is Role.OWNER else f", {clean(name)[:40] or 'someone'} ({role})"
    return f"[{when}, {channel}{who}]"


def _file_line(attachment: Attachment) -> str:
    name = clean(attachment.name).replace("\n", " ")[:120]
    return (
        f"[file: {name or attachment.path} · {attachment.media_type} · {attachment.size:,} bytes · {attachment.path}]"
    )


@dataclass(slots=True)
class AnswerText:
    """The answer of a turn while it comes together."""

    rows: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    text: str = ""
    earlier: list[str] = field(default_factory=list)
    pending: Said | None = None
    error: str = ""
    model: str = ""
    content: tuple[Block, ...] = ()
    usage: Usage = field(default_factory=Usage)
    total: Usage = field(default_factory=Usage)
    cost: int = 0
    last_cost: int = 0
    stop: str = ""

    def said(self, said: Said) -> None:
        """Take a model answer; the last one without tool calls is what is said in the end."""
        self.total += said.usage
        self.cost += said.cost
        self.last_cost, self.usage, self.stop = said.cost, said.usage, said.stop
        self.model = said.model or self.model
        self.content, self.pending = (), None
        if said.cut or any(b["type"] == "tool_use" for b in said.content):
            return
        self.content = said.content
        self.pending = said if said.content else None
        self.text = "".join(b["text"] for b in said.content if b["type"] == "text").strip()

    def keep(self) -> None:
        """More was asked before the turn ended: what was answered so far is part of the reply."""
        if self.text:
            self.earlier.append(self.text)
        self.text, self.content, self.pending = "", (), None

    def add_usage(self, record: Record) -> None:
        """Count an answer that an earlier life of this turn already has on disk."""
        if not record.get("final") and not any(b.get("type") == "tool_use" for b in record["content"]):
            text = "".join(b.get("text", "") for b in record["content"] if b.get("type") == "text").strip()
            if text and record.get("stop") != "stopped":
                self.earlier.append(text)
        usage = record.get("usage") or {}
        self.total += Usage(
            input=usage.get("input", 0),
            cache_read=usage.get("cache_read", 0),
            cache_write_5m=usage.get("cache_write", 0),
            output=usage.get("output", 0),
        )
        self.cost += record.get("cost", 0)
        self.model = record.get("model") or self.model

    def end(self, reason: str, detail: str, language: str, settings: AgentSettings) -> None:
        """Turn the loop's end into text when it is not an answer."""
        if reason == "answered":
            if detail == "max_tokens":
                self.text += "\n\n" + say("cut_at_output_limit", language)
            return
        values = {"steps": settings.max_steps, "seconds": int(settings.wall_seconds), "tool": detail}
        said = say(f"ended_{reason}", language, **values)
        self.error = reason
        self.text = f"{self.text}\n\n{said}".strip()

    def _whole(self) -> str:
        """What is said in the end: news of a fallback or a limit first, then everything that was answered."""
        news = [f"_{text}_" for text in dict.fromkeys(self.told)]
        return "\n\n".join(part for part in (*news, *self.earlier, self.text) if part)

    def failed(self, error: ApplianceError, language: str) -> None:
        self.error = error.kind if isinstance(error, ModelError) else type(error).__name__
        self.content = ()
        self.text = redact(refusal_text(error, language))  # it may quote what the provider said

    def stopped(self, text: str) -> None:
        self.error, self.text, self.content = "stopped", text, ()

    def record(self) -> Record:
        """The final record: what was said, whom it answers, what it cost."""
        record: dict[str, Any] = {
            "role": "assistant",
            "content": list(self.content),
            "final": True,
            "rows": self.rows,
            "in_reply_to": self.ids,
            "text": self._whole(),
            "model": self.model,
            "usage": self.usage.as_json(),
            "cost": self.last_cost if self.content else 0,
            "total_usage": self.total.as_json(),
            "total_cost": self.cost,
        }
        if self.error:
            record["error"] = self.error
        if self.told:
            record["told"] = self.told
        if self.attachments:
            record["attachments"] = [
                {"kind": a.kind, "path": a.path, "media_type": a.media_type, "size": a.size, "name": a.name}
                for a in self.attachments
            ]
        return record


def refusal_text(error: ApplianceError, language: str) -> str:
    """An error as a person reads it in chat: what happened, why, what to do."""
    if isinstance(error, BudgetExceededError):
        return say(
            "budget_stop", language, reason=in_language(error.what, language), command=raise_command(error.scope)
        )
    if isinstance(error, ModelError):
        key = "model_auth" if error.kind is ModelFault.AUTH else "model_failed"
        shown = partial(in_language, language=language)
        reason = error.reasons(shown) if isinstance(error, ChainError) else shown(error.what)
        return say(key, language, reason=reason, fix=shown(error.fix)).strip()
    return told(error, language)
