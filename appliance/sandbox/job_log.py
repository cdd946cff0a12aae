"""The output of a background command on disk: its last few MiB, read by position from its beginning."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

_SEGMENT = 4 * 1024 * 1024  # bytes; the newest and the one before are kept


class JobLog:
    """Append (in one thread) and read (in another). Segment files are named after the position of their first byte."""

    def __init__(self, folder: Path, id: str) -> None:  # noqa: A002 - a job's id
        self._folder = folder
        self._id = id
        self._lock = threading.Lock()
        self._starts = sorted(int(path.suffix[1:]) for path in folder.glob(f"{id}.log.*"))
        self.total = 0
        if self._starts:
            self.total = self._starts[-1] + self._path(self._starts[-1]).stat().st_size

    @property
    def first(self) -> int:
        """The position of the first byte that is still there."""
        return self._starts[0] if self._starts else 0

    def _path(self, start: int) -> Path:
        return self._folder / f"{self._id}.log.{start}"

    @property
    def changed(self) -> float:
        """When the last byte was written, in Unix seconds; 0 before the first."""
        return self._path(self._starts[-1]).stat().st_mtime if self._starts else 0.0

    def logged_as_json(self) -> int:
        """The most bytes that this output can take in the engine's JSON log."""
        kept = self.read(self.first, 2 * _SEGMENT + 1)
        lines = kept.count(b"\n") + len(kept) // 16_384 + 1
        share = (6 * len(kept) + 128 * lines) / max(1, len(kept))
        return int(share * self.total)

    def add(self, data: bytes) -> None:
        """Append; when there are more than two segments the oldest goes."""
        if not data:
            return
        with self._lock:
            if not self._starts or self.total - self._starts[-1] >= _SEGMENT:
                self._starts.append(self.total)
                while len(self._starts) > 2:
                    self._path(self._starts.pop(0)).unlink(missing_ok=True)
            with self._path(self._starts[-1]).open("ab") as file:
                file.write(data)
            self.total += len(data)

    def read(self, start: int, limit: int) -> bytes:
        """At most `limit` bytes from position `start` on."""
        found = b""
        with self._lock:
            for begin in self._starts:
                path = self._path(begin)
                size = path.stat().st_size
                at = start + len(found)
                if begin <= at < begin + size and len(found) < limit:
                    with path.open("rb") as file:
                        file.seek(at - begin)
                        found += file.read(limit - len(found))
        return found

    def remove(self) -> None:
        for start in self._starts:
            with contextlib.suppress(OSError):
                self._path(start).unlink(missing_ok=True)
