"""The web put together: the wall, fetch, search and the browser; part of the composition root."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import structlog

from appliance.agent.sessions import Sessions
from appliance.agent.transcript import Transcript
from appliance.browser import chromium
from appliance.browser.client import Child, Elsewhere, Pages
from appliance.browser.wire import Condition
from appliance.clock import Clock
from appliance.errors import AddressError, SettingsError
from appliance.messages import SessionKey, Source
from appliance.network.client import Client
from appliance.network.wall import Resolve, Wall, system_resolve
from appliance.observability.health import Health, State
from appliance.settings import Settings
from appliance.storage import atomic_write
from appliance.tools.browser import BrowserTool
from appliance.tools.fetch import Fetch, WebSearch
from appliance.tools.openings import Openings, Said
from appliance.tools.registry import Registry

log = structlog.get_logger(__name__)
_LOOK_SECONDS = 15.0
# Tools whose results were read on the web; what commands and files print, a model can have written itself.
_READING_TOOLS = frozenset({"fetch", "web_search", "browser", "check"})


class WebTools:
    """Given what it needs of the house, offer the web. Raises SettingsError for hosts that cannot be."""

    def __init__(
        self,
        *,
        settings: Settings,
        sessions: Sessions,
        tools: Registry,
        health: Health,
        clock: Clock,
        resolve: Resolve = system_resolve,
    ) -> None:
        web = settings.web
        self.client: Client | None = None
        self._health = health
        self._clock = clock
        self._pages: Pages | None = None
        self._elsewhere = False
        if not web.enabled:
            health.set("web", State.OFF, "web.enabled is false")
            return
        try:
            wall = Wall(web.allowed_hosts, resolve)
            openings = Openings(lambda session: _history(sessions.transcript(session)), web.open_sites)
        except AddressError as error:
            raise SettingsError([f"web.allowed_hosts, web.open_sites: {error.what}"]) from error
        seconds, most = web.timeout_seconds, int(web.max_mb * 1_000_000)
        client = self.client = Client(wall, seconds=seconds, most=most, proxy=web.proxy)
        tools.add(Fetch(client, openings, clock, chars=web.fetch_chars, cache_seconds=web.cache_minutes * 60))
        if web.search_url:
            tools.add(WebSearch(web.search_url))
        health.set("web", State.READY, "fetch" + (", search" if web.search_url else ""))
        self._pages = self._open_browser(settings, wall)
        if self._pages is not None:
            tools.add(BrowserTool(self._pages, wall, openings, look_up=not web.proxy))

    def _open_browser(self, settings: Settings, wall: Wall) -> Pages | None:
        """The browser's service: the owner's, or a child of this process; None when there is no browser."""
        web = settings.web
        why = "" if web.browser_url else chromium.missing(web.browser_executable)
        if why or not web.browser:
            self._health.set("browser", State.OFF, why or "web.browser is false")
            return None
        self._elsewhere = bool(web.browser_url)
        service = (
            Elsewhere(web.browser_url, web.browser_token.get_secret_value())
            if web.browser_url
            else Child(wall, executable=web.browser_executable, close_idle=web.browser_idle_minutes * 60)
        )
        keep = Logins(settings.state / "secrets") if web.browser_keep_logins else None
        pages = Pages(
            service,
            tuple(web.allowed_hosts),
            load=keep.load if keep else None,
            save=keep.save if keep else None,
        )
        if self._elsewhere:
            pages.usable = False  # until it was looked at
            self._health.set("browser", State.OFF, f"{web.browser_url} is looked for")
        else:
            self._health.set("browser", *_health_of(Condition(weak=chromium.own_sandbox())))
        return pages

    async def read(self, url: str) -> bytes:
        """The bytes at an address, through the wall. Raises AddressError, TooLargeError, ConnectionError."""
        if self.client is None:
            raise AddressError("The web is switched off.")
        found = await self.client.get(url)
        if found.status >= 400:
            raise ConnectionError(f"{found.url} answered {found.status}")
        return found.body

    async def watch(self) -> None:
        """Follow whether a browser's service that runs elsewhere answers; return at once when there is none."""
        while self._pages is not None and self._elsewhere:
            self._health.set("browser", *_health_of(await self._pages.look()))
            await self._clock.sleep(_LOOK_SECONDS)

    async def stop(self) -> None:
        """Close the browser's windows and end it."""
        if self._pages is not None:
            await self._pages.stop()


def _health_of(condition: Condition) -> tuple[State, str]:
    if condition.missing:
        return State.OFF, condition.missing
    return State.READY, f"without Chromium's own sandbox: {condition.weak}" if condition.weak else ""


class Logins:
    """Given a folder for secrets, keep the cookies of the owner's own conversation between two windows."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "browser.json"

    def load(self, session: str) -> dict[str, Any] | None:
        """What was kept, or None for other sessions and for a file that cannot be read."""
        if not SessionKey(session).is_main or not self._path.exists():
            return None
        try:
            found = msgspec.json.decode(self._path.read_bytes())
        except (OSError, msgspec.DecodeError) as error:
            log.warning("the browser's logins cannot be read", reason=str(error))
            return None
        return dict(found) if isinstance(found, dict) else None

    def save(self, session: str, kept: dict[str, Any]) -> None:
        """Replace what was kept. Only the owner's session is kept."""
        if SessionKey(session).is_main:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self._path, msgspec.json.encode(kept), mode=0o600)


def _history(transcript: Transcript) -> list[Said]:
    """What the window says, and before it the addresses that the owner gave earlier in the same transcript."""
    window = transcript.window()
    shown = {id(record) for record in window}
    given = [
        Said("owner", record["text"])
        for record in transcript.records
        if id(record) not in shown and "rows" in record and record.get("role") == "user"
        and record.get("source") != Source.OUTSIDE and "." in str(record.get("text", ""))
    ]  # fmt: skip
    return given + history_of(window)


def history_of(records: Sequence[dict[str, Any]]) -> list[Said]:
    """What the records of a transcript say, and who said it, in order.

    Own tool results are left out: a command prints what the model told it to.
    """
    said: list[Said] = []
    reading: set[str] = set()
    answer: int | None = None
    for record in records:
        outside = record.get("source") == Source.OUTSIDE
        if record.get("type") == "marker":
            if outside:
                # The summary of what was read: it taints, but the model wrote it, so nothing in it opens anything.
                said.extend((Said("outside", ""), Said("model", str(record.get("summary", "")))))
        elif record.get("role") == "assistant":
            said.append(Said("model", _text_of(record)))
            reading.update(b["id"] for b in record["content"] if b.get("name") in _READING_TOOLS)
            answer = len(said) - 1 if record.get("final") else answer
        elif record.get("kind") == "tool":
            for block in record["content"]:
                if outside:
                    known = block.get("tool_use_id") in reading
                    said.append(Said("outside", str(block.get("content", "")) if known else ""))
        else:
            if answer is not None and not outside:
                said[answer] = Said("shown", said[answer].text)
            said.append(Said("outside" if outside else "owner", str(record.get("text", ""))))
    return said


def _text_of(record: dict[str, Any]) -> str:
    """Everything that a model wrote in a record: its text, and the inputs of its calls."""
    parts = [str(record.get("text", ""))]
    for block in record["content"]:
        if block.get("type") == "text":
            parts.append(block["text"])
        elif block.get("type") == "tool_use":
            parts.append(_values(block["input"]))
    return "\n".join(parts)


def _values(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(_values(v) for v in value.values())
    if isinstance(value, list):
        return "\n".join(_values(v) for v in value)
    return str(value)
