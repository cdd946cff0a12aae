"""The command menu beside the text field: per scope, and only when it has changed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import structlog

from appliance.channels.base import Menu
from appliance.channels.telegram import state
from appliance.channels.telegram.api import TelegramApi
from appliance.clock import Clock
from appliance.database import Database
from appliance.errors import ApplianceError
from appliance.messages import Person, Role

log = structlog.get_logger(__name__)


class CommandMenus:
    """Strangers and groups see what a guest may do; each paired person what their role may."""

    def __init__(self, api: TelegramApi, database: Database, clock: Clock, account: str, menu: Menu) -> None:
        self._api = api
        self._database = database
        self._clock = clock
        self._account = account
        self._menu = menu

    async def register(self, people: list[Person]) -> None:
        """Bring the menus up to date; a refusal is logged and tried again at the next start."""
        guest = self._menu(Role.GUEST, "en")
        await self._set({"type": "all_private_chats"}, guest)
        await self._set({"type": "all_private_chats"}, self._menu(Role.GUEST, "zh-Hans"), language="zh")
        await self._set({"type": "all_group_chats"}, guest)
        for person in people:
            await self.register_person(person)

    async def register_person(self, person: Person) -> None:
        """The menu in one person's private chat."""
        commands = self._menu(person.role, person.language or "en")
        await self._set({"type": "chat", "chat_id": int(person.id)}, commands)

    async def _set(self, scope: dict[str, Any], commands: list[tuple[str, str]], language: str = "") -> None:
        body = [{"command": name, "description": text[:256]} for name, text in commands][:100]
        key = f"menu:{json.dumps(scope, sort_keys=True)}:{language}"
        mark = hashlib.sha256(json.dumps(body).encode()).hexdigest()
        if state.get(self._database, self._account, key) == mark:
            return
        try:
            extra: dict[str, Any] = {"language_code": language} if language else {}
            await self._api.call("set_my_commands", commands=body, scope=scope, **extra)
        except ApplianceError as trouble:
            log.warning("command menu not set", channel="telegram", scope=scope["type"], reason=str(trouble))
            return
        now = self._clock.now()
        await self._database.write(lambda c: state.put(c, self._account, key, mark, now))
