"""Memory as `doctor` sees it: counts, files that have grown too large, and repeats that tidying would merge."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from appliance.memory.items import Items
from appliance.memory.quarantine import Quarantine
from appliance.memory.tidy import LARGE_BYTES, large_files, near_duplicates
from appliance.memory.workspace import Workspace

_FIX = "`appliance memory tidy` takes out repeated lines and digests old notes; shorten the rest by hand."


def examine_memory(state: Path, zone: ZoneInfo) -> tuple[Literal["pass", "warn"], str, str] | None:
    """Given STATE, say how memory stands; None while no agent has any. Raises OSError."""
    folders = sorted(path for path in (state / "agents").glob("*") if (path / "memory").is_dir())
    if not folders:
        return None
    items = notes = repeats = 0
    large: list[str] = []
    for folder in folders:
        workspace = Workspace(folder, zone)
        active = Items(workspace).active()
        items += len(active)
        notes += len(workspace.days())
        repeats += len(near_duplicates(active))
        large += [f"{folder.name}/{name} ({size / 1_000:.1f} KB)" for name, size in large_files(workspace)]
    waiting = len(Quarantine(state / "quarantine").list())
    stands = f"{items} items in {notes} day notes, {waiting} waiting for your yes."
    if large:
        over = f"Over {LARGE_BYTES // 1_000} KB, which every prompt pays for: {', '.join(large)}."
        return "warn", f"{stands} {over}", _FIX
    if repeats:
        again = f"{repeats} said more than once, merged when the house is idle."
        return "pass", f"{stands} {again}", ""
    return "pass", stands, ""
