"""Fill the disk that STATE lies on while the gateway answers, free it again, and count what became of every message.

    sudo python tests/faults/disk_full.py --runs 20               no space left
    sudo python tests/faults/disk_full.py --runs 20 --inodes      no inode left

STATE lies on an ext4 of its own in a file (root may mount one). What was accepted must be answered once, by the same
process, soon after there is room again; nothing that stood on the disk may be damaged.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2

from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.faults.books import Trouble, answer, damage, messages_of, quiet

DISK_MEGABYTES = 64
HEALED_SECONDS = 60.0


@dataclass
class Filled(Trouble):
    """`healed_seconds`: from the disk's having room again to the next answer."""

    healed_seconds: float = HEALED_SECONDS

    @property
    def bad(self) -> bool:
        return super().bad or self.healed_seconds >= HEALED_SECONDS


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mount a new ext4 of DISK_MEGABYTES in `folder`; unmount it behind. Needs root."""
    image, mount = folder / "disk.img", folder / "disk"
    mount.mkdir()
    image.touch()
    with image.open("r+b") as file:
        file.truncate(DISK_MEGABYTES * 1024 * 1024)
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", "-N", "2048", str(image)], check=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(mount)], check=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def fill(mount: Path, *, inodes: bool) -> Path:
    """Use up the space (or the inodes) of `mount`; return the folder to delete."""
    filler = mount / "filler"
    filler.mkdir(exist_ok=True)
    size, number = (0 if inodes else 1 << 20), 0
    while True:
        try:
            with (filler / str(number)).open("wb", buffering=0) as file:
                if size and file.write(bytes(size)) < size:
                    raise OSError(errno.ENOSPC, "no space")
            number += 1
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            if size <= 512:
                return filler
            size //= 4


def empty(filler: Path) -> None:
    for path in filler.iterdir():
        path.unlink()


async def accepted(house: GatewayProcess, rows: list[tuple[str, str, str]], pause: float) -> tuple[set[str], int]:
    """Hand the messages over one by one, once each; return which were accepted, and how many were refused."""
    taken, refused = set[str](), 0
    for session, identity, text in rows:
        body = {"session": session, "text": text, "id": identity}
        try:
            response = await house.client.post(f"{house.url}/api/messages?wait=false", json=body, timeout=20.0)
            if response.status_code == 202:
                taken.add(identity)
            else:
                assert response.status_code >= 500, response.text
                assert response.json()["error"]["fix"], response.text
                refused += 1
        except httpx2.HTTPError:
            refused += 1
        await asyncio.sleep(pause)
    return taken, refused


async def one_run(run: int, count: int, after: float, *, inodes: bool = False, hold: float = 2.0) -> Filled:
    """Send `count` messages, fill the disk after `after` seconds and free it `hold` seconds later."""
    outcome = Filled()
    with tempfile.TemporaryDirectory() as folder, small_disk(Path(folder)) as mount:
        async with FakeAnthropic() as provider:
            provider.default(answer)
            state = mount / "state"
            state.mkdir()
            house = GatewayProcess(state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url)
            try:
                await house.start()
                sending = asyncio.create_task(accepted(house, messages_of(run, count), (after + hold) / count))
                await asyncio.sleep(after)
                filler = await asyncio.to_thread(fill, mount, inodes=inodes)
                await asyncio.sleep(hold)
                taken, outcome.refused = await sending
                await asyncio.to_thread(empty, filler)
                began = time.monotonic()
                await house.send("are you well again?", f"r{run}-last", wait_seconds=HEALED_SECONDS)
                answered = await quiet(house, {*taken, f"r{run}-last"})
                outcome.healed_seconds = time.monotonic() - began
                outcome.lost = sorted(i for i in taken if answered[i] == 0)
                outcome.twice = sorted(i for i, n in answered.items() if n > 1)
                outcome.died = not house.alive
                await house.stop()
                outcome.damaged = damage(state)
            finally:
                await house.close()
    return outcome


async def suite(runs: int, count: int, inodes: bool, seed: int) -> int:
    """Run it all; print a line a run and the sums; return the exit code."""
    random.seed(seed)
    total, healed = Counter[str](), []
    for number in range(runs):
        after = random.uniform(0.0, 1.5)
        outcome = await one_run(number, count, after, inodes=inodes)
        total.update(runs=1, bad=outcome.bad, lost=len(outcome.lost), twice=len(outcome.twice))
        total.update(damaged=len(outcome.damaged), died=outcome.died, refused=outcome.refused)
        healed.append(outcome.healed_seconds)
        print(f"{number:4} {after:.2f} s {outcome if outcome.bad else 'ok'}", flush=True)
    print({**total, "healed_median_s": round(sorted(healed)[len(healed) // 2], 2)})
    return 1 if total["bad"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--messages", type=int, default=20)
    parser.add_argument("--inodes", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    sys.exit(asyncio.run(suite(given.runs, given.messages, given.inodes, given.seed)))
