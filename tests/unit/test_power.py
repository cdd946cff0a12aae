"""The pretended power failure of tests/faults loses what was not synced, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.faults.power import Supply

_WRITER = """
import os, sys
root = sys.argv[1]
with open(f"{root}/synced", "w") as file:
    file.write("old " * 1000); file.flush(); os.fsync(file.fileno())
    file.write("new " * 1000)
open(f"{root}/never", "w").write("x" * 1000)
os.makedirs(f"{root}/late", exist_ok=True)
with open(f"{root}/synced", "r+") as file:
    os.fdatasync(file.fileno())
    file.seek(0, 2); file.write("newer " * 1000)
open(f"{root}/later", "w").write("x")
"""


def test_what_was_synced_stays_and_of_the_rest_a_part(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "before").write_text("stood here")
    sizes = set[int]()
    for number in range(6):
        supply = Supply(root, tmp_path / f"notes-{number}")
        subprocess.run([sys.executable, "-c", _WRITER, str(root)], check=True, env={**os.environ, **supply.environ})
        supply.fail()
        text = (root / "synced").read_text()
        assert text.startswith("old " * 1000 + "new " * 1000)
        assert len(text) <= 4_000 + 4_000 + 6_000
        assert (root / "before").read_text() == "stood here"
        assert (root / "late").is_dir(), "a sync of any file makes the names before it last"
        assert not (root / "later").exists()
        sizes |= {len(text), len((root / "never").read_text())}
    assert len(sizes) > 2, "nothing that was not synced was lost"
