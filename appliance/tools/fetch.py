"""`fetch{url}`: a page, PDF, feed or text from the web as Markdown. `web_search{query}`: addresses for a question."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from appliance.clock import Clock
from appliance.errors import ToolError
from appliance.messages import Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.network.client import Client, Fetched, JudgeHop
from appliance.tools.base import ToolContext, ToolResult
from appliance.tools.openings import Openings
from appliance.tools.readable import MOST_CHARS, Readable, read

_CACHED_PAGES = 16
_READERS = 2  # processes that read documents at the same time
_RESULTS = 8
_SEARCH_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class _Page:
    url: str
    readable: Readable
    until: float


class Fetch:
    """Given a client behind the wall and the rules of opening, read pages. `chars` is one answer's length."""

    spec = ToolSpec(
        "fetch",
        "Read a web page, PDF or feed as text. Quick; use the browser only for pages that need clicking.",
        {
            "type": "object",
            "properties": {
                "url": {"type": "string"},
                "from": {"type": "integer", "description": "character to go on from"},
            },
            "required": ["url"],
        },
    )

    def __init__(
        self,
        client: Client,
        openings: Openings,
        clock: Clock,
        *,
        chars: int = 20_000,
        cache_seconds: float = 900.0,
        readable: Callable[[Fetched], Awaitable[Readable]] = read,
    ) -> None:
        self._client = client
        self._openings = openings
        self._clock = clock
        self._chars = chars
        self._cache_seconds = cache_seconds
        self._readable = readable
        self._cache: OrderedDict[str, _Page] = OrderedDict()
        self._readers = asyncio.Semaphore(_READERS)

    def available(self, session: SessionKey, person: Person) -> bool:
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        url = str(arguments["url"]).strip()
        start = max(0, int(arguments.get("from") or 0))
        if "://" not in url and "." in url and not url.startswith(("/", "data:", "javascript:")):
            url = f"https://{url}"
        judge: JudgeHop | None = None
        if context.tainted and not self._openings.judge(url, context.session):
            judge = lambda _, to: self._openings.judge_hop(to, context.session)  # noqa: E731 - one line, used once
        page = await self._page(url, judge)
        return ToolResult(self._shown(page, start), source=Source.OUTSIDE, origin=urlsplit(page.url).hostname or "web")

    async def _page(self, url: str, judge: JudgeHop | None) -> _Page:
        known = self._cache.get(url)
        if known is not None and known.until > self._clock.monotonic():
            return known
        fetched = await self._client.get(url, judge, accept="text/html,application/xhtml+xml,*/*;q=0.8")
        if fetched.status >= 400:
            raise ToolError(f"{fetched.url} answered {fetched.status}; nothing was read.")
        async with self._readers:
            readable = await self._readable(fetched)
        page = _Page(fetched.url, readable, self._clock.monotonic() + self._cache_seconds)
        self._cache[url] = page
        self._cache.move_to_end(url)
        while len(self._cache) > _CACHED_PAGES:
            self._cache.popitem(last=False)
        return page

    def _shown(self, page: _Page, start: int) -> str:
        text = page.readable.text
        if start >= len(text) > 0:
            raise ToolError(f"The page has {len(text):,} characters; there is nothing from {start:,}.")
        piece = text[start : start + self._chars]
        end = start + len(piece)
        lines = [f"{page.readable.title}\n{page.url}".strip(), "", piece or "(no text on this page)"]
        if end < len(text):
            size = f"{len(text):,}" + (" or more" if len(text) >= MOST_CHARS else "")
            lines.append(f"\n[characters {start:,} to {end:,} of {size}; go on with from={end}]")
        return "\n".join(lines)


class WebSearch:
    """Given the address of a SearXNG server of the owner's, search the web with it."""

    spec = ToolSpec(
        "web_search",
        "Search the web; read what looks right with fetch.",
        {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    )

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def available(self, session: SessionKey, person: Person) -> bool:
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        import httpx2  # slow to import, and only needed once something is searched

        query = str(arguments["query"]).strip()
        if not query or len(query) > 400:
            raise ToolError("A query has 1 to 400 characters.")
        try:
            async with httpx2.AsyncClient(trust_env=False, timeout=_SEARCH_SECONDS) as client:
                answer = await client.get(f"{self._url}/search", params={"q": query, "format": "json"})
            found = answer.json().get("results", []) if answer.status_code == 200 else None
        except httpx2.HTTPError as error:
            raise ToolError(f"The search service does not answer: {type(error).__name__}.") from error
        except ValueError as error:
            raise ToolError(
                "The search service does not answer in JSON.", fix="Its settings.yml must list json in search.formats."
            ) from error
        if found is None:
            hint = " Its settings.yml must list json in search.formats." if answer.status_code == 403 else ""
            raise ToolError(f"The search service answered {answer.status_code}.{hint}")
        lines = [
            f"{number}. {one.get('title', '')}\n{one.get('url', '')}\n{str(one.get('content') or '')[:300]}".rstrip()
            for number, one in enumerate(found[:_RESULTS], 1)
        ]
        return ToolResult("\n\n".join(lines) or "Nothing found.", source=Source.OUTSIDE, origin="web search")
