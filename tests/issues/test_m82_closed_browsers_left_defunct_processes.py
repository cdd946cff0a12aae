"""Closed browsers left defunct processes behind, one lot each time."""

import asyncio
import os
from pathlib import Path

import pytest

from appliance.browser import chromium
from appliance.browser.session import Browser
from appliance.network.wall import Wall
from appliance.testing.manual_clock import ManualClock

pytestmark = pytest.mark.chromium


def _children_left() -> list[str]:
    """Descendants of this process and defunct processes anywhere that carry Chromium's or the driver's name."""
    left = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                name, _, rest = (path / "stat").read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue
            state, parent = rest.split()[:2]
            if parent == str(os.getpid()) and (state == "Z" or "chrom" in name or "node" in name):
                left.append(f"{path.name} {name} {state}")
    return left


async def test_nothing_is_left_after_many_openings() -> None:
    if why := chromium.missing(""):
        pytest.skip(why)
    for _ in range(5):
        browser = Browser(Wall(), ManualClock(), "http://127.0.0.1:9")
        window = await browser.window("agent:main:main")
        await window.tab.page.set_content("<p>hello</p>")
        await browser.stop()
    for _ in range(50):
        if not _children_left():
            break
        await asyncio.sleep(0.1)
    assert _children_left() == []
