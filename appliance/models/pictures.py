"""A picture as a model takes it: no larger than it looks at, which costs less and is sent faster."""

from __future__ import annotations

import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path

import structlog

from appliance.lifeline import first_to_go
from appliance.models.picture_size import HEAD_BYTES, MAX_PIXELS, pixel_size

log = structlog.get_logger(__name__)

LONGEST_SIDE = 1568  # pixels; providers shrink larger ones themselves, or refuse them
MOST_BYTES = 5 * 1024 * 1024 * 3 // 4  # providers count 5 MB after base64
_SECONDS = 25.0
_one_at_a_time = threading.Lock()  # a picture takes up to half a gigabyte while it is scaled
_KEPT = 16  # a conversation sends its pictures with every request


def as_shown(path: Path, media_type: str) -> tuple[str, bytes]:
    """Media type and bytes of a picture, scaled when it is larger than a model looks at. Raises OSError.

    One that cannot be scaled comes as it is.
    """
    status = path.stat()
    return _shown(path, media_type, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=_KEPT)
def _shown(path: Path, media_type: str, changed: int, size: int) -> tuple[str, bytes]:
    raw = path.read_bytes()
    sides = pixel_size(raw[:HEAD_BYTES])
    if size <= MOST_BYTES and (sides is None or max(sides) <= LONGEST_SIDE):
        return media_type, raw
    return scaled(raw) or (media_type, raw)


def scaled(raw: bytes) -> tuple[str, bytes] | None:
    """Media type and bytes of a picture as PNG or JPEG with no side longer than LONGEST_SIDE; None when that cannot be
    done. A process of its own decodes it, within limits of memory and time."""
    script = str(Path(__file__).with_name("scale_picture.py"))
    command = [sys.executable, "-I", script, str(LONGEST_SIDE), str(MAX_PIXELS)]
    with (
        _one_at_a_time,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child,
    ):
        first_to_go(child.pid)
        try:
            out, _ = child.communicate(raw, _SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            out = b""
    kind, _, made = out.partition(b"\n")
    if child.returncode or not made:
        log.warning("a picture could not be scaled", size=len(raw))
        return None
    return kind.decode(), made
