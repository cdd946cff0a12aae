"""`forget --erase`: a text that must not stand on the disk any more (a pasted password).

Every place that holds it is overwritten where it stands, byte for byte: files keep their size, so a transcript that is
open elsewhere goes on being appended to, and no old copy is left in freed blocks as a rewritten file would leave one.
Running it again after a kill finishes the work.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from appliance.crash_points import crash_point
from appliance.errors import InputError

SHORTEST = 4  # characters; a shorter text would take half of everything with it


def forms(text: str) -> list[bytes]:
    """How a text may stand in a file: as it is or in one line, and each as JSON writes it (with and without escapes for
    other scripts)."""
    found: list[bytes] = []
    for form in (text, " ".join(text.split())):
        found += [form.encode(), msgspec.json.encode(form)[1:-1], json.dumps(form).encode()[1:-1]]
    return list(dict.fromkeys(found))


def erase(text: str, files: Iterable[Path]) -> dict[Path, int]:
    """Overwrite `text` with asterisks in every file that holds it; return how often in each.

    Raises InputError for a text that is too short, OSError when a file cannot be written.
    """
    wanted = text.strip()
    if len(wanted) < SHORTEST:
        raise InputError(f"Erasing needs at least {SHORTEST} characters, or half of everything would go.")
    patterns = forms(wanted)
    found: dict[Path, int] = {}
    for path in files:
        if path.is_symlink() or not path.is_file():
            continue
        count = _overwrite(path, patterns)
        if count:
            found[path] = count
    return found


def _overwrite(path: Path, patterns: list[bytes]) -> int:
    count = 0
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)  # a day note may be appended to just now
        with os.fdopen(os.dup(fd), "rb") as file:
            raw = file.read()
        for pattern in patterns:
            place = raw.find(pattern)
            while place >= 0:
                os.pwrite(fd, b"*" * len(pattern), place)
                crash_point("erase")
                count += 1
                place = raw.find(pattern, place + len(pattern))
        if count:
            os.fsync(fd)
    finally:
        os.close(fd)
    return count
