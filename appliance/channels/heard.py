"""What a platform's message means for us, whatever the platform: plain values that a channel's `updates` makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from appliance.messages import InboundKind, Source

QUOTE_CHARS = 1000  # what of an answered message is kept


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file to fetch; `ref` is the platform's id or address of it. `size` is what the sender says, good only for
    refusing early."""

    ref: str
    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True)
class Heard:
    """One thing that was said, edited or pressed. A name or a title never decides anything; ids do.

    `addressed`: it is meant for the bot (always so in private). `source`: worse than the owner's where the words are
    not the sender's own. `token` is what the platform wants back when it is told that a press was seen.
    """

    kind: InboundKind
    id: str
    chat: int | str
    private: bool
    user: str
    name: str
    text: str
    at: float
    place: dict[str, Any]
    language: str = ""
    addressed: bool = True
    source: Source = Source.OWNER
    files: tuple[FileRef, ...] = ()
    reply_to: str | None = None
    quoted: str = ""
    token: str = ""
    together: str = ""
