"""Does one step in a session's window: what the service runs for the gateway."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

from appliance.browser import actions
from appliance.browser.actions import Downloaded
from appliance.browser.session import Browser, Window
from appliance.browser.wire import ACTIONS, MOST_DOWNLOAD, Outcome, Saved, Step
from appliance.errors import ToolError


class Driver:
    """Given the browser, do steps: one at a time in a window, and windows do not wait for each other."""

    usable = True

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    async def act(self, step: Step) -> Outcome:
        """Do a step and return what the page shows then. Raises ToolError."""
        if step.action == "close":
            closed = await self._browser.close(step.session)
            return Outcome("Closed." if closed else "No browser window is open.")
        window = await self._browser.window(step.session, step.state)
        async with window.lock:
            outcome = await _act(step, window)
            outcome.downloads = [await asyncio.to_thread(_kept, one) for one in await actions.downloads(window)]
            outcome.host = _host(window)
            if step.keep and window.dialog is None:
                outcome.state = await _cookies(window)
        return outcome


async def _act(step: Step, window: Window) -> Outcome:
    if window.dialog is not None and step.action not in ("dialog", "snapshot"):
        return Outcome(await actions.snapshot(window), ok=False)
    match step.action:
        case "screenshot":
            data, media_type = await actions.screenshot(window, full=step.full)
            return Outcome("", file=data, media_type=media_type)
        case "pdf":
            return Outcome("", file=await actions.pdf(window), media_type="application/pdf")
        case "tabs":
            return Outcome(actions.tabs(window))
        case "snapshot":
            return Outcome(await actions.snapshot(window, full=step.full, query=step.text))
        case "open":
            await actions.open_page(window, step.url)
        case "type":
            await actions.type_text(window, step.ref, step.text, submit=step.submit)
        case "upload":
            await actions.upload(window, step.ref, step.name, step.data)
        case _:
            await _simple(step.action, step.ref, step.text, window)
    return Outcome(await actions.snapshot(window))


async def _simple(action: str, ref: str, text: str, window: Window) -> None:
    """Actions that need nothing but a reference or a text."""
    match action:
        case "click":
            await actions.click(window, ref)
        case "press":
            await actions.press(window, ref, text)
        case "select":
            await actions.select(window, ref, text)
        case "hover":
            await actions.hover(window, ref)
        case "scroll":
            await actions.scroll(window, ref, text)
        case "wait":
            await actions.wait(window, text)
        case "back":
            await actions.back(window)
        case "dialog":
            await actions.dialog(window, text)
        case "tab":
            await actions.switch_tab(window, text)
        case _:
            raise ToolError(f"There is no action {action!r}; there are: {', '.join(ACTIONS)}.")


async def _cookies(window: Window) -> dict[str, Any] | None:
    try:
        return dict(await actions.tried(window.context.storage_state()))
    except ToolError:
        return None  # a page that does not respond; the step itself is done


def _host(window: Window) -> str:
    return (urlsplit(window.tabs[window.current].page.url).hostname or "") if window.tabs else ""


def _kept(found: Downloaded) -> Saved:
    """A download's content; the browser's own copy goes."""
    size = found.path.stat().st_size
    data = found.path.read_bytes() if size <= MOST_DOWNLOAD else None
    found.path.unlink(missing_ok=True)
    return Saved(found.name[:300], size, data)
