"""Files are old or new, never half; one process owns STATE."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.errors import StateError
from appliance.storage import StateLock, atomic_write, lines_from_end, prepare_state, set_aside, sweep_temporaries


def test_a_write_that_fails_leaves_the_old_file_and_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "MEMORY.md"
    atomic_write(path, "old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_kill_left_is_swept(tmp_path: Path) -> None:
    (tmp_path / ".MEMORY.md.abc123.tmp").write_text("half")
    assert sweep_temporaries(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_set_aside_and_never_deleted(tmp_path: Path) -> None:
    for content in ("one", "two"):
        path = tmp_path / "x.db"
        path.write_text(content)
        set_aside(path, "2026-11-30")
    assert sorted(p.read_text() for p in tmp_path.iterdir()) == ["one", "two"]


def test_the_lock_names_its_owner_and_dies_with_it(tmp_path: Path) -> None:
    script = (
        f"import time; from pathlib import Path; from appliance.storage import StateLock; "
        f"StateLock(Path({str(tmp_path)!r})).acquire(); print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    with pytest.raises(StateError, match=f"process {holder.pid}"):
        StateLock(tmp_path).acquire()
    holder.kill()
    holder.wait()
    holder.stdout.close()
    lock = StateLock(tmp_path)
    lock.acquire()
    lock.release()


def test_a_state_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("x")
    with pytest.raises(StateError, match="not a folder"):
        prepare_state(tmp_path / "state")


@given(st.binary(max_size=60), st.integers(1, 8))
def test_lines_from_the_end_are_the_lines_of_the_file(raw: bytes, chunk: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(raw)
        assert list(lines_from_end(path, chunk=chunk))[::-1] == raw.split(b"\n")
