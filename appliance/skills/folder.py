"""The files of a skill, read whole and from descriptors: no link is followed, nothing outside can be named.

What is hashed is what is kept: the bytes that the agent reads later are the very ones the hash was made of.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from appliance.skills.manifest import LONGEST_NAME, NAME, SkillFormatError

MOST_SKILLS = 200
MOST_FILES = 40
MOST_BYTES = 512 * 1024
_DEEPEST = 3
_AGENT = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_FILE_NAME = re.compile(r"[\w][\w .+-]{0,99}")  # letters of any script, digits, and what file names are made of
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
Stamp = tuple[tuple[str, int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """The bytes of every file by its path in the folder, and one hash over names and bytes of all."""

    files: dict[str, bytes]
    digest: str


def workspaces(state: Path) -> dict[str, Path]:
    """Given STATE, return the folder of skills of every agent, by the agents' names, the main one first."""
    try:
        names = sorted(entry.name for entry in os.scandir(state / "agents") if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        names = []
    known = [name for name in names if name != "main" and _AGENT.fullmatch(name)]
    return {name: state / "agents" / name / "files" / "skills" for name in ("main", *known)}


def skill_folders(root: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Names of the folders in a place, and (name, reason) of what cannot be one. A missing place is empty.

    The place itself may not be a link. Raises SkillFormatError when it cannot be read.
    """
    try:
        fd = os.open(root, _FOLDER)
    except FileNotFoundError:
        return [], []
    except OSError as error:
        raise SkillFormatError(_reason(error, str(root.name)), file="") from None
    good: list[str] = []
    bad: list[tuple[str, str]] = []
    try:
        with os.scandir(fd) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.name.startswith(".") or entry.is_file(follow_symlinks=False):
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    bad.append((ascii(entry.name), "It is a link or no folder; links are not followed."))
                elif NAME.fullmatch(entry.name) is None or len(entry.name) > LONGEST_NAME:
                    bad.append((ascii(entry.name), "A folder's name is small letters, digits and single hyphens."))
                elif len(good) == MOST_SKILLS:
                    bad.append((entry.name, f"Only the first {MOST_SKILLS} skills of a place are read."))
                else:
                    good.append(entry.name)
    finally:
        os.close(fd)
    return good, bad


def stamp(root: Path, name: str) -> Stamp:
    """What changes when any file of a skill does. Raises SkillFormatError."""
    found: list[tuple[str, int, int, int, int]] = []
    for path, fd in _walk(root, name):
        status = os.fstat(fd)
        # The change time cannot be set back by whoever may write the file.
        found.append((path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return tuple(found)


def contents(root: Path, name: str, *, shipped: bool = False) -> Contents:
    """Every file of a skill. Raises SkillFormatError for links, pipes, second names, and for too much.

    `shipped`: installers may give our own files a second name.
    """
    files: dict[str, bytes] = {}
    room = MOST_BYTES
    for path, fd in _walk(root, name):
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or (status.st_nlink > 1 and not shipped):
            raise SkillFormatError("It is no plain file of one name.", file=path)
        data = _read(fd, room + 1)
        room -= len(data)
        if room < 0:
            raise SkillFormatError(f"The skill is larger than {MOST_BYTES // 1024} KiB.", file=path)
        files[path] = data
    if "SKILL.md" not in files:
        raise SkillFormatError("There is no SKILL.md in the folder.")
    whole = hashlib.sha256()
    for path in sorted(files):
        whole.update(f"{len(path.encode())}:{path}:{len(files[path])}:".encode() + files[path])
    return Contents(files, whole.hexdigest())


def _walk(root: Path, name: str) -> Iterator[tuple[str, int]]:
    """(path, descriptor) of every file of a skill in a fixed order; a descriptor lives until the next step."""
    try:
        top = os.open(root, _FOLDER)
        try:
            fd = os.open(name, _FOLDER, dir_fd=top)
        finally:
            os.close(top)
    except OSError as error:
        raise SkillFormatError(_reason(error, name), file="") from None
    try:
        for count, found in enumerate(_files(fd, "", 0)):
            if count == MOST_FILES:
                raise SkillFormatError(f"It has more than {MOST_FILES} files.", file="")
            yield found
    finally:
        os.close(fd)


def _files(folder: int, prefix: str, depth: int) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as entries:
        found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    for name, is_folder in found:
        if _FILE_NAME.fullmatch(name) is None:
            raise SkillFormatError("The name has characters that are not allowed here.", file=ascii(prefix + name))
        if is_folder and depth == _DEEPEST:
            raise SkillFormatError("The folders are nested too deep.", file=prefix + name)
        flags = _FOLDER if is_folder else os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            fd = os.open(name, flags, dir_fd=folder)
        except OSError as error:
            raise SkillFormatError(_reason(error, name), file=prefix + name) from None
        try:
            if is_folder:
                yield from _files(fd, f"{prefix}{name}/", depth + 1)
            else:
                yield prefix + name, fd
        finally:
            os.close(fd)


def _read(fd: int, most: int) -> bytes:
    """At most `most` bytes of a file, from its beginning."""
    pieces = []
    while most > 0:
        piece = os.read(fd, min(most, 65_536))
        if not piece:
            break
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _reason(error: OSError, name: str) -> str:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return f"{name} is a link or no folder; links are not followed."
    return f"{name} cannot be read: {error.strerror}."
