"""Names that are slow to be found, before a name server that is late: only whoever asks for such a name waits."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.faults.name_server import NameServer, usable

LATE_SECONDS = 5.0
HOUSE = """
import asyncio
from appliance.serving import new_loop

async def stands():
    pass
"""
WEB_PROXY = """
import asyncio
from appliance.network.proxy import stand
from appliance.network.wall import Wall

new_loop = asyncio.new_event_loop

async def stands():
    await stand(Wall(), "127.0.0.1", 0, print)
"""
LOOKING_UP = """
async def main():
    loop, standing = asyncio.get_running_loop(), asyncio.create_task(stands())
    await asyncio.sleep(0.1)
    slow = [asyncio.create_task(loop.getaddrinfo(f"{n}.slow.test", 80)) for n in range(8)]
    await asyncio.sleep(0.1)
    await loop.getaddrinfo("quick.test", 80)
    print(sum(task.done() for task in slow))
    print(len(await asyncio.gather(*slow)))
    standing.cancel()

asyncio.Runner(loop_factory=new_loop).run(main())
"""


@pytest.mark.parametrize("process", [HOUSE, WEB_PROXY], ids=["house", "web proxy"])
async def test_names_that_are_slow_to_be_found_hold_up_no_other(process: str, tmp_path: Path) -> None:
    if not usable():
        pytest.skip("a name server of its own needs root")
    async with NameServer(LATE_SECONDS) as names:
        names.become("late", "slow.test")
        child = await asyncio.create_subprocess_exec(
            *names.asking(tmp_path), sys.executable, "-c", process + LOOKING_UP, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await asyncio.wait_for(child.communicate(), 60.0)
    assert out.split() == [b"0", b"8"]
