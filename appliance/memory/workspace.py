"""The files of one agent: who it is, whom it serves, and its day notes.

    agents/<id>/SOUL.md IDENTITY.md USER.md AGENTS.md TOOLS.md MEMORY.md HEARTBEAT.md   the owner edits these
    agents/<id>/memory/YYYY-MM-DD.md                                                    day notes, only ever appended to
    agents/<id>/files/                                                                  what commands see as /workspace

Guarantee: `append_day` returns when the lines are on disk, whole, whoever else appends at the same time, and nothing
that a day note held before is lost. Reading a file that has not changed costs one `stat`.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

from appliance.clock import day_of
from appliance.crash_points import crash_point
from appliance.errors import InputError, NotFoundError
from appliance.storage import atomic_write, fsync_folder, sweep_temporaries

BOOTSTRAP = ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "MEMORY.md", "HEARTBEAT.md")
# What only the owner's main session may see, in a prompt and in a search alike; day notes belong to it too.
PRIVATE = frozenset({"USER.md", "MEMORY.md"})
# What a file starts with when the caller has no template for it.
_PLAIN = {"MEMORY.md": "# Memory\n", "USER.md": "# The owner\n", "HEARTBEAT.md": ""}

TIERS = "tiers"  # under memory/: what tidying makes of older notes and conversations
_CREATED = ".created"


@dataclass(frozen=True, slots=True)
class _Cached:
    stamp: tuple[int, int, int]  # mtime in ns, size, inode: an edit changes at least one of them
    text: str


class Workspace:
    """Given `agents/<id>` and the owner's zone, read and extend that agent's files."""

    def __init__(self, folder: Path, zone: ZoneInfo) -> None:
        self.folder = folder
        self.zone = zone
        self.owners: frozenset[str] = frozenset()  # ids of people who are the owner now, whatever they were before
        self.notes = folder / "memory"
        self.tiers = self.notes / TIERS
        self.before_tidy = folder / "before-tidy"  # large files as they were
        self.files = folder / "files"
        self.sessions = folder / "sessions"
        self.edits = 0  # how often a file was found otherwise than with something added at its end
        self._cache: dict[Path, _Cached] = {}

    def create(self, templates: Mapping[str, str] | None = None) -> None:
        """Make the folders, and on the very first start good first versions of the bootstrap files.

        `templates` is text by file name. A file that the owner deleted later stays deleted. Raises OSError.
        """
        for folder in (self.folder, self.notes, self.files, self.sessions):
            folder.mkdir(parents=True, exist_ok=True)
        sweep_temporaries(self.folder)
        if (self.folder / _CREATED).exists():
            return
        for name in BOOTSTRAP:
            text = (templates or {}).get(name, _PLAIN.get(name))
            if text is not None and not (self.folder / name).exists():
                atomic_write(self.folder / name, text)
                crash_point("workspace-create")
        # Last, so that a start which was cut is finished by the next one.
        atomic_write(self.folder / _CREATED, "The first versions of the files here were made once.\n")

    def read(self, name: str) -> str:
        """The text of a bootstrap file, "" when there is none. Bytes that are not UTF-8 are shown as replacements.

        Raises InputError for a name that is not a bootstrap file.
        """
        if name not in BOOTSTRAP:
            raise InputError(f"{name} is not one of the agent's own files ({', '.join(BOOTSTRAP)}).")
        return self._text(self.folder / name)

    def write(self, name: str, text: str) -> None:
        """Replace a bootstrap file whole (old or new, never half). Raises InputError, OSError."""
        if name not in BOOTSTRAP:
            raise InputError(f"{name} is not one of the agent's own files ({', '.join(BOOTSTRAP)}).")
        atomic_write(self.folder / name, text)

    def day(self, at: float) -> date:
        """The owner's calendar day at `at` (Unix seconds)."""
        return day_of(at, self.zone)

    def day_path(self, day: date) -> Path:
        return self.notes / f"{day.isoformat()}.md"

    def read_day(self, day: date) -> str:
        """The note of a day, "" when there is none."""
        return self._text(self.day_path(day))

    def read_tier(self, name: str) -> str:
        """A file under memory/tiers/, "" when there is none."""
        return self._text(self.tiers / name)

    def days(self) -> list[date]:
        """Days that have a note, oldest first; files with other names are left alone."""
        found = []
        for path in self.notes.glob("????-??-??.md"):
            with contextlib.suppress(ValueError):
                found.append(date.fromisoformat(path.stem))
        return sorted(found)

    def append_day(self, text: str, at: float) -> Path:
        """Append `text` as whole lines to the note of the owner's day at `at`; return its path once it is on disk.

        The day is that of `at`, not of the moment of writing: a flush that runs over midnight stays in its own day.
        Raises OSError (disk full: nothing of the text is kept, the note is as before).
        """
        day = self.day(at)
        path = self.day_path(day)
        body = text.strip("\n")
        if body:
            self.notes.mkdir(parents=True, exist_ok=True)
            append_lines(path, body, heading=f"# {day.isoformat()}")
        return path

    async def append_day_async(self, text: str, at: float) -> Path:
        """The same without holding up the event loop while the disk works."""
        return await asyncio.to_thread(self.append_day, text, at)

    def resolve(self, name: str) -> Path:
        """Given a path as a search result shows it (`MEMORY.md`, `memory/2026-03-31.md`), return the file.

        Only bootstrap files and Markdown under memory/ can be named. Raises NotFoundError for everything else.
        """
        path = self.folder / name
        inside = name in BOOTSTRAP or (path.parent in (self.notes, self.tiers) and path.suffix == ".md")
        if not inside or ".." in Path(name).parts or not path.is_file() or path.is_symlink():
            raise NotFoundError(f"There is no memory file {name!r}.", fix="Use a path that memory_search returned.")
        return path

    def _text(self, path: Path) -> str:
        try:
            status = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self.edits += self._cache.pop(path, None) is not None
            return ""
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        held = self._cache.get(path)
        if held is None or held.stamp != stamp:
            text = path.read_text(encoding="utf-8", errors="replace")
            self.edits += held is not None and not text.startswith(held.text)
            held = self._cache[path] = _Cached(stamp, text)
        return held.text


def append_lines(path: Path, text: str, *, heading: str = "") -> None:
    """Append whole lines under a lock, on disk when this returns; start a new file with `heading`.

    A last line that a kill cut short is closed first, so that nothing is glued to it. Raises OSError; what was
    written of this text is then taken back.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        with _locked(fd):
            size = os.fstat(fd).st_size
            head = f"{heading}\n\n" if size == 0 and heading else ""
            if size and os.pread(fd, 1, size - 1) != b"\n":
                head = "\n"
            crash_point("append-before")
            try:
                view = memoryview(f"{head}{text.rstrip(chr(10))}\n".encode(errors="replace"))
                while view:
                    view = view[os.write(fd, view) :]
            except OSError:
                os.ftruncate(fd, size)
                raise
            crash_point("append-written")
            os.fdatasync(fd)
            if size == 0:
                fsync_folder(path.parent)
    finally:
        os.close(fd)


@contextlib.contextmanager
def _locked(fd: int) -> Iterator[None]:
    """An exclusive lock between threads and processes; it dies with the descriptor."""
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)
