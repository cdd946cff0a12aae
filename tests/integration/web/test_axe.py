"""axe finds no serious fault on any page: on a phone and on a desk, in light and dark."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic

from .conftest import Whole
from .test_deciding_page import furnish, logged_in, pytestmark  # noqa: F401 - marks of what needs Chromium

if TYPE_CHECKING:
    from playwright.async_api import Page

PAGES = {
    "/login?again=1": "form:visible",
    "/": "#messages > *",
    "/approvals": "#live section",
    "/memory?q=locker": "#live section",
    "/schedules": "#live section",
    "/spend": "main section",
    "/context": "#live section",
    "/models": "#live section",
    "/settings": "#live section",
    "/health": "#live section",
    "/first-run#model": "#model:visible",
    "/first-run#budget": "#budget:visible",
    "/first-run#telegram": "#telegram:visible",
}
# Everything at both widths; what depends on the colours alone is looked at in the other colours too.
SHAPES = [(390, 844, "dark"), (1280, 800, "light")]
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
OTHER = {"light": "dark", "dark": "light"}


async def faults(page: Page, where: str, scheme: str) -> list[str]:
    """What axe calls serious or critical, each with the element it is about."""
    from axe_playwright_python.async_playwright import Axe

    found = (await Axe().run(page)).response["violations"]
    await page.emulate_media(color_scheme=OTHER[scheme])  # type: ignore[arg-type]
    found += (await Axe().run(page, options=COLOURS)).response["violations"]
    await keep_picture(page, f"{OTHER[scheme]}-{where}")
    await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    await keep_picture(page, f"{scheme}-{where}")
    return [
        f"{where}: {one['id']} ({one['impact']}): {node['target']} {node['failureSummary']}"
        for one in found
        for node in one["nodes"][:3]
        if one["impact"] in ("serious", "critical")
    ]


async def keep_picture(page: Page, name: str) -> None:
    """A look for a person: `PICTURES=folder` keeps every page as it was examined."""
    folder = os.environ.get("PICTURES")
    if folder:
        await page.screenshot(path=Path(folder) / f"{re.sub('[^a-z0-9]+', '-', name)}.png", full_page=True)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("width", "height", "scheme"), SHAPES)
async def test_no_page_has_a_serious_fault(
    whole: Whole, provider: FakeAnthropic, width: int, height: int, scheme: str
) -> None:
    provider.script(Reply(text="## Plan\n\n1. `one`\n\n> two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```sh\nls\n```"))
    task = await furnish(whole)
    seen: list[str] = []
    viewport = {"width": width, "height": height}
    try:
        async with logged_in(whole, viewport=viewport, color_scheme=scheme) as (_, page, trouble):
            for path, there in PAGES.items():
                await page.goto(path)
                await page.wait_for_selector(there)
                await page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
                seen += await faults(page, f"{width} {path}", scheme)
            await page.goto("/")
            await page.wait_for_selector("#messages > *")
            if await page.is_visible("#open-sidebar"):
                await page.click("#open-sidebar")
                await page.wait_for_selector("#sidebar.open")
                seen += await faults(page, f"{width} sidebar", scheme)
            await page.click("#open-settings")
            seen += await faults(page, f"{width} dialog", scheme)
            assert trouble == []
    finally:
        task.cancel()
    assert seen == []
