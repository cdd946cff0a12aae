"""`read`, `write`, `edit`: files of the work folder, through one resolver that cannot leave it.

The resolver walks folder by folder on directory descriptors and follows no link at all, so a link, or a folder swapped
for one between check and use, is refused rather than followed. Files with a second name (hard links), pipes, devices
and sockets are refused too.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from appliance.crash_points import crash_point
from appliance.errors import ToolError
from appliance.messages import Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.tools.base import ToolContext, ToolResult, may_use_house

WORKSPACE = "/workspace"
_LARGEST = 4 * 1024 * 1024
_PAGE_LINES = 400
# What came from elsewhere, and skills: those the owner said yes to are read with `skill`.
_OUTSIDE_FOLDERS = ("inbox", "downloads", "skills")
_DEPTH = 64


def parts_of(path: str) -> list[str]:
    """Given a path as a model writes it, return its parts below the work folder. Raises ToolError."""
    if not path or len(path) > 1000:
        raise ToolError("The path is empty or too long.")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Cf", "Zl", "Zp") for c in path) or "\\" in path:
        raise ToolError("The path has characters that are not allowed in file names here.")
    relative = path
    if path.startswith("/"):
        if path != WORKSPACE and not path.startswith(WORKSPACE + "/"):
            raise ToolError(f"{path} is outside the work folder; paths start at {WORKSPACE}.")
        relative = path[len(WORKSPACE) :]
    parts = [p for p in unicodedata.normalize("NFC", relative).split("/") if p not in ("", ".")]
    for part in parts:
        lowered = part.lower()
        if part.startswith(("..", "~")) or "%2e" in lowered or "%2f" in lowered or "%c0" in lowered:
            raise ToolError(f"{part!r} is not allowed in a path; name the file itself.")
        if part.endswith((".", " ")) or len(part.encode()) > 255:
            raise ToolError(f"{part!r} is not a usable file name.")
    if len(parts) > _DEPTH:
        raise ToolError("The path is too deep.")
    return parts


@contextmanager
def _folder(root: Path, parts: list[str], path: str, *, create: bool) -> Iterator[int]:
    """A descriptor of the folder that `parts` name, no link followed on the way; `path` is for the error's text."""
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=fd)
                    if os.geteuid() == 0:
                        owner = os.fstat(fd)
                        os.chown(part, owner.st_uid, owner.st_gid, dir_fd=fd, follow_symlinks=False)
            following = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            os.close(fd)
            fd = following
        yield fd
    except OSError as error:
        raise _explain(error, path) from None
    finally:
        os.close(fd)


def _explain(error: OSError, name: str) -> ToolError:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return ToolError(f"{name}: a link or a file stands where a folder should be; links are not followed.")
    if error.errno == errno.ENOENT:
        return ToolError(f"{name} does not exist.")
    if error.errno == errno.ENOSPC:
        return ToolError("The disk is full; nothing was changed.")
    return ToolError(f"{name}: {error.strerror}.")


def _check(fd: int, name: str) -> os.stat_result:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"{name} is not a regular file.")
    if status.st_nlink > 1:
        raise ToolError(f"{name} has a second name (hard link) and is not touched.")
    return status


def read_file(root: Path, path: str, *, largest: int = _LARGEST) -> bytes:
    """The content of a file of the work folder, of at most `largest` bytes. Raises ToolError."""
    *folders, name = parts_of(path) or [""]
    if not name:
        raise ToolError("Name a file, not the work folder.")
    with _folder(root, folders, path, create=False) as folder:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            status = _check(fd, path)
            if status.st_size > largest:
                raise ToolError(f"{path} has {status.st_size:,} bytes; read it in parts with exec (head, tail, grep).")
            with os.fdopen(os.dup(fd), "rb") as file:
                return file.read(largest + 1)
        finally:
            os.close(fd)


def list_folder(root: Path, path: str) -> list[str]:
    """Names in a folder of the work folder, folders with a slash. Raises ToolError."""
    with _folder(root, parts_of(path), path, create=False) as folder, os.scandir(folder) as entries:
        return sorted(e.name + ("/" if e.is_dir(follow_symlinks=False) else "") for e in entries)


def write_file(root: Path, path: str, data: bytes) -> bool:
    """Replace or create a file, old or new and never half; True when it is new. Raises ToolError."""
    *folders, name = parts_of(path) or [""]
    if not name:
        raise ToolError("Name a file, not the work folder.")
    with _folder(root, folders, path, create=True) as folder:
        fresh = _may_replace(folder, name, path)
        temporary = f".{secrets.token_hex(6)}.tmp"
        fd = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=folder
        )
        try:
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(data)
                    file.flush()
                    _give_to_owner_of(folder, file.fileno())
                    os.fsync(file.fileno())
                crash_point("file-written")
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.unlink(temporary, dir_fd=folder)
                raise
        finally:
            os.fsync(folder)
        return fresh


def _give_to_owner_of(folder: int, fd: int) -> None:
    """As root: files belong to whom their folder belongs, so that commands, which are not root, can change them."""
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.fchown(fd, owner.st_uid, owner.st_gid)


def _may_replace(folder: int, name: str, path: str) -> bool:
    """True when there is no such file yet. Raises ToolError for anything but a plain file of one name."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return True
    try:
        _check(fd, path)
    finally:
        os.close(fd)
    return False


class _FileTool:
    def available(self, session: SessionKey, person: Person) -> bool:
        return may_use_house(session, person)


_PATH = {"type": "string"}


class Read(_FileTool):
    """`read{path, from?, lines?}`: text of a file with the line it starts at, or the names in a folder."""

    spec = ToolSpec(
        "read",
        "Read a text file, or list a folder, of /workspace.",
        {
            "type": "object",
            "properties": {"path": _PATH, "from": {"type": "integer"}, "lines": {"type": "integer"}},
            "required": ["path"],
        },
    )

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        path = arguments["path"]
        parts = parts_of(path)
        target = context.files.joinpath(*parts)
        if not parts or (target.is_dir() and not target.is_symlink()):
            return ToolResult("\n".join(list_folder(context.files, path)) or "(empty folder)")
        raw = read_file(context.files, path)
        if b"\0" in raw[:8192]:
            raise ToolError(f"{path} is not text ({len(raw):,} bytes).")
        lines = raw.decode("utf-8", errors="replace").splitlines()
        start = max(1, int(arguments.get("from", 1)))
        count = max(1, min(int(arguments.get("lines", _PAGE_LINES)), 5_000))
        page = lines[start - 1 : start - 1 + count]
        end = start - 1 + len(page)
        more = f"\n[lines {start}-{end} of {len(lines)}]" if len(page) < len(lines) else ""
        source = Source.OUTSIDE if parts[0] in _OUTSIDE_FOLDERS else Source.OWN
        return ToolResult("\n".join(page) + more, source=source, origin=path)


class Write(_FileTool):
    """`write{path, text}`: a whole file."""

    spec = ToolSpec(
        "write",
        "Create or replace a file of /workspace.",
        {"type": "object", "properties": {"path": _PATH, "text": {"type": "string"}}, "required": ["path", "text"]},
    )

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        data = arguments["text"].encode("utf-8", errors="replace")
        if len(data) > _LARGEST:
            raise ToolError(f"{len(data):,} bytes are too many for one write; the limit is {_LARGEST:,}.")
        fresh = write_file(context.files, arguments["path"], data)
        return ToolResult(f"{'Created' if fresh else 'Replaced'} {arguments['path']} ({len(data):,} bytes).")


class Edit(_FileTool):
    """`edit{path, old, new}`: replace one exact, unique piece of a file."""

    spec = ToolSpec(
        "edit",
        "Replace one exact, unique text in a file of /workspace.",
        {
            "type": "object",
            "properties": {"path": _PATH, "old": {"type": "string"}, "new": {"type": "string"}},
            "required": ["path", "old", "new"],
        },
    )

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        path, old, new = arguments["path"], arguments["old"], arguments["new"]
        if not old:
            raise ToolError("`old` is empty; use write for a new file.")
        text = read_file(context.files, path).decode("utf-8", errors="surrogateescape")
        count = text.count(old)
        if count != 1:
            what = "is not in" if count == 0 else f"stands {count} times in"
            raise ToolError(f"`old` {what} {path}; give text that stands there exactly once.")
        write_file(context.files, path, text.replace(old, new).encode("utf-8", errors="surrogateescape"))
        return ToolResult(f"Edited {path}.")
