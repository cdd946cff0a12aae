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
from appliance.browser.session import Browser
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
# Tools whose results were read on the web; what commands and files print, a model can have written itself.
_READING_TOOLS = frozenset({"fetch", "web_search", "browser"})


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
        self._browser: Browser | None = None
        if not web.enabled:
            health.set("web", State.OFF, "web.enabled is false")
            return
        try:
            wall = Wall(web.allowed_hosts, resolve)
            openings = Openings(lambda session: _history(sessions.transcript(session)), web.open_sites)
        except AddressError as error:
            raise SettingsError([f"web.allowed_hosts, web.open_sites: {error.what}"]) from error
        client = self.client = Client(wall, seconds=web.timeout_seconds, most=int(web.max_mb * 1_000_000))
        tools.add(Fetch(client, openings, clock, chars=web.fetch_chars, cache_seconds=web.cache_minutes * 60))
        if web.search_url:
            tools.add(WebSearch(web.search_url))
        health.set("web", State.READY, "fetch" + (", search" if web.search_url else ""))
        if not web.browser:
            health.set("browser", State.OFF, "web.browser is false")
            return
        why = chromium.missing(web.browser_executable)
        if why:
            health.set("browser", State.OFF, why)
            return
        keep = Logins(settings.state / "secrets") if web.browser_keep_logins else None
        self._browser = Browser(
            wall,
            clock,
            executable=web.browser_executable,
            close_idle=web.browser_idle_minutes * 60,
            load=keep.load if keep else lambda session: None,
            save=keep.save if keep else None,
        )
        tools.add(BrowserTool(self._browser, wall, openings, web.browser_executable))
        weak = chromium.own_sandbox()
        health.set("browser", State.READY, f"without Chromium's own sandbox: {weak}" if weak else "")

    async def stop(self) -> None:
        """Close the browser's windows and end it."""
        if self._browser is not None:
            await self._browser.stop()


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
