"""What kind of file something is, by its first bytes; what a sender claims counts only where content cannot tell."""

from __future__ import annotations

import re
from typing import Literal

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
)


def media_type_of(head: bytes, claimed: str) -> str:
    """Given the first bytes and what the sender claims, return the type; content wins for what it can show."""
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    base = claimed.partition(";")[0].strip().lower()
    if base.startswith("image/") or not re.fullmatch(r"[a-z0-9.+-]+/[a-z0-9.+-]+", base):
        return "application/octet-stream"  # says image, is none that we know
    return base


def kind_of(media_type: str) -> Literal["image", "document", "audio", "video", "other"]:
    """The attachment's kind by its media type."""
    top = media_type.partition("/")[0]
    if top == "image":
        return "image"
    if top == "audio":
        return "audio"
    if top == "video":
        return "video"
    return "document" if top in ("text", "application") and media_type != "application/octet-stream" else "other"
