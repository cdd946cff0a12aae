"""A work folder sent to another machine and brought back: every change arrives, and nothing else is touched."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from appliance.errors import SandboxError
from appliance.sandbox import copying, merging
from appliance.sandbox.copying import Back, Sent, pack, unpack
from appliance.sandbox.merging import merge

LIMIT = 1 << 20


def sent_from(folder: Path) -> tuple[Sent, dict[str, bytes]]:
    """Pack a folder and return what was sent, with the contents by name."""
    file = io.BytesIO()
    sent = pack(folder, file, LIMIT)
    file.seek(0)
    with tarfile.open(fileobj=file) as archive:
        found = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isreg()}  # type: ignore[union-attr]
    return sent, found


def archive(*entries: tuple[str, bytes | tarfile.TarInfo]) -> io.BytesIO:
    """A tar file as an engine makes it: everything below `workspace/`."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as made:
        for name, content in entries:
            if isinstance(content, tarfile.TarInfo):
                made.addfile(content)
                continue
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), 0o644, 1_700_000_000
            made.addfile(entry, io.BytesIO(content))
    file.seek(0)
    return file


def special(name: str, kind: bytes, target: str = "") -> tuple[str, tarfile.TarInfo]:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return name, entry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    made.mkdir()
    return made


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    made = tmp_path / "stage"
    made.mkdir()
    return made


def back_of(stage: Path, *entries: tuple[str, bytes | tarfile.TarInfo]) -> Back:
    return unpack(archive(*entries), stage, LIMIT)


def test_names_of_every_kind_arrive(folder: Path) -> None:
    names = ["plain", "with space", "漢字 🎉", "a" * 200, "deep/" + "b" * 150 + "/c", "-dash", "new\nline"]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / os.fsdecode(b"latin-\xe9")).write_text("bytes")
    sent, found = sent_from(folder)
    assert {name: name.encode() for name in names}.items() <= found.items()
    assert set(sent.files) == set(found)


def test_links_and_special_files_stay_here(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    (folder / "file").symlink_to(tmp_path / "outside/secret")
    (folder / "dir").symlink_to(tmp_path / "outside")
    os.mkfifo(folder / "pipe")
    sent, found = sent_from(folder)
    assert found == {}
    assert sorted(sent.left_out) == ["dir", "file", "pipe"]
    assert (sent.files, sent.folders) == ({}, set())


def test_too_many_bytes_or_files_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a").write_bytes(bytes(LIMIT))
    pack(folder, io.BytesIO(), LIMIT)
    (folder / "b").write_bytes(b"x")
    with pytest.raises(SandboxError, match="too large"):
        pack(folder, io.BytesIO(), LIMIT)
    monkeypatch.setattr(copying, "MOST_ENTRIES", 1)
    with pytest.raises(SandboxError, match="at most 1 files"):
        pack(folder, io.BytesIO(), 2 * LIMIT)


@pytest.mark.parametrize(
    "name",
    ["workspace/../../etc/x", "/etc/x", "workspace/a/../../x", "workspace/./x", "workspace//x", "w/" + "n" * 2000],
)
def test_names_that_lead_elsewhere_are_refused(stage: Path, name: str) -> None:
    back = back_of(stage, (name, b"x"))
    assert back.files == {}
    assert len(back.refused) == 1


def test_links_devices_and_pipes_that_come_back_are_refused(stage: Path) -> None:
    entries = [
        special("workspace/s", tarfile.SYMTYPE, "/etc/passwd"),
        special("workspace/h", tarfile.LNKTYPE, "/etc/passwd"),
        special("workspace/h2", tarfile.LNKTYPE, "workspace/s"),
        special("workspace/p", tarfile.FIFOTYPE),
        special("workspace/c", tarfile.CHRTYPE),
        special("workspace/b", tarfile.BLKTYPE),
    ]
    back = back_of(stage, *entries)
    assert back.files == {}
    assert back.refused == ["s", "h", "h2", "p", "c", "b"]


def test_a_second_name_of_an_ordinary_file_is_a_file(stage: Path, folder: Path) -> None:
    back = back_of(stage, ("workspace/a", b"1"), special("workspace/b", tarfile.LNKTYPE, "workspace/a"))
    assert merge(folder, Sent(), back, "t") == []
    assert (folder / "a").read_text() == (folder / "b").read_text() == "1"


def test_what_is_no_tar_file_or_too_much_is_an_error(stage: Path) -> None:
    with pytest.raises(SandboxError, match="not a tar file"):
        unpack(io.BytesIO(b"garbage" * 200), stage, LIMIT)
    with pytest.raises(SandboxError, match="too much"):
        unpack(archive(("workspace/a", bytes(LIMIT + 1))), stage, LIMIT)


def test_a_file_that_was_not_changed_there_is_not_touched_here(folder: Path, stage: Path) -> None:
    (folder / "same").write_text("1")
    before = (folder / "same").stat()
    sent, _ = sent_from(folder)
    assert merge(folder, sent, back_of(stage, ("workspace/same", b"1")), "t") == []
    after = (folder / "same").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_same_edit_on_both_sides_is_no_conflict(folder: Path, stage: Path) -> None:
    (folder / "f").write_text("old")
    sent, _ = sent_from(folder)
    (folder / "f").write_text("new")
    assert merge(folder, sent, back_of(stage, ("workspace/f", b"new")), "t") == []
    assert sorted(path.name for path in folder.iterdir()) == ["f"]


def test_two_commands_at_once_lose_nothing_of_each_other(folder: Path, stage: Path) -> None:
    (folder / "f").write_text("old")
    sent, _ = sent_from(folder)
    first = back_of(stage, ("workspace/f", b"first"))
    for path in stage.iterdir():
        path.rename(stage / f"first-{path.name}")
    first.files["f"] = copying.Came(str(next(stage.iterdir())), first.files["f"].digest, False, 1.0)
    assert merge(folder, sent, first, "1") == []
    second = back_of(stage, ("workspace/f", b"second"))
    notes = merge(folder, sent, second, "2")
    assert (folder / "f").read_text() == "first"
    assert (folder / "f.from-command-2").read_text() == "second"
    assert notes == ["changed here while the command ran; its version is in: f.from-command-2"]


def test_a_file_becomes_a_folder_and_a_folder_a_file(folder: Path, stage: Path) -> None:
    (folder / "file").write_text("x")
    (folder / "dir/sub").mkdir(parents=True)
    (folder / "dir/sub/deep").write_text("x")
    sent, _ = sent_from(folder)
    sub = tarfile.TarInfo("workspace/file")
    sub.type = tarfile.DIRTYPE
    back = back_of(stage, ("", sub), ("workspace/file/inner", b"1"), ("workspace/dir", b"2"))
    assert merge(folder, sent, back, "t") == []
    assert (folder / "file/inner").read_text() == "1"
    assert (folder / "dir").read_text() == "2"


def test_a_link_put_in_the_way_here_is_not_followed(folder: Path, stage: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("safe")
    (folder / "sub").mkdir()
    (folder / "sub/f").write_text("old")
    sent, _ = sent_from(folder)
    (folder / "sub/f").unlink()
    (folder / "sub").rmdir()
    (folder / "sub").symlink_to(outside)
    (folder / "other").symlink_to(outside / "f")
    notes = merge(folder, sent, back_of(stage, ("workspace/sub/f", b"new"), ("workspace/other", b"new")), "t")
    assert (outside / "f").read_text() == "safe"
    assert sorted(path.name for path in outside.iterdir()) == ["f"]
    assert "could not be brought back" in " ".join(notes)
    assert (folder / "other.from-command-t").read_text() == "new"
    assert merge(folder, sent, Back(), "u") == []
    assert (outside / "f").read_text() == "safe"


def test_a_folder_in_which_the_house_put_something_stays(folder: Path) -> None:
    (folder / "d").mkdir()
    (folder / "d/f").write_text("1")
    sent, _ = sent_from(folder)
    (folder / "d/new").write_text("ours")
    assert merge(folder, sent, Back(), "t") == []
    assert sorted(path.name for path in (folder / "d").iterdir()) == ["new"]


def test_rights_come_back_and_special_ones_do_not(folder: Path, stage: Path) -> None:
    entry = tarfile.TarInfo("workspace/s")
    entry.mode = 0o6777
    notes = merge(folder, Sent(), unpack(archive(("", entry)), stage, LIMIT), "t")
    assert notes == []
    assert (folder / "s").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize("exchange", [True, False])
def test_an_edit_in_the_very_moment_of_the_merge_is_not_lost(
    folder: Path, stage: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool
) -> None:
    """The house writes between the look at a file and its replacement, or its deletion, or its making."""
    (folder / "changed").write_text("old")
    (folder / "deleted").write_text("old")
    sent, _ = sent_from(folder)
    real = merging._state
    looked: set[str] = set()

    def state(fd: int, name: str) -> str | None:
        found = real(fd, name)
        if name in ("changed", "deleted", "made") and name not in looked:
            looked.add(name)
            (folder / "ours").write_text("ours")
            (folder / "ours").rename(folder / name)
        return found

    monkeypatch.setattr(merging, "_state", state)
    if not exchange:
        monkeypatch.setattr(merging, "_exchange", lambda folder, first, second: False)
    merge(folder, sent, back_of(stage, ("workspace/changed", b"theirs"), ("workspace/made", b"theirs")), "t")
    assert (folder / "deleted").read_text() == "ours"
    assert (folder / "made").read_text() == "ours"
    assert (folder / "made.from-command-t").read_text() == "theirs"
    # A disk that cannot exchange two names leaves one moment, which is why the exchange is tried first.
    assert (folder / "changed").read_text() == ("ours" if exchange else "theirs")
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
