"""Files that arrive: names, sizes, types, and a work folder that is not trusted."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.channels.attachments import AttachmentStore, safe_name
from appliance.errors import TooLargeError
from appliance.messages import Source
from appliance.models.picture_size import pixel_size
from appliance.testing.manual_clock import ManualClock


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x02" + b"\0" * 40


async def chunks(data: bytes, size: int = 5) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.fixture
def store(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path / "files", ManualClock(1_800_000_000.0), max_bytes=200)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        (".bashrc", "bashrc"),
        ("日本語 メモ.txt", "日本語 メモ.txt"),
        ("a\x00b\nc.txt", "a_b_c.txt"),
        ("", "file"),
        ("...", "file"),
        ("😀.png", "_.png"),
        ("-rf", "rf"),
        ("x" * 300 + ".txt", "x" * 96 + ".txt"),
        ("長" * 100, "長" * 33),
    ],
)
def test_a_name_is_only_a_name(given: str, kept: str) -> None:
    name = safe_name(given)
    assert name == kept
    assert "/" not in name
    assert len(name.encode()) <= 101


async def test_a_file_is_counted_typed_and_put_under_its_day(store: AttachmentStore, tmp_path: Path) -> None:
    saved = await store.save(chunks(png(3, 4)), name="x.exe", media_type="application/x-msdownload")
    assert (saved.kind, saved.media_type, saved.size) == ("image", "image/png", len(png(3, 4)))
    assert Path(saved.path) == tmp_path / "files" / "inbox" / "2027-01-15" / "x.exe"
    assert Path(saved.path).read_bytes() == png(3, 4)


async def test_a_second_file_of_the_same_name_replaces_nothing(store: AttachmentStore) -> None:
    first = await store.save(chunks(b"one"), name="a.txt", media_type="text/plain")
    second = await store.save(chunks(b"two"), name="a.txt", media_type="text/plain", source=Source.OUTSIDE)
    assert (first.name, second.name) == ("a.txt", "a-2.txt")
    assert Path(first.path).read_bytes() == b"one"
    assert second.source is Source.OUTSIDE


async def test_a_file_over_the_limit_stops_being_read_and_leaves_nothing(
    store: AttachmentStore, tmp_path: Path
) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 50
            yield b"x" * 50

    with pytest.raises(TooLargeError):
        await store.save(endless(), name="a")
    assert read == 250
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


async def test_a_break_in_the_middle_leaves_nothing(store: AttachmentStore, tmp_path: Path) -> None:
    async def breaking() -> AsyncIterator[bytes]:
        yield b"half"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await store.save(breaking(), name="a")
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


@pytest.mark.parametrize("planted", ["inbox", "inbox/2027-01-15"])
async def test_a_link_planted_by_a_command_leads_nowhere(store: AttachmentStore, tmp_path: Path, planted: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / "files" / planted
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
        await store.save(chunks(b"data"), name="a.txt")
    assert list(outside.iterdir()) == []


async def test_a_link_in_the_place_of_the_file_is_not_written_through(store: AttachmentStore, tmp_path: Path) -> None:
    folder = tmp_path / "files" / "inbox" / "2027-01-15"
    folder.mkdir(parents=True)
    (folder / "a.txt").symlink_to(tmp_path / "victim")
    saved = await store.save(chunks(b"data"), name="a.txt")
    assert saved.name == "a-2.txt"
    assert not (tmp_path / "victim").exists()


async def test_a_picture_too_large_to_decode_is_kept_as_a_document(store: AttachmentStore) -> None:
    assert (await store.save(chunks(png(50_000, 50_000)), name="bomb.png")).kind == "document"
    assert (await store.save(chunks(b"\x89PNG\r\n\x1a\n"), name="cut.png")).kind == "document"


def test_pixels_are_read_from_the_first_bytes() -> None:
    jpeg = b"\xff\xd8\xff\xe0\x00\x04\0\0\xff\xc0\x00\x11\x08" + struct.pack(">HH", 40, 30) + b"\0" * 20
    assert pixel_size(png(7, 8)) == (7, 8)
    assert pixel_size(jpeg) == (30, 40)
    assert pixel_size(b"GIF89a" + struct.pack("<HH", 5, 6)) == (5, 6)
    extended = b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + (9).to_bytes(3, "little") + (19).to_bytes(3, "little")
    assert pixel_size(extended) == (10, 20)
    assert pixel_size(b"\xff\xd8\xff") is None
    assert pixel_size(b"") is None
