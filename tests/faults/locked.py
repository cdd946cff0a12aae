"""Let another process hold the books of the running gateway locked, and count what became of every message.

    python tests/faults/locked.py --seconds 60

The other process takes the write lock, as a backup tool or a person with a database browser may. Messages that came in
meanwhile are answered once when it is gone; the log of the database stays small.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass

import apsw

from tests.faults.books import Trouble, damage, messages_of, plain_house, quiet

LOG_BYTES = 64 * 1024 * 1024


@dataclass
class Locked(Trouble):
    """`healed_seconds`: from the lock's end until all is answered."""

    healed_seconds: float = 0.0


async def one_run(seconds: float, count: int = 6) -> Locked:
    """Take the lock, send messages while it is held, let it go, compare."""
    outcome, rows = Locked(), messages_of(0, count)
    async with plain_house() as house:
        other = apsw.Connection(str(house.state / "core.db"))
        other.execute("BEGIN IMMEDIATE")
        sending = asyncio.gather(*(house.send(text, i, session=s, wait_seconds=seconds + 60.0) for s, i, text in rows))
        await asyncio.sleep(seconds)
        other.execute("ROLLBACK")
        other.close()
        began = time.monotonic()
        await sending
        answered = await quiet(house, {i for _, i, _ in rows})
        outcome.healed_seconds = time.monotonic() - began
        outcome.lost = sorted(i for _, i, _ in rows if answered[i] == 0)
        outcome.twice = sorted(i for i, n in answered.items() if n > 1)
        outcome.died = not house.alive
        if (house.state / "core.db-wal").stat().st_size > LOG_BYTES:
            outcome.damaged.append("the log of core.db is over 64 MiB")
        await house.stop()
        outcome.damaged += damage(house.state)
    return outcome


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    result = asyncio.run(one_run(parser.parse_args().seconds))
    print(result)
    sys.exit(1 if result.bad else 0)
