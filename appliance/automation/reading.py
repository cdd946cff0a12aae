"""Reading files that a command in the sandbox may have put there: never a pipe or a device, which would not end."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_plain(path: Path, most: int) -> bytes:
    """At most `most` bytes of a plain file. Raises OSError, also for what is no plain file."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{path.name} is not a plain file")
        return file.read(most)
