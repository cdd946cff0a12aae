"""What a command on another machine changed, brought into the work folder, over which the house went on working.

A file that is still as it was sent is replaced or deleted as the command left it. One that was changed here meanwhile
stays, and the command's goes beside it under a name that says so. No link is followed on the way. What is replaced or
deleted is looked at once more after it was taken away, so that an edit in that very moment is not lost either.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
import stat
from pathlib import Path

from appliance.sandbox.copying import Back, Came, Sent, digest_of

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_SHOWN = 5
_EXCHANGE = 2  # renameat2's flag


def merge(folder: Path, sent: Sent, back: Back, tag: str) -> list[str]:
    """Bring `back` into `folder`, given what was `sent`; return what the caller should be told, mostly nothing.

    `tag` tells the copies of this command from those of others.
    """
    root = os.open(folder, _FOLDER)
    try:
        return _Merge(root, sent, tag).run(back)
    finally:
        os.close(root)


class _Merge:
    def __init__(self, root: int, sent: Sent, tag: str) -> None:
        self._root = root
        self._sent = sent
        self._tag = tag
        status = os.fstat(root)
        self._owner = (status.st_uid, status.st_gid)
        self._beside: list[str] = []
        self._kept: list[str] = []
        self._blocked: list[str] = []

    def run(self, back: Back) -> list[str]:
        for path in sorted(self._sent.files):
            if path not in back.files:
                self._delete(path)
        for path in sorted(self._sent.folders - back.folders, key=len, reverse=True):
            self._delete_folder(path)
        for path in sorted(back.folders):
            if path not in self._sent.folders:
                self._reach(path, (*path.split("/"),))
        for path, came in back.files.items():
            if self._sent.files.get(path) != came.digest:
                self._bring(path, came)
        return [
            *_say("changed here while the command ran; its version is in", self._beside),
            *_say("changed here while the command deleted it, so kept", self._kept),
            *_say("could not be brought back, because a link or another thing is in its place here", self._blocked),
            *_say("links and special files are not copied back", back.refused),
        ]

    def _reach(self, path: str, folders: tuple[str, ...]) -> int | None:
        """Open a folder below the root, made where it is missing; None when something else is in the way."""
        current = os.dup(self._root)
        for part in folders:
            try:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=current)
                    os.chown(part, *self._owner, dir_fd=current, follow_symlinks=False)
                following = os.open(part, _FOLDER, dir_fd=current)
            except OSError:
                self._blocked.append(path)
                os.close(current)
                return None
            os.close(current)
            current = following
        return current

    def _bring(self, path: str, came: Came) -> None:
        *folders, name = path.split("/")
        fd = self._reach(path, tuple(folders))
        if fd is None:
            return
        try:
            before = self._sent.files.get(path)
            fresh = self._place(fd, came)
            now = _state(fd, name)
            if now == came.digest:
                os.unlink(fresh, dir_fd=fd)
            elif now != before or not _put(fd, fresh, name, before):
                other = f"{name}.from-command-{self._tag}"
                os.rename(fresh, other, src_dir_fd=fd, dst_dir_fd=fd)
                self._beside.append("/".join([*folders, other]))
        finally:
            os.close(fd)

    def _place(self, folder: int, came: Came) -> str:
        """Write what came under a hidden name, whole, with the rights and the owner it will have."""
        fresh = f".{secrets.token_hex(8)}.new"
        mode = 0o755 if came.runnable else 0o644
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=folder)
        try:
            with os.fdopen(fd, "wb") as target, Path(came.staged).open("rb") as source:
                shutil.copyfileobj(source, target)
                target.flush()
                os.fchmod(target.fileno(), mode)
                os.fchown(target.fileno(), *self._owner)
                os.utime(target.fileno(), (came.changed, came.changed))
        except BaseException:
            os.unlink(fresh, dir_fd=folder)
            raise
        return fresh

    def _delete(self, path: str) -> None:
        *folders, name = path.split("/")
        fd = self._existing(folders)
        if fd is None:
            return
        try:
            sent = self._sent.files[path]
            now = _state(fd, name)
            if now is not None and (now != sent or not _take_away(fd, name, sent)):
                self._kept.append(path)
        finally:
            os.close(fd)

    def _delete_folder(self, path: str) -> None:
        *folders, name = path.split("/")
        fd = self._existing(folders)
        if fd is not None:
            with contextlib.suppress(OSError):  # gone already, or something of the house's is in it: it stays
                os.rmdir(name, dir_fd=fd)
            os.close(fd)

    def _existing(self, folders: list[str]) -> int | None:
        current = os.dup(self._root)
        for part in folders:
            try:
                following = os.open(part, _FOLDER, dir_fd=current)
            except OSError:
                return None
            finally:
                os.close(current)
            current = following
        return current


def _put(folder: int, fresh: str, name: str, before: str | None) -> bool:
    """Put a file in the place of one that is as it was `before` (None: of none); False when it is another by now."""
    if before is None:
        try:
            os.link(fresh, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError:  # a disk without hard links
            os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
            return True
        os.unlink(fresh, dir_fd=folder)
        return True
    if not _exchange(folder, fresh, name):
        os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        return True
    if _state(folder, fresh) == before:
        os.unlink(fresh, dir_fd=folder)
        return True
    _exchange(folder, fresh, name)
    return False


def _take_away(folder: int, name: str, sent: str) -> bool:
    """Delete a file that is as it was sent; False, and it stays, when it is another by now."""
    aside = f".{secrets.token_hex(8)}.old"
    os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
    if _state(folder, aside) == sent:
        os.unlink(aside, dir_fd=folder)
        return True
    os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
    return False


def _exchange(folder: int, first: str, second: str) -> bool:
    """Let two names of a folder change places at once; False where the disk cannot."""
    call = ctypes.CDLL(None, use_errno=True).renameat2
    return bool(call(folder, os.fsencode(first), folder, os.fsencode(second), _EXCHANGE) == 0)


def _state(folder: int, name: str) -> str | None:
    """The digest of a file as it is now, None when there is none, another word for anything that is not a file."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError:
        return "unreadable"
    try:
        return digest_of(fd) if stat.S_ISREG(os.fstat(fd).st_mode) else "no file"
    finally:
        os.close(fd)


def _say(what: str, paths: list[str]) -> list[str]:
    if not paths:
        return []
    shown = ", ".join(sorted(paths)[:_SHOWN])
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return [f"{what}: {shown}{more}"]
