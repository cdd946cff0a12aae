"""The agents of the house and what each has of its own: a workspace, and the prompt made of it; part of the
composition root."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from appliance.agent.prompt import PromptBuilder
from appliance.agent.templates import NAMES, template
from appliance.clock import Clock
from appliance.errors import NoAgentError, StateError
from appliance.memory.items import OWNER
from appliance.memory.workspace import Workspace
from appliance.messages import MAIN
from appliance.settings import Settings
from appliance.skills.listing import Line


class Agents:
    """Given the settings and the list of an agent's skills, the agents that are declared there. Raises StateError when
    two of them have one workspace."""

    def __init__(self, settings: Settings, clock: Clock, skills: Callable[[str], list[Line]]) -> None:
        self._settings = settings
        self._clock = clock
        self._skills = skills
        self._prompts: dict[str, PromptBuilder] = {}
        self.workspaces = {agent: self._made(agent) for agent in settings.agent_ids}
        self._require_apart()

    def workspace(self, agent: str) -> Workspace:
        """Raises NotFoundError."""
        found = self.workspaces.get(agent)
        if found is None:
            raise NoAgentError(agent)
        return found

    def prompts(self, agent: str) -> PromptBuilder:
        """What makes an agent's prompt. Raises NotFoundError."""
        found = self._prompts.get(agent)
        if found is None:
            found = self._prompts[agent] = PromptBuilder(
                self.workspace(agent), lambda: self._settings.agent, self._clock, lambda: self._skills(agent)
            )
        return found

    def know_owners(self, people: Iterable[str]) -> bool:
        """These people are the owner now: what they said before is the owner's too, and in every prompt at once.
        Returns whether that is news."""
        owners = frozenset(people)
        if owners == self.workspace(MAIN).owners:
            return False
        for workspace in self.workspaces.values():
            workspace.owners = owners
        self.cooled()
        return True

    def whose(self, person: str) -> str:
        """Under which name the items of a person count now."""
        return OWNER if person in self.workspace(MAIN).owners else person

    def cooled(self) -> None:
        """Have every conversation read anew what is remembered: something of it was taken back."""
        for builder in self._prompts.values():
            builder.cooled()

    def _made(self, agent: str) -> Workspace:
        workspace = Workspace(self._settings.state / "agents" / agent, self._settings.owner.zone)
        workspace.create({name: template(name) for name in NAMES})
        return workspace

    def _require_apart(self) -> None:
        places: dict[Path, str] = {}
        for agent, workspace in self.workspaces.items():
            other = places.setdefault(workspace.folder.resolve(), agent)
            if other != agent:
                raise StateError(
                    f"The agents {other} and {agent} have the same workspace, {workspace.folder.resolve()}.",
                    fix=f"Give {agent} a folder of its own instead of the link {workspace.folder}.",
                )
