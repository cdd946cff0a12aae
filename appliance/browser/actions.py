"""What can be done in a window. Each acts on the tab in front and raises ToolError in words that a model can use."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from appliance.browser.session import Tab, Window
from appliance.browser.snapshot import parse, refs, render, shortened, signatures
from appliance.errors import ToolError

if TYPE_CHECKING:
    from playwright.async_api import Locator

T = TypeVar("T")
_SETTLE_MS, _QUIET_MS = 5_000, 700
_MOST_SECONDS = 40.0  # of one step; some of Playwright's have no limit of their own
_FIRST_SECONDS = 0.15
_SNAPSHOT_MS, _LARGE_MS = 3_000, 25_000  # a frame that never loads is waited for; a large page takes its time
_DOWNLOAD_SECONDS = 120.0
_LONGEST_WAIT = 30.0
_SCREENSHOT_BYTES = 3_000_000
# Frames of a kind that is never loaded (file:, chrome:) would be waited for.
_EMPTY_FRAMES = """() => document.querySelectorAll('iframe,frame').forEach(frame => {
    if (!/^(https?:|about:|blob:|data:|$)/i.test(frame.src)) frame.src = 'about:blank' })"""
_NAMED_KEYS = (
    "Enter Tab Escape Backspace Delete Space Home End PageUp PageDown Insert ArrowUp ArrowDown ArrowLeft ArrowRight"
).split()
_KEY = re.compile(
    r"(?:(?:Control|Alt|Meta|Shift)\+)*(?:"
    + "|".join(_NAMED_KEYS)
    + r"|F\d{1,2})|(?:(?:Control|Alt|Meta)\+)+[A-Za-z0-9]"
)


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file that the browser has stored under a name of its own; `name` is what the page calls it."""

    name: str
    path: Path


async def tried(work: Awaitable[T]) -> T:
    """Await what Playwright does; its errors come as ToolError with their first line and the last step it took."""
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(_MOST_SECONDS):
            return await work
    except TimeoutError as error:
        raise ToolError("The page does not respond.", fix="Open it again, or another one.") from error
    except Error as error:
        said, _, logged = error.message.partition("Call log:")
        steps = [line.strip(" -") for line in logged.splitlines() if line.strip()]
        why = re.sub(r"^\w+\.\w+: ", "", said.strip().splitlines()[0]) if said.strip() else "no reason given"
        step = f" ({steps[-1][:200]})" if steps else ""
        raise ToolError(f"The page did not do that: {why[:300]}{step}") from error


async def open_page(window: Window, url: str) -> None:
    """Go to an address that the caller has judged."""
    if not window.tabs:
        await tried(window.context.new_page())
    await window.until_dialog(tried(window.tab.page.goto(url, wait_until="domcontentloaded")))
    await settle(window)


async def settle(window: Window) -> None:
    """Give the page a moment to load what follows."""
    from playwright.async_api import Error

    await asyncio.sleep(_FIRST_SECONDS)  # what a click begins is not begun at once
    tab: Tab | None = None
    while window.dialog is None and window.tabs and window.tab is not tab:  # again when another tab came to the front
        tab = window.tab
        with contextlib.suppress(Error):  # a page that never rests is shown as it stands
            await tab.page.wait_for_load_state("domcontentloaded", timeout=_SETTLE_MS)
            await tab.page.wait_for_load_state("networkidle", timeout=_QUIET_MS)


async def snapshot(window: Window, *, full: bool = False, query: str = "") -> str:
    """The tab in front as text, with what happened since the last one; a dialog stands before everything."""
    notes, window.notes = window.notes, []
    if window.dialog is not None:
        asks = f"The page asks ({window.dialog.type}): {window.dialog.message!r}"
        return "\n".join([*notes, asks, "Answer with action=dialog and text=accept or text=dismiss."])
    tab, number = window.tab, window.current
    raw = await _raw(tab)
    tree = parse(raw)
    url = tab.page.url.partition("#")[0]
    known = tab.known if tab.url == url else None
    tab.url, tab.refs = url, refs(tree)
    tab.known = signatures(tree) | signatures(shortened(tree))
    place = f" (tab {number + 1} of {len(window.tabs)})" if len(window.tabs) > 1 else ""
    head = f"{await tried(tab.page.title())}\n{tab.page.url[:500]}{place}".strip()
    return "\n".join([*notes, head, render(tree, known, full=full, query=query)])


async def _raw(tab: Tab) -> str:
    from playwright.async_api import Error

    if any(not frame.url for frame in tab.page.frames):
        await tried(tab.page.evaluate(_EMPTY_FRAMES))
    try:
        return await tab.page.aria_snapshot(mode="ai", timeout=_SNAPSHOT_MS)
    except Error:
        return await tried(tab.page.aria_snapshot(mode="ai", timeout=_LARGE_MS))


async def located(tab: Tab, ref: str) -> Locator:
    """The element of a reference. Raises ToolError for one that is not on the page any more."""
    if not ref:
        raise ToolError("Name the element with ref, as the snapshot shows it (e12).")
    if ref not in tab.refs:
        known = "take one with action=snapshot" if not tab.refs else "use one of its references, or take a new one"
        raise ToolError(f"There is no {ref!r} in the newest snapshot; {known}.")
    found = tab.page.locator(f"aria-ref={ref}")
    if await tried(found.count()) == 0:
        raise ToolError(f"{ref!r} is not on the page any more: it has changed. Take a new snapshot.")
    return found


async def click(window: Window, ref: str) -> None:
    element = await located(window.tab, ref)
    await window.until_dialog(tried(element.click()))
    await settle(window)


async def hover(window: Window, ref: str) -> None:
    await tried((await located(window.tab, ref)).hover())
    await settle(window)


async def type_text(window: Window, ref: str, text: str, *, submit: bool) -> None:
    """Replace what stands in a field; `submit` presses Enter after it."""
    element = await located(window.tab, ref)
    await window.until_dialog(tried(element.fill(text)))
    if submit:
        await window.until_dialog(tried(element.press("Enter")))
    await settle(window)


async def press(window: Window, ref: str, key: str) -> None:
    """A named key or a shortcut, on an element or on the page; letters are typed with `type_text`."""
    if not _KEY.fullmatch(key):
        raise ToolError(f"{key!r} is not a key such as Enter, ArrowDown or Control+A; type text with action=type.")
    if ref:
        work: Awaitable[Any] = (await located(window.tab, ref)).press(key)
    else:
        work = window.tab.page.keyboard.press(key)
    await window.until_dialog(tried(work))
    await settle(window)


async def select(window: Window, ref: str, option: str) -> None:
    element = await located(window.tab, ref)
    await window.until_dialog(tried(element.select_option(option, timeout=5_000)))
    await settle(window)


async def scroll(window: Window, ref: str, way: str) -> None:
    """To an element, or by most of a screen up or down, or to the top or bottom."""
    if ref:
        await tried((await located(window.tab, ref)).scroll_into_view_if_needed())
    elif way in ("top", "bottom"):
        await tried(window.tab.page.keyboard.press("Home" if way == "top" else "End"))
    else:
        await tried(window.tab.page.mouse.wheel(0, -650 if way == "up" else 650))
    await settle(window)


async def wait(window: Window, what: str) -> None:
    """For so many seconds, or until a text is there."""
    if re.fullmatch(r"\d{1,3}(\.\d+)?", what.strip()):
        await asyncio.sleep(min(float(what), _LONGEST_WAIT))
    elif what.strip():
        await tried(window.tab.page.get_by_text(what.strip()).first.wait_for(timeout=_LONGEST_WAIT * 1000))
    else:
        raise ToolError("Give the seconds to wait, or the text to wait for, as text.")


async def upload(window: Window, ref: str, name: str, data: bytes) -> None:
    """Give a file's content to a file field; the browser never sees a path."""
    from playwright.async_api import FilePayload

    element = await located(window.tab, ref)
    payload = FilePayload(name=name, mimeType="application/octet-stream", buffer=data)
    await window.until_dialog(tried(element.set_input_files(payload)))
    await settle(window)


async def back(window: Window) -> None:
    await window.until_dialog(tried(window.tab.page.go_back(wait_until="domcontentloaded")))
    await settle(window)


async def dialog(window: Window, answer: str) -> None:
    """`accept`, `dismiss`, or `accept: text` for what a prompt asks."""
    word, _, text = answer.partition(":")
    if word.strip().lower() not in ("accept", "dismiss"):
        raise ToolError("Answer with text=accept, text=dismiss, or text='accept: what to enter'.")
    await window.answer_dialog(word.strip().lower() == "accept", text.strip())
    await settle(window)


def tabs(window: Window) -> str:
    """One line a tab."""
    shown = [
        f"{'*' if number == window.current else ' '} {number + 1}. {tab.page.url[:200]}"
        for number, tab in enumerate(window.tabs)
    ]
    return "\n".join(shown) or "No tab is open."


async def switch_tab(window: Window, which: str) -> None:
    """Bring a tab to the front by its number, or `close` the one that is."""
    if which.strip() == "close":
        await tried(window.tab.page.close())
        return
    if not which.strip().isdecimal() or not 1 <= int(which) <= len(window.tabs):
        raise ToolError(f"There is no tab {which!r}; there are {len(window.tabs)}. text=close closes the one in front.")
    window.current = int(which) - 1
    await tried(window.tab.page.bring_to_front())


async def screenshot(window: Window, *, full: bool) -> tuple[bytes, str]:
    """The picture and its media type; JPEG when PNG would be large."""
    page = window.tab.page
    data = await tried(page.screenshot(full_page=full, type="png", timeout=20_000))
    if len(data) <= _SCREENSHOT_BYTES:
        return data, "image/png"
    return await tried(page.screenshot(full_page=full, type="jpeg", quality=60, timeout=20_000)), "image/jpeg"


async def pdf(window: Window) -> bytes:
    return await tried(window.tab.page.pdf(format="A4", print_background=True))


async def downloads(window: Window) -> list[Downloaded]:
    """The downloads that began since the last call, each waited for. What failed is noted."""
    done = []
    while window.downloads:
        download = window.downloads.pop(0)
        try:
            async with asyncio.timeout(_DOWNLOAD_SECONDS):
                path = await tried(download.path())
        except (ToolError, TimeoutError) as error:
            window.notes.append(f"A download failed: {error or 'it took too long'}")
            with contextlib.suppress(ToolError):  # it may have ended already
                await tried(download.cancel())
            continue
        done.append(Downloaded(download.suggested_filename, Path(path)))
    return done
