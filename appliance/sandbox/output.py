"""Output as it comes: Docker's frames taken apart, a bounded share kept, and the mark that says how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field

KEEP = 512 * 1024  # bytes kept of each stream
_HEAD = KEEP // 2
FLOOD = 512 * 1024 * 1024  # bytes of output after which a command is ended
_FRAME = 8  # bytes: stream number, three of padding, a big-endian length


@dataclass(slots=True)
class Kept:
    """The first and the last of a stream, never more than KEEP bytes (and a slack of as much while it grows)."""

    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes | memoryview) -> None:
        """Take in what came next."""
        self.total += len(data)
        room = KEEP - len(self._head)
        if not self._tail and len(data) <= room:
            self._head += data
            return
        if not self._tail and room:
            self._head += data[:room]
            data = data[room:]
        self._tail += data[-KEEP:]
        if len(self._tail) > KEEP:
            del self._tail[:-_HEAD]

    @property
    def cut(self) -> bool:
        return self.total > KEEP

    def parts(self) -> tuple[bytes, bytes]:
        """The beginning and the end; the second is empty when nothing was left out."""
        if not self.cut:
            return bytes(self._head), b""
        tail = (self._head[_HEAD:] + self._tail)[-_HEAD:]
        return bytes(self._head[:_HEAD]), bytes(tail)


class Stream:
    """One stream of a command, up to the mark behind its end.

    The mark is `marker` and three digits. Whatever else the command writes, it cannot know the marker, and what its
    children write behind the mark is not its output.
    """

    def __init__(self, marker: bytes) -> None:
        self.kept = Kept()
        self.code: int | None = None
        self._marker = marker
        self._size = len(marker) + 3
        self._pending = b""

    @property
    def ended(self) -> bool:
        return self.code is not None

    def feed(self, data: bytes | memoryview) -> None:
        """Take in what came next; after the mark everything is ignored."""
        if self.ended:
            return
        joined = self._pending + bytes(data) if self._pending else bytes(data)
        at = joined.find(self._marker)
        if at >= 0 and len(joined) >= at + self._size:
            digits = joined[at + len(self._marker) : at + self._size]
            self.code = int(digits) if digits.isdigit() else 255
            self.kept.add(joined[:at])
            self._pending = b""
            return
        hold = len(joined) - at if at >= 0 else _overlap(joined, self._marker)
        end = len(joined) - hold
        self.kept.add(joined[:end])
        self._pending = joined[end:]

    def finish(self) -> None:
        """No more will come: what looked like the beginning of a mark was output."""
        if self._pending:
            self.kept.add(self._pending)
            self._pending = b""


def _overlap(data: bytes, marker: bytes) -> int:
    """How many bytes at the end of `data` could be the beginning of `marker`."""
    for size in range(min(len(data), len(marker) - 1), 0, -1):
        if data.endswith(marker[:size]):
            return size
    return 0


class Frames:
    """Docker's multiplexed stream: feed bytes, get (stream number, data); 1 is stdout, 2 is stderr."""

    def __init__(self) -> None:
        self._header = b""
        self._left = 0
        self._number = 0

    def feed(self, data: bytes) -> list[tuple[int, memoryview]]:
        """Return the pieces in `data`, in order; a frame may come in many pieces."""
        found: list[tuple[int, memoryview]] = []
        view = memoryview(data)
        while view:
            if self._left:
                piece, view = view[: self._left], view[self._left :]
                self._left -= len(piece)
                found.append((self._number, piece))
                continue
            need = _FRAME - len(self._header)
            self._header += bytes(view[:need])
            view = view[need:]
            if len(self._header) == _FRAME:
                self._number = self._header[0]
                self._left = int.from_bytes(self._header[4:], "big")
                self._header = b""
        return found
