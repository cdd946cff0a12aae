"""One server: connected to when first needed, held while it is used, closed when idle, and how it stands.

A connection lives in a task of its own. Whoever asks waits for an answer at most as long as the owner's settings say;
a server that did not answer, or sent rubbish or a flood, is disconnected, and the next call starts it anew.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from appliance.clock import Clock
from appliance.errors import ToolError
from appliance.mcp_client.catalogue import Catalogue, Offered, catalogue
from appliance.settings.mcp import McpServerSettings

log = structlog.get_logger(__name__)
CONNECT_SECONDS = 30.0
IDLE_SECONDS = 600.0
REST_SECONDS = 10.0  # after a failed connection the reason is repeated before it is tried again
_CLOSE_SECONDS = 10.0
_REASON = 300  # characters


class LinkError(Exception):
    """The connection cannot be made, or is gone: why, in words for the owner."""


class RemoteError(Exception):
    """The server answered with an error of its own."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool of a server gave back."""

    text: str
    ok: bool = True


class Link(Protocol):
    """An open connection. `ended` is set when the other side went away; `why` may say more; `stale` when the server
    said that its tools have changed. Methods raise LinkError and RemoteError."""

    ended: asyncio.Event
    why: str
    stale: bool

    async def tools(self) -> list[Offered]: ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Answer: ...


Open = Callable[[], AbstractAsyncContextManager[Link]]


class Connection:
    """Given how to open a link to one server, answer what it offers and call its tools.

    counted(action, outcome) is told of every connect and call; changed() when its state turns.
    """

    def __init__(
        self,
        name: str,
        settings: McpServerSettings,
        opening: Open,
        clock: Clock,
        *,
        counted: Callable[[str, str], None] = lambda action, outcome: None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.settings = settings
        self._open = opening
        self._clock = clock
        self._counted = counted
        self._changed = changed
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._link: Link | None = None
        self._end = asyncio.Event()
        self._busy = 0
        self._used = 0.0
        self._failed_at = float("-inf")
        self.offered: Catalogue | None = None
        self.problem = ""

    @property
    def state(self) -> str:
        """ready, failed, or idle (not started, or closed after a while)."""
        return "ready" if self._link is not None else "failed" if self.problem else "idle"

    async def tools(self) -> Catalogue:
        """What it offers now. Raises ToolError."""
        async with self._using() as link:
            if link.stale or self.offered is None:
                link.stale = False
                self.offered = await self._asked(self._list(link))
        return self.offered

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool and wait for its answer. Raises ToolError."""
        async with self._using() as link:
            answer: Answer = await self._asked(link.call(tool, arguments))
        self._counted("call", "ok" if answer.ok else "error")
        return answer

    async def close(self, problem: str = "") -> None:
        """End the connection, and the program behind it; `problem` is why, when it is one."""
        task = self._task
        if task is None:
            return
        self._end.set()
        if self._link is None:
            task.cancel()  # it is still getting ready, and waits for nothing else
        done, _ = await asyncio.wait({task}, timeout=_CLOSE_SECONDS)
        if not done:
            task.cancel()
            await asyncio.wait({task}, timeout=_CLOSE_SECONDS)
        if problem:
            self.problem = problem
            self._changed()

    # -- asking --------------------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _using(self) -> Any:
        self._busy += 1
        try:
            yield await self._connected()
        finally:
            self._busy -= 1
            self._used = self._clock.monotonic()

    async def _asked(self, work: Any) -> Any:
        """Wait for an answer; a server that gives none in time, or is gone, is disconnected. Raises ToolError."""
        seconds = self.settings.timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError:
            outcome, why = "timeout", f"did not answer within {seconds:g} s"
        except LinkError as error:
            outcome, why = "lost", f"went away: {error}"
        except RemoteError as error:
            self._counted("call", "error")
            raise ToolError(f"{self.name} answered with an error: {str(error)[:2_000]}") from None
        self._counted("call", outcome)
        log.warning("an MCP server was disconnected", server=self.name, reason=why)
        await self.close(why[:_REASON])
        raise ToolError(f"The server {self.name} {why[:_REASON]}. What it did until then is unknown.")

    async def _connected(self) -> Link:
        async with self._lock:
            if self._link is not None and not self._link.ended.is_set():
                return self._link
            await self.close()
            if self.problem and self._clock.monotonic() - self._failed_at < REST_SECONDS:
                raise ToolError(f"The server {self.name} cannot be used: {self.problem}")
            self._end = asyncio.Event()
            ready: asyncio.Future[Link] = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._keep(ready), name=f"mcp-{self.name}")
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await asyncio.shield(ready)
            except TimeoutError:
                self._failed(f"did not get ready within {CONNECT_SECONDS:g} s")
            except LinkError as error:
                self._failed(str(error))
            except BaseException:
                self._end.set()  # whoever asked went away
                raise
            await self.close(self.problem)
            self._failed_at = self._clock.monotonic()
            raise ToolError(f"The server {self.name} cannot be used: {self.problem}")

    def _failed(self, why: str) -> None:
        self.problem = why[:_REASON]
        self._counted("connect", "error")
        log.warning("an MCP server could not be connected", server=self.name, reason=self.problem)

    # -- holding -------------------------------------------------------------------------------------------------------

    async def _keep(self, ready: asyncio.Future[Link]) -> None:
        """Open the link, hold it until it is not wanted or not there any more, and close it."""
        try:
            async with self._open() as link:
                self.offered = await self._list(link)
                self._link, self.problem = link, ""
                self._used = self._clock.monotonic()
                self._counted("connect", "ok")
                if not ready.done():
                    ready.set_result(link)
                self._changed()
                await self._until_idle(link)
        except (LinkError, RemoteError, OSError) as error:
            if not ready.done():
                ready.set_exception(LinkError(str(error)))
                ready.exception()  # whoever asked may be gone
        finally:
            link_was = self._link
            self._link = None
            if link_was is not None:
                if link_was.ended.is_set() and not self._end.is_set():
                    self.problem = (link_was.why or "it ended by itself")[:_REASON]
                self._changed()
            if not ready.done():
                ready.set_exception(LinkError("it was stopped while it started"))
                ready.exception()

    async def _list(self, link: Link) -> Catalogue:
        return catalogue(await link.tools(), self.settings.tools)

    async def _until_idle(self, link: Link) -> None:
        over = [asyncio.ensure_future(link.ended.wait()), asyncio.ensure_future(self._end.wait())]
        try:
            while True:
                rest = asyncio.ensure_future(self._clock.sleep(IDLE_SECONDS / 4))
                await asyncio.wait({*over, rest}, return_when=asyncio.FIRST_COMPLETED)
                rest.cancel()
                idle = self._clock.monotonic() - self._used >= IDLE_SECONDS
                if any(one.done() for one in over) or (not self._busy and idle):
                    return
        finally:
            for one in over:
                one.cancel()
