"""Kill the gateway while it brings the data of an earlier release up to date: the next start ends the work.

    python tests/faults/migrations.py --runs 50

The data are an archive that an earlier commit made (tests/end_to_end/states). strace kills the start at a random write,
sync or rename; then it is started again, undisturbed, and must be what an undisturbed upgrade is.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import apsw

from appliance.backup import restore
from appliance.composition.rooms import core_rooms
from appliance.testing.fake_anthropic import FakeAnthropic
from tests.faults import restores
from tests.faults.books import damage
from tests.faults.kill import CALLS, Blow

ARCHIVE = Path(__file__).parents[1] / "end_to_end" / "states" / "0.1.0-before-skills.tar.gz"
SPENT_USD = 0.0056406
LATEST_CALL = 60


async def one_run(blow: Blow) -> list[str]:
    """Restore, start and be killed, start again; return what is wrong afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        archive, state = Path(folder) / "earlier.tar.gz", Path(folder) / "state"
        shutil.copy(ARCHIVE, archive)
        restore(archive, state, core_rooms())
        async with FakeAnthropic() as provider:
            house = restores.gateway(state, provider)
            try:
                house.under = blow.tracer
                with contextlib.suppress(RuntimeError):  # it ended while it started, as it should
                    await house.start(APPLIANCE_SCHEDULES__CATCH_UP_SECONDS="0")
                await house.kill()
                house.under = ()
                await house.start(APPLIANCE_SCHEDULES__CATCH_UP_SECONDS="0")
                spent = (await house.get("/api/spend?day=2026-11-30"))["total"]
                jobs = [row["text"] for row in (await house.get("/api/schedules"))["schedules"]]
                await restores.appliance(state, "audit", "verify")  # raises when the chain is broken
                await house.stop()
            finally:
                await house.close()
        wrong = damage(state)
        if steps(state) != {room: len(made) for room, made in core_rooms().items()}:
            wrong.append(f"the tables are at {steps(state)}")
        if abs(spent - SPENT_USD) > 1e-9 or jobs != ["water the plants"]:
            wrong.append(f"${spent} spent, jobs {jobs}")
        if not list((state / "backups").glob("before-upgrade-*.tar.gz")):
            wrong.append("there is no way back")
    return wrong


def steps(state: Path) -> dict[str, int]:
    """How far each room's tables are."""
    connection = apsw.Connection(str(state / "core.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return dict(connection.execute("SELECT room, version FROM schema_versions").fetchall())
    finally:
        connection.close()


async def suite(runs: int, seed: int) -> int:
    chance, bad = random.Random(seed), 0
    for number in range(runs):
        blow = Blow(call=CALLS[number % len(CALLS)], when=chance.randint(1, LATEST_CALL))
        wrong = await one_run(blow)
        bad += bool(wrong)
        print(f"{number:4} {blow!s:16} {'; '.join(wrong) or 'ok'}", flush=True)
    print({"runs": runs, "bad": bad})
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    sys.exit(asyncio.run(suite(given.runs, given.seed)))
