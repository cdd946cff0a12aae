"""Without a mouse: a message, a decision, the settings and the first run, with nothing but keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .conftest import Whole
from .test_deciding_page import focused, logged_in, pytestmark  # noqa: F401 - marks of what needs Chromium

if TYPE_CHECKING:
    from playwright.async_api import Page

FOCUSED = "one => one.matches(':focus') && getComputedStyle(one).outlineStyle !== 'none'"


async def tab_to(page: Page, selector: str, *, most: int = 60, key: str = "Tab") -> None:
    """Press Tab until the element has the focus and shows it."""
    for _ in range(most):
        await page.keyboard.press(key)
        found = await page.query_selector(f"{selector}:focus")
        if found is not None:
            assert await found.evaluate(FOCUSED), f"{selector} does not show its focus"
            return
    raise AssertionError(f"{selector} is not reached by {key}")


async def test_chat_approvals_and_settings_work_with_keys_alone(whole: Whole) -> None:
    async with logged_in(whole) as (_, page, trouble):
        await focused(page, "text")
        await page.keyboard.type("hello")
        await page.keyboard.press("Enter")
        await page.locator(".message.assistant .foot", has_text="claude").wait_for()

        task, _ = await whole.ask("git", "push")
        await page.locator("#waiting .ask").wait_for()
        await tab_to(page, "#waiting button", key="Shift+Tab")
        await page.keyboard.press("Shift+Tab")
        await page.keyboard.press("Shift+Tab")
        assert await page.inner_text(":focus") == "Once"
        await page.keyboard.press("Enter")
        assert (await asyncio.wait_for(task, 20)).approved is True

        await tab_to(page, "#open-settings", key="Shift+Tab")
        await page.keyboard.press("Enter")
        await page.locator("dialog#settings[open]").wait_for()
        await tab_to(page, "#theme")
        await page.keyboard.type("Dark")
        assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
        await page.keyboard.press("Escape")
        await page.locator("dialog#settings[open]").wait_for(state="detached")
        await focused(page, "open-settings")

        await tab_to(page, 'a[href="/settings"]', key="Shift+Tab")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/settings")
        await page.keyboard.press("Tab")  # the link that skips the menu comes first
        await page.keyboard.press("Enter")
        await focused(page, "live")
        await tab_to(page, 'a[href="/first-run"]')
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/first-run")
        await tab_to(page, "#next")
        await page.keyboard.press("Enter")
        await page.locator("#budget-title:focus").wait_for()
        await tab_to(page, "#usd")
        await page.keyboard.press("Control+A")
        await page.keyboard.type("3")
        await page.keyboard.press("Enter")
        await page.locator("#budget-result", has_text="holds").wait_for()
        assert whole.house.budget.status()[0]["limit"] == 3
        assert trouble == []
