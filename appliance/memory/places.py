"""Reading what a search result points to, for the same readers that may find it."""

from __future__ import annotations

from pathlib import Path

import apsw
import msgspec

from appliance.errors import NotFoundError
from appliance.memory.index import MemoryIndex
from appliance.memory.items import Items
from appliance.memory.languages import fold
from appliance.memory.schema import TALK
from appliance.memory.scopes import Scope, allowed
from appliance.memory.store import rows
from appliance.memory.workspace import PRIVATE, Workspace
from appliance.messages import Role, Source
from appliance.trust import worst

MOST_LINES = 200


def read_place(
    index: MemoryIndex, workspace: Workspace, scope: Scope, path: str, start: int = 1, end: int = 0
) -> tuple[str, Source]:
    """Lines `start` to `end` (0: as many as fit one answer) of a memory file, and where that text comes from.

    Raises NotFoundError for what does not exist and, in the same words, for what this reader may not see.
    """
    last = min(end or start + MOST_LINES - 1, start + MOST_LINES - 1)
    if path.startswith("sessions/"):
        return _transcript(index, workspace, scope, path, start, last)
    if path.startswith("team/"):
        if scope.role is Role.GUEST and not scope.main:
            raise _missing(path)
        return _lines(_team_text(index.team, path), start, last), Source.OWN
    if not scope.main or (path not in PRIVATE and not path.startswith("memory/")):
        raise _missing(path)
    text = workspace.resolve(path).read_text(encoding="utf-8", errors="replace")
    if path in PRIVATE:
        return _lines(text, start, last), Source.OWN
    return Items(workspace).visible(_lines(text, start, last)), Source.OWN


def _team_text(team: Path, path: str) -> str:
    file = team / path.removeprefix("team/")
    try:
        inside = file.resolve(strict=True).is_relative_to(team.resolve())
    except OSError:
        inside = False
    if not inside or file.suffix != ".md":
        raise _missing(path)
    return file.read_text(encoding="utf-8", errors="replace")


def _lines(text: str, start: int, last: int) -> str:
    return "\n".join(text.splitlines()[max(0, start - 1) : last])


def _transcript(
    index: MemoryIndex, workspace: Workspace, scope: Scope, path: str, start: int, last: int
) -> tuple[str, Source]:
    """Turns of a conversation, from the index: what was said by people and answered, without tools and thinking."""
    name = f"{scope.session.agent}/{path}"

    def work(connection: apsw.Connection) -> list[tuple[str, str]]:
        scopes = msgspec.json.encode(allowed(connection, scope, TALK)).decode()
        found = rows(
            connection,
            "SELECT c.units, c.source FROM chunks c JOIN files f ON f.id = c.file WHERE f.name = ? AND NOT c.hidden"
            " AND c.scope IN (SELECT value FROM json_each(?)) ORDER BY c.ordinal",
            (name, scopes),
        )
        return [(str(units), str(source)) for units, source in found]

    found = index.read(work)
    if not found:
        raise _missing(path)
    said: list[str] = []
    sources: list[Source] = []
    for raw, source in found:
        mine = [str(text) for line, text in msgspec.json.decode(raw) if start <= int(line) <= last]
        if mine:
            said += mine
            sources.append(Source(source))
    return "\n".join(said), worst(sources)


def _missing(path: str) -> NotFoundError:
    return NotFoundError(
        f"There is no memory file {fold(path)[:200]!r}.", fix="Use a path that memory_search returned."
    )
