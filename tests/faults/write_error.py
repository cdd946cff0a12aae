"""Let single writes and syncs of the running gateway fail with EIO, and count what became of every message.

    python tests/faults/write_error.py [--rounds 5]

strace injects the error into one file at a time: the log of core.db, the transcript. A message that was accepted is
answered once, or set aside with the reason; one that could not be stored is refused. Nothing is damaged, nobody dies.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from tests.faults.books import Trouble, damage, plain_house, quiet
from tests.faults.disk_full import accepted

# file below STATE, system call, errno
TARGETS = (
    ("core.db-wal", "pwrite64", "EIO"),
    ("core.db-wal", "fdatasync", "EIO"),
    ("agents/main/sessions/agent-main-main-*.jsonl", "write", "EIO"),
    ("agents/main/sessions/agent-main-main-*.jsonl", "fdatasync", "EIO"),
)
MESSAGES = 6


@dataclass
class Failed(Trouble):
    """`injected`: how many calls strace let fail."""

    injected: int = 0


@contextlib.asynccontextmanager
async def failing(pid: int, path: Path, call: str, error: str, when: int, log: Path) -> AsyncIterator[None]:
    """While this is open, the `when`-th `call` on `path` and the next one fail in process `pid`."""
    process = await asyncio.create_subprocess_exec(
        "strace", "-f", "-q", "-o", str(log), "-P", str(path), "-e", f"trace={call}",
        "-e", f"inject={call}:error={error}:when={when}..{when + 1}", "-p", str(pid),
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    await asyncio.sleep(0.5)  # attached to every thread
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        await process.wait()


async def one_run(pattern: str, call: str, error: str, when: int) -> Failed:
    """Send messages while one write fails; wait until quiet; compare."""
    outcome = Failed()
    rows = [("main", f"m{number}", f"message {number} 你好") for number in range(MESSAGES)]
    async with plain_house() as house:
        path = next(house.state.glob(pattern))
        log = house.state.with_name("strace.log")
        async with failing(house.pid, path, call, error, when, log):
            taken, outcome.refused = await accepted(house, rows, 0.1)
            await asyncio.sleep(1.0)
        outcome.injected = log.read_text().count("(INJECTED)")
        await house.send("are you well?", "last")
        answered = await quiet(house, {*taken, "first", "last"})
        outcome.lost = sorted(i for i in {*taken, "last"} if answered[i] == 0)
        outcome.twice = sorted(i for i, n in answered.items() if n > 1)
        outcome.died = not house.alive
        await house.stop()
        outcome.damaged = damage(house.state)
    return outcome


async def suite(rounds: int) -> int:
    """Every target, its first `rounds` calls; print a line a run and the sums; return the exit code."""
    total = Counter[str]()
    for pattern, call, error in TARGETS:
        for when in range(1, rounds + 1):
            outcome = await one_run(pattern, call, error, when)
            total.update(runs=1, bad=outcome.bad, injected=outcome.injected, refused=outcome.refused)
            print(f"{pattern:48} {call:10} {when:3} {outcome if outcome.bad else 'ok'}", flush=True)
    print(dict(total))
    return 1 if total["bad"] or not total["injected"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    sys.exit(asyncio.run(suite(parser.parse_args().rounds)))
