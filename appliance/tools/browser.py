"""`browser{action, …}`: pages that need clicking. Each action answers with what the page shows now."""

from __future__ import annotations

import asyncio
import mimetypes
import re
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Protocol

from appliance.browser.wire import ACTIONS, Outcome, Saved, Step
from appliance.errors import ToolError
from appliance.messages import Block, Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.network.wall import Wall
from appliance.tools.base import ToolContext, ToolResult
from appliance.tools.files import read_file, write_file
from appliance.tools.openings import Openings

_UPLOADS, _DOWNLOADS = "upload", "downloads"
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")


class Pages(Protocol):
    """Windows in which steps are done. `usable` is False while there is no browser."""

    @property
    def usable(self) -> bool: ...
    async def act(self, step: Step) -> Outcome: ...


class BrowserTool:
    """Given the windows, the wall and the rules of opening, do what a person would do.

    What may be opened, typed and uploaded is judged here; `look_up` is False where only the way out looks up names.
    """

    spec = ToolSpec(
        "browser",
        "Use web pages. open{url}, then act on elements by ref (e12) of the newest snapshot. type{ref,text,submit?};"
        " press{text: key}; select{ref,text}; scroll{ref or text: up/down}; wait{text or seconds};"
        " upload{ref,text: file in upload/}; dialog{text: accept/dismiss}; tab{text: number/close};"
        " snapshot{text?: words to find, full?}. Downloads land in downloads/.",
        {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ACTIONS},
                "url": {"type": "string"},
                "ref": {"type": "string"},
                "text": {"type": "string"},
                "submit": {"type": "boolean"},
                "full": {"type": "boolean"},
            },
            "required": ["action"],
        },
    )

    def __init__(self, pages: Pages, wall: Wall, openings: Openings, *, look_up: bool = True) -> None:
        self._pages = pages
        self._wall = wall
        self._openings = openings
        self._look_up = look_up

    def available(self, session: SessionKey, person: Person) -> bool:
        return self._pages.usable

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        outcome = await self._pages.act(await self._step(arguments, context))
        if arguments["action"] == "close":
            return ToolResult(outcome.text)
        saved = await _save(outcome.downloads, context)
        shown = _shown(outcome, saved + outcome.text)
        if not outcome.file:
            return shown
        return await _with_file(shown, outcome, saved, context)

    async def _step(self, given: dict[str, Any], context: ToolContext) -> Step:
        """What is to be done, judged. Raises AddressError or ToolError before a browser is started for it."""
        action, text = str(given["action"]), str(given.get("text") or "")
        step = Step(
            context.session.value, action, ref=str(given.get("ref") or "").strip().removeprefix("ref="), text=text,
            submit=bool(given.get("submit")), full=bool(given.get("full")),
        )  # fmt: skip
        match action:
            case "open":
                step.url = await self._judged(str(given.get("url") or ""), context)
            case "type" if context.tainted:
                self._openings.judge_typing(text, context.session)
            case "dialog" if context.tainted and ":" in text:
                self._openings.judge_typing(text.partition(":")[2], context.session)
            case "upload":
                step.name, step.data = await self._upload(text, context)
        return step

    async def _judged(self, url: str, context: ToolContext) -> str:
        if "://" not in url and "." in url.partition("/")[0] and ":" not in url.partition("/")[0]:
            url = f"https://{url}"
        address = self._wall.check(url)
        if context.tainted:
            self._openings.judge(url, context.session)
        if self._look_up:
            await self._wall.addresses(address.host, address.port)
        return address.url + ("#" + url.partition("#")[2] if "#" in url else "")

    async def _upload(self, name: str, context: ToolContext) -> tuple[str, bytes]:
        path = PurePosixPath(name.removeprefix("/workspace/").removeprefix(f"{_UPLOADS}/"))
        if len(path.parts) != 1 or name.startswith(("/etc", "~")):
            raise ToolError(f"Name a file in /workspace/{_UPLOADS}; copy it there first.")
        if context.tainted:
            self._openings.judge_file(path.name, context.session)
        return path.name, await asyncio.to_thread(read_file, context.files, f"{_UPLOADS}/{path.name}")


async def _with_file(shown: ToolResult, outcome: Outcome, saved: str, context: ToolContext) -> ToolResult:
    """Put a picture or PDF into the work folder; a picture is shown to the model too."""
    picture = outcome.media_type.startswith("image/")
    kind, suffix = ("screen", mimetypes.guess_extension(outcome.media_type)) if picture else ("page", ".pdf")
    name = f"{_DOWNLOADS}/{kind}-{secrets.token_hex(6)}{suffix}"
    await asyncio.to_thread(write_file, context.files, name, outcome.file)
    text = f"{saved}Stored as /workspace/{name}."
    block: Block = {"type": "image", "media_type": outcome.media_type, "path": str(context.files / name)}
    return replace(shown, text=text, images=(block,) if picture else ())


async def _save(found: Sequence[Saved], context: ToolContext) -> str:
    """Put downloads into the work folder under names of ours; return a line about each."""
    lines = []
    for one in found:
        said = repr(one.name[:100])
        if one.data is None:
            lines.append(f"The download {said} has {one.size:,} bytes and was not kept.\n")
            continue
        suffix = PurePosixPath(one.name.replace("\\", "/")).suffix
        name = f"{_DOWNLOADS}/{secrets.token_hex(8)}{suffix.lower() if _SUFFIX.fullmatch(suffix) else ''}"
        await asyncio.to_thread(write_file, context.files, name, one.data)
        lines.append(f"Downloaded {said} ({one.size:,} bytes) to /workspace/{name}\n")
    return "".join(lines)


def _shown(outcome: Outcome, text: str) -> ToolResult:
    """What a page shows is text from outside, wherever it came from."""
    return ToolResult(text, ok=outcome.ok, source=Source.OUTSIDE, origin=outcome.host or "browser")
