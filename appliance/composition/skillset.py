"""Skills put together: the collection, its tool, the list in the prompt, `/skills` and the news to the owner.

Part of the composition root."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, Protocol

import structlog

from appliance.clock import Clock
from appliance.database import Database
from appliance.errors import ApplianceError, SandboxError
from appliance.gateway.commands import Ask, Choice, Commands, Said
from appliance.messages import Role
from appliance.observability.notices import Notices
from appliance.sandbox.client import CommandResult
from appliance.settings import Settings
from appliance.skills.collection import MAIN, Collection, Skill
from appliance.skills.folder import workspaces
from appliance.skills.gates import Surroundings
from appliance.skills.listing import Line, listing
from appliance.skills.pins import Pins
from appliance.texts import say
from appliance.tools.registry import Registry
from appliance.tools.skill import SkillTool

log = structlog.get_logger(__name__)
_LOOK_SECONDS = 30.0
_LONGEST_SHOWN = 6_000


class Programs(Protocol):
    """Whether commands can run, in which image, and one that runs (Execution)."""

    @property
    def usable(self) -> bool: ...
    def image(self) -> str: ...
    async def run(self, script: str) -> CommandResult: ...


class SkillSet:
    """Given what it needs of the house, offer `skill`, keep the list, and ask the owner about what is new."""

    def __init__(
        self,
        *,
        settings: Settings,
        core: Database,
        clock: Clock,
        tools: Registry,
        workspace: Any,
        notices: Notices,
        programs: Programs,
        language: Callable[[], str],
    ) -> None:
        self._clock = clock
        self._notices = notices
        self._programs = programs
        self._language = language
        self._found: frozenset[str] | None = None
        self._looked_for: tuple[str, frozenset[str]] = ("", frozenset())
        self.collection = Collection(
            workspace=workspace / "skills",
            others=lambda: {name: path for name, path in workspaces(settings.state).items() if name != MAIN},
            config=settings.state / "config" / "skills",
            pins=Pins(core, clock),
            surroundings=Surroundings(settings, os.environ, lambda: self._found),
        )
        tools.add(SkillTool(self.collection))

    def lines(self, agent: str = MAIN) -> list[Line]:
        """The list of an agent's skills for its prompt."""
        return listing(self.collection.active(agent))

    async def watch(self) -> None:
        """Look around twice a minute: what commands can use, and what wants the owner's yes."""
        while True:
            try:
                await self.look()
            except (ApplianceError, OSError) as error:
                log.warning("skills could not be looked at", reason=str(error))
            await self._clock.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """Once: ask the sandbox's image for programs that skills need, and tell the owner what waits, each once."""
        await self._look_for_programs()
        for skill in self.collection.waiting():
            text = say(f"skill_{skill.state}", self._language(), skill=skill.id)
            button = (say("skill_look", self._language()), f"/skills show {skill.id}")
            await self._notices.once(f"skill:{skill.id}:{skill.contents.digest}", text, [button])

    async def _look_for_programs(self) -> None:
        if not self._programs.usable:
            return
        wanted = (self._programs.image(), self.collection.needed_programs())
        if wanted == self._looked_for or not wanted[1]:
            return
        names = " ".join(sorted(wanted[1]))  # letters, digits and ._+- only, by the front matter's rules
        script = f'for name in {names}; do command -v "$name" >/dev/null && echo "$name"; done; true'
        try:
            result = await self._programs.run(script)
        except SandboxError as error:
            log.warning("the sandbox's image could not be asked for programs", reason=error.what)
            return
        if result.outcome == "exited" and result.code == 0:
            self._found = frozenset(result.stdout.decode(errors="replace").split())
            self._looked_for = wanted

    # what the owner may do -------------------------------------------------------------------------------------

    def listed(self) -> dict[str, Any]:
        """Every skill, and what cannot be read."""
        skills = self.collection.look()
        problems = [
            {"where": f"{p.place}/{p.path}" + (f":{p.line}" if p.line else ""), "why": p.why}
            for p in self.collection.problems
        ]
        return {"skills": [skill.as_json() for skill in skills], "problems": problems}

    def shown(self, name: str, file: str = "") -> dict[str, Any]:
        """A skill with what is to be read before a yes. Raises NotFoundError."""
        skill = self.collection.require(name)
        return {**skill.as_json(), "text": skill.text(file) if file else self.collection.difference(skill)}

    async def approve(self, name: str, digest: str) -> dict[str, Any]:
        """Say yes to a skill as it was shown. Raises NotFoundError, InputError."""
        return (await self.collection.approve(name, digest)).as_json()

    async def revoke(self, name: str) -> dict[str, Any]:
        """Take a skill out of use. Raises NotFoundError."""
        return (await self.collection.revoke(name)).as_json()

    # chat ------------------------------------------------------------------------------------------------------

    def add_commands(self, commands: Commands) -> None:
        commands.add("skills", self._skills, Role.OWNER)

    async def _skills(self, ask: Ask) -> Said:
        match ask.words:
            case []:
                return self._list(ask.language)
            case ["show", name, *file]:
                return self._show(name, " ".join(file), ask.language)
            case ["approve", name, digest]:
                done = await self.collection.approve(name, digest)
                return Said(
                    say("skill_approved", ask.language, skill=done.id, state=f"{done.state} {done.why}".strip())
                )
            case ["revoke", name]:
                done = await self.collection.revoke(name)
                return Said(say("skill_revoked", ask.language, skill=done.id))
            case _:
                return Said(say("skill_usage", ask.language))

    def _list(self, language: str) -> Said:
        found = self.collection.look()
        lines = [
            f"- `{skill.id}` ({skill.state}{f', {skill.why}' if skill.why else ''}): {skill.manifest.description[:100]}"
            for skill in found
        ]
        lines += [f"- {row['where']}: {row['why']}" for row in self.listed()["problems"]]
        waiting = [skill for skill in found if skill.state in ("new", "changed")]
        label = say("skill_look", language)
        choices = tuple(Choice(f"{label}: {skill.name[:30]}", f"/skills show {skill.id}") for skill in waiting[:8])
        return Said("\n".join(lines) or say("skills_none", language), choices)

    def _show(self, name: str, file: str, language: str) -> Said:
        skill = self.collection.require(name)
        text = skill.text(file) if file else self.collection.difference(skill)
        whole = len(text) <= _LONGEST_SHOWN
        if not whole:
            text = text[:_LONGEST_SHOWN] + f"\n… `appliance skills show {skill.id}` shows all of it"
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        head = say("skill_shown", language, skill=skill.id, state=skill.state, why=skill.why, digest=skill.digest)
        # A yes by a button is for what was wholly on show; the rest is approved with its hash.
        yes = self._yes(skill, language) if whole and not file and skill.state in ("new", "changed", "off") else ()
        return Said(f"{head}\n\n{fence}\n{text}\n{fence}", yes)

    @staticmethod
    def _yes(skill: Skill, language: str) -> tuple[Choice, ...]:
        label = say("skill_approve", language)
        return (Choice(label, f"/skills approve {skill.id} {skill.digest}"),)
