"""The protocol itself, on the library `mcp`; imported with the first connection and not before.

The library's own transport for programs holds a line of any length in memory; ours reads lines of bounded length and
ends a server that sends more unasked than any work needs. Over HTTP each answer is bounded the same way.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import httpx2
import mcp_types as types
import msgspec
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from appliance import __version__
from appliance.mcp_client.catalogue import MOST_TOOLS, Offered
from appliance.mcp_client.channels import Channel
from appliance.mcp_client.connection import Answer, LinkError, RemoteError
from appliance.observability.redaction import add_secrets
from appliance.settings.mcp import McpServerSettings, bearer

MOST_LINE = 8 * 1024 * 1024  # bytes of one message
MOST_UNASKED = 32 * 1024 * 1024  # bytes between two of our requests
MOST_MESSAGES = 5_000  # between two of our requests
MOST_RUBBISH = 100  # lines that are no message
_MOST_PAGES = 50
_GONE = "Session terminated"  # how the library words a session that an HTTP server has forgotten
# What goes wrong is said by the house, once, where the owner looks.
logging.getLogger("mcp").setLevel(logging.CRITICAL)
logging.getLogger("client").setLevel(logging.CRITICAL)


class WireLink:
    """connection.Link on the library's client."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.why = ""
        self.stale = False
        self.client: Client | None = None

    def end(self, why: str) -> None:
        """Note that the other side is gone; the first reason stays."""
        self.why = self.why or why
        self.ended.set()

    async def heard(self, message: Any) -> None:
        """A message that nobody asked for."""
        if isinstance(message, types.ToolListChangedNotification):
            self.stale = True

    async def tools(self) -> list[Offered]:
        found: list[Offered] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await self._ask(types.ListToolsRequest(params=params), types.ListToolsResult)
            found += [Offered(tool.name, tool.description or "", tool.input_schema) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None or len(found) > 2 * MOST_TOOLS:
                break
        return found

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        params = types.CallToolRequestParams(name=name, arguments=dict(arguments))
        # Not the library's call_tool: that one also runs the server's output schema, whose patterns are the server's.
        result = await self._ask(types.CallToolRequest(params=params), types.CallToolResult)
        return Answer(text_of(result), not result.is_error)

    async def _ask(self, request: Any, kind: type[Any]) -> Any:
        assert self.client is not None
        try:
            return await self.client.session.send_request(request, kind)
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED or error.message == _GONE:
                raise LinkError(self.why or error.message) from None
            detail = f" ({self.why})" if self.why else ""
            raise RemoteError(f"{error.message}{detail}") from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise LinkError(self.why or "the connection is closed") from None
        except (ValidationError, RuntimeError) as error:
            raise RemoteError(f"its answer does not fit the protocol: {_first_line(error)}") from None


@contextlib.asynccontextmanager
async def open_link(transport: AbstractAsyncContextManager[Any], link: WireLink) -> AsyncIterator[WireLink]:
    """Connect over a transport and shake hands. Raises LinkError, with the reason, whatever went wrong."""
    client = Client(
        transport,
        message_handler=link.heard,
        client_info=types.Implementation(name="home-agent-appliance", version=__version__),
        cache=None,
    )
    try:
        async with client:
            link.client = client
            yield link
    except (LinkError, RemoteError):
        raise
    except MCPError as error:
        detail = f" ({link.why})" if link.why and link.why != error.message else ""
        raise LinkError(f"{error.message}{detail}") from None
    except Exception as error:  # noqa: BLE001 - the edge to a library whose task groups raise groups of anything
        raise LinkError(link.why or _reason(error)) from None
    finally:
        link.ended.set()


@contextlib.asynccontextmanager
async def over_lines(channel: Channel, link: WireLink) -> AsyncIterator[Any]:
    """A transport over a channel of bytes: a message a line."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    lines = _Lines()

    async def receive() -> None:
        try:
            async with incoming:
                while data := await channel.read():
                    for message in lines.messages(data):
                        await incoming.send(message)
                link.end(channel.last_words)
        except LinkError as error:
            link.end(str(error))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            link.end("it was closed")

    async def send() -> None:
        try:
            async with outgoing:
                async for message in outgoing:
                    lines.asked()
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await channel.write(text.encode() + b"\n")
        except LinkError as error:
            link.end(str(error))
            await incoming.aclose()

    try:
        async with read, write, anyio.create_task_group() as group:
            group.start_soon(receive)
            group.start_soon(send)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    await channel.close()
                group.cancel_scope.cancel()
    finally:
        for stream in (incoming, outgoing):
            stream.close()


class _Lines:
    """Cuts bytes into lines and reads them as messages, within bounds."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._rubbish = 0
        self._bytes = 0
        self._messages = 0

    def asked(self) -> None:
        """A request goes out: what comes from now on may belong to it."""
        self._bytes = self._messages = 0

    def messages(self, data: bytes) -> list[SessionMessage]:
        """The messages that are whole now. Raises LinkError when a bound is passed."""
        self._bytes += len(data)
        if self._bytes > MOST_UNASKED:
            raise LinkError(f"it sent more than {MOST_UNASKED >> 20} MiB unasked")
        self._rest += data
        *lines, rest = self._rest.split(b"\n") if b"\n" in data else [self._rest]
        if len(rest) > MOST_LINE:
            raise LinkError(f"it sent a line longer than {MOST_LINE >> 20} MiB")
        self._rest = bytearray(rest)
        self._messages += len(lines)
        if self._messages > MOST_MESSAGES:
            raise LinkError(f"it sent more than {MOST_MESSAGES:,} messages unasked")
        found = []
        for line in lines:
            if not line.strip():
                continue
            try:
                found.append(SessionMessage(types.jsonrpc_message_adapter.validate_json(bytes(line), by_name=False)))
            except ValueError:
                self._rubbish += 1
                if self._rubbish > MOST_RUBBISH:
                    raise LinkError("it sends what is no message of the protocol") from None
        return found


@contextlib.asynccontextmanager
async def over_http(server: McpServerSettings, link: WireLink) -> AsyncIterator[Any]:
    """A transport to the configured address and no other: a redirect to another host or port is not followed."""
    headers = {name: value.get_secret_value() for name, value in server.headers.items()}
    try:
        token = bearer(server)
    except ValueError as error:
        raise LinkError(str(error)) from None
    add_secrets([token, *headers.values()])
    if token:
        headers["authorization"] = f"Bearer {token}"

    async def note(response: httpx2.Response) -> None:
        # Only the newest says why a call failed; a success clears it.
        link.why = f"HTTP {response.status_code}" if response.status_code >= 400 else ""

    timeout = httpx2.Timeout(30.0, read=server.timeout_seconds + 30.0)
    async with (
        httpx2.AsyncClient(
            headers=headers, timeout=timeout, trust_env=False, transport=_bounded(), event_hooks={"response": [note]}
        ) as client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=MOST_LINE) as streams,
    ):
        yield streams


def _bounded() -> httpx2.AsyncBaseTransport:
    """A transport whose every answer ends with an error after MOST_UNASKED bytes."""

    class Body(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in self._inner:
                size += len(piece)
                if size > MOST_UNASKED:
                    raise httpx2.StreamError(f"an answer of more than {MOST_UNASKED >> 20} MiB")
                yield piece

        async def aclose(self) -> None:
            await self._inner.aclose()

    class Transport(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            # A packed answer could grow without bound when it is unpacked: none is asked for, and none is unpacked.
            request.headers["accept-encoding"] = "identity"
            response = await super().handle_async_request(request)
            response.headers.pop("content-encoding", None)
            response.stream = Body(response.stream)
            return response

    return Transport(verify=httpx2.create_ssl_context(), trust_env=False)


def text_of(result: types.CallToolResult) -> str:
    """A result as text; what is no text is named."""
    parts: list[str] = []
    for block in result.content:
        match block:
            case types.TextContent():
                parts.append(block.text)
            case types.EmbeddedResource(resource=types.TextResourceContents() as resource):
                parts.append(f"[{resource.uri}]\n{resource.text}")
            case types.ResourceLink():
                parts.append(f"[resource {block.name}: {block.uri}]")
            case types.ImageContent() | types.AudioContent():
                parts.append(f"[{block.mime_type}, {len(block.data) * 3 // 4:,} bytes: not shown]")
            case _:
                parts.append(f"[{block.type}: not shown]")
    if not any(part.strip() for part in parts) and result.structured_content is not None:
        parts = [msgspec.json.encode(result.structured_content).decode()]
    return "\n".join(parts)


def _reason(error: BaseException) -> str:
    """The first real error of a group, in words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, httpx2.ConnectError):
        return "nobody answers at its address"
    return _first_line(error)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
