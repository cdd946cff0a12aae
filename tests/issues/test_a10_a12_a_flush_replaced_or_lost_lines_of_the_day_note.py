"""A10: a flush "wrote" the day file and replaced what was there. A12: one of two flushes was lost.

The day note can only be appended to: there is no call that writes it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from zoneinfo import ZoneInfo

from appliance.memory.workspace import BOOTSTRAP, Workspace

AT = 1_775_000_000.0


def workspace(folder: Path) -> Workspace:
    made = Workspace(folder / "main", ZoneInfo("UTC"))
    made.create()
    return made


def lines(of: Workspace) -> list[str]:
    return [line for line in of.read_day(of.day(AT)).splitlines() if line.startswith("- ")]


def test_two_lines_after_twenty_are_twenty_two(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    for number in range(20):
        made.append_day(f"- line {number}", AT)
    made.append_day("- new one\n- new two", AT)
    assert len(lines(made)) == 22
    assert f"{made.day(AT)}.md" not in BOOTSTRAP, "only bootstrap files can be written whole"


async def test_two_sessions_appending_two_hundred_times_each_leave_four_hundred_lines(tmp_path: Path) -> None:
    first, second = workspace(tmp_path), workspace(tmp_path)

    async def session(of: Workspace, name: str) -> None:
        for number in range(200):
            await of.append_day_async(f"- {name} {number}", AT)

    await asyncio.gather(session(first, "a"), session(second, "b"))
    assert sorted(lines(first)) == sorted(f"- {name} {number}" for name in "ab" for number in range(200))
