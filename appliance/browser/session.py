"""One window a session: opened with the first page, closed when nobody used it for a while.

The house has at most one Chromium. Each session has a context of its own (cookies, storage, tabs) that no other
session sees. Everything a page asks for passes `Window._judge`, and every connection the proxy that it is given.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import structlog

from appliance.browser import chromium
from appliance.clock import Clock
from appliance.errors import AddressError, ToolError
from appliance.network.wall import Wall

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Dialog, Download, Page, Request, Route

log = structlog.get_logger(__name__)
T = TypeVar("T")
_CHECK_SECONDS = 20.0
_MOST_TABS = 10
_MOST_WINDOWS = 8
_SCHEMES = ("http://", "https://", "about:", "data:", "blob:")


@dataclass(slots=True)
class Tab:
    """A page with what the newest snapshot of it held."""

    page: Page
    url: str = ""
    known: set[str] = field(default_factory=set)
    refs: set[str] = field(default_factory=set)


class Window:
    """The tabs of one session. `notes` is what happened meanwhile, to be told once."""

    def __init__(self, context: BrowserContext, wall: Callable[[], Wall]) -> None:
        self.context = context
        self.tabs: list[Tab] = []
        self.current = 0
        self.dialog: Dialog | None = None
        self.downloads: list[Download] = []
        self.notes: list[str] = []
        self.used = 0.0
        self.lock = asyncio.Lock()
        self._wall = wall
        self._dialog_came = asyncio.Event()
        self._open_work: set[asyncio.Future[Any]] = set()

    async def prepare(self) -> None:
        """Put the checks in place and open the first tab."""
        self.context.on("page", self._page_came)
        await self.context.route("**/*", self._judge)
        await self.context.new_page()

    @property
    def tab(self) -> Tab:
        if not self.tabs:
            raise ToolError("No page is open; open one with action=open and url.")
        self.current = min(self.current, len(self.tabs) - 1)
        return self.tabs[self.current]

    async def until_dialog(self, work: Awaitable[T]) -> T | None:
        """Wait for `work`, or return None as soon as the page asks something: it stands still until answered."""
        task = asyncio.ensure_future(work)
        came = asyncio.ensure_future(self._dialog_came.wait())
        try:
            await asyncio.wait({task, came}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            came.cancel()
        self._open_work.add(task)
        task.add_done_callback(self._work_ended)
        return None

    async def answer_dialog(self, accept: bool, text: str) -> str:
        """Answer the open dialog. Raises ToolError when there is none."""
        if self.dialog is None:
            raise ToolError("No dialog is open.")
        dialog, self.dialog = self.dialog, None
        self._dialog_came.clear()
        await (dialog.accept(text) if accept else dialog.dismiss())
        if self._open_work:
            await asyncio.wait(set(self._open_work), timeout=5.0)
        return dialog.message

    async def close(self) -> None:
        for work in self._open_work:
            work.cancel()
        from playwright.async_api import Error

        with contextlib.suppress(Error):  # a context whose browser has gone cannot be closed, and need not be
            await self.context.close()

    def _work_ended(self, task: asyncio.Future[Any]) -> None:
        self._open_work.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.notes.append(f"After the dialog: {str(task.exception()).splitlines()[0]}")

    def _page_came(self, page: Page) -> None:
        tab = Tab(page)
        self.tabs.append(tab)
        if len(self.tabs) > 1:
            self.notes.append(f"A new tab opened ({len(self.tabs)} now) and is in front.")
        self.current = len(self.tabs) - 1
        page.on("dialog", self._dialog_opened)
        page.on("download", self._download_began)
        page.on("close", lambda _: self._page_went(tab))
        page.on("crash", lambda _: self.notes.append("The page crashed; open it again."))
        if len(self.tabs) > _MOST_TABS:
            self.notes.append(f"Only {_MOST_TABS} tabs may be open; the newest was closed.")
            task = asyncio.ensure_future(page.close())
            self._open_work.add(task)
            task.add_done_callback(self._work_ended)

    def _page_went(self, tab: Tab) -> None:
        if tab in self.tabs:
            self.tabs.remove(tab)
            self.current = max(0, min(self.current, len(self.tabs) - 1))

    async def _dialog_opened(self, dialog: Dialog) -> None:
        if dialog.type == "beforeunload":
            await dialog.accept()
            return
        self.dialog = dialog
        self._dialog_came.set()

    def _download_began(self, download: Download) -> None:
        self.downloads.append(download)

    async def _judge(self, route: Route, request: Request) -> None:
        """Let a request of a page pass, or end it: only the web, and no address that is plainly inside."""
        from playwright.async_api import Error

        with contextlib.suppress(Error):  # the page went away in the meantime
            why = self._refusal(request)
            if why:
                self.notes.append(f"Not loaded: {why}")
                del self.notes[:-5]
                await route.abort("blockedbyclient")
            else:
                await route.continue_()

    def _refusal(self, request: Request) -> str:
        url = request.url
        if not url.lower().startswith(_SCHEMES):
            return f"{url[:80]}: only http and https are opened."
        if not url.lower().startswith("http"):
            top = request.is_navigation_request() and request.frame.parent_frame is None
            return f"{url[:80]}: not as a page of its own." if top and not url.startswith("about:") else ""
        try:
            self._wall().check(url)
        except AddressError as error:
            return error.what
        return ""


class Browser:
    """Given the wall, the proxy that is its way out and where Chromium is, hand out windows.

    `wall` judges what can be seen without asking a name server and may be replaced; the proxy judges where connections
    are made. `close_idle` seconds unused close a window.
    """

    def __init__(
        self, wall: Wall, clock: Clock, proxy: str, *, executable: str = "", close_idle: float = 600.0
    ) -> None:
        self.wall = wall
        self._clock = clock
        self._proxy = proxy
        self._executable = executable
        self._close_idle = close_idle
        self._windows: dict[str, Window] = {}
        self._making = asyncio.Lock()
        self._playwright: Any = None
        self._browser: Any = None
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def open(self) -> bool:
        return self._browser is not None

    async def window(self, session: str, state: dict[str, Any] | None = None) -> Window:
        """The window of a session, opened (with the cookies of `state`) when it has none.

        Raises ToolError when Chromium does not start.
        """
        async with self._making:
            if self._browser is not None and not self._browser.is_connected():
                await self._end()
            found = self._windows.get(session)
            if found is None:
                if len(self._windows) >= _MOST_WINDOWS:
                    await self._close_window(min(self._windows, key=lambda name: self._windows[name].used))
                if self._browser is None:
                    await self._begin()
                found = await self._new_window(session, state)
            found.used = self._clock.monotonic()
            return found

    async def close(self, session: str) -> bool:
        """Close the window of a session; False when it has none."""
        async with self._making:
            if session not in self._windows:
                return False
            await self._close_window(session)
            return True

    async def stop(self) -> None:
        """Close everything and end Chromium."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        async with self._making:
            for session in list(self._windows):
                await self._close_window(session)
            await self._end()

    async def _begin(self) -> None:
        from playwright.async_api import async_playwright  # a large library, loaded with the first page

        self._home = tempfile.TemporaryDirectory(prefix="appliance-browser-")
        try:
            self._playwright = await async_playwright().start()
            self._browser = await chromium.launch(
                self._playwright, self._executable, self._proxy, Path(self._home.name)
            )
        except BaseException:
            await self._end()
            raise
        if self._watch is None:
            self._watch = asyncio.create_task(self._close_unused(), name="browser-idle")

    async def _new_window(self, session: str, state: dict[str, Any] | None) -> Window:
        context = await self._browser.new_context(
            service_workers="block",  # what they fetch would not be seen
            accept_downloads=True,
            viewport={"width": 1280, "height": 800},
            storage_state=state,
        )
        context.set_default_timeout(10_000)
        context.set_default_navigation_timeout(30_000)
        window = Window(context, lambda: self.wall)
        await window.prepare()
        self._windows[session] = window
        return window

    async def _close_window(self, session: str) -> None:
        await self._windows.pop(session).close()

    async def _end(self) -> None:
        self._windows.clear()
        if self._playwright is not None:
            from playwright.async_api import Error

            if self._browser is not None:
                with contextlib.suppress(Error):  # it may have died already; that it has ended is all that is wanted
                    await self._browser.close()
            await self._playwright.stop()
        self._browser = self._playwright = None
        if self._home is not None:
            await asyncio.to_thread(self._home.cleanup)
            self._home = None

    async def _close_unused(self) -> None:
        while True:
            await self._clock.sleep(_CHECK_SECONDS)
            async with self._making:
                before = self._clock.monotonic() - self._close_idle
                for session in [name for name, window in self._windows.items() if window.used < before]:
                    await self._close_window(session)
                if not self._windows and self._browser is not None:
                    await self._end()
                    log.info("the browser was closed: nobody used it")
                if self._browser is None:
                    self._watch = None  # the next page starts another watch
                    return
