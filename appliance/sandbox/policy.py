"""May this command run: allow, ask a person, or deny, with the reason and the exact words that would run.

Order: the text must be showable (words.check_text), must be words and pipes and nothing else (words.split), and then
each process of the pipeline is judged on its words; the strictest verdict wins. The owner's list turns ask into allow,
never deny into anything. What runs is `segments` with `environment`, one process each, without a shell: whatever this
module got wrong, the kernel sees the words that the person saw.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from appliance.sandbox import allow_list, filters, programs
from appliance.sandbox.paths import TRUSTED_FOLDERS
from appliance.sandbox.verdicts import Ruling, Strictness, allow, ask, deny, strictest
from appliance.sandbox.words import RefusedError, Segment, split

Host = Literal["host", "sandbox", "remote"]
_DEFAULT_PATH = ":".join(TRUSTED_FOLDERS)
_KNOWN_CONTEXT = frozenset({"allowlist", "PATH", "links", "allowlist_created_by"})
_ALWAYS_ON = "always allow on:"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy says, and exactly what would run.

    verdict: "allow", "ask" or "deny". segments: the words of each process, empty for a whole script (sandbox) and for
    what could not be read. environment: the variables of each process.
    """

    verdict: Literal["allow", "ask", "deny"]
    why: str
    segments: tuple[tuple[str, ...], ...] = ()
    environment: tuple[tuple[tuple[str, str], ...], ...] = ()


def check(
    command: str,
    *,
    host: Host = "host",
    context: Mapping[str, Any] | None = None,
    allow_list: Sequence[str] = (),
    sandbox_policy: Literal["open", "strict"] = "open",
    extra_rights: bool = False,
) -> Verdict:
    """Given a command line, judge it.

    host: "host" is this machine, "remote" another one, both judged the same. "sandbox" is a fresh container without
    network; there any script may run, because the container is the wall,
    unless `sandbox_policy` is "strict" or `extra_rights` (network, secrets or mounts) are asked for.
    context: what the caller knows of the place: "allowlist" (entries), "PATH" (text), "links" (path to target) and
    "allowlist_created_by" (the text "always allow on: COMMAND"). Anything else in it can only make the verdict
    stricter.
    """
    if host == "sandbox" and sandbox_policy == "open" and not extra_rights:
        return _script(command)
    try:
        segments = split(command)
    except RefusedError as refusal:
        return Verdict("deny", str(refusal))
    place = _Place.read(context or {}, allow_list)
    ruling = strictest([_judge(segment, place) for segment in segments])
    return Verdict(
        _word(ruling),
        ruling.why,
        tuple(segment.words for segment in segments),
        tuple(segment.environment for segment in segments),
    )


def jsonl(
    lines: Iterable[str], *, host: Host = "host", sandbox_policy: Literal["open", "strict"] = "open"
) -> Iterator[str]:
    """Given lines of {"id", "command", "context"?}, yield a line {"id", "verdict", "why"} for each.

    A line that is not such an object is a deny with the reason, so a reader never waits for a missing answer.
    """
    for line in lines:
        if not line.strip():
            continue
        name: object = None
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("not an object")
            name = row.get("id")
            command, context = row["command"], row.get("context") or {}
            if not isinstance(command, str) or not isinstance(context, dict):
                raise ValueError("`command` must be text and `context` an object")
            found = check(command, host=host, context=context, sandbox_policy=sandbox_policy)
        except (ValueError, KeyError) as error:
            found = Verdict("deny", f"The line cannot be read: {error}.")
        yield json.dumps({"id": name, "verdict": found.verdict, "why": found.why}, ensure_ascii=True)


@dataclass(frozen=True, slots=True)
class _Place:
    """What is known about where the command would run."""

    entries: tuple[allow_list.Entry, ...] = ()
    path: str = _DEFAULT_PATH
    links: Mapping[str, str] | None = None
    unknown: tuple[str, ...] = ()

    @classmethod
    def read(cls, context: Mapping[str, Any], further: Sequence[str]) -> _Place:
        listed = [*further, *_texts(context.get("allowlist", []))]
        entries = [found for text in listed if (found := allow_list.parse(text))]
        created_by = str(context.get("allowlist_created_by", ""))
        if created_by.startswith(_ALWAYS_ON):
            entries.extend(_remembered(created_by.removeprefix(_ALWAYS_ON)))
        links = context.get("links")
        return cls(
            tuple(entries),
            str(context.get("PATH", _DEFAULT_PATH)),
            links if isinstance(links, Mapping) else {},
            tuple(sorted(set(map(str, context)) - _KNOWN_CONTEXT)),
        )

    def doubt(self, program: str, *, listed: bool) -> Ruling | None:
        """Why it is not certain which file the program's name means, or None when it is the trusted or listed one."""
        if self.unknown:
            return ask(f"The context has {', '.join(self.unknown)}, which changes what can be known.")
        if "/" in program:
            if allow_list.trusted_name(program) is None and not listed:
                return ask(f"{program} is not in a trusted folder.")
            return ask(f"{program} is a link to elsewhere.") if self._astray(program) else None
        for folder in self.path.split(":"):
            if not folder.startswith("/") or ".." in folder.split("/"):
                return deny(f"PATH has the relative folder {folder!r}, so the name {program} means no fixed file.")
        first = self.path.split(":")[0]
        if first not in TRUSTED_FOLDERS:
            return ask(f"{program} may be found in {first} first, which is not a trusted folder.")
        return ask(f"{program} is a link to elsewhere.") if self._astray(f"{first}/{program}") else None

    def _astray(self, path: str) -> bool:
        target = (self.links or {}).get(path)
        return target is not None and str(target).rpartition("/")[0] not in TRUSTED_FOLDERS


def _judge(segment: Segment, place: _Place) -> Ruling:
    program = segment.words[0]
    name = allow_list.trusted_name(program) or program
    known = name in filters.FILTERS
    ruling = filters.judge(name, segment.words[1:]) if known else programs.judge(segment.words)
    if ruling.verdict is Strictness.DENY:
        return ruling
    listed = any(entry.matches(segment.words, place.path.split(":")[0]) for entry in place.entries)
    doubt = place.doubt(program, listed=listed)
    if doubt is not None:
        return strictest([doubt, ruling])
    return allow("On the owner's list.") if listed else ruling


def _script(command: str) -> Verdict:
    """A whole script in a container without network: it must only be text."""
    try:
        command.encode("utf-8")
    except UnicodeEncodeError:
        return Verdict("deny", "The text is not valid UTF-8.")
    if "\0" in command:
        return Verdict("deny", "A NUL byte cannot be part of a command.")
    if not command.strip():
        return Verdict("deny", "The command is empty.")
    return Verdict("allow", "Runs in a fresh container without network or secrets; the container is the wall.")


def _remembered(command: str) -> Iterator[allow_list.Entry]:
    try:
        segments = split(command.strip())
    except RefusedError:
        return
    for segment in segments:
        words = allow_list.always(segment.words)
        if words:
            yield allow_list.Entry(words)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _word(ruling: Ruling) -> Literal["allow", "ask", "deny"]:
    names: dict[Strictness, Literal["allow", "ask", "deny"]] = {
        Strictness.ALLOW: "allow",
        Strictness.ASK: "ask",
        Strictness.DENY: "deny",
    }
    return names[ruling.verdict]
