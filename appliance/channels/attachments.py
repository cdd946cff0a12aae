"""Files that arrive: counted while they are read, typed by their content, written under the work folder.

Commands run over the same folder, so it is treated as hostile: every folder on the way is opened without following
links, and no file is ever written over another.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import unicodedata
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from appliance.channels.media import kind_of, media_type_of
from appliance.clock import Clock
from appliance.errors import TooLargeError
from appliance.messages import Attachment, Source
from appliance.models.picture_size import HEAD_BYTES, MAX_PIXELS, pixel_size

MAX_BYTES = 20 * 1024 * 1024  # what Telegram lets a bot download
_FOLDER = "inbox"
_NAME_BYTES = 100
_UNSAFE = re.compile(r"[^\w.\- ()+,@]+")


def safe_name(name: str, fallback: str = "file") -> str:
    """Given a name from outside, return one that is only a name: no folder, no leading dot or dash, no control
    character."""
    bare = unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    bare = re.sub(r"\s+", " ", _UNSAFE.sub("_", bare)).lstrip(" .-").rstrip(" .")
    stem, dot, suffix = bare.rpartition(".")
    if not dot or len(suffix.encode()) > 12:
        stem, suffix = bare, ""
    room = _NAME_BYTES - len(suffix) - 1
    stem = stem.encode()[:room].decode(errors="ignore").strip(" .") or fallback
    return f"{stem}.{suffix}" if suffix else stem


class AttachmentStore:
    """Give it the work folder (`STATE/agents/<id>/files`) and a clock."""

    def __init__(self, work_folder: Path, clock: Clock, *, max_bytes: int = MAX_BYTES) -> None:
        self._root = work_folder
        self._clock = clock
        self.max_bytes = max_bytes

    async def save(
        self, content: AsyncIterator[bytes], *, name: str, media_type: str = "", source: Source = Source.OWNER
    ) -> Attachment:
        """Read `content` to the end into `inbox/<day>/<name>`; return it once it is on disk.

        Raises TooLargeError as soon as more than the limit has been read, OSError when the disk will not take it;
        nothing is left behind then.
        """
        folder = await asyncio.to_thread(self._open_folder)
        temporary = f".{secrets.token_hex(8)}.part"
        try:
            size, head = await self._write(folder, temporary, content)
            found = media_type_of(head, media_type)
            final = await asyncio.to_thread(_publish, folder, temporary, safe_name(name))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        finally:
            os.close(folder)
        kind = kind_of(found)
        if kind == "image" and not _modest(head):
            kind = "document"
        day = self._day()
        return Attachment(kind, str(self._root / _FOLDER / day / final), found, size, name=final, source=source)

    async def _write(self, folder: int, temporary: str, content: AsyncIterator[bytes]) -> tuple[int, bytes]:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=folder)
        size, head = 0, b""
        try:
            async for chunk in content:
                size += len(chunk)
                if size > self.max_bytes:
                    raise TooLargeError(f"The file is larger than {self.max_bytes // (1024 * 1024)} MB.")
                if len(head) < HEAD_BYTES:
                    head += chunk[: HEAD_BYTES - len(head)]
                await asyncio.to_thread(_write_all, fd, chunk)
            await asyncio.to_thread(os.fsync, fd)
        finally:
            os.close(fd)
        return size, head

    def _day(self) -> str:
        return datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%d")

    def _open_folder(self) -> int:
        """A descriptor of today's folder, made when missing, reached without following links."""
        self._root.mkdir(parents=True, exist_ok=True)
        here = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
        for part in (_FOLDER, self._day()):
            try:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=here)
                    os.fsync(here)
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            finally:
                os.close(here)
            here = inner
        return here


def _write_all(fd: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(fd, view) :]


def _publish(folder: int, temporary: str, wanted: str) -> str:
    """Give the finished file its name, or the next free one; `link` never replaces a file."""
    stem, dot, suffix = wanted.rpartition(".")
    if not dot:
        stem, suffix = wanted, ""
    for number in range(1, 10_000):
        name = wanted if number == 1 else f"{stem}-{number}{dot}{suffix}"
        try:
            os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            continue
        os.unlink(temporary, dir_fd=folder)
        os.fsync(folder)
        return name
    raise FileExistsError(f"No free name for {wanted} in today's inbox.")


def _modest(head: bytes) -> bool:
    """Whether a picture says in its first bytes that it is of a size one may decode."""
    size = pixel_size(head)
    return size is not None and 0 < size[0] * size[1] <= MAX_PIXELS
