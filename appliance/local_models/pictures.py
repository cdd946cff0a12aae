"""Pictures in a chat request, in OpenAI's form: taken from their `data:` addresses, in a form and size that is safe to
decode in this process."""

from __future__ import annotations

import base64
from typing import Any

from appliance.errors import InputError
from appliance.models.picture_size import HEAD_BYTES, pixel_size
from appliance.models.pictures import LONGEST_SIDE, scaled

_DECODED = (b"\xff\xd8", b"\x89PNG")  # what the library of llama.cpp decodes of what people send


def picture_bytes(part: dict[str, Any]) -> bytes:
    """Given a part of a message, return the JPEG or PNG in it, no larger than a model looks at.

    Raise InputError for a part that is no picture, one by address (nothing is fetched here), and what cannot be read.
    """
    if part.get("type") != "image_url":
        raise InputError(f"A message has a part of the kind {part.get('type')!r}.", fix="Send text and pictures.")
    given = part.get("image_url")
    url = given.get("url") if isinstance(given, dict) else given
    if not isinstance(url, str) or not url.startswith("data:image/"):
        raise InputError("A picture must come along as a data: address.", fix="Send data:image/png;base64,…")
    try:
        raw = base64.b64decode(url.partition(",")[2], validate=True)
    except ValueError:
        raise InputError("A picture's base64 cannot be read.") from None
    sides = pixel_size(raw[:HEAD_BYTES])
    if raw.startswith(_DECODED) and sides is not None and max(sides) <= LONGEST_SIDE:
        return raw
    ready = scaled(raw)
    if ready is None:
        raise InputError("A picture cannot be read, or is too large to be.", fix="Send a JPEG, PNG, GIF or WebP.")
    return ready[1]
