"""What outside text wanted remembered: kept apart until the owner says yes, never searched, never in a prompt."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from pathlib import Path

import msgspec

from appliance.errors import NotFoundError
from appliance.storage import atomic_write

FLUSHED = "flush"  # lines for a day note, of a compaction
_ID = re.compile(r"[0-9a-f]{10}")


@dataclass(frozen=True, slots=True)
class Held:
    """One text that waits. `at` is Unix seconds; `session` and `person` say in whose conversation it came up."""

    id: str
    text: str
    at: float
    session: str
    agent: str
    person: str
    origin: str = ""
    tag: str = ""  # W, B or O where it is known


class Quarantine:
    """Given STATE/quarantine: hold texts, list them, let one go or refuse it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def hold(
        self, text: str, *, at: float, session: str, agent: str, person: str, origin: str = "", tag: str = ""
    ) -> Held:
        """Keep a text; the same text from the same session is kept once. Raises OSError."""
        for waiting in self.list():
            if (waiting.text, waiting.session) == (text, session):
                return waiting
        held = Held(secrets.token_hex(5), text, at, session, agent, person, origin, tag)
        atomic_write(self._folder / f"{held.id}.json", msgspec.json.encode(held), mode=0o600)
        return held

    def list(self) -> list[Held]:
        """Everything that waits, oldest first; files that cannot be read are left out and left alone."""
        found = []
        for path in self._folder.glob("*.json") if self._folder.is_dir() else ():
            try:
                found.append(msgspec.json.decode(path.read_bytes(), type=Held))
            except (OSError, msgspec.DecodeError):
                continue
        return sorted(found, key=lambda held: (held.at, held.id))

    def find(self, identity: str) -> Held:
        """A text that waits. Raises NotFoundError."""
        path = self._folder / f"{identity}.json"
        if not _ID.fullmatch(identity) or not path.is_file():
            raise NotFoundError(f"Nothing waits under {identity!r}.", fix="`/memory` lists what waits.")
        return msgspec.json.decode(path.read_bytes(), type=Held)

    def take(self, identity: str) -> Held:
        """Remove a text and return it: it is remembered by now, or dropped. Raises NotFoundError."""
        held = self.find(identity)
        (self._folder / f"{identity}.json").unlink()
        return held
