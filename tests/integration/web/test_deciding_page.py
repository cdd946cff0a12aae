"""The pages for seeing and deciding in a real browser: by mouse, by keyboard, on a phone, in the dark."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import Whole
from .test_web_page import CHROMIUM, REQUIRED, hostile

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page

if not REQUIRED:
    pytest.importorskip("playwright")

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None and not REQUIRED, reason="no Chromium on this machine"),
]
PAGES = (
    "/approvals", "/memory?q=locker", "/schedules", "/spend", "/context", "/models", "/settings", "/health",
)  # fmt: skip
LONG = "x" * 300


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        await started.close()


@contextlib.asynccontextmanager
async def logged_in(whole: Whole, **options: Any) -> AsyncIterator[tuple[BrowserContext, Page, list[str]]]:
    """A page with the owner's login, and what went wrong on it."""
    async with browser() as started:
        context = await started.new_context(base_url=whole.url, **options)
        context.set_default_timeout(15_000)
        page = await context.new_page()
        trouble: list[str] = []
        page.on("console", lambda m: trouble.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: trouble.append(str(e)))
        await page.goto(f"/login#{whole.house.auth.new_code()}")
        await page.click("#later")
        await page.wait_for_selector("#messages > *")
        yield context, page, trouble


async def focused(page: Page, identity: str) -> None:
    """Wait until this element has the focus: a page that is told of a new # or an answer moves it a moment later."""
    await page.wait_for_function("identity => document.activeElement.id === identity", arg=identity)


async def furnish(whole: Whole) -> asyncio.Task[Any]:
    """Something on every page, some of it hostile and too long for a phone."""
    for text in (
        f"My locker code at the gym is 4711. I am allergic to {LONG}.",
        f'/cron add --name "<b>Weather</b> {LONG}" "0 7 * * *" Tell me the <script>window.hacked=1</script> {LONG}',
    ):
        assert (await whole.client.post("/api/messages", json={"session": "main", "text": text})).status_code == 200
    whole.house.memory.quarantine.hold(
        f"<img src=x onerror='window.hacked=1'> {LONG}",
        at=time.time(), session="agent:main:main", agent="main", person="owner", origin="a page",
    )  # fmt: skip
    task, _ = await whole.ask("git", "commit", "-m", f"<img src=x onerror='window.hacked=1'> {LONG}")
    return task


async def test_every_page_fits_a_phone_and_a_desk_in_light_and_dark_and_nothing_in_it_runs(whole: Whole) -> None:
    task = await furnish(whole)
    async with logged_in(whole) as (_, page, trouble):
        for width, height in ((390, 844), (1280, 800)):
            await page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                for path in PAGES:
                    await page.goto(path)
                    await page.wait_for_selector("#live section")
                    wide = await page.evaluate("document.documentElement.scrollWidth")
                    assert wide <= width, (path, width, scheme)
                    assert await page.locator("header a[aria-current=page]").count() == 1
                    narrow = await page.evaluate(
                        "[...document.querySelectorAll('.panel')].filter("
                        "p => p.offsetWidth < Math.min(innerWidth, 1200) - 60).length"
                    )
                    assert narrow == 0 or path == "/spend", (path, width)  # its figures stand side by side
                    small = await page.evaluate(
                        "[...document.querySelectorAll('main button')].filter(b => b.offsetHeight < 44).length"
                    )
                    assert small == 0
                    assert await page.evaluate("window.hacked") is None
                    assert await page.locator("main img, main script").count() == 0
        await page.goto("/")
        await page.wait_for_selector("#waiting .ask")
        await page.set_viewport_size({"width": 390, "height": 844})
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        assert await page.locator("#composer").is_visible()
        assert trouble == []
    task.cancel()


async def test_a_command_is_approved_under_the_conversation(whole: Whole) -> None:
    async with logged_in(whole) as (_, page, trouble):
        task, _ = await whole.ask("git", "push")
        card = page.locator("#waiting .ask")
        await card.wait_for()
        assert "git push" in await card.locator("pre").inner_text()
        assert await card.locator("button").all_inner_texts() == ["Once", "Always", "Deny"]
        await card.get_by_role("button", name="Once").press("Enter")
        assert (await asyncio.wait_for(task, 10)).approved is True
        await page.locator("#waiting").wait_for(state="hidden")
        await focused(page, "text")
        refused, _ = await whole.ask("git", "push", "--force")
        await card.get_by_role("button", name="Deny").click()
        assert (await asyncio.wait_for(refused, 10)).approved is False
        elsewhere, identity = await whole.ask("git", "fetch")
        await card.wait_for()
        await whole.client.post(f"/api/approvals/{identity}", json={"decision": "once"})
        await page.locator("#waiting").wait_for(state="hidden")  # decided elsewhere
        assert (await asyncio.wait_for(elsewhere, 5)).approved is True
        assert trouble == []


async def test_a_command_that_comes_while_the_page_is_open_is_announced_and_always_needs_two_presses(
    whole: Whole,
) -> None:
    async with logged_in(whole) as (_, page, trouble):
        await page.goto("/approvals")
        task, _ = await whole.ask("git", "push")
        await page.locator("#result", has_text="A command waits for your word.").wait_for()
        always = page.locator("button[data-key$='-always']")
        await always.click()
        assert await always.inner_text() == "Really? Press again"
        assert not task.done()
        await always.click()
        assert (await asyncio.wait_for(task, 10)).answer == "always"
        await page.locator("#live code", has_text="git push").wait_for()
        revoke = page.get_by_role("button", name="Revoke")
        await revoke.press("Enter")
        await page.get_by_role("button", name="Really").press("Enter")
        await page.locator("#live", has_text="Nothing runs unasked yet.").wait_for()
        await focused(page, "live")  # its button is gone
        assert trouble == []


async def test_memory_is_searched_forgotten_taken_back_and_decided_by_keyboard(whole: Whole) -> None:
    task = await furnish(whole)
    task.cancel()
    async with logged_in(whole) as (_, page, trouble):
        await page.goto("/memory")
        await page.fill("#q", "locker code")
        await page.press("#q", "Enter")
        await page.wait_for_url("**/memory?q=locker%20code")
        await page.locator("ol .said", has_text="4711").first.wait_for()
        item = page.locator("li", has=page.locator("details")).first
        await item.locator("summary").press("Enter")
        assert "locker code" in await item.locator("blockquote").inner_text()
        await item.get_by_role("button", name="Forget").press("Enter")
        await page.get_by_role("button", name="Take that back").press("Enter")
        await page.locator("#result", has_text="Done.").wait_for()
        await page.get_by_role("button", name="Take that back").wait_for(state="detached")
        await page.get_by_role("button", name="Reject").press("Enter")
        await page.locator("#live", has_text="Nothing waits.").wait_for()
        assert whole.house.memory.quarantine.list() == []
        assert trouble == []


async def test_a_job_is_paused_resumed_and_removed(whole: Whole) -> None:
    task = await furnish(whole)
    task.cancel()
    async with logged_in(whole, viewport={"width": 390, "height": 844}) as (_, page, trouble):
        await page.goto("/schedules")
        job = page.locator(".case")
        assert await job.locator("dd").first.locator("time").count() == 3
        await job.get_by_role("button", name="Pause").click()
        await job.get_by_role("button", name="Resume").click()
        await job.get_by_role("button", name="Pause").wait_for()
        await job.get_by_role("button", name="Remove").click()
        assert len(whole.house.automation.schedules()) == 1
        await job.get_by_role("button", name="Really").click()
        await page.locator("#live", has_text="Nothing is scheduled.").wait_for()
        assert whole.house.automation.schedules() == []
        assert trouble == []


async def test_the_account_of_another_conversation_the_checks_and_a_part_of_the_settings_are_opened(
    whole: Whole,
) -> None:
    assert (await whole.client.post("/api/messages", json={"session": "garden", "text": "hello"})).status_code == 200
    async with logged_in(whole, viewport={"width": 390, "height": 844}) as (_, page, trouble):
        await page.goto("/context")
        await page.get_by_role("link", name="garden").click()
        await page.wait_for_url("**/context?session=garden")
        assert await page.locator("nav a[aria-current=page]", has_text="garden").count() == 1
        assert (
            await page.locator("tbody th", has_text="MEMORY.md").count() == 0
        )  # of the owner's main conversation only
        await page.goto("/health")
        await page.get_by_role("button", name="Check again").press("Enter")
        await page.locator("#result", has_text="Done.").wait_for()
        await page.goto("/models")
        await page.locator("li", has_text="claude-sonnet-5-5").locator("strong", has_text="ready").wait_for()
        await page.goto("/settings")
        await page.locator("summary", has_text="backup").press("Enter")
        row = page.locator("li", has_text="APPLIANCE_BACKUP__NIGHTLY")
        await row.wait_for()
        assert "default" in await row.inner_text()
        assert trouble == []


async def test_when_the_gateway_is_gone_the_page_says_that_nothing_was_changed(whole: Whole) -> None:
    async with logged_in(whole) as (context, page, _):
        await page.goto("/schedules")
        await context.set_offline(True)
        await page.get_by_role("button", name="Pause").click()
        await page.locator("#result.error", has_text="Nothing was changed.").wait_for()
        assert whole.house.automation.heartbeats["main"].shown()["state"] != "paused"


async def test_a_page_of_another_origin_can_read_and_decide_nothing(whole: Whole) -> None:
    task, identity = await whole.ask("git", "push")
    async with logged_in(whole) as (context, _, _trouble):
        other = await asyncio.start_server(hostile, "127.0.0.1", 0)
        async with other:
            page = await context.new_page()  # the same profile: the owner's cookie is there
            await page.goto(f"http://localhost:{other.sockets[0].getsockname()[1]}/")
            read = await page.evaluate(ATTACKS, [whole.url, identity])
        assert read == ["refused"] * 5
    assert not task.done()
    assert whole.house.automation.heartbeats["main"].shown()["state"] != "paused"
    task.cancel()


ATTACKS = """async ([url, id]) => {
  const deeds = {["/api/approvals/" + id]: '{"decision":"once"}', "/api/schedules/heartbeat": '{"action":"pause"}'};
  for (const [path, body] of Object.entries(deeds)) {
    for (const mode of ["no-cors", "cors"]) {
      await fetch(url + path, {method: "POST", mode, credentials: "include", body}).catch(() => {});
    }
  }
  const read = [];
  for (const path of ["/approvals", "/memory", "/schedules", "/health", "/api/approvals"]) {
    read.push(await fetch(url + path, {credentials: "include"}).then(r => r.text(), () => "refused"));
  }
  return read;
}"""
