"""A real Chromium on pages of our own."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from appliance.browser import chromium
from appliance.browser.driver import Driver
from appliance.browser.session import Browser
from appliance.messages import Person, SessionKey
from appliance.network.proxy import WallProxy
from appliance.network.wall import Wall
from appliance.testing.manual_clock import ManualClock
from appliance.tools.base import ToolContext, ToolResult
from appliance.tools.browser import BrowserTool
from appliance.tools.openings import Openings, Said
from tests.integration.web_tools.conftest import Forbidden, World, forbidden, world


class Hand:
    """Uses the browser as a model would: by refs that it reads in the text."""

    def __init__(self, browser: Browser, wall: Wall, files: Path, said: list[Said]) -> None:
        self.browser = browser
        self.said = said
        self.files = files
        self.tainted = False
        self.session = SessionKey.main()
        self.tool = BrowserTool(Driver(browser), wall, Openings(lambda session: self.said))
        self.text = ""

    async def __call__(self, action: str, **arguments: Any) -> ToolResult:
        context = ToolContext(self.session, "main", Person("owner"), "t", "c", self.files, self.tainted)
        result = await self.tool.run({"action": action, **arguments}, context)
        self.text = result.text
        return result

    def ref(self, pattern: str) -> str:
        """The reference on the first line that matches."""
        for line in self.text.splitlines():
            if re.search(pattern, line) and (found := re.search(r"\[ref=(\w+)\]", line)):
                return found[1]
        raise AssertionError(f"nothing like {pattern!r} in:\n{self.text}")


@pytest.fixture
async def hand(world: World, tmp_path: Path) -> AsyncIterator[Hand]:
    why = chromium.missing("")
    if why:
        pytest.skip(why)
    wall = world.wall()
    clock = ManualClock()
    proxy = WallProxy(wall)
    browser = Browser(wall, clock, await proxy.start())
    files = tmp_path / "files"
    files.mkdir()
    hand = Hand(browser, wall, files, [])
    hand.clock = clock  # type: ignore[attr-defined]
    yield hand
    await browser.stop()
    await proxy.stop()


__all__ = ["Forbidden", "Hand", "World", "forbidden", "hand", "world"]
