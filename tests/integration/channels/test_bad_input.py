"""What hurts a house that is not careful with what it is sent, on every channel."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from appliance.messages import Inbound
from tests.channel_driver import Driver
from tests.quines import quine_gzip, quine_zip

MIB = 1024 * 1024


def zip_bomb() -> bytes:
    """Archives within an archive, 400 MB of zeros in the end."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.dat", b"\0" * (50 * MIB))
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(8):
            archive.writestr(f"lib {number}.zip", inner.getvalue())
    return outer.getvalue()


def enormous_png() -> bytes:
    chunk = b"IHDR" + struct.pack(">IIBBBBB", 50_000, 50_000, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + b"\0" * 64


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BAD = {
    "42.zip": zip_bomb(),
    "deep.gz": gzip.compress(gzip.compress(b"\0" * (50 * MIB))),
    "quine.gz": quine_gzip(),
    "quine.zip": quine_zip(),
    "huge.png": enormous_png(),
    "laughs.svg": f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY l0 "ha">{LAUGHS}]><svg>&l9;</svg>'.encode(),
    "page.html": b"<script>fetch('https://evil.example')</script>",
}


def test_the_quines_hold_themselves_for_ever() -> None:
    packed = BAD["quine.gz"]
    assert gzip.decompress(packed) == packed
    with zipfile.ZipFile(io.BytesIO(BAD["quine.zip"])) as archive:
        [inner] = archive.infolist()
        assert archive.read(inner) == BAD["quine.zip"]


async def test_what_unpacks_or_decodes_to_gigabytes_is_kept_as_it_came_and_is_no_picture(chat: Driver) -> None:
    for name, data in BAD.items():
        await chat.send_file(name, data)
    await chat.bench.until(lambda: len(chat.bench.front.heard) == len(BAD), 60)
    came = {a.name: a for inbound in chat.bench.front.heard for a in inbound.attachments}
    assert came.keys() == BAD.keys()
    for name, attachment in came.items():
        assert Path(attachment.path).read_bytes() == BAD[name]
        assert attachment.kind in ("document", "other"), name
    files = [path for path in (chat.bench.folder / "files").rglob("*") if path.is_file()]
    assert len(files) == len(BAD)


async def test_twenty_megabytes_come_and_one_byte_more_does_not(chat: Driver) -> None:
    most = 20 * MIB
    await chat.send_file("most.bin", b"x" * most)
    await chat.bench.until(lambda: chat.bench.front.heard, 60)
    [whole] = chat.bench.front.heard[0].attachments
    assert whole.size == most
    await chat.send_file("more.bin", b"x" * (most + 1), claimed=10)  # and says that it is small
    await chat.bench.until(lambda: len(chat.bench.front.heard) == 2, 60)
    refused = chat.bench.front.heard[1]
    assert refused.attachments == ()
    assert "20 MB" in refused.text or "too large" in refused.text
    assert [p.name for p in (chat.bench.folder / "files").rglob("*") if p.is_file()] == ["most.bin"]


async def test_a_file_that_the_platform_has_no_more_loses_no_message(chat: Driver) -> None:
    if not chat.fetches:
        pytest.skip("a file comes with its message there")
    await chat.send_file("old.txt", b"x", gone=True)
    await chat.say("and this")
    await chat.bench.until(lambda: len(chat.bench.front.heard) == 2, 60)
    assert "The file old.txt was not fetched" in chat.bench.front.heard[0].text
    assert chat.bench.front.heard[0].attachments == ()


async def test_a_flood_of_messages_is_heard_whole_in_order_and_each_once(chat: Driver) -> None:
    """A thousand in a second, fewer where the platform brings them one after the other."""

    async def silent(inbound: Inbound) -> str:
        await chat.bench.clock.sleep(3600.0)
        return ""

    chat.bench.front.answer = silent
    texts = [f"number {n}" for n in range(chat.burst)]
    await chat.say_quickly(texts)
    await chat.bench.until(lambda: len(chat.bench.front.heard) >= len(texts), 120)
    assert [inbound.text for inbound in chat.bench.front.heard] == texts
