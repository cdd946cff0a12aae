"""`browser{action, …}`: pages that need clicking. Each action answers with what the page shows now."""

from __future__ import annotations

import asyncio
import mimetypes
import re
import secrets
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from appliance.browser import actions, chromium
from appliance.browser.actions import Downloaded
from appliance.browser.session import Browser, Window
from appliance.errors import ToolError
from appliance.messages import Block, Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.network.wall import Wall
from appliance.tools.base import ToolContext, ToolResult
from appliance.tools.files import read_file, write_file
from appliance.tools.openings import Openings

_ACTIONS = (
    "open snapshot click type press select hover scroll wait back upload dialog tabs tab screenshot pdf close".split()
)
_UPLOADS, _DOWNLOADS = "upload", "downloads"
_MOST_DOWNLOAD = 50_000_000  # bytes
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")


class BrowserTool:
    """Given the browser, the wall and the rules of opening, do what a person would do in a window."""

    effects = True
    spec = ToolSpec(
        "browser",
        "Use web pages. open{url}, then act on elements by ref (e12) of the newest snapshot. type{ref,text,submit?};"
        " press{text: key}; select{ref,text}; scroll{ref or text: up/down}; wait{text or seconds};"
        " upload{ref,text: file in upload/}; dialog{text: accept/dismiss}; tab{text: number/close};"
        " snapshot{text?: words to find, full?}. Downloads land in downloads/.",
        {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": _ACTIONS},
                "url": {"type": "string"},
                "ref": {"type": "string"},
                "text": {"type": "string"},
                "submit": {"type": "boolean"},
                "full": {"type": "boolean"},
            },
            "required": ["action"],
        },
    )

    def __init__(self, browser: Browser, wall: Wall, openings: Openings, executable: str = "") -> None:
        self._browser = browser
        self._wall = wall
        self._openings = openings
        self._executable = executable

    def available(self, session: SessionKey, person: Person) -> bool:
        return not chromium.missing(self._executable)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        action = str(arguments["action"])
        key = context.session.value
        if action == "close":
            closed = await self._browser.close(key)
            return ToolResult("Closed." if closed else "No browser window is open.")
        if action == "open":  # judged before a browser is started for it
            arguments = {**arguments, "url": await self._judged(str(arguments.get("url") or ""), context)}
        window = await self._browser.window(key)
        async with window.lock:
            result = await self._act(action, arguments, window, context)
            saved = await self._save(await actions.downloads(window), context)
        return replace(result, text=saved + result.text) if saved else result

    async def _judged(self, url: str, context: ToolContext) -> str:
        if "://" not in url and "." in url.partition("/")[0] and ":" not in url.partition("/")[0]:
            url = f"https://{url}"
        address = self._wall.check(url)
        if context.tainted:
            self._openings.judge(url, context.session)
        await self._wall.addresses(address.host, address.port)
        return address.url + ("#" + url.partition("#")[2] if "#" in url else "")

    async def _act(self, action: str, given: dict[str, Any], window: Window, context: ToolContext) -> ToolResult:
        ref, text = str(given.get("ref") or "").strip().removeprefix("ref="), str(given.get("text") or "")
        if window.dialog is not None and action not in ("dialog", "snapshot"):
            return _shown(window, await actions.snapshot(window), ok=False)
        match action:
            case "screenshot":
                return await self._screenshot(window, context, full=bool(given.get("full")))
            case "pdf":
                return await self._pdf(window, context)
            case "tabs":
                return _shown(window, actions.tabs(window))
            case "snapshot":
                shown = await actions.snapshot(window, full=bool(given.get("full")), query=text)
                return _shown(window, shown)
            case "type":
                if context.tainted:
                    self._openings.judge_typing(text, context.session)
                await actions.type_text(window, ref, text, submit=bool(given.get("submit")))
            case "dialog":
                if context.tainted and ":" in text:
                    self._openings.judge_typing(text.partition(":")[2], context.session)
                await actions.dialog(window, text)
            case "upload":
                await self._upload(window, ref, text, context)
            case _:
                await _simple(action, given, ref, text, window)
        return _shown(window, await actions.snapshot(window))

    async def _upload(self, window: Window, ref: str, name: str, context: ToolContext) -> None:
        path = PurePosixPath(name.removeprefix("/workspace/").removeprefix(f"{_UPLOADS}/"))
        if len(path.parts) != 1 or name.startswith(("/etc", "~")):
            raise ToolError(f"Name a file in /workspace/{_UPLOADS}; copy it there first.")
        if context.tainted:
            self._openings.judge_file(path.name, context.session)
        data = await asyncio.to_thread(read_file, context.files, f"{_UPLOADS}/{path.name}")
        await actions.upload(window, ref, path.name, data)

    async def _screenshot(self, window: Window, context: ToolContext, *, full: bool) -> ToolResult:
        data, media_type = await actions.screenshot(window, full=full)
        name = f"{_DOWNLOADS}/screen-{secrets.token_hex(6)}{mimetypes.guess_extension(media_type)}"
        await asyncio.to_thread(write_file, context.files, name, data)
        block: Block = {"type": "image", "media_type": media_type, "path": str(context.files / name)}
        return replace(_shown(window, f"Stored as /workspace/{name}."), images=(block,))

    async def _pdf(self, window: Window, context: ToolContext) -> ToolResult:
        name = f"{_DOWNLOADS}/page-{secrets.token_hex(6)}.pdf"
        await asyncio.to_thread(write_file, context.files, name, await actions.pdf(window))
        return _shown(window, f"Stored as /workspace/{name}.")

    async def _save(self, found: list[Downloaded], context: ToolContext) -> str:
        """Put downloads into the work folder under names of ours; return a line about each."""
        lines = []
        for one in found:
            size = one.path.stat().st_size
            suffix = PurePosixPath(one.name.replace("\\", "/")).suffix
            name = f"{_DOWNLOADS}/{secrets.token_hex(8)}{suffix.lower() if _SUFFIX.fullmatch(suffix) else ''}"
            said = repr(one.name[:100])
            if size > _MOST_DOWNLOAD:
                lines.append(f"The download {said} has {size:,} bytes and was not kept.\n")
            else:
                data = await asyncio.to_thread(one.path.read_bytes)
                await asyncio.to_thread(write_file, context.files, name, data)
                lines.append(f"Downloaded {said} ({size:,} bytes) to /workspace/{name}\n")
            await asyncio.to_thread(one.path.unlink, missing_ok=True)
        return "".join(lines)


async def _simple(action: str, given: dict[str, Any], ref: str, text: str, window: Window) -> None:
    """Actions that need nothing but the window."""
    match action:
        case "open":
            await actions.open_page(window, given["url"])
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
        case "tab":
            await actions.switch_tab(window, text)
        case _:
            raise ToolError(f"There is no action {action!r}; there are: {', '.join(_ACTIONS)}.")


def _shown(window: Window, text: str, *, ok: bool = True) -> ToolResult:
    """What a page shows is text from outside, wherever it came from."""
    host = urlsplit(window.tabs[window.current].page.url).hostname if window.tabs else ""
    return ToolResult(text, ok=ok, source=Source.OUTSIDE, origin=host or "browser")
