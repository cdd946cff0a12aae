"""Every skill of the house and how it stands: active, waiting for the owner's yes, lacking something, or unreadable.

A skill of the workspace or of the owner's folder is only used with the hash that the owner said yes to; a changed
byte puts it out of use. Our own ship with the program. Each agent has the owner's, those of its own workspace, and
ours; one name exists once for it, and the first of these places wins. What has not changed is not read again.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from appliance.errors import InputError, NotFoundError
from appliance.skills import folder
from appliance.skills.gates import Surroundings
from appliance.skills.manifest import Manifest, SkillFormatError, read_manifest
from appliance.skills.pins import OFF, Pin, Pins
from appliance.trust import clean

BUILTIN = Path(__file__).parent / "builtin"
State = Literal["active", "new", "changed", "off", "lacking", "hidden"]
Kind = Literal["config", "workspace", "builtin"]
Place = str  # a kind, or workspace:<agent> for the workspace of an agent other than the main one
MAIN = "main"
_SHOWN_DIGEST = 16  # hexadecimal digits that a person types: 64 bits, too many to search for a match


@dataclass(frozen=True, slots=True)
class Problem:
    """A skill that cannot be read: where, and why. `line` 0: the whole file or folder."""

    place: Place
    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Skill:
    """`id` is place/name. `why` says what is lacking, or which skill hides this one."""

    place: Place
    manifest: Manifest
    contents: folder.Contents
    state: State = "active"
    why: str = ""

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def kind(self) -> Kind:
        """What kind of place it stands in."""
        found: Kind = "config" if self.place == "config" else "builtin" if self.place == "builtin" else "workspace"
        return found

    @property
    def id(self) -> str:
        return f"{self.place}/{self.manifest.name}"

    @property
    def digest(self) -> str:
        """The hash as a person types it."""
        return self.contents.digest[:_SHOWN_DIGEST]

    def text(self, path: str = "SKILL.md") -> str:
        """A file of the skill as text. Raises NotFoundError for one that is not there or is no text."""
        raw = self.contents.files.get(path)
        if raw is None or b"\0" in raw[:8192]:
            names = ", ".join(sorted(self.contents.files))
            raise NotFoundError(f"{self.name} has no text file {path!r}.", fix=f"It has: {names}.")
        return clean(raw.decode("utf-8-sig", errors="replace"))

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.id, "name": self.name, "description": self.manifest.description, "place": self.place,
            "state": self.state, "why": self.why, "hash": self.digest, "files": sorted(self.contents.files),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Read:
    stamp: folder.Stamp
    found: tuple[Manifest, folder.Contents] | Problem


@dataclass(slots=True)
class Collection:
    """Given the places of skills, the owner's word and what is there to be needed, find and judge every skill.

    `workspace` is the main agent's folder of skills; `others` gives those of the other agents by the agents' names.
    """

    workspace: Path
    config: Path
    pins: Pins
    surroundings: Surroundings
    builtin: Path = BUILTIN
    others: Callable[[], Mapping[str, Path]] = dict
    _cache: dict[tuple[Place, str], _Read] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def look(self) -> list[Skill]:
        """Every readable skill of every agent, by place and name; `problems` then holds those that are not."""
        found = self._look(self._places(self.workspace, "workspace"))
        problems = self.problems
        for agent, root in self.others().items():
            place = f"workspace:{agent}"
            found += [skill for skill in self._look(self._places(root, place)) if skill.place == place]
            problems = [*problems, *(problem for problem in self.problems if problem.place == place)]
        self.problems = problems
        return found

    def _look(self, searched: Sequence[tuple[Place, Path]]) -> list[Skill]:
        """Every readable skill that one agent could have; `problems` then holds those that are not."""
        problems: list[Problem] = []
        seen: set[tuple[Place, str]] = set()
        taken: dict[str, str] = {}
        skills: list[Skill] = []
        for place, root in searched:
            try:
                names, bad = folder.skill_folders(root)
            except SkillFormatError as error:
                problems.append(Problem(place, "", 0, error.what))
                continue
            problems += [Problem(place, name, 0, why) for name, why in bad]
            for name in names:
                seen.add((place, name))
                found = self._read(place, root, name)
                if isinstance(found, Problem):
                    problems.append(found)
                    continue
                skill = self._judged(Skill(place, *found), taken)
                skills.append(skill)
                if skill.state == "active":
                    taken[skill.name] = skill.id
        places = {place for place, _ in searched}
        for gone in {held for held in self._cache if held[0] in places} - seen:
            del self._cache[gone]
        self.problems = problems
        return skills

    def active(self, agent: str = MAIN) -> list[Skill]:
        """Those that an agent may see, by name."""
        if agent == MAIN:
            found = self._look(self._places(self.workspace, "workspace"))
        else:
            root = self.others().get(agent)
            found = self._look(self._places(root, f"workspace:{agent}"))
        return sorted((skill for skill in found if skill.state == "active"), key=lambda skill: skill.name)

    def waiting(self) -> list[Skill]:
        """Those that want the owner's yes."""
        return [skill for skill in self.look() if skill.state in ("new", "changed")]

    def needed_programs(self) -> frozenset[str]:
        """Every program that any skill asks for."""
        return frozenset(
            name for skill in self.look() for name in (*skill.manifest.needs.bins, *skill.manifest.needs.any_bins)
        )

    def require(self, wanted: str) -> Skill:
        """A skill by its name or place/name; of several of a name the one in use. Raises NotFoundError."""
        found = [skill for skill in self.look() if wanted in (skill.name, skill.id)]
        found.sort(key=lambda skill: skill.state != "active")
        if not found:
            broken = next((p for p in self.problems if wanted in (p.path, f"{p.place}/{p.path}")), None)
            why = f" It cannot be read: {broken.why}" if broken else ""
            raise NotFoundError(f"There is no skill {wanted!r}.{why}", fix="`/skills` lists them.")
        return found[0]

    def difference(self, skill: Skill) -> str:
        """What a person reads before a yes: the whole text of a new skill, the changed lines of a changed one.

        Other files are named with their sizes.
        """
        text = skill.text()
        pin = self.pins.all().get(skill.id)
        if pin is not None and pin.text:
            lines = difflib.unified_diff(pin.text.splitlines(), text.splitlines(), "approved", "now", lineterm="", n=2)
            text = "\n".join(lines) or "(SKILL.md is as approved; another file changed)"
        others = [f"{p} ({len(d):,} bytes)" for p, d in sorted(skill.contents.files.items()) if p != "SKILL.md"]
        return text + (f"\n\nOther files: {', '.join(others)}" if others else "")

    async def approve(self, wanted: str, digest: str) -> Skill:
        """Say yes to a skill as it was shown. Raises NotFoundError, and InputError when it changed since."""
        skill = self.require(wanted)
        if len(digest) < _SHOWN_DIGEST or not skill.contents.digest.startswith(digest):
            raise InputError(
                f"{skill.id} is {skill.digest} now, not {digest!r}; nothing was approved.",
                fix=f"Look at it again: /skills show {skill.id}",
            )
        await self.pins.put(skill.id, Pin(skill.contents.digest, skill.text()))
        return self._again(skill)

    async def revoke(self, wanted: str) -> Skill:
        """Take the yes back; our own skills are switched off so. Raises NotFoundError."""
        skill = self.require(wanted)
        await self.pins.put(skill.id, Pin(OFF, ""))
        return self._again(skill)

    def _again(self, skill: Skill) -> Skill:
        return next((found for found in self.look() if found.id == skill.id), skill)

    def _places(self, workspace: Path | None, place: Place) -> Sequence[tuple[Place, Path]]:
        """Where the skills of one agent stand, first come first."""
        own = ((place, workspace),) if workspace is not None else ()
        return (("config", self.config), *own, ("builtin", self.builtin))

    def _read(self, place: Place, root: Path, name: str) -> tuple[Manifest, folder.Contents] | Problem:
        stamp: folder.Stamp = ()
        try:
            held = self._cache.get((place, name))
            if held is not None and place == "builtin":
                return held.found
            stamp = folder.stamp(root, name)
            if held is not None and held.stamp == stamp:
                return held.found
            contents = folder.contents(root, name, shipped=place == "builtin")
            found: tuple[Manifest, folder.Contents] | Problem = (
                read_manifest(contents.files["SKILL.md"], name),
                contents,
            )
        except SkillFormatError as error:
            found = Problem(place, f"{name}/{error.file}".rstrip("/"), error.line, error.what)
        except OSError as error:  # the disk, or a folder that went away just now
            return Problem(place, name, 0, f"It cannot be read: {error.strerror}.")
        if stamp:
            self._cache[place, name] = _Read(stamp, found)
        return found

    def _judged(self, skill: Skill, taken: dict[str, str]) -> Skill:
        state, why = self._state(skill)
        if state == "active" and skill.name in taken:
            state, why = "hidden", f"{taken[skill.name]} has the same name"
        return Skill(skill.place, skill.manifest, skill.contents, state, why)

    def _state(self, skill: Skill) -> tuple[State, str]:
        pin = self.pins.all().get(skill.id)
        if pin is not None and pin.digest == OFF:
            return "off", ""
        if skill.place != "builtin" and (pin is None or pin.digest != skill.contents.digest):
            return ("new" if pin is None else "changed"), ""
        lacking = self.surroundings.missing(skill.manifest.needs)
        return ("lacking", lacking) if lacking else ("active", "")
