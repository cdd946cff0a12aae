"""What a server offers: names that can be used, texts that are bounded, and what changed since it was last seen."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from appliance.storage import atomic_write
from appliance.trust import clean

MOST_TOOLS = 300
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")
_DESCRIPTION = 4_000  # characters
_SCHEMA = 60_000  # characters of JSON
_BRIEF = 110
_SENTENCE = re.compile(r"(?<=[.!?])(?:\s|$)|(?<=[。！？])|\n")


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as its server describes it: every text in it is the server's."""

    name: str
    description: str
    schema: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Changes with any word of it."""
        raw = msgspec.json.encode([self.name, self.description, self.schema], order="deterministic")
        return hashlib.sha256(raw).hexdigest()[:16]

    @property
    def brief(self) -> str:
        """Its first sentence."""
        text = " ".join(_SENTENCE.split(self.description.strip(), maxsplit=1)[0].split())
        return text if len(text) <= _BRIEF else text[: _BRIEF - 1].rstrip() + "…"

    def problem(self, arguments: Mapping[str, Any]) -> str:
        """What is plainly wrong with arguments; the rest is for the server to say."""
        properties, required = self.schema.get("properties"), self.schema.get("required")
        known = properties if isinstance(properties, dict) else {}
        missing = [str(name) for name in required if name not in arguments] if isinstance(required, list) else []
        if missing:
            return f"{self.name} needs: {', '.join(missing)}."
        closed = self.schema.get("additionalProperties") is False
        unknown = [name for name in arguments if name not in known] if closed else []
        return f"{self.name} has no parameter {', '.join(unknown)}." if unknown else ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The tools of a server that can be used, by name, and what was left out."""

    tools: Mapping[str, Offered] = field(default_factory=dict)
    notes: Sequence[str] = ()


def catalogue(found: Iterable[Offered], wanted: Sequence[str] = ()) -> Catalogue:
    """Given what a server lists and which tools the owner wants (empty: all), keep what can be used."""
    tools: dict[str, Offered] = {}
    odd = doubled = more = large = 0
    for one in found:
        if _NAME.fullmatch(one.name) is None:
            odd += 1
        elif wanted and one.name not in wanted:
            continue
        elif one.name in tools:
            doubled += 1
        elif len(tools) >= MOST_TOOLS:
            more += 1
        else:
            schema = one.schema
            if len(msgspec.json.encode(schema)) > _SCHEMA:
                large += 1
                schema = {"type": "object"}
            tools[one.name] = Offered(one.name, clean(one.description)[:_DESCRIPTION], schema)
    counted = (
        (odd, "with a name that cannot be used left out"),
        (doubled, "left out because the name stands twice"),
        (more, f"over the limit of {MOST_TOOLS} left out"),
        (large, "shown without their schema, which is too long"),
    )
    absent = [name for name in wanted if name not in tools]
    notes = [f"{number} {what}" for number, what in counted if number]
    return Catalogue(tools, [*notes, *([f"not there: {', '.join(absent)}"] if absent else [])])


def listing(offered: Catalogue) -> str:
    """A line for each tool: name and first sentence."""
    lines = [f"- {tool.name}: {tool.brief}" if tool.brief else f"- {tool.name}" for tool in offered.tools.values()]
    return "\n".join([*(lines or ["(no tools)"]), *(f"({note})" for note in offered.notes)])


@dataclass(frozen=True, slots=True)
class Change:
    """What differs from what was seen before."""

    added: Sequence[str]
    removed: Sequence[str]
    changed: Sequence[str]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        parts = [("+", self.added), ("-", self.removed), ("~", self.changed)]
        return ", ".join(f"{sign}{name}" for sign, names in parts for name in names[:20])


class Seen:
    """A folder with what each server offered when it was last asked: names and hashes, no texts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self, server: str) -> list[str]:
        """The names of its tools, in the server's order; empty before the first time."""
        return list(self._read(server))

    def update(self, server: str, offered: Catalogue) -> Change:
        """Remember what is offered now and return what changed; nothing has when it was never seen. Raises OSError."""
        before, now = self._read(server), {name: tool.digest for name, tool in offered.tools.items()}
        if before == now:
            return Change((), (), ())
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_write(self._folder / f"{server}.json", msgspec.json.encode(now), mode=0o600)
        if not before:
            return Change((), (), ())
        return Change(
            [name for name in now if name not in before],
            [name for name in before if name not in now],
            [name for name in now if name in before and before[name] != now[name]],
        )

    def _read(self, server: str) -> dict[str, str]:
        try:
            found = msgspec.json.decode((self._folder / f"{server}.json").read_bytes(), type=dict[str, str])
        except (OSError, msgspec.DecodeError):
            return {}  # never seen, or damaged: it is derived, and written again at the next connection
        return {name: digest for name, digest in found.items() if _NAME.fullmatch(name)}
