"""A backup holds everything that cannot be made again, no secret, and is whole; a restore never overwrites."""

import io
import tarfile
import tempfile
import tracemalloc
from pathlib import Path

import apsw
import pytest

from appliance import backup as module
from appliance.backup import backup, newest_backup, prune, restore, restore_point, verify
from appliance.database import Rooms, migrate, open_connection
from appliance.errors import InputError, StateError

ROOMS: Rooms = {"old": [("one", "CREATE TABLE old(x)")], "new": [("one", "CREATE TABLE a(x)")]}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    place = tmp_path / "state"
    (place / "agents/main/memory").mkdir(parents=True)
    (place / "agents/main/MEMORY.md").write_text("貓叫 Mia 🐈")
    (place / "agents/main/memory/2026-11-30.md").write_text("- note\n")
    (place / "models").mkdir()
    (place / "models/large.gguf").write_bytes(b"x" * 1000)
    (place / "token").write_text("CANARY-TOKEN")
    (place / "secrets").mkdir()
    (place / "secrets/key").write_text("CANARY-KEY")
    connection = apsw.Connection(str(place / "core.db"))
    connection.pragma("journal_mode", "WAL")
    connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES ('books')")
    connection.close()
    return place


def test_a_restore_into_an_empty_place_is_the_same(state: Path, tmp_path: Path) -> None:
    made = backup(state)
    fresh = tmp_path / "fresh"
    restore(made.path, fresh, ROOMS)
    assert (fresh / "agents/main/MEMORY.md").read_text() == "貓叫 Mia 🐈"
    assert apsw.Connection(str(fresh / "core.db")).execute("SELECT x FROM t").fetchall() == [("books",)]
    assert not (fresh / "models").exists()


def test_no_secret_is_in_an_unencrypted_archive(state: Path) -> None:
    made = backup(state)
    with tarfile.open(made.path) as archive:
        content = b"".join(
            file.read() for member in archive.getmembers() if (file := archive.extractfile(member)) is not None
        )
    assert b"CANARY" not in content
    with pytest.raises(InputError, match="encrypted"):
        backup(state, secrets=True)


def test_an_encrypted_archive_opens_with_its_passphrase_only(state: Path, tmp_path: Path) -> None:
    made = backup(state, passphrase="correct horse", secrets=True)
    raw = made.path.read_bytes()
    assert b"Mia" not in raw
    for wrong in ("", "wrong"):
        with pytest.raises(InputError):
            verify(made.path, passphrase=wrong)
    restore(made.path, tmp_path / "fresh", ROOMS, passphrase="correct horse")
    assert (tmp_path / "fresh/token").read_text() == "CANARY-TOKEN"


def test_a_restore_never_overwrites(state: Path) -> None:
    made = backup(state)
    with pytest.raises(StateError, match="not empty"):
        restore(made.path, state, ROOMS)
    assert (state / "token").read_text() == "CANARY-TOKEN"


@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("passphrase", ["", "correct horse"])
def test_a_damaged_or_cut_archive_is_refused_and_leaves_nothing(
    state: Path, tmp_path: Path, where: float, passphrase: str
) -> None:
    made = backup(state, passphrase=passphrase)
    raw = bytearray(made.path.read_bytes())
    cut = bytes(raw[: int(len(raw) * where)])
    raw[int(len(raw) * where)] ^= 0xFF
    for damaged in (cut, bytes(raw)):
        path = tmp_path / "damaged"
        path.write_bytes(damaged)
        with pytest.raises((StateError, InputError)):
            restore(path, tmp_path / "fresh", ROOMS, passphrase=passphrase)
        assert not (tmp_path / "fresh").exists()


def test_a_link_in_the_state_is_not_followed(state: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("CANARY-OUTSIDE")
    (state / "agents/main/link.txt").symlink_to(tmp_path / "outside.txt")
    made = backup(state)
    with tarfile.open(made.path) as archive:
        assert "agents/main/link.txt" not in archive.getnames()


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"appliance-2026113{number}-000000.tar.gz").write_text("x")
    prune(tmp_path, 2)
    assert sorted(p.name[:18] for p in tmp_path.iterdir()) == ["appliance-20261133", "appliance-20261134"]


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/outside.txt", "agents/../../outside.txt"])
def test_a_forged_archive_writes_nothing_outside(tmp_path: Path, name: str) -> None:
    path = tmp_path / "forged.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = 4
        archive.addfile(info, io.BytesIO(b"evil"))
    with pytest.raises(StateError, match="does not belong"):
        restore(path, tmp_path / "fresh", ROOMS)
    assert not list(tmp_path.rglob("outside.txt"))


def test_a_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "forged.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("config")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(info)
    with pytest.raises(StateError, match="does not belong"):
        restore(path, tmp_path / "fresh", ROOMS)


def test_a_backup_that_cannot_be_opened_again_does_not_count(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(*_: object) -> None:
        raise StateError("It is torn.")

    monkeypatch.setattr(module, "_check_database", torn)
    with pytest.raises(StateError, match="torn"):
        backup(state)
    assert newest_backup(state) is None
    assert list((state / "backups").iterdir()) == []


def migrated(path: Path, rooms: Rooms) -> None:
    connection = open_connection(path)
    migrate(connection, rooms, path.name)
    connection.close()


def test_a_backup_of_a_newer_release_is_refused_before_anything_is_written(state: Path, tmp_path: Path) -> None:
    migrated(state / "core.db", {**ROOMS, "later": [("one", "CREATE TABLE later(x)")]})
    made = backup(state)
    with pytest.raises(StateError, match="newer release") as refused:
        restore(made.path, tmp_path / "fresh", ROOMS)
    assert "newer release again" in refused.value.fix
    assert not (tmp_path / "fresh").exists()


def test_before_tables_change_there_is_a_backup_to_go_back_to(state: Path, tmp_path: Path) -> None:
    migrated(state / "core.db", {"old": ROOMS["old"]})
    point = restore_point(state, ROOMS)
    assert point is not None
    assert point.path.name.startswith("before-upgrade-")
    assert newest_backup(state) is None, "it does not stand in for the nightly one"
    restore(point.path, tmp_path / "fresh", {"old": ROOMS["old"]})
    migrated(state / "core.db", ROOMS)
    assert restore_point(state, ROOMS) is None, "nothing changes any more"


def test_a_state_that_no_release_has_opened_needs_no_way_back(state: Path, tmp_path: Path) -> None:
    assert restore_point(state, ROOMS) is None
    assert restore_point(tmp_path / "nothing", ROOMS) is None


def test_large_files_need_neither_memory_nor_the_machines_temporary_folder(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In compose /tmp is 128 MB of memory: a house with more than that could not have a backup at all."""
    (state / "agents/main/files").mkdir()
    with (state / "agents/main/files/film.bin").open("wb") as file:
        file.truncate(64 * 1024**2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no-such-folder"))
    tracemalloc.start()
    made = backup(state)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * 1024**2
    restore(made.path, tmp_path / "fresh", ROOMS)
    assert (tmp_path / "fresh/agents/main/files/film.bin").stat().st_size == 64 * 1024**2
