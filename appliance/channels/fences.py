"""Cut Markdown that a platform renders itself into parts, closing a code fence at a cut and opening it again after."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from appliance.channels.splitting import utf16_length, whole_character

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(.*)")
_INFO_CHARS = 20  # what of a fence's first line is repeated; a language is shorter
_MARKER_CHARS = 10  # a longer fence is not taken for one: repeating it would fill the parts


@dataclass(slots=True)
class _Cutter:
    limit: int
    parts: list[str] = field(default_factory=list)
    text: str = ""
    size: int = 0
    marker: str = ""
    opening: str = ""
    fresh: bool = True  # the current part holds nothing but a fence that was opened again

    def line(self, line: str) -> None:
        """Take one line without its end; a line that fits no part is cut."""
        while True:
            room = self.limit - self._closing() - self.size - (1 if self.text else 0)
            if utf16_length(line) <= room:
                self._add(line)
                return
            if not self.fresh:
                self.flush()
                continue
            end = _cut(line, room)
            self._add(line[:end])
            line = line[end:] if self.marker else line[end:].lstrip(" ")
            self.flush()

    def flush(self) -> None:
        """End the current part, and begin the next one as the fence needs it."""
        if not self.fresh:
            body = f"{self.text}\n{self.marker}" if self.marker else self.text
            if body.strip():
                self.parts.append(body.strip("\n"))
        self.text, self.size, self.fresh = self.opening, utf16_length(self.opening), True

    def fence(self, marker: str, info: str) -> None:
        """A line that was just taken opens a fence."""
        words = info.split()
        self.marker = marker
        self.opening = marker + (words[0][:_INFO_CHARS] if words and words[0].isascii() else "")

    def unfence(self, line: str) -> None:
        """A line that closes the fence. The room for it was kept, so it stands in this part."""
        if self.fresh:  # nothing of the code is in this part: the one before was closed already
            self.text, self.size = "", 0
        else:
            self._add(line)
        self.marker = self.opening = ""

    def _closing(self) -> int:
        return len(self.marker) + 1 if self.marker else 0

    def _add(self, line: str) -> None:
        self.size += utf16_length(line) + (1 if self.text else 0)
        self.text = f"{self.text}\n{line}" if self.text else line
        self.fresh = self.fresh and not line


def _cut(line: str, room: int) -> int:
    """Where to cut a line of which `room` UTF-16 units fit: at a blank in the last half, else at a whole character."""
    end = size = 0
    while end < len(line) and size + (step := 2 if ord(line[end]) > 0xFFFF else 1) <= room:
        size += step
        end += 1
    blank = line.rfind(" ", end // 2, end)
    return blank if blank > 0 else max(1, whole_character(line, 0, end))


def split_fenced(text: str, limit: int) -> list[str]:
    """Given Markdown and the most UTF-16 units of a part, return the parts in order, none empty, each of whole fences.

    A fence that was never closed is closed. Blank text makes no part.
    """
    cutter = _Cutter(limit)
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line)
        marker, info = (found[1], found[2].strip()) if found else ("", "")
        if cutter.marker and marker.startswith(cutter.marker) and not info:
            cutter.unfence(cutter.marker)
        elif not cutter.marker and marker and len(marker) <= _MARKER_CHARS and not (marker[0] == "`" and "`" in info):
            if cutter.size + utf16_length(line) + 2 * len(marker) + 8 > limit:
                cutter.flush()
            first = cutter.fresh and line == line.strip() and len(info) <= _INFO_CHARS
            cutter.line(line)
            cutter.fence(marker, info)
            cutter.fresh = first  # a fence alone is not worth a part
        else:
            cutter.line(line)
    cutter.flush()
    return cutter.parts
