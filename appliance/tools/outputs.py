"""Whole tool outputs that were cut in the prompt, and the tool that reads them."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from appliance.errors import ToolError
from appliance.messages import Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.storage import atomic_write
from appliance.tools.base import ToolContext, ToolResult

_ID = re.compile(r"[0-9a-f]{12}")
_PAGE = 12_000
KEEP_SECONDS = 14 * 86_400
_LARGEST = 16 * 1024 * 1024


class Outputs:
    """STATE/outputs: `<id>.txt`, with the session it belongs to in the first line. Kept two weeks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.sent = folder / "sent"  # copies of files that went out, each in a folder of its own

    def keep(self, data: bytes, name: str, session: SessionKey | None = None, source: Source = Source.OWN) -> str:
        """Store a whole output (16 MiB at most, then its head) and return its id. Raises OSError."""
        identity = secrets.token_hex(6)
        head = f"{session.value if session else ''}\t{source}\t{name}\n".encode()
        atomic_write(self._folder / f"{identity}.txt", head + data[:_LARGEST], mode=0o600)
        return identity

    def read(self, identity: str, session: SessionKey) -> tuple[str, Source]:
        """The whole text of an output of this session and where it came from. Raises ToolError."""
        path = self._folder / f"{identity}.txt"
        if not _ID.fullmatch(identity) or not path.is_file():
            raise ToolError(f"There is no output {identity!r}; outputs are kept for two weeks.")
        head, _, body = path.read_bytes().partition(b"\n")
        owner, source, _ = head.decode(errors="replace").split("\t", 2)
        if owner and owner != session.value:
            raise ToolError(f"There is no output {identity!r}; outputs are kept for two weeks.")
        return body.decode(errors="replace"), Source(source)

    def expire(self) -> int:
        """Delete outputs past their time; return how many."""
        line, count = time.time() - KEEP_SECONDS, 0
        for path in (*self._folder.glob("*.txt"), *self.sent.glob("*/*")):
            if path.stat().st_mtime < line:
                path.unlink(missing_ok=True)
                count += 1
        for folder in self.sent.glob("*"):
            with suppress(OSError):  # not empty yet
                folder.rmdir()
        return count


Lookup = Callable[[SessionKey, str], tuple[str, Source] | None]


class ReadOutput:
    """`read_output{id, from?}`: a page of a result that was cut, or that has become a stub in the prompt.

    `lookup` finds the result of an earlier call of this session by the call's id.
    """

    spec = ToolSpec(
        "read_output",
        "Read (on in) a tool result that was cut or shortened.",
        {
            "type": "object",
            "properties": {"id": {"type": "string"}, "from": {"type": "integer", "description": "character offset"}},
            "required": ["id"],
        },
    )

    def __init__(self, outputs: Outputs, lookup: Lookup = lambda session, identity: None) -> None:
        self._outputs = outputs
        self._lookup = lookup

    def available(self, session: SessionKey, person: Person) -> bool:
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        found = self._lookup(context.session, arguments["id"])
        text, source = found or self._outputs.read(arguments["id"], context.session)
        start = max(0, int(arguments.get("from", 0)))
        page = text[start : start + _PAGE]
        if not page:
            return ToolResult(f"The output has {len(text)} characters; there is nothing at {start}.", source=source)
        end = start + len(page)
        more = f"\n[{end} of {len(text)} characters; read on with from={end}]" if end < len(text) else ""
        return ToolResult(page + more, source=source, origin="read_output")
