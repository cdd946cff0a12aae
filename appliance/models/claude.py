"""Claude, through the anthropic SDK: streaming, prompt caching, every usage field, no retries of its own.

The SDK takes one to two seconds and tens of megabytes to import, so one `ClaudeConnection` is shared by all Claude
models and loads it in a thread, behind readiness (`warm`). The SDK does transport, authentication and errors; the
events are read raw, so that no field of theirs is lost.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from appliance.errors import ModelError, ModelFault
from appliance.models import estimate
from appliance.models.base import Finished, ModelEvent, ModelRequest, Started, TextDelta
from appliance.models.claude_errors import refused
from appliance.models.claude_models import claude_model
from appliance.models.claude_request import has_images, to_anthropic
from appliance.models.claude_stream import AnswerBuilder, unreadable

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_CONNECT_SECONDS = 10.0
_GOODBYE_SECONDS = 0.5
_NEARLY_FULL = 0.8
_SILENCE_SECONDS = 120.0  # the API pings every few seconds; this long without a byte is a dead connection


class ClaudeConnection:
    """One client of the Anthropic API for every Claude model of this process.

    Given the key, the base URL (ANTHROPIC_BASE_URL) and the longest one call may take in seconds.
    """

    def __init__(self, api_key: str, base_url: str = "https://api.anthropic.com", *, timeout: float = 600.0) -> None:
        self.timeout = timeout
        self._api_key = api_key
        self._base_url = base_url
        self._loading: asyncio.Task[AsyncAnthropic] | None = None

    async def warm(self) -> None:
        """Load the SDK in a thread and build the client; afterwards the first call costs nothing extra."""
        await self.client()

    async def client(self) -> AsyncAnthropic:
        """The client, loading it first when nobody has; callers at the same time share one load."""
        if self._loading is None or _failed(self._loading):
            self._loading = asyncio.create_task(asyncio.to_thread(self._build), name="load-anthropic")
        return await asyncio.shield(self._loading)

    def _build(self) -> AsyncAnthropic:
        first = "anthropic" not in sys.modules
        import httpx2
        from anthropic import AsyncAnthropic

        if first:
            # Thousands of classes that never go away: without this every full collection walks them, 0.1 s each time.
            gc.freeze()
        timeout = httpx2.Timeout(min(self.timeout, _SILENCE_SECONDS), connect=min(self.timeout, _CONNECT_SECONDS))
        return AsyncAnthropic(
            api_key=self._api_key,
            base_url=self._base_url,
            max_retries=0,
            timeout=timeout,
            open_telemetry=False,  # what is said in this house is traced nowhere
        )

    async def close(self) -> None:
        """Close the connections; wait for a load that is under way, so that no thread outlives this."""
        loading, self._loading = self._loading, None
        if loading is not None:
            await asyncio.wait({loading})
            if not _failed(loading):
                await loading.result().close()


def _failed(loading: asyncio.Task[AsyncAnthropic]) -> bool:
    return loading.done() and (loading.cancelled() or loading.exception() is not None)


class Claude:
    """One Claude model (models.base.Model). Thinking blocks it returns carry `model`, and only that model gets them
    back; a call whose arguments are no JSON object has `input: {}` and the raw text under `invalid`."""

    provider = "anthropic"
    local = False
    vision = True

    def __init__(self, name: str, connection: ClaudeConnection) -> None:
        limits = claude_model(name)
        self.name = self.billed_as = name
        self.window = limits.window
        self.max_output = limits.max_output
        self._connection = connection

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Started, TextDelta*, Finished; or ModelError, with `partial` when something may have been billed."""
        max_tokens = min(request.max_tokens, self.max_output)
        body = await self._body(request, max_tokens)
        builder = AnswerBuilder(request, self.name, max_tokens)
        deadline = time.monotonic() + self._connection.timeout
        events = self._events(body, request, deadline)
        try:
            async for event in events:
                began = builder.started
                text = self._feed(builder, event)
                if builder.started and not began:
                    yield Started(builder.input_usage(), builder.partial)
                if text:
                    yield TextDelta(text)
        except ModelError as error:
            if error.kind is ModelFault.FORMAT and estimate.request_tokens(request) > self.window * _NEARLY_FULL:
                error.kind = (
                    ModelFault.TOO_LONG
                )  # whatever the words are by now: such a prompt is refused for its length
            if builder.started:
                error.partial = builder.partial()
            elif error.kind is ModelFault.UNUSABLE:  # accepted, whatever it was that came back
                error.partial = self._unheard(request, deadline)
            raise
        finally:
            await events.aclose()
        if not builder.finished:
            partial = builder.partial() if builder.started else self._unheard(request, deadline)
            raise ModelError(f"{self.name}'s answer was cut off.", kind=ModelFault.NETWORK, partial=partial)
        yield builder.whole()

    async def count(self, request: ModelRequest) -> int | None:
        """Exact input tokens as the provider counts them (free), or None when it cannot say now."""
        body = await self._body(request, 1)
        body.pop("max_tokens")
        client = await self._connection.client()  # loads the SDK in a thread, so that the imports below are free
        import httpx2
        from anthropic import AnthropicError

        try:
            counted = await client.messages.count_tokens(**body, timeout=20.0)
        except (AnthropicError, httpx2.HTTPError):
            return None
        return int(counted.input_tokens)

    async def close(self) -> None:
        """Nothing of its own to close: the connection is shared."""

    async def _body(self, request: ModelRequest, max_tokens: int) -> dict[str, Any]:
        if has_images(request):
            return await asyncio.to_thread(to_anthropic, request, self.name, max_tokens)
        return to_anthropic(request, self.name, max_tokens)

    def _feed(self, builder: AnswerBuilder, event: dict[str, Any]) -> str:
        try:
            text = builder.feed(event)
        except (KeyError, TypeError, AttributeError) as error:
            raise unreadable(self.name) from error
        if builder.overflowing():
            raise unreadable(self.name)
        return text

    async def _events(self, body: dict[str, Any], request: ModelRequest, deadline: float) -> Any:
        """The raw events as dicts; every failure as a ModelError."""
        client = await self._connection.client()  # loads the SDK in a thread, so that the imports below are free
        import httpx2
        from anthropic import APIConnectionError, APIStatusError, AsyncStream

        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                response = await client.messages.create(**body, stream=True)
        except APIStatusError as error:
            raise refused(self.name, error.status_code, error.body, error.response.headers) from error
        except (APIConnectionError, TimeoutError) as error:
            raise self._unreachable(error, request, deadline) from error
        ended = False
        try:
            if "text/event-stream" not in response.response.headers.get("content-type", ""):
                raise ModelError(f"What answered for {self.name} is not the Anthropic API.", kind=ModelFault.NETWORK)
            raw = AsyncStream.raw_events(response.response)
            while True:
                async with asyncio.timeout(deadline - time.monotonic()):
                    event = await anext(raw, None)
                if event is None:
                    return
                if event.event == "message_stop":
                    # Read on to the end of the body, so that the connection can be used again; but not for long.
                    ended, deadline = True, min(deadline, time.monotonic() + _GOODBYE_SECONDS)
                if event.data:
                    yield json.loads(event.data)
        except (httpx2.HTTPError, TimeoutError) as error:
            if not ended:
                raise self._cut(error, request, deadline) from error
        except ValueError as error:
            raise unreadable(self.name) from error
        finally:
            await response.close()

    def _unheard(self, request: ModelRequest, deadline: float) -> Finished:
        seconds = self._connection.timeout - (deadline - time.monotonic())
        return estimate.unheard(self.name, request.max_tokens, seconds)

    def _cut(self, error: Exception, request: ModelRequest, deadline: float) -> ModelError:
        why = "took too long" if isinstance(error, TimeoutError) else "was cut off by the network"
        return ModelError(
            f"{self.name}'s answer {why}.",
            kind=ModelFault.NETWORK,
            partial=self._unheard(request, deadline),
            fix="Try again in a moment.",
        )

    def _unreachable(self, error: Exception, request: ModelRequest, deadline: float) -> ModelError:
        """No response at all. When the request never left, nothing can have been billed; otherwise it may have been."""
        import httpx2

        cause = error.__cause__ or error
        unsent = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.WriteError)
        never_left = isinstance(cause, (*unsent, httpx2.LocalProtocolError, httpx2.ProxyError))
        return ModelError(
            f"{self.name} cannot be reached: {type(cause).__name__}.",
            kind=ModelFault.NETWORK,
            partial=None if never_left else self._unheard(request, deadline),
            fix="Check the network, and ANTHROPIC_BASE_URL if you set it.",
        )
