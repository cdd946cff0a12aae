"""Models by name: Claude, the local model, other servers of the settings. Made on first use."""

from __future__ import annotations

from appliance.models.base import Model
from appliance.models.claude import Claude, ClaudeConnection
from appliance.models.openai_compatible import LocalService, OpenAICompatible
from appliance.settings import Settings


class Shelf:
    """Given the settings and the local service, find a model by its name in the chain."""

    def __init__(self, settings: Settings, local: LocalService) -> None:
        self._settings = settings
        self._local = local
        self._models: dict[str, Model] = {}
        self._claude: ClaudeConnection | None = None
        self._retired: list[ClaudeConnection] = []

    def find(self, name: str) -> Model | None:
        """The model, or None when nothing in the settings makes one of that name."""
        found = self._models.get(name)
        if found is None:
            made = self._make(name)
            if made is not None:
                found = self._models[name] = made
        return found

    async def warm(self) -> None:
        """Load the Anthropic SDK ahead of the first call."""
        await self._connection().warm()

    def change_key(self) -> None:
        """Use the key that the settings hold now; calls under way end on the old connection."""
        if self._claude is not None:
            self._retired.append(self._claude)
        self._claude = None
        self._models = {name: model for name, model in self._models.items() if not isinstance(model, Claude)}

    async def close(self) -> None:
        for model in self._models.values():
            await model.close()
        for connection in (*self._retired, *([self._claude] if self._claude else ())):
            await connection.close()

    def _connection(self) -> ClaudeConnection:
        if self._claude is None:
            anthropic = self._settings.anthropic
            self._claude = ClaudeConnection(
                anthropic.api_key.get_secret_value(), anthropic.base_url, timeout=self._settings.models.timeout_seconds
            )
        return self._claude

    def _make(self, name: str) -> Model | None:
        if name.startswith("claude"):
            return Claude(name, self._connection()) if self._settings.has_key else None
        if name == "local":
            if not (self._settings.local.enabled or self._settings.local.url):
                return None
            return OpenAICompatible.local_service(self._local, timeout=self._settings.models.timeout_seconds)
        server = self._settings.openai_compatible.get(name)
        return OpenAICompatible.server(name, server, self._settings.models.timeout_seconds) if server else None
