"""Kill memory at work again and again at random moments, and see that nothing is lost and the index heals.

    python tests/faults/kill_memory.py --runs 50

The process writes items, notes and turns, indexes and embeds them, rebuilds the index and tidies, without a pause. What
it had said to be on disk before the kill must be there after it, every line whole, and the index sound and complete.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from appliance.memory import tidy
from appliance.memory.items import Items, parse_line
from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import AT, House

LATEST_SECONDS = 2.0  # after the process has stored its first item
DAY_SECONDS = 86_400


async def work(state: Path, run: int) -> None:
    """For ever: store, index, embed; now and then rebuild and tidy. Each item is named once it is on disk."""
    house = House(state, FakeEmbedder())
    house.index.open()
    number = 0
    while True:
        text = f"likes thing {number} of run {run}"
        house.item(text, at=AT - number * 5 * DAY_SECONDS)
        print(text, flush=True)
        house.memory("\n\n".join(f"# Part {n}\n\nfact {n} of {run}" for n in range(number % 12 + 1)))
        house.say((f"message {number} of run {run}", "reply"), start=run * 10_000 + number)
        await house.ready()
        if number % 3 == 2:
            await house.index.rebuild()
        if number % 4 == 3:
            tidy.merge(house.workspace, AT)
            tidy.digest_days(house.workspace, AT)
            tidy.shorten(house.workspace, AT)
        number += 1


def killed(state: Path, run: int, after: float) -> list[str]:
    """Start the work, kill it `after` seconds into it; return what it said to be on disk."""
    command = [sys.executable, __file__, "--work", str(state), str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            time.sleep(after)
        finally:
            process.kill()
        return [first.strip(), *process.stdout.read().split("\n")[:-1]]


async def damage(state: Path, stored: list[str]) -> list[str]:
    """What is wrong after a kill; the index is given one look, as at a start."""
    found = []
    house = House(state, FakeEmbedder())
    house.index.open()
    await house.ready()
    found += [f"index: {one}" for one in await house.index.check()]
    have = {item.text for item in Items(house.workspace).active()}
    found += [f"lost: {text}" for text in stored if text not in have]
    for day in house.workspace.days():
        lines = house.workspace.read_day(day).splitlines()
        found += [f"half a line: {line}" for line in lines if line.startswith("- [") and parse_line(line) is None]
    if house.count("SELECT count(*) FROM vectors") != house.count("SELECT count(*) FROM chunks"):
        found.append("entries without a vector")
    if house.count("SELECT count(*) FROM chunks WHERE kind='item'") != len(have):
        found.append("items that are not in the index")
    house.index.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", nargs=2, metavar=("STATE", "RUN"), help="be the process that is killed")
    given = parser.parse_args()
    if given.work:
        asyncio.run(work(Path(given.work[0]), int(given.work[1])))
    source = random.Random(given.seed)
    stored: list[str] = []
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for run in range(given.runs):
            stored += killed(Path(folder), run, source.uniform(0, LATEST_SECONDS))
            for line in asyncio.run(damage(Path(folder), stored)):
                wrong += 1
                print(f"run {run}: {line}", file=sys.stderr)
    print(f"{given.runs} kills, {len(stored)} items stored, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
