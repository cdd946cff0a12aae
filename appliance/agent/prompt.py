"""The system prompt, and an account of what each part of it costs.

Order, with a cache mark after each of the first three: rules; bootstrap files; what is remembered (in the owner's main
session; in somebody else's direct messages what they said themselves). Nothing in it changes from one call to the next
unless a file changed: date, channel and speaker stand in each user message instead, where they are part of the history.
Day notes are read once and then held while the conversation is warm, since what was added meanwhile was said in this
very conversation; what is edited by hand counts at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

from appliance.agent.window import middle_cut, tokens
from appliance.clock import Clock
from appliance.memory.items import Items
from appliance.memory.tiers import Loaded, brief, ordinary
from appliance.memory.workspace import Workspace
from appliance.messages import SessionKey
from appliance.models.base import PromptPart, ToolSpec
from appliance.settings import AgentSettings
from appliance.trust import OUTSIDE_RULE, new_marker, wrap

Profile = Literal["full", "medium", "small"]
SMALL_WINDOW = 16_384  # tokens; models of 4k and 8k are under it
MEDIUM_WINDOW = 65_536  # models of 32k are under it
_FILES_SHARE = 0.3  # of a medium window, for all files and notes together
WARM_SECONDS = 300.0
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SHARED = ("SOUL.md", "IDENTITY.md", "AGENTS.md", "TOOLS.md")
_USER_CHARS = 4_000

RULES = f"""You are the agent of a home appliance: people write to you from chat apps, you act through tools.
- [bracketed] lines at the start of a user message are from the appliance: date, time, channel, speaker.
- {OUTSIDE_RULE}
- A tool result marked "outcome unknown" may have happened: check before you repeat it.
- Answer in Markdown, short. You cannot see costs, change settings or approve things; people do that with /commands."""

SMALL_RULES = (
    "You are a helpful home assistant. Answer briefly, in the language of the question. "
    "If you do not know, say so. " + OUTSIDE_RULE
)


@dataclass(frozen=True, slots=True)
class Section:
    """One row of the account. `tokens` is characters over four, the measure users can check themselves."""

    name: str
    chars: int
    cut: bool = False
    cached: bool = True
    why: str = ""

    @property
    def tokens(self) -> int:
        return (self.chars + 3) // 4


@dataclass(frozen=True, slots=True)
class Prompt:
    parts: tuple[PromptPart, ...]
    sections: tuple[Section, ...]


@dataclass(slots=True)
class _Held:
    notes: str
    tier: list[Loaded]
    brief: Loaded | None
    edits: int
    used: float


@dataclass(slots=True)
class PromptBuilder:
    """Given an agent's workspace, build its system prompts.

    `skills` returns the list of skills: for each line the row of the account, the text and whether it was cut.
    """

    workspace: Workspace
    settings: Callable[[], AgentSettings]
    clock: Clock
    skills: Callable[[], Sequence[tuple[str, str, bool]]] | None = None
    _notes: dict[str, _Held] = field(default_factory=dict)

    def build(
        self, session: SessionKey, profile: Profile = "full", *, window: int = 1_000_000, skills: bool = True
    ) -> Prompt:
        """The prompt of a session. `small` (for small windows) holds no files but the owner's name and manner.

        `window`: tokens that may be used; files and notes take at most 30% of a medium one. `skills`: whether the list
        of skills is shown, which only helps where they can be read.
        """
        if profile == "small":
            text = f"{SMALL_RULES}\n{self._file('IDENTITY.md')[:400]}"
            return self._small(session, text)
        sections = [Section("rules", len(RULES))]
        parts = [PromptPart(RULES, mark=True)]
        room = self._room(window)
        shared = self._files(_SHARED, sections, room)
        listed = self.skills() if self.skills and skills else ()
        if listed:
            sections.extend(Section(name, len(text) + 1, cut) for name, text, cut in listed)
            shared = f"{shared}\n\n" + "\n".join(text for _, text, _ in listed)
        if shared:
            parts.append(PromptPart(shared, mark=True))
        if session.is_main:
            private = self._private(session, sections, room - len(shared))
            if private:
                parts.append(PromptPart(private, mark=True))
        else:
            self._add_brief(session, parts, sections)
        return Prompt(tuple(parts), tuple(sections))

    def _small(self, session: SessionKey, text: str) -> Prompt:
        """The rules, and what holds: it must not be forgotten because a small model answers."""
        parts, sections = [PromptPart(text, mark=True)], [Section("rules", len(text))]
        self._add_brief(session, parts, sections)
        return Prompt(tuple(parts), tuple(sections))

    def _add_brief(self, session: SessionKey, parts: list[PromptPart], sections: list[Section]) -> None:
        """What holds for the one person who reads this conversation; nothing where several do."""
        held = self._held(session).brief if session.is_main or session.reader else None
        if held is not None:
            parts.append(PromptPart(held.text, mark=True))
            sections.append(Section(f"{held.tier} {held.what}", len(held.text), cut=held.left > 0, why=held.why))

    def _private(self, session: SessionKey, sections: list[Section], room: int) -> str:
        pieces = [self._files(("USER.md", "MEMORY.md"), sections, room)]
        held = self._held(session)
        for one in held.tier:
            sections.append(Section(f"{one.tier} {one.what}", len(one.text), cut=one.left > 0, why=one.why))
            pieces.append(one.text)
        if held.notes:
            cap = max(0, min(self.settings().prompt_file_chars, room - sum(map(len, pieces))))
            text = middle_cut(held.notes, cap)
            sections.append(Section("day notes", len(text), cut=len(text) < len(held.notes), why="today and yesterday"))
            pieces.append(text)
        return "\n\n".join(p for p in pieces if p)

    def _room(self, window: int) -> int:
        """Characters that files and notes may take together."""
        most = self.settings().prompt_total_chars
        if window >= MEDIUM_WINDOW:
            return most
        names = ("SOUL.md", "IDENTITY.md", "AGENTS.md", "TOOLS.md", "USER.md", "MEMORY.md")
        sample = "".join(self._file(name)[:5_000] for name in names)
        each = max(0.25, tokens(sample) / max(1, len(sample)))  # tokens a character: 0.25 in English, 1 in Chinese
        return min(most, int(window * _FILES_SHARE / each))

    def _file(self, name: str) -> str:
        return _COMMENT.sub("", self.workspace.read(name)).strip()

    def _files(self, names: Sequence[str], sections: list[Section], room: int) -> str:
        pieces = []
        for name in names:
            text = self._file(name)
            if not text:
                continue
            cap = min(self.settings().prompt_file_chars, max(0, room))
            if name == "USER.md":
                cap = min(cap, _USER_CHARS)
            piece = f"## {name}\n{_capped(name, text, cap)}"
            room -= len(piece)
            sections.append(Section(name, len(piece), cut=len(text) > cap))
            pieces.append(piece)
        return "\n\n".join(pieces)

    def _held(self, session: SessionKey) -> _Held:
        """L1 and the notes of today and yesterday, held while the conversation is warm and nobody edits them."""
        now = self.clock.monotonic()
        held = self._notes.get(session.value)
        if held is None or now - held.used > WARM_SECONDS or held.edits != self.workspace.edits:
            held = self._notes[session.value] = self._read_notes(session.reader, now)
        held.used = now
        return held

    def _read_notes(self, reader: str, now: float) -> _Held:
        """For somebody's direct messages what is theirs, else what the owner's conversation is told."""
        edits = self.workspace.edits
        items = Items(self.workspace)
        active, gone = items.holding()
        if reader:
            told = brief(active, reader)
            if told is not None:  # words of somebody who is not the owner, in the prompt as in their messages
                told = replace(told, text=wrap(told.text, new_marker(), f"remembered of {reader}"))
            return _Held("", [], told, edits, now)
        today = self.workspace.day(self.clock.now())
        notes = [self.workspace.read_day(day).strip() for day in (today - timedelta(days=1), today)]
        shown = "\n\n".join(items.visible(note, gone) for note in notes if note)
        return _Held(shown, ordinary(self.workspace, active, self.clock.now()), brief(active), edits, now)

    def cooled(self, session: SessionKey | None = None) -> None:
        """Read the day notes anew at the next build, for a session (after /new, a compaction) or for all (something was
        taken back)."""
        if session is None:
            self._notes.clear()
        else:
            self._notes.pop(session.value, None)


def profile_of(window: int) -> Profile:
    """Which prompt a model with this window (tokens) gets."""
    return "small" if window < SMALL_WINDOW else "medium" if window < MEDIUM_WINDOW else "full"


def _capped(name: str, text: str, cap: int) -> str:
    if len(text) <= cap:
        return text
    return middle_cut(text, cap) + f"\n[{name} is {len(text):,} characters; only {cap:,} fit here]"


def tool_characters(tool: ToolSpec) -> int:
    """Characters of a tool in a request."""
    return len(tool.name) + len(tool.description) + len(str(tool.schema)) + 40
