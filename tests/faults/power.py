"""A power failure, pretended: of a folder there remains what was synced, and of the rest a random part.

A library loaded into the gateway (power.c) notes each file as it stood at its last sync, and all names there were at
the last sync of any file, as a journaling file system keeps them. When the power fails the folder is made anew from
these notes; each file that had grown since keeps a random part of the growth, from nothing to all of it, since a disk
may write on its own what nobody asked it to. Files that were overwritten in place without a sync are old or new.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_suffix(".c")


class Supply:
    """Given the folder and one for the notes: `environ` for the process that writes, and `fail` once it is dead."""

    def __init__(self, root: Path, notes: Path) -> None:
        self._root = root.resolve()
        self._notes = notes
        self._chance = random.Random()
        self._clear()
        library = notes.with_suffix(".so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(_SOURCE), "-ldl"], check=True)
        self.environ = {
            "LD_PRELOAD": str(library), "POWER_ROOT": str(self._root), "POWER_SHADOW": str(notes),
        }  # fmt: skip

    def fail(self) -> None:
        """Replace the folder by what a disk would hold. Raises ValueError for a note that is none."""
        before = self._root.with_name(f"{self._root.name}.before")
        self._root.rename(before)
        self._root.mkdir()
        for line in (self._notes / "names").read_text().splitlines():
            kind, key, mode, name = line.split(" ", 3)
            path = self._root / name
            if kind == "d":
                path.mkdir()
            else:
                kept = self._notes / "content" / key
                path.write_bytes(self._remains(kept, before / name))
            path.chmod(int(mode, 8))
        shutil.rmtree(before)
        self._clear()

    def _remains(self, kept: Path, live: Path) -> bytes:
        """What was synced, with a random part of what came after it."""
        synced = kept.read_bytes() if kept.exists() else b""
        latest = live.read_bytes() if live.is_file() else b""
        if latest.startswith(synced):
            return latest[: self._chance.randint(len(synced), len(latest))]
        return self._chance.choice((synced, latest or synced))

    def _clear(self) -> None:
        shutil.rmtree(self._notes, ignore_errors=True)
        (self._notes / "content").mkdir(parents=True)
