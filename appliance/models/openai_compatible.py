"""Any server that speaks OpenAI's chat completions: the appliance's own local model, Ollama, vLLM, others."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from appliance.errors import ModelError, ModelFault
from appliance.models import estimate
from appliance.models.base import Finished, ModelEvent, ModelRequest, Started, TextDelta
from appliance.models.claude_request import has_images
from appliance.models.openai_request import to_openai
from appliance.models.openai_stream import ChunkBuilder
from appliance.models.retry_after import retry_after
from appliance.settings import OpenAICompatibleSettings

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

_CONNECT_SECONDS = 10.0
_GOODBYE_SECONDS = 0.5
_UNKNOWN_WINDOW = 8_192  # until a local model has said its own
_BY_STATUS = {
    400: ModelFault.FORMAT,
    401: ModelFault.AUTH,
    402: ModelFault.AUTH,
    403: ModelFault.AUTH,
    404: ModelFault.NOT_FOUND,
    413: ModelFault.TOO_LONG,
    422: ModelFault.FORMAT,
    429: ModelFault.RATE_LIMIT,
}
# What servers put into error.code or error.type when a prompt is too long; never looked for in prose.
_TOO_LONG = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}


class LocalService(Protocol):
    """The models service (local_models.supervisor.Supervisor). status: {phase, percent, detail, model, window}."""

    @property
    def token(self) -> str: ...
    def base_url(self) -> str | None: ...
    def status(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is now, and whether it sees. An empty `base_url`: nowhere yet, and `progress` says why. `window` is
    in tokens."""

    base_url: str
    model: str
    window: int
    progress: str = ""
    vision: bool = False


class OpenAICompatible:
    """models.base.Model. Given a function that tells the endpoint as it is at this moment, so that a local model that
    is still being fetched, or is replaced by a better one, needs no new object. `timeout` is seconds for a call."""

    def __init__(
        self,
        name: str,
        endpoint: Callable[[], Endpoint],
        *,
        provider: str = "openai_compatible",
        api_key: str = "",
        local: bool = False,
        timeout: float = 600.0,
    ) -> None:
        self.name = name
        self.provider = provider
        self.local = local
        self._endpoint = endpoint
        self._api_key = api_key
        self._timeout = timeout
        self._client: AsyncClient | None = None

    @classmethod
    def server(cls, name: str, settings: OpenAICompatibleSettings, timeout: float) -> OpenAICompatible:
        """A server of the settings. When its calls are not paid for it counts as local: free, also at the limit."""
        missing = f"{name} has no base_url."
        endpoint = Endpoint(settings.base_url, settings.model or name, settings.window, missing, settings.vision)
        return cls(
            name,
            lambda: endpoint,
            api_key=settings.api_key.get_secret_value(),
            local=not settings.paid,
            timeout=timeout,
        )

    @classmethod
    def local_service(cls, service: LocalService, *, timeout: float = 600.0) -> OpenAICompatible:
        """The appliance's own model service, also while it is still building, fetching or loading."""

        def endpoint() -> Endpoint:
            state = service.status()
            ready = state.get("phase") == "ready"
            url = (service.base_url() or "") if ready else ""
            window = int(state.get("window") or 0) or _UNKNOWN_WINDOW
            sees = bool(state.get("sees"))
            return Endpoint(url, str(state.get("model") or "local"), window, _progress(state), sees)

        return cls("local", endpoint, provider="local", api_key=service.token, local=True, timeout=timeout)

    @property
    def billed_as(self) -> str:
        """What a price list knows: for a server whose calls cost money, its own name of the model."""
        return self.name if self.local else self._endpoint().model

    @property
    def window(self) -> int:
        return self._endpoint().window

    @property
    def vision(self) -> bool:
        return self._endpoint().vision

    @property
    def max_output(self) -> int:
        """At most half the window, so that a prompt always has room."""
        return max(1, self.window // 2)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Started, TextDelta*, Finished; or ModelError, with `partial` when something may have been billed."""
        endpoint = self._endpoint()
        if not endpoint.base_url:
            raise ModelError(endpoint.progress or f"{self.name} is not ready yet.", kind=ModelFault.UNAVAILABLE)
        limit = min(request.max_tokens, self.max_output)
        body = await self._body(request, endpoint.model, limit)
        builder = ChunkBuilder(request, self.billed_as, limit)
        chunks = self._chunks(endpoint, body, limit)
        try:
            async for chunk in chunks:
                began = builder.started
                text = self._feed(builder, chunk)
                if not began:
                    yield Started(partial=builder.partial)
                if text:
                    yield TextDelta(text)
        except ModelError as error:
            if builder.started:
                error.partial = builder.partial()
            elif error.kind is ModelFault.UNUSABLE:  # accepted, whatever it was that came back
                error.partial = estimate.unheard(self.billed_as, limit, 0.0)
            raise
        finally:
            await chunks.aclose()
        if not builder.finished:
            partial = builder.partial() if builder.started else estimate.unheard(self.billed_as, limit, 0.0)
            raise ModelError(f"{self.name}'s answer was cut off.", kind=ModelFault.NETWORK, partial=partial)
        yield builder.whole()

    async def count(self, request: ModelRequest) -> int | None:
        """None: this protocol has no way to ask."""
        return None

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _body(self, request: ModelRequest, model: str, limit: int) -> dict[str, Any]:
        if self.vision and has_images(request):
            return await asyncio.to_thread(to_openai, request, model, limit, vision=True)
        return to_openai(request, model, limit, vision=self.vision)

    def _feed(self, builder: ChunkBuilder, chunk: dict[str, Any]) -> str:
        if isinstance(chunk.get("error"), dict):
            raise self._refused(500, chunk, None)
        try:
            text = builder.feed(chunk)
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise self._unreadable() from error
        if builder.overflowing():
            raise self._unreadable()
        return text

    async def _chunks(
        self, endpoint: Endpoint, body: dict[str, Any], limit: int
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks as dicts; every failure as a ModelError."""
        import httpx2

        client, began = self._http(), time.monotonic()
        url = endpoint.base_url.rstrip("/") + "/chat/completions"
        try:
            async with asyncio.timeout(self._timeout):
                response = await client.send(client.build_request("POST", url, json=body), stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            kind = ModelFault.UNAVAILABLE if self.local else ModelFault.NETWORK
            raise ModelError(f"{self.name} cannot be reached at {endpoint.base_url}.", kind=kind) from error
        except (httpx2.HTTPError, TimeoutError) as error:
            raise self._cut(error, limit, began) from error
        ended = False
        try:
            if response.status_code != 200:
                await response.aread()
                raise self._refused(response.status_code, _json(response), response)
            lines, deadline = response.aiter_lines(), began + self._timeout
            while True:
                async with asyncio.timeout(deadline - time.monotonic()):
                    line = await anext(lines, None)
                if line is None:
                    return
                data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
                if data == "[DONE]":
                    # Read on to the end of the body, so that the connection can be used again; but not for long.
                    ended, deadline = True, min(deadline, time.monotonic() + _GOODBYE_SECONDS)
                elif data and not ended:
                    chunk = json.loads(data)
                    if not isinstance(chunk, dict):
                        raise self._unreadable()
                    yield chunk
        except (httpx2.HTTPError, TimeoutError) as error:
            if not ended:
                raise self._cut(error, limit, began) from error
        except ValueError as error:
            raise self._unreadable() from error
        finally:
            await response.aclose()

    def _http(self) -> AsyncClient:
        import httpx2

        if self._client is None:
            headers = {"authorization": f"Bearer {self._api_key}"} if self._api_key else {}
            timeout = httpx2.Timeout(self._timeout, connect=min(self._timeout, _CONNECT_SECONDS))
            # A proxy of the environment is for the internet, not for a model in the house.
            self._client = httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=not self.local)
        return self._client

    def _refused(self, status: int, body: Any, response: Response | None) -> ModelError:
        error = body.get("error") if isinstance(body, dict) else None
        error = error if isinstance(error, dict) else {}
        codes = {str(error.get("code")), str(error.get("type"))}
        kind = _BY_STATUS.get(status, ModelFault.OVERLOADED)
        if codes & _TOO_LONG:
            kind = ModelFault.TOO_LONG
        elif status == 503 and self.local:
            kind = ModelFault.UNAVAILABLE
        detail = str(error.get("message") or "")[:300]
        return ModelError(
            f"{self.name} refused the call ({status}){': ' + detail if detail else '.'}",
            kind=kind,
            retry_after=retry_after(response.headers) if response is not None else None,
        )

    def _cut(self, error: Exception, limit: int, began: float) -> ModelError:
        why = "took too long" if isinstance(error, TimeoutError) else "was cut off"
        partial: Finished = estimate.unheard(self.billed_as, limit, time.monotonic() - began)
        return ModelError(f"{self.name}'s answer {why}.", kind=ModelFault.NETWORK, partial=partial)

    def _unreadable(self) -> ModelError:
        return ModelError(f"{self.name} sent something that is no answer.", kind=ModelFault.UNUSABLE)


def _progress(state: dict[str, Any]) -> str:
    """One sentence on what a local model is busy with."""
    percent = state.get("percent")
    done = f" {percent:.0f}%" if isinstance(percent, int | float) else ""
    detail = f": {state['detail']}" if state.get("detail") else ""
    return f"The local model is not ready yet ({state.get('phase', 'unknown')}{done}{detail})."


def _json(response: Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None
