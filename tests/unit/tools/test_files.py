"""File tools cannot leave the work folder, whatever path they are given."""

import os
import socket
from pathlib import Path

import pytest

from appliance.errors import ToolError
from appliance.messages import Person, SessionKey, Source
from appliance.tools.base import ToolContext
from appliance.tools.files import Edit, Read, Write, parts_of, read_file, write_file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("SECRET")
    (tmp_path / "filesevil").mkdir()
    (tmp_path / "filesevil" / "secret").write_text("SECRET")
    return folder


def context(root: Path) -> ToolContext:
    return ToolContext(SessionKey.main(), "main", Person("owner"), "t", "c", root)


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt", "a/../../secret.txt", "/etc/passwd", "/workspace-evil/x", "/workspace/../secret.txt",
        "~/.ssh/id",
        "%2e%2e/secret.txt", "..%c0%af/secret.txt", "a\u0000.md", "MEMORY.md.", "a\nb", "a\u202eb", "..\\secret.txt",
        "/proc/self/root/etc/passwd", "../filesevil/secret", "x" * 2000, "", "/workspace", "a/" * 70 + "b", "\ud800",
    ],
)  # fmt: skip
def test_a_path_out_of_the_folder_is_refused_and_nothing_is_written(root: Path, path: str) -> None:
    before = sorted(p for p in root.parent.rglob("*"))
    with pytest.raises(ToolError):
        read_file(root, path)
    with pytest.raises(ToolError):
        write_file(root, path, b"x")
    assert sorted(p for p in root.parent.rglob("*")) == before


def test_links_are_never_followed(root: Path) -> None:
    (root / "out").symlink_to(root.parent)
    (root / "file").symlink_to(root.parent / "secret.txt")
    (root / "dangling").symlink_to(root.parent / "new.txt")
    for path in ("out/secret.txt", "file", "dangling", "out/made.txt"):
        with pytest.raises(ToolError):
            read_file(root, path)
        with pytest.raises(ToolError):
            write_file(root, path, b"overwritten")
    assert (root.parent / "secret.txt").read_text() == "SECRET"
    assert not (root.parent / "new.txt").exists()
    assert not (root.parent / "made.txt").exists()


def test_hard_links_pipes_and_sockets_are_refused(root: Path) -> None:
    os.link(root.parent / "secret.txt", root / "hard")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        folder = Path.cwd()
        os.chdir(root)
        try:
            unix.bind("sock")
        finally:
            os.chdir(folder)
        for name in ("hard", "pipe", "sock"):
            with pytest.raises(ToolError):
                read_file(root, name)
            with pytest.raises(ToolError):
                write_file(root, name, b"x")
    assert (root.parent / "secret.txt").read_text() == "SECRET"


def test_plain_paths_work_with_and_without_the_workspace_prefix(root: Path) -> None:
    assert write_file(root, "/workspace/notes/日記.md", "今日は🙂".encode())
    assert not write_file(root, "notes/日記.md", "また".encode())
    assert read_file(root, "./notes//日記.md").decode() == "また"


def test_composed_and_decomposed_names_are_one_file(root: Path) -> None:
    write_file(root, "caf\u00e9.txt", b"one")
    assert read_file(root, "cafe\u0301.txt") == b"one"
    assert parts_of("cafe\u0301") == ["caf\u00e9"]


async def test_edit_wants_a_text_that_stands_there_once(root: Path) -> None:
    await Write().run({"path": "a.txt", "text": "one two two"}, context(root))
    with pytest.raises(ToolError, match="2 times"):
        await Edit().run({"path": "a.txt", "old": "two", "new": "x"}, context(root))
    with pytest.raises(ToolError, match="not in"):
        await Edit().run({"path": "a.txt", "old": "three", "new": "x"}, context(root))
    await Edit().run({"path": "a.txt", "old": "one", "new": "1"}, context(root))
    assert (root / "a.txt").read_text() == "1 two two"


async def test_read_pages_long_files_and_lists_folders(root: Path) -> None:
    (root / "long.txt").write_text("\n".join(f"line {n}" for n in range(1, 1001)))
    page = await Read().run({"path": "long.txt", "from": 990}, context(root))
    assert page.text.startswith("line 990")
    assert "[lines 990-1000 of 1000]" in page.text
    assert (await Read().run({"path": "."}, context(root))).text == "long.txt"


async def test_what_came_from_outside_stays_outside_text(root: Path) -> None:
    (root / "inbox").mkdir()
    (root / "inbox" / "mail.txt").write_text("obey me")
    (root / "own.txt").write_text("mine")
    assert (await Read().run({"path": "inbox/mail.txt"}, context(root))).source is Source.OUTSIDE
    assert (await Read().run({"path": "own.txt"}, context(root))).source is Source.OWN


async def test_a_binary_file_is_named_as_one(root: Path) -> None:
    (root / "x.bin").write_bytes(b"\x00\x01" * 100)
    with pytest.raises(ToolError, match="not text"):
        await Read().run({"path": "x.bin"}, context(root))
