"""The folder of model files, and the record of what each one hashed to when it came."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from appliance.clock import SystemClock, iso
from appliance.local_models.catalogue import Entry
from appliance.local_models.progress import Percent, Progress, Stop, ignore
from appliance.storage import atomic_write, set_aside

READ_BLOCK = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a file in the folder. `trust`: the catalogue's published hash, or that of the first download."""

    file: str
    size: int
    sha256: str
    trust: Literal["published", "first use"]
    fetched_at: str


class Store:
    """STATE/models: files by catalogue name, their records in `models.json`, half-done downloads in `.incoming`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.incoming = folder / ".incoming"
        self._records = folder / "models.json"

    def path(self, entry: Entry) -> Path:
        """Where the file of `entry` lies or will lie; a user's own file keeps its place."""
        return self.folder / entry.file

    def present(self, entry: Entry) -> bool:
        """Whether every file of the model is here."""
        return all(map(self.has_file, entry.files))

    def has_file(self, entry: Entry) -> bool:
        """Whether the file of `entry` itself is here whole: recorded with its size, or the user's own."""
        path = self.path(entry)
        if Path(entry.file).is_absolute():
            return path.is_file()
        record = self.record(entry.name)
        if record is None or not path.exists():
            return False
        return path.is_dir() or path.stat().st_size == record.size

    def record(self, name: str) -> Record | None:
        """What is recorded of the model `name`, or None."""
        found = self._read().get(name)
        return Record(**found) if found else None

    def remember(self, entry: Entry, sha256: str, size: int) -> Record:
        """Record the file of `entry` as fetched now, durably; return the record."""
        trust: Literal["published", "first use"] = "published" if entry.sha256 else "first use"
        record = Record(entry.file, size, sha256, trust, iso(SystemClock().now()))
        records = self._read()
        records[entry.name] = asdict(record)
        atomic_write(self._records, json.dumps(records, indent=2, sort_keys=True) + "\n")
        return record

    def expected_hash(self, entry: Entry) -> str:
        """The hash that the fetched file must have: the published one, else that of the first download, else empty."""
        if entry.sha256:
            return entry.sha256
        record = self.record(entry.name)
        return record.sha256 if record else ""

    def set_aside(self, entry: Entry) -> Path:
        """Move a damaged file out of the way under a dated name; return where it is now."""
        stamp = iso(SystemClock().now()).replace(":", "").replace(".", "")
        return set_aside(self.path(entry), stamp)

    @contextlib.contextmanager
    def exclusive(self, name: str) -> Iterator[None]:
        """Hold the lock `name` of this folder: two processes never fetch or build the same thing at once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(self.folder / f".{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            found = json.loads(self._records.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:
            set_aside(self._records, iso(SystemClock().now()).replace(":", ""))
            return {}
        return found if isinstance(found, dict) else {}


def file_hash(path: Path, progress: Progress = ignore, stop: Stop | None = None) -> str:
    """Return the sha256 of a file; of a folder, that of its files' names and hashes in order."""
    digest = hashlib.sha256()
    if path.is_dir():
        for item in sorted(path.rglob("*")):
            if item.is_file() and "__pycache__" not in item.parts:
                digest.update(f"{item.relative_to(path)}\0{file_hash(item)}\n".encode())
        return digest.hexdigest()
    size = max(1, path.stat().st_size)
    percent = Percent(progress, "fetching")
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(READ_BLOCK):
            digest.update(block)
            done += len(block)
            percent.say(done, size, f"checking {path.name}")
            if stop is not None:
                stop.check()
    return digest.hexdigest()
