"""The web put together: the wall, fetch, search and the browser; part of the composition root."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.agent.sessions import Sessions
from appliance.agent.transcript import Transcript
from appliance.clock import Clock
from appliance.errors import AddressError, SettingsError
from appliance.messages import Source
from appliance.network.client import Client
from appliance.network.wall import Resolve, Wall, system_resolve
from appliance.observability.health import Health, State
from appliance.settings import Settings
from appliance.tools.fetch import Fetch, WebSearch
from appliance.tools.openings import Openings, Said
from appliance.tools.registry import Registry

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
        if not web.enabled:
            health.set("web", State.OFF, "web.enabled is false")
            return
        try:
            wall = Wall(web.allowed_hosts, resolve)
            openings = Openings(
                lambda session: _history(sessions.transcript(session)),
                [*web.open_sites, *web.allowed_hosts],
            )
        except AddressError as error:
            raise SettingsError([f"web.allowed_hosts, web.open_sites: {error.what}"]) from error
        client = self.client = Client(wall, seconds=web.timeout_seconds, most=int(web.max_mb * 1_000_000))
        tools.add(Fetch(client, openings, clock, chars=web.fetch_chars, cache_seconds=web.cache_minutes * 60))
        if web.search_url:
            tools.add(WebSearch(web.search_url))
        health.set("web", State.READY, "fetch" + (", search" if web.search_url else ""))


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
