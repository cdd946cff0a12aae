"""What of a chat request's pictures is taken, before anything decodes them in the service."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from appliance.errors import InputError
from appliance.local_models.pictures import picture_bytes
from appliance.models.picture_size import pixel_size
from appliance.models.pictures import LONGEST_SIDE


def part(data: bytes, kind: str = "png") -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{base64.b64encode(data).decode()}"}}


def drawn(form: str, size: tuple[int, int]) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, "red").save(made, form)
    return made.getvalue()


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_what_the_library_decodes_goes_through_as_it_is(form: str) -> None:
    data = drawn(form, (64, 48))
    assert picture_bytes(part(data, form.lower())) == data


@pytest.mark.parametrize("form", ["WEBP", "GIF"])
def test_other_forms_become_one_that_it_decodes(form: str) -> None:
    ready = picture_bytes(part(drawn(form, (64, 48)), form.lower()))
    assert ready.startswith(b"\x89PNG")
    assert pixel_size(ready) == (64, 48)


def test_a_large_picture_is_scaled() -> None:
    assert pixel_size(picture_bytes(part(drawn("PNG", (4000, 2000))))) == (LONGEST_SIDE, LONGEST_SIDE // 2)


@pytest.mark.parametrize(
    "given",
    [
        {"type": "input_audio", "input_audio": {"data": ""}},
        {"type": "image_url"},
        {"type": "image_url", "image_url": {"url": "http://192.168.1.1/a.png"}},
        {"type": "image_url", "image_url": {"url": "file:///etc/passwd"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,%%%"}},
        part(b""),
        part(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "svg+xml"),
        part(b"\x89PNG\r\n\x1a\n" + b"\0" * 8 + (50_000).to_bytes(4, "big") * 2 + b"\0" * 40),
    ],
)
def test_what_is_no_picture_or_too_large_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(InputError):
        picture_bytes(given)
