"""What may be asked of the runner, and how it is written on its socket.

One connection carries one request. A message is a line of JSON, then as many raw bytes as the line says, so that
output travels as it was. The structs below are the whole grammar: an unknown field or operation is refused, and there
is no field for an image, a mount, a network, an environment variable or anything else that makes up a container.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import msgspec

from appliance.errors import SandboxError

MAX_COMMAND = 100_000  # characters; a longer script belongs into a file in the work folder
MAX_INPUT = 8 * 1024 * 1024  # bytes of standard input
MAX_LINE = 1024 * 1024

WorkId = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{1,64}\Z")]
JobId = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]{1,32}\Z")]
Profile = Literal["none", "allowlist"]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]


class _Request(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True, tag_field="op"):
    pass


class Run(_Request, frozen=True, tag="run"):
    """Run a script (or exactly these words) in a fresh container and wait for it. `input` bytes follow the line."""

    work: WorkId
    command: Annotated[str, msgspec.Meta(max_length=MAX_COMMAND)] = ""
    argv: Annotated[list[str], msgspec.Meta(max_length=4096)] = []
    profile: Profile = "none"
    timeout: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 120.0
    input: Annotated[int, msgspec.Meta(ge=0, le=MAX_INPUT)] = 0


class Start(_Request, frozen=True, tag="start"):
    """Run a script in the background for at most `timeout` seconds; the answer has its id."""

    work: WorkId
    command: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_COMMAND)]
    profile: Profile = "none"
    timeout: Seconds = 3600.0
    label: Annotated[str, msgspec.Meta(max_length=200)] = ""


class Poll(_Request, frozen=True, tag="poll"):
    """Tell how a background command stands; its output from byte `start` on follows, at most `limit` bytes.

    A negative `start` counts from the end. `wait` seconds are waited for it to end.
    """

    id: JobId
    start: int = 0
    limit: Annotated[int, msgspec.Meta(ge=0, le=1024 * 1024)] = 65_536
    wait: Annotated[float, msgspec.Meta(ge=0, le=60)] = 0.0


class Write(_Request, frozen=True, tag="write"):
    """Give a background command `input` bytes on its standard input, and end that input when `close` is set."""

    id: JobId
    input: Annotated[int, msgspec.Meta(ge=0, le=MAX_INPUT)] = 0
    close: bool = False


class Kill(_Request, frozen=True, tag="kill"):
    """End a background command; `polite` only asks it to (SIGTERM)."""

    id: JobId
    polite: bool = False


class List(_Request, frozen=True, tag="list"):
    """Tell all background commands, newest first."""


class Ended(_Request, frozen=True, tag="ended"):
    """Tell which background commands ended and were not acknowledged; `wait` seconds are waited for one."""

    acknowledge: Annotated[list[JobId], msgspec.Meta(max_length=100)] = []
    wait: Annotated[float, msgspec.Meta(ge=0, le=60)] = 0.0


class Warm(_Request, frozen=True, tag="warm"):
    """Keep containers ready for this work folder from now on."""

    work: WorkId
    profile: Profile = "none"


class Health(_Request, frozen=True, tag="health"):
    """Tell whether commands can run, and why not."""


class Release(_Request, frozen=True, tag="release"):
    """The gateway is going: end when no background command needs this process."""


Request = Run | Start | Poll | Write | Kill | List | Ended | Warm | Health | Release
_decoder = msgspec.json.Decoder(Request)


class RefusedError(SandboxError):
    """The request does not fit the grammar; nothing was run."""


def decode(line: bytes) -> Request:
    """Given a line, return the request; raise RefusedError for anything outside the grammar."""
    try:
        request = _decoder.decode(line)
    except msgspec.DecodeError as error:
        raise RefusedError(f"Refused: {error}.") from None
    if isinstance(request, Run) and bool(request.command) == bool(request.argv):
        raise RefusedError("Refused: give either a command or a list of words.")
    words = [*request.argv, request.command] if isinstance(request, Run) else [getattr(request, "command", "")]
    if any("\0" in word for word in words):
        raise RefusedError("Refused: a command cannot contain NUL characters.")
    if sum(map(len, words)) > MAX_COMMAND:
        raise RefusedError(f"Refused: a command has at most {MAX_COMMAND} characters.")
    return request


def encode(request: Request) -> bytes:
    """The line for a request."""
    return msgspec.json.encode(request) + b"\n"


async def send(writer: asyncio.StreamWriter, head: dict[str, Any], *bodies: bytes) -> None:
    """Write an answer: the head with the bodies' lengths, then the bodies."""
    writer.write(msgspec.json.encode({**head, "bodies": [len(body) for body in bodies]}) + b"\n")
    for body in bodies:
        writer.write(body)
    await writer.drain()


async def receive(reader: asyncio.StreamReader) -> tuple[dict[str, Any], list[bytes]]:
    """Read an answer; raises SandboxError when the runner went away in the middle."""
    try:
        head: dict[str, Any] = msgspec.json.decode(await reader.readuntil(b"\n"))
        return head, [await reader.readexactly(size) for size in head.pop("bodies", [])]
    except (asyncio.IncompleteReadError, ConnectionError, msgspec.DecodeError):
        raise SandboxError(
            "The sandbox runner went away before it answered; whether the command ran to its end is unknown."
        ) from None
