"""A work folder as a tar file, for an engine that cannot see it, and what such an engine gives back taken apart.

Ordinary files and folders only: links and special files stay where they are on the way out, and are refused on the
way in, because what comes back was written by a command.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from appliance.errors import SandboxError
from appliance.sandbox.template import REMOTE_USER

MOST_ENTRIES = 20_000
TOO_MUCH_BACK = "What the command left in its work folder is too much to copy back (exec.copy_mb)."
_LONGEST_NAME = 1_024  # bytes of a path below the work folder
_PIECE = 1024 * 1024


@dataclass(slots=True)
class Sent:
    """What went out: the digest of every file, and every folder. `left_out` are the links and special files."""

    files: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Came:
    """A file that came back: where it lies in the stage, its digest, whether it can be run, its time of change."""

    staged: str
    digest: str
    runnable: bool
    changed: float


@dataclass(slots=True)
class Back:
    """What came back. `refused` are links, special files and names that may not be."""

    files: dict[str, Came] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)


class _Hashing(io.RawIOBase):
    """A file of a fixed length as it is read, with its digest. Raises SandboxError when it gets shorter meanwhile."""

    def __init__(self, fd: int, name: str, size: int) -> None:
        self._fd = fd
        self._name = name
        self._left = size
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = os.read(self._fd, min(self._left, _PIECE if size < 0 else size))
        if not data and self._left:
            raise SandboxError(f"{self._name} changed while it was copied to the engine.", fix="Try again.")
        self._left -= len(data)
        self.digest.update(data)
        return data


def pack(folder: Path, file: IO[bytes], limit: int) -> Sent:
    """Write the folder to `file` as a tar file and return what is in it.

    Raises SandboxError when it is more than `limit` bytes or MOST_ENTRIES entries, so that nothing was sent.
    """
    sent = Sent()
    total = 0
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as archive:
        for root, folders, names, fd in os.fwalk(folder, follow_symlinks=False):
            inside = os.path.relpath(root, folder)
            for name in sorted([*folders, *names]):
                path = name if inside == "." else f"{inside}/{name}"
                status = os.stat(name, dir_fd=fd, follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    _add_folder(archive, path, status)
                    sent.folders.add(path)
                elif stat.S_ISREG(status.st_mode):
                    total += status.st_size
                    if total > limit:
                        raise _too_much(f"{limit >> 20} MiB")
                    sent.files[path] = _add_file(archive, path, name, fd)
                else:
                    sent.left_out.append(path)
                if len(sent.files) + len(sent.folders) > MOST_ENTRIES:
                    raise _too_much(f"{MOST_ENTRIES:,} files")
    return sent


def _too_much(limit: str) -> SandboxError:
    return SandboxError(
        f"The work folder is too large for a Docker engine on another machine: it is copied there, at most {limit}.",
        fix="Remove what is not needed, or raise exec.copy_mb.",
    )


def _add_folder(archive: tarfile.TarFile, path: str, status: os.stat_result) -> None:
    entry = _entry(path, status)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
    archive.addfile(entry)


def _add_file(archive: tarfile.TarFile, path: str, name: str, folder: int) -> str:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        raise SandboxError(
            f"{path} of the work folder cannot be copied to the engine: {error.strerror}.", fix="Look at that file."
        ) from None
    try:
        status = os.fstat(fd)
        entry = _entry(path, status)
        entry.size, entry.mode = status.st_size, 0o755 if status.st_mode & 0o100 else 0o644
        content = _Hashing(fd, path, status.st_size)
        archive.addfile(entry, content)
        return _digest(content.digest.hexdigest(), runnable=bool(status.st_mode & 0o100))
    finally:
        os.close(fd)


def _entry(path: str, status: os.stat_result) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    user, _, group = REMOTE_USER.partition(":")
    entry.uid, entry.gid, entry.mtime = int(user), int(group), int(status.st_mtime)
    return entry


def _digest(content: str, *, runnable: bool) -> str:
    """What tells two states of a file apart: its content and whether it can be run."""
    return f"{content}{'+x' if runnable else ''}"


def unpack(file: IO[bytes], stage: Path, limit: int) -> Back:
    """Take a tar file of a work folder apart into `stage`, under names of ours; raise SandboxError over the bounds."""
    back = Back()
    total = 0
    try:
        with tarfile.open(fileobj=file, mode="r:", encoding="utf-8") as archive:
            for number, entry in enumerate(archive):
                total += entry.size
                if number > 2 * MOST_ENTRIES or total > limit:
                    raise SandboxError(TOO_MUCH_BACK)
                path = _plain(entry.name)
                if path is None:
                    back.refused.append(entry.name)
                elif path == "":
                    continue
                elif entry.isdir():
                    back.folders.add(path)
                elif entry.islnk() and (first := _plain(entry.linkname)) in back.files:
                    back.files[path] = back.files[first]  # a second name of an ordinary file
                elif entry.isreg() and not entry.issparse():
                    back.files[path] = _stage(archive, entry, stage / str(number))
                else:
                    back.refused.append(path)
    except tarfile.TarError as error:
        raise SandboxError(f"What came back from the engine is not a tar file: {error}.") from None
    return back


def _plain(name: str) -> str | None:
    """A name in the archive as a path below the work folder; "" for the folder itself, None for what may not be."""
    parts = name.split("/")[1:]
    wrong = any(part in ("", ".", "..") for part in parts) or "\0" in name
    if wrong or name.startswith("/") or len(os.fsencode(name)) > _LONGEST_NAME:
        return None
    return "/".join(parts)


def _stage(archive: tarfile.TarFile, entry: tarfile.TarInfo, place: Path) -> Came:
    source = archive.extractfile(entry)
    digest = hashlib.sha256()
    with place.open("xb") as target:
        while source is not None and (data := source.read(_PIECE)):
            digest.update(data)
            target.write(data)
    runnable = bool(entry.mode & 0o100)
    return Came(str(place), _digest(digest.hexdigest(), runnable=runnable), runnable, float(entry.mtime))


def digest_of(fd: int) -> str:
    """The digest of an open file, as `pack` tells it."""
    digest = hashlib.sha256()
    while data := os.read(fd, _PIECE):
        digest.update(data)
    return _digest(digest.hexdigest(), runnable=bool(os.fstat(fd).st_mode & 0o100))
