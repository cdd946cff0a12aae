"""Local models as the owner meets them: an offer, `/models`, fetching with news; part of the composition root."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from appliance.errors import ApplianceError, InputError
from appliance.gateway.commands import Ask, Choice, Commands, Said
from appliance.local_models.catalogue import entry
from appliance.local_models.commands import list_models
from appliance.local_models.supervisor import Supervisor
from appliance.messages import Role
from appliance.observability.health import Health, State
from appliance.observability.notices import Choices, Notices
from appliance.tasks import end
from appliance.texts import part_name, say
from appliance.texts.sentences import in_language, told

_STATES = {"ready": State.READY, "failed": State.FAILED, "off": State.OFF}


class TellOwner(Protocol):
    async def __call__(self, text: str, choices: Choices = ()) -> None: ...


class LocalOffers:
    """Given the supervisor of the models service, keep health in step, offer once, and fetch on a yes.

    `folder` holds the models, `chain` says how the models of the chain stand.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        health: Health,
        notices: Notices,
        tell_owner: TellOwner,
        language: Callable[[], str],
        folder: Path,
        chain: Callable[[], list[dict[str, Any]]],
    ) -> None:
        self._folder = folder
        self._chain = chain
        self._supervisor = supervisor
        self._health = health
        self._notices = notices
        self._tell_owner = tell_owner
        self._language = language
        self._fetching: dict[str, asyncio.Task[None]] = {}

    def add_commands(self, commands: Commands) -> None:
        commands.add("models", self._models, Role.OWNER)

    async def look(self) -> float:
        """Note how the service stands and offer what it offers; return seconds until the next look is worth it."""
        state = self._supervisor.status()
        detail = " ".join(str(part) for part in (state.get("detail"), state.get("fix")) if part)
        self._health.set("local model", _STATES.get(state["phase"], State.STARTING), detail[:300])
        embedder = state.get("embedder") or {}
        if embedder:
            phase = str(embedder.get("phase", "off"))
            self._health.set("embedder", _STATES.get(phase, State.STARTING), str(embedder.get("name") or "")[:100])
        offer = state.get("offer")
        if offer:
            text = _offer_text(offer, self._language())
            fetch = (say("model_fetch_label", self._language()), f"/models pull {offer['name']}")
            await self._notices.once(f"offer:{offer['name']}", text, [fetch])
        return 5.0 if state["phase"] in _STATES else 1.0

    async def stop(self) -> None:
        await end(self._fetching.values())

    async def _models(self, ask: Ask) -> Said:
        match ask.words:
            case ["pull", name]:
                self.fetch(name)
                return Said(say("model_fetching", ask.language, name=name))
            case _:
                return Said(self._list(ask.language), self._choices(ask.language))

    def _begin(self, name: str) -> None:
        if name not in self._fetching or self._fetching[name].done():
            self._fetching[name] = asyncio.create_task(self._pull(name), name="model-pull")

    # the page -------------------------------------------------------------------------------------------------------

    def fetch(self, name: str) -> None:
        """Begin to fetch a model of the catalogue. Raises NotFoundError, or InputError where nothing is fetched."""
        if not self._supervisor.wanted:
            raise InputError("No local model is used here.", fix='Name "local" in models.chain.')
        self._begin(entry(name).name)

    def shown(self) -> dict[str, Any]:
        """The chain, the local model and the catalogue, for the page."""
        state = self._supervisor.status()
        nothing = {"model": None, "detail": None, "percent": None, "fix": None}
        pulls = [{"percent": None} | one for one in state.get("pulls", [])]
        catalogue = [
            row | {"shown_size": f"{row['size'] / 1e9:.1f} GB" if row["size"] >= 1e8 else f"{row['size'] / 1e6:.0f} MB"}
            for row in list_models(self._folder)
        ]
        return {
            "chain": self._chain(),
            "local": nothing | state,
            "pulls": pulls,
            "catalogue": catalogue,
            "fetches": self._supervisor.wanted,
        }

    def _list(self, language: str) -> str:
        state = self._supervisor.status()
        phase, detail = say(f"phase_{state['phase']}", language), in_language(state.get("detail") or "", language)
        lines = [f"local: {state.get('model') or '-'} · {phase} {detail}".rstrip()]
        embedder = state.get("embedder") or {}
        if embedder:
            name, phase = embedder.get("name") or "-", say(f"phase_{embedder['phase']}", language)
            lines.append(f"{part_name('embedder', language)}: {name} · {phase}")
        lines += [
            f"{pull['name']}: {say('phase_' + pull['phase'], language)} {pull.get('percent') or ''}"
            for pull in state.get("pulls", [])
        ]
        offer = state.get("offer")
        if offer:
            lines.append(_offer_text(offer, language))
        return "\n".join(lines)

    def _choices(self, language: str) -> tuple[Choice, ...]:
        offer: dict[str, Any] | None = self._supervisor.status().get("offer")
        return (Choice(say("model_fetch_label", language), f"/models pull {offer['name']}"),) if offer else ()

    async def _pull(self, name: str) -> None:
        try:
            await self._supervisor.pull(name, lambda percent, text: None)
        except ApplianceError as error:
            language = self._language()
            await self._tell_owner(say("model_fetch_failed", language, name=name, reason=told(error, language)))
        else:
            await self._tell_owner(say("model_fetched", self._language(), name=name))


def _offer_text(offer: dict[str, Any], language: str) -> str:
    size = f"{offer['size'] / 1e9:.1f} GB"
    return say("model_offer", language, name=offer["name"], size=size, licence=offer["licence"])
