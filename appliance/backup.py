"""Backup and restore: one archive of everything that cannot be made again.

`backup` copies core.db with SQLite's online backup while the house runs, then files, transcripts, memory and settings,
in that order, and opens the copy to verify it. Secrets (the token, `secrets/`) are left out unless asked for, and only
go into an encrypted archive. `restore` fills an empty STATE only; what is there already is never touched.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import struct
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import apsw

from appliance import __version__
from appliance.database import Rooms, open_connection, refuse_newer, versions
from appliance.errors import InputError, StateError
from appliance.storage import fsync_folder

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

KEEP = 14
_FOLDERS = ("agents", "team", "outputs", "media", "quarantine", "config")
_SECRETS = ("token", "metrics-token", "secrets")
_MAGIC = b"APPLIANCE-BACKUP-1\n"
_FORMAT = 1
_CHUNK = 4 * 1024 * 1024
_MOST_BYTES = 64 * 1024**3


@dataclass(frozen=True, slots=True)
class Made:
    """A finished backup: where, how large (bytes), how many files."""

    path: Path
    size: int
    files: int

    def as_json(self) -> dict[str, Any]:
        return {"path": str(self.path), "size": self.size, "files": self.files}


def backup(state: Path, target: Path | None = None, *, passphrase: str = "", secrets: bool = False) -> Made:
    """Write an archive of `state` to `target` (default STATE/backups/<time>.tar.gz[.enc]), which is there once it was
    verified by opening it.

    Raises InputError (secrets without a passphrase), StateError (nothing to save, disk full, the copy is damaged).
    """
    if secrets and not passphrase:
        raise InputError("Secrets are only saved into an encrypted archive.", fix="Give --passphrase-file.")
    if not (state / "core.db").is_file():
        raise StateError(f"There is no {state / 'core.db'} to save.", fix="Is APPLIANCE_STATE_DIR right?")
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    suffix = ".tar.gz.enc" if passphrase else ".tar.gz"
    path = target or state / "backups" / f"appliance-{stamp}{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    try:
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            copy = Path(folder) / "core.db"
            _copy_database(state / "core.db", copy)
            plain = Path(folder) / "archive"
            files = _write_archive(state, copy, plain, secrets)
            _publish(plain, partial, passphrase)
        verify(partial, passphrase=passphrase)
        partial.replace(path)
        fsync_folder(path.parent)
    except OSError as error:
        raise StateError(
            f"The backup could not be written: {error.strerror or error}.", fix="Free some space."
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return Made(path, path.stat().st_size, files)


def prune(folder: Path, keep: int = KEEP) -> list[Path]:
    """Keep the newest `keep` backups of STATE/backups; return what was removed."""
    found = sorted(folder.glob("appliance-*.tar.gz*"), key=lambda path: path.name)
    old = found[:-keep] if keep else found
    for path in old:
        path.unlink()
    return old


def newest_backup(state: Path) -> float | None:
    """Unix seconds of the newest backup in STATE/backups, or None."""
    times = [path.stat().st_mtime for path in (state / "backups").glob("appliance-*.tar.gz*")]
    return max(times, default=None)


def verify(path: Path, *, passphrase: str = "") -> dict[str, Any]:
    """Open an archive beside itself, check core.db and every checksum; return its manifest. Raises StateError,
    InputError.
    """
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:  # /tmp may be small: in compose it is memory
        manifest = _unpack(path, Path(folder), passphrase)
        _check_database(Path(folder) / "core.db")
    return manifest


def require_books(state: Path) -> None:
    """Raise StateError where conversations stand in `state` and core.db is gone, empty or no database: to begin with
    empty books would forget today's spending and which messages were answered.
    """
    core = state / "core.db"
    try:
        whole = core.is_file() and bool(_versions(core))
    except StateError:
        whole = False
    if whole or not any(state.glob("agents/*/sessions/*.jsonl")):
        return
    aside = state.with_name(f"{state.name}.aside")
    archives = sorted((state / "backups").glob("appliance-*.tar.gz*"), key=lambda path: path.stat().st_mtime)
    back = f"appliance restore {aside}/backups/{archives[-1].name}" if archives else "put back a backup of your own"
    raise StateError(
        f"{core} is missing or damaged, so what was spent and answered is not known.",
        fix=f"mv {state} {aside}, then: {back}",
    )


def restore_point(state: Path, rooms: Rooms, *, passphrase: str = "") -> Made | None:
    """Before a release changes the tables of `state`, save it as STATE/backups/before-upgrade-<time>, so that there is
    a way back; the newest two are kept. None when nothing will change. Raises as `backup` does, and StateError for
    tables of a newer release.
    """
    core = state / "core.db"
    if not core.is_file():
        return None
    have = _versions(core)
    refuse_newer(have, rooms, core.name)
    if not have or all(have.get(room, 0) == len(steps) for room, steps in rooms.items()):
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    folder = state / "backups"
    suffix = ".tar.gz.enc" if passphrase else ".tar.gz"
    made = backup(state, folder / f"before-upgrade-{stamp}{suffix}", passphrase=passphrase)
    for old in sorted(folder.glob("before-upgrade-*"))[:-2]:
        old.unlink()
    return made


def restore(path: Path, state: Path, rooms: Rooms, *, passphrase: str = "") -> dict[str, Any]:
    """Fill an empty `state` from an archive; return its manifest. The next start migrates it.

    Raises StateError when STATE holds anything, the archive is damaged, or its tables are newer than `rooms`.
    """
    if state.exists() and any(state.iterdir()):
        raise StateError(
            f"{state} is not empty; a restore never overwrites.",
            fix=f"Move it away first: mv {state} {state}.before-restore",
        )
    state.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=state.parent, prefix=".restore-") as folder:
        place = Path(folder) / "state"
        place.mkdir(mode=0o700)
        manifest = _unpack(path, place, passphrase)
        _check_database(place / "core.db")
        refuse_newer(_versions(place / "core.db"), rooms, "The backup's core.db")
        (place / "manifest.json").unlink()
        if state.exists():
            state.rmdir()
        place.rename(state)
    fsync_folder(state.parent)
    return manifest


def _copy_database(source: Path, target: Path) -> None:
    read = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    write = apsw.Connection(str(target))
    try:
        with write.backup("main", read, "main") as job:
            while not job.done:
                job.step(1000)
    finally:
        write.close()
        read.close()


def _check_database(path: Path) -> None:
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        found = connection.pragma("integrity_check")
        connection.close()
    except apsw.Error as error:
        raise StateError(f"core.db of the backup cannot be opened: {error}.") from None
    if found != "ok":
        raise StateError(f"core.db of the backup is damaged: {found}.")


def _versions(path: Path) -> dict[str, int]:
    try:
        connection = open_connection(path, readonly=True)
        try:
            return versions(connection)
        finally:
            connection.close()
    except apsw.Error as error:
        raise StateError(f"{path} cannot be read: {error}.", fix="Run: appliance doctor") from error


def _members(state: Path, secrets: bool) -> Iterator[Path]:
    for name in (*_FOLDERS, *(_SECRETS if secrets else ())):
        top = state / name
        if top.is_file() and not top.is_symlink():
            yield top
        elif top.is_dir() and not top.is_symlink():
            yield from sorted(p for p in top.rglob("*") if p.is_file() and not p.is_symlink())


def _write_archive(state: Path, core: Path, target: Path, secrets: bool) -> int:
    sums: dict[str, str] = {}
    with tarfile.open(target, "w:gz", compresslevel=6) as archive:
        for path, name in [(core, "core.db"), *((p, str(p.relative_to(state))) for p in _members(state, secrets))]:
            # Copied before it is added: what grows meanwhile cannot tear the archive, and no file is held in memory.
            with tempfile.SpooledTemporaryFile(max_size=_CHUNK, dir=str(target.parent)) as copy:
                try:
                    with path.open("rb") as source:
                        shutil.copyfileobj(source, copy, _CHUNK)
                except FileNotFoundError:
                    continue  # expired or removed while we read
                copy.seek(0)
                sums[name] = hashlib.file_digest(copy, "sha256").hexdigest()
                _add(archive, name, copy)
        manifest = {
            "format": _FORMAT,
            "version": __version__,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "secrets": secrets,
            "sha256": sums,
        }
        _add(archive, "manifest.json", io.BytesIO(json.dumps(manifest).encode()))
    return len(sums)


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes]) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = content.seek(0, io.SEEK_END), 0o600
    content.seek(0)
    archive.addfile(info, content)


def _publish(plain: Path, target: Path, passphrase: str) -> None:
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "wb") as file, plain.open("rb") as source:
        if passphrase:
            _encrypt(source, file, passphrase)
        else:
            shutil.copyfileobj(source, file, _CHUNK)
        file.flush()
        os.fsync(file.fileno())


def _unpack(path: Path, target: Path, passphrase: str) -> dict[str, Any]:
    """Unpack into `target`, which is empty, and check every sum. Links and names that lead out are refused."""
    with tempfile.TemporaryFile(dir=target.parent) as plain:
        try:
            with path.open("rb") as source:
                if source.read(len(_MAGIC)) == _MAGIC:
                    _decrypt(source, plain, passphrase)
                else:
                    source.seek(0)
                    shutil.copyfileobj(source, plain, _CHUNK)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}.") from None
        plain.seek(0)
        return _extract(plain, target, path)


def _extract(plain: IO[bytes], target: Path, path: Path) -> dict[str, Any]:
    try:
        with tarfile.open(fileobj=plain, mode="r:gz") as archive:
            members = archive.getmembers()
            if sum(m.size for m in members) > _MOST_BYTES:
                raise StateError("The archive is larger than any backup.")
            for member in members:
                _extract_member(archive, member, target)
        manifest: dict[str, Any] = json.loads((target / "manifest.json").read_text())
        sums: dict[str, str] = manifest["sha256"]
        damaged = [name for name, wanted in sums.items() if _sum(target / name) != wanted]
    except (tarfile.TarError, OSError, ValueError, KeyError, EOFError, zlib.error) as error:
        raise StateError(f"{path} is no whole backup: {error}.", fix="Use another one.") from None
    if manifest.get("format", 0) > _FORMAT:
        raise StateError("The backup is of a newer release.", fix="Restore it with that release.")
    if damaged:
        raise StateError(f"{damaged[0]} in the backup is damaged.", fix="Use another one.")
    return manifest


def _extract_member(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """Write one plain file below `target`; anything else in an archive is a forgery (tarfile's own data filter came
    with Python 3.11.4, and Debian 12 has 3.11.2)."""
    parts = Path(member.name).parts
    content = archive.extractfile(member) if member.isreg() else None
    if content is None or not parts or ".." in parts or member.name.startswith("/"):
        raise StateError(f"{member.name!r} does not belong in a backup.", fix="Use another one.")
    place = target.joinpath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    with content, place.open("xb") as out:
        shutil.copyfileobj(content, out, _CHUNK)
    place.chmod(0o600)


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _key(passphrase: str, salt: bytes) -> Fernet:
    from argon2.low_level import Type, hash_secret_raw
    from cryptography.fernet import Fernet

    raw = hash_secret_raw(
        passphrase.encode(), salt, time_cost=3, memory_cost=65_536, parallelism=2, hash_len=32, type=Type.ID
    )
    return Fernet(base64.urlsafe_b64encode(raw))


def _encrypt(source: IO[bytes], target: IO[bytes], passphrase: str) -> None:
    """Chunks of 4 MiB, each sealed with its number and whether it is the last, so that none can be cut or moved."""
    salt = os.urandom(16)
    key = _key(passphrase, salt)
    target.write(_MAGIC + salt)
    number, chunk = 0, source.read(_CHUNK)
    while True:
        following = source.read(_CHUNK)
        token = key.encrypt(struct.pack(">Q?", number, not following) + chunk)
        target.write(struct.pack(">I", len(token)) + token)
        if not following:
            return
        number, chunk = number + 1, following


def _decrypt(source: IO[bytes], target: IO[bytes], passphrase: str) -> None:
    from cryptography.fernet import InvalidToken

    if not passphrase:
        raise InputError("The archive is encrypted.", fix="Give --passphrase-file.")
    key = _key(passphrase, source.read(16))
    number, last = 0, False
    try:
        while not last:
            (length,) = struct.unpack(">I", source.read(4))
            opened = key.decrypt(source.read(length))
            found, last = struct.unpack(">Q?", opened[:9])
            if found != number:
                raise InvalidToken
            target.write(opened[9:])
            number += 1
    except (InvalidToken, struct.error):
        raise InputError("The passphrase is wrong, or the archive is damaged.") from None
