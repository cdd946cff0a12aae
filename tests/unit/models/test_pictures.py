"""Pictures as a model takes them."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from appliance.models.picture_size import pixel_size
from appliance.models.pictures import LONGEST_SIDE, MOST_BYTES, as_shown


def picture(path: Path, size: tuple[int, int], form: str, **more: object) -> Path:
    Image.new("RGB", size, (200, 30, 30)).save(path, form, **more)
    return path


@pytest.mark.parametrize(("form", "kind"), [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("WEBP", "image/webp")])
def test_a_large_picture_is_scaled_to_the_longest_side_and_a_small_one_is_left(
    tmp_path: Path, form: str, kind: str
) -> None:
    small = picture(tmp_path / "small", (LONGEST_SIDE, 100), form)
    assert as_shown(small, kind) == (kind, small.read_bytes())
    media_type, data = as_shown(picture(tmp_path / "large", (4000, 3000), form), kind)
    assert media_type == ("image/jpeg" if form == "JPEG" else "image/png")
    assert pixel_size(data) == (LONGEST_SIDE, LONGEST_SIDE * 3 // 4)
    assert Image.open(io.BytesIO(data)).convert("RGB").getpixel((5, 5))[0] > 150  # type: ignore[index]


def test_a_photograph_stands_as_the_phone_was_held(tmp_path: Path) -> None:
    turned = Image.Exif()
    turned[0x0112] = 6
    path = picture(tmp_path / "turned.jpg", (3000, 2000), "JPEG", exif=turned)
    assert pixel_size(as_shown(path, "image/jpeg")[1]) == (LONGEST_SIDE * 2 // 3, LONGEST_SIDE)


def test_the_same_picture_is_the_same_bytes_and_a_changed_one_is_not(tmp_path: Path) -> None:
    path = picture(tmp_path / "a.png", (2000, 10), "PNG")
    first = as_shown(path, "image/png")
    assert as_shown(path, "image/png") is first
    picture(path, (2000, 20), "PNG")
    assert as_shown(path, "image/png") != first


def test_a_picture_of_gigabytes_is_never_decoded_and_one_that_is_cut_comes_as_it_is(tmp_path: Path) -> None:
    header = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + b"\0" * 99
    (tmp_path / "bomb.png").write_bytes(bomb)
    assert as_shown(tmp_path / "bomb.png", "image/png") == ("image/png", bomb)
    whole = picture(tmp_path / "whole.jpg", (2000, 2000), "JPEG").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(whole[:300])
    assert as_shown(tmp_path / "cut.jpg", "image/jpeg")[1] == whole[:300]


def test_one_that_is_large_in_bytes_alone_becomes_small_enough(tmp_path: Path) -> None:
    noise = Image.effect_noise((1500, 1500), 90).convert("RGB")
    path = tmp_path / "noise.jpg"
    noise.save(path, "JPEG", quality=100, subsampling=0)
    path.write_bytes(path.read_bytes() + b"\0" * MOST_BYTES)
    assert len(as_shown(path, "image/jpeg")[1]) < MOST_BYTES
