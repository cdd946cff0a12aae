"""How large a picture is, from its first bytes alone."""

from __future__ import annotations

import struct

HEAD_BYTES = 64 * 1024  # what of a file is looked at
MAX_PIXELS = 50_000_000  # a larger picture is never decoded


def pixel_size(head: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, JPEG or WebP from its first bytes, without decoding it; None when not found."""
    try:
        if head.startswith(b"\x89PNG"):
            width, height = struct.unpack(">II", head[16:24])
            return width, height
        if head.startswith(b"GIF8"):
            width, height = struct.unpack("<HH", head[6:10])
            return width, height
        if head.startswith(b"\xff\xd8"):
            return _jpeg_size(head)
        if head[8:12] == b"WEBP":
            return _webp_size(head)
    except (struct.error, IndexError):
        return None
    return None


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 < len(head):
        if head[place] != 0xFF:
            return None
        marker = head[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[place + 5 : place + 9])
            return width, height
        place += 2 + struct.unpack(">H", head[place + 2 : place + 4])[0]
    return None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    form = head[12:16]
    if form == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if form == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF)
    if form == b"VP8 ":
        width, height = struct.unpack("<HH", head[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None
