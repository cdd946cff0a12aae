"""This appliance beside its peers: one run, one machine, one fake model, one table.

    python -m tests.benchmarks.peers --cache ~/.cache/peers [--write docs/comparison.md]

The first run installs OpenClaw, nanobot and hermes-agent by package name below the cache (about 1.5 GiB, two minutes);
every later run measures what is there. Needs uv, and for the sandbox rows Docker with this appliance's shell image
(`scripts/images shell`) and bubblewrap. With a cached install it takes about twelve minutes on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from appliance import __version__
from tests.benchmarks.pages import written
from tests.benchmarks.peers.install import installed
from tests.benchmarks.peers.measures import Bench, Figures, measured
from tests.benchmarks.peers.programs import PROGRAMS
from tests.benchmarks.peers.table import table

SHELL_IMAGE = f"appliance-shell:{__version__}"


def shell_image() -> str:
    """The image for sandboxes; empty where no Docker engine has it."""
    try:
        found = subprocess.run(["docker", "image", "inspect", SHELL_IMAGE], capture_output=True, check=False)
    except FileNotFoundError:
        return ""
    return SHELL_IMAGE if found.returncode == 0 else ""


async def bench(cache: Path, names: list[str]) -> dict[str, Figures]:
    """Measure one program after the other."""
    image = shell_image()
    found: dict[str, Figures] = {}
    for kind in PROGRAMS:
        if names and kind.package.name not in names:
            continue
        folder = installed(cache, kind.package)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="peers-", ignore_cleanup_errors=True) as scratch:
            found[kind.package.name] = await measured(Bench(kind, folder, Path(scratch), image))
        print(f"{kind.package.name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="where the programs are installed, outside the repo")
    parser.add_argument("--write", type=Path, help="also put the table into this page, between its marks")
    parser.add_argument("--only", action="append", default=[], help="one program; may be repeated")
    given = parser.parse_args()
    text = table(asyncio.run(bench(given.cache.expanduser().absolute(), given.only)))
    print(text)
    if given.write:
        given.write.write_text(written(given.write.read_text(), "peers", text))


if __name__ == "__main__":
    main()
