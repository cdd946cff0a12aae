"""Discord's own menu of slash commands: the same commands as in the chat, registered only when they have changed."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import Any

import structlog

from appliance.channels.base import Menu
from appliance.channels.discord import state
from appliance.channels.discord.api import DiscordApi
from appliance.database import Database
from appliance.errors import ApplianceError
from appliance.messages import Role

log = structlog.get_logger(__name__)

_CHAT_INPUT, _TEXT = 1, 3
_IN_SERVERS, _WITH_THE_BOT = 0, 1
_LONGEST = 100


class CommandMenu:
    """Everybody sees all commands, as Discord has one list an application; who may use one is asked when it is."""

    def __init__(self, api: DiscordApi, database: Database, menu: Menu) -> None:
        self._api = api
        self._database = database
        self._menu = menu

    async def register(self, application: int) -> None:
        """Bring the list up to date; a refusal is logged and tried again at the next start."""
        commands = self._commands()
        mark = hashlib.sha256(json.dumps(commands, sort_keys=True).encode()).hexdigest()
        account = str(application)
        if state.get(self._database, account, "commands") == mark:
            return
        path = "/applications/{application_id}/commands"
        try:
            await self._api.call("PUT", path, commands, application_id=application)
        except ApplianceError as trouble:
            log.warning("slash commands not registered", channel="discord", reason=str(trouble))
            return
        await self._database.write(partial(state.put, account=account, key="commands", value=mark))

    def _commands(self) -> list[dict[str, Any]]:
        traditional = dict(self._menu(Role.OWNER, "zh-Hant"))
        simplified = dict(self._menu(Role.OWNER, "zh-Hans"))
        return [
            {
                "name": name,
                "type": _CHAT_INPUT,
                "description": text[:_LONGEST],
                "description_localizations": {
                    "zh-TW": traditional[name][:_LONGEST],
                    "zh-CN": simplified[name][:_LONGEST],
                },
                "contexts": [_IN_SERVERS, _WITH_THE_BOT],
                "options": [{"type": _TEXT, "name": "text", "description": "…", "required": False}],
            }
            for name, text in self._menu(Role.OWNER, "en")
        ][:_LONGEST]
