"""Scales one picture, in a process of its own that imports nothing of ours: `python scale_picture.py SIDE PIXELS`.

Decoders are large, and pictures come from strangers: memory and time are limited here. In: the picture. Out:
its media type in a line, then the picture with no side longer than SIDE; nothing for one that cannot be scaled.
"""

from __future__ import annotations

import io
import resource
import sys

_MEMORY = 1024 * 1024 * 1024
_SECONDS = 20


def main(side: int, pixels: int) -> None:
    """Scale what stands on standard input."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(sys.stdin.buffer.read()), formats=("JPEG", "PNG", "GIF", "WEBP")) as picture:
        if picture.width * picture.height > pixels:
            return
        lossless = picture.format != "JPEG"
        picture.draft("RGB", (side, side))  # a JPEG is decoded no larger than needed
        shown = ImageOps.exif_transpose(picture)
        shown = shown.convert("RGBA" if lossless else "RGB")
        shown.thumbnail((side, side))
    made = io.BytesIO()
    if lossless:
        shown.save(made, "PNG")
    else:
        shown.save(made, "JPEG", quality=85)
    sys.stdout.buffer.write(b"image/png\n" if lossless else b"image/jpeg\n")
    sys.stdout.buffer.write(made.getvalue())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
