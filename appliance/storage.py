"""Files that are old or new, never half: atomic write, durable append, the lock on STATE."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from appliance.errors import StateError


def fsync_folder(folder: Path) -> None:
    """Make a rename or a creation in `folder` survive a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def atomic_write(path: Path, data: bytes | str, *, mode: int = 0o644) -> None:
    """Write a whole file: temporary file beside it, fsync, rename, fsync of the folder.

    A reader sees the old content or the new, whenever the power goes. Raises OSError and leaves the old file.
    """
    raw = data.encode() if isinstance(data, str) else data
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.{secrets.token_hex(6)}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        try:
            view = memoryview(raw)
            while view:
                view = view[os.write(fd, view) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    fsync_folder(path.parent)


def sweep_temporaries(folder: Path) -> int:
    """Remove what a kill left of `atomic_write` in `folder`; return how many."""
    count = 0
    for leftover in folder.glob(".*.tmp"):
        leftover.unlink(missing_ok=True)
        count += 1
    return count


def set_aside(path: Path, stamp: str) -> Path:
    """Rename a damaged file to `<name>.damaged-<stamp>`; never delete it. Returns the new path."""
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    path.rename(target)
    fsync_folder(path.parent)
    return target


def lines_from_end(path: Path, *, chunk: int = 1 << 20) -> Iterator[bytes]:
    """The lines of a file without their newlines, the last one first, read as far as they are asked for.

    A file that ends with a newline begins with an empty line here.
    """
    with path.open("rb") as file:
        at = file.seek(0, os.SEEK_END)
        rest = b""
        while at:
            size = min(chunk, at)
            at -= size
            file.seek(at)
            first, *lines = (file.read(size) + rest).split(b"\n")
            yield from reversed(lines)
            rest = first
        yield rest


class StateLock:
    """One process owns STATE. The lock dies with the process, so a stale one cannot exist."""

    def __init__(self, state: Path) -> None:
        self._path = state / "lock"
        self._fd: int | None = None

    def acquire(self) -> None:
        """Take the lock; raise StateError with the owner's pid when another process has it."""
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.read(fd, 32).decode(errors="replace").strip() or "unknown"
            os.close(fd)
            if error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN):
                raise
            raise StateError(
                f"Another appliance (process {owner}) already uses {self._path.parent}.",
                fix="Stop it first, or start this one with another APPLIANCE_STATE_DIR and port.",
            ) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._fd = fd

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def prepare_state(state: Path) -> None:
    """Create STATE (0700) and check that it can be written; raise StateError with the exact fix."""
    uid, gid = os.getuid(), os.getgid()
    there = next(folder for folder in (state, *state.parents) if folder.exists())
    fix = f"Run: sudo chown {'-R ' if there == state else ''}{uid}:{gid} {there}"
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        (state / "config").mkdir(exist_ok=True, mode=0o700)
        probe = state / f".probe-{secrets.token_hex(4)}"
        probe.write_bytes(b"")
        probe.unlink()
    except FileExistsError:
        raise StateError(f"{state} exists and is not a folder.", fix="Choose another APPLIANCE_STATE_DIR.") from None
    except PermissionError:
        raise StateError(f"The state folder {state} is not writable for user {uid}.", fix=fix) from None
    except OSError as error:
        raise StateError(f"The state folder {state} cannot be used: {error.strerror}.", fix=fix) from error
