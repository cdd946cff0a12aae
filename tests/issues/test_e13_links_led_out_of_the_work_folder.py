"""E13: links led out of the work folder: to a file, to nothing yet, and one put in place between check and use."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

import pytest

from appliance.errors import ToolError
from appliance.tools import files
from appliance.tools.files import read_file, write_file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("SECRET")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def outside(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.parent.iterdir() if path.is_file()}


@pytest.mark.parametrize("target", ["secret.txt", "new.txt", "missing/new.txt"])
@pytest.mark.parametrize("absolute", [True, False])
def test_a_link_is_neither_read_nor_written_through_whether_its_target_exists_or_not(
    root: Path, target: str, absolute: bool
) -> None:
    (root / "link").symlink_to(root.parent / target if absolute else Path("..") / target)
    with pytest.raises(ToolError):
        read_file(root, "link")
    with contextlib.suppress(ToolError):  # refused, or a plain file put in the link's place: never written through
        write_file(root, "link", b"made")
    assert outside(root) == {"secret.txt": "SECRET"}
    assert not (root.parent / "missing").exists()


@pytest.mark.parametrize("path", ["out/secret.txt", "out/new.txt", "out/deeper/new.txt", "a/../out/secret.txt"])
def test_a_linked_folder_is_not_entered(root: Path, path: str) -> None:
    (root / "out").symlink_to(root.parent)
    with pytest.raises(ToolError):
        read_file(root, path)
    with pytest.raises(ToolError):
        write_file(root, path, b"made")
    assert outside(root) == {"secret.txt": "SECRET"}


def test_a_file_swapped_for_a_link_just_before_it_is_opened_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "note").write_text("mine")
    opened = os.open

    def swap_first(path: object, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "note" and not (root / "note").is_symlink():
            (root / "note").unlink()
            (root / "note").symlink_to(root.parent / "secret.txt")
        return opened(path, flags, mode, dir_fd=dir_fd)  # type: ignore[arg-type]

    monkeypatch.setattr(files.os, "open", swap_first)
    with pytest.raises(ToolError):
        read_file(root, "note")
    assert (root / "note").is_symlink()


def test_a_folder_swapped_for_a_link_over_and_over_never_lets_a_write_out(root: Path) -> None:
    (root.parent / "target").mkdir()
    (root / "a").mkdir()
    stop = threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            with contextlib.suppress(OSError):
                (root / "a").rename(root / f"b{number}")
                (root / "a").symlink_to(root.parent / "target")
                (root / "a").unlink()

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for number in range(10_000):
            with contextlib.suppress(ToolError):
                write_file(root, f"a/x{number % 5}", b"data")
    finally:
        stop.set()
        thread.join()
    assert list((root.parent / "target").iterdir()) == []
