"""The owner's list of commands that run unasked, and which commands may enter it.

An entry is a whole argv, or one whose last word is `*` (exactly one more word, not an option), or a lone absolute path
of a program in a trusted folder (any arguments). It is compared word by word, never as text. Shells, interpreters and
wrappers cannot be entries: one would approve everything.
"""

from __future__ import annotations

from dataclasses import dataclass

from appliance.sandbox import launchers, never, programs
from appliance.sandbox.paths import TRUSTED_FOLDERS, normal, under
from appliance.sandbox.words import RefusedError, split


@dataclass(frozen=True, slots=True)
class Entry:
    """One parsed entry. `any_last`: one further word follows; `any_arguments`: the program with whatever words."""

    words: tuple[str, ...]
    any_last: bool = False
    any_arguments: bool = False

    def matches(self, words: tuple[str, ...], first_folder: str) -> bool:
        """True when the command's words are covered. `first_folder` is where a bare name is looked for first."""
        if not words or not self._same_program(words[0], first_folder):
            return False
        if self.any_arguments:
            return True
        if self.any_last:
            fits = len(words) == len(self.words) + 1 and not words[-1].startswith("-")
            return fits and words[1:-1] == self.words[1:]
        return words[1:] == self.words[1:]

    def _same_program(self, program: str, first_folder: str) -> bool:
        listed = self.words[0]
        if "/" in listed:
            return listed == (program if "/" in program else f"{first_folder}/{program}")
        return listed == (trusted_name(program) or program)


def parse(text: str) -> Entry | None:
    """Given an entry as written, return it, or None when it could not be one (empty, a shell, not plain words)."""
    stripped = text.strip(" \t")
    any_last = stripped.endswith((" *", "\t*"))
    try:
        segments = split(stripped[:-1] if any_last else stripped)
    except RefusedError:
        return None
    if len(segments) != 1 or segments[0].environment:
        return None
    return entry(segments[0].words, any_last=any_last)


def entry(words: tuple[str, ...], *, any_last: bool = False) -> Entry | None:
    """Given words, return the entry that approves them, or None when none may."""
    program = words[0]
    name = launchers.base_name(program)
    if (
        launchers.is_shell(program)
        or launchers.is_interpreter(program)
        or launchers.is_wrapper(program)
        or launchers.is_awk(program)
        or never.reason(name)
    ):
        return None
    # A program in a folder that the agent can write to is whatever it last put there.
    if "/" in program and (program != normal(program) or not _fixed_folder(program)):
        return None
    return Entry(words, any_last, any_arguments=len(words) == 1 and "/" in program and not any_last)


def _fixed_folder(program: str) -> bool:
    return any(under(program, folder) for folder in ("/usr", "/bin", "/sbin", "/opt"))


def always(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Given an approved command, return the full argv of the inner program to remember, or None for "only once"."""
    inside = programs.inner(words)
    if not inside:
        return None
    stored = entry(inside)
    if stored is None:
        return None
    if stored.any_arguments:
        # A lone path would cover any arguments; what was approved is this program without any, so its name is kept.
        name = trusted_name(inside[0])
        return (name,) if name else None
    return inside


def trusted_name(program: str) -> str | None:
    """The plain name of a program given by its exact path in a trusted folder, else None."""
    folder, _, name = program.rpartition("/")
    return name if folder in TRUSTED_FOLDERS and name else None
