"""The Discord channel: the gateway's events, gaps, presses; what all platforms share stands in channels/platform.py."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from functools import partial
from typing import Any

import apsw
import structlog

from appliance.channels.base import ChannelParts
from appliance.channels.discord.api import DiscordApi, IntentError, Raw, TokenError
from appliance.channels.discord.carrier import DiscordCarrier
from appliance.channels.discord.gaps import DiscordGaps
from appliance.channels.discord.menu import CommandMenu
from appliance.channels.discord.updates import read_command, read_edit, read_message, read_press
from appliance.channels.heard import Heard
from appliance.channels.known import known_messages
from appliance.channels.platform import RETRY, PlatformChannel
from appliance.errors import ApplianceError
from appliance.messages import Person
from appliance.observability.health import State
from appliance.settings.channels import DiscordSettings
from appliance.texts import say

log = structlog.get_logger(__name__)

_ACKNOWLEDGED = {"type": 6}  # "seen": the message under the button stays as it is
_DEFERRED = {"type": 5}  # "thinking": the answer comes within 15 minutes
_ONLY_FOR_THEM = 1 << 6
_HEARD = ("READY", "RESUMED", "MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE")


class DiscordChannel(PlatformChannel):
    """Give it its settings and the parts of the house; `carrier` is what delivery attaches."""

    name = "discord"
    title = "Discord"

    def __init__(self, settings: DiscordSettings, parts: ChannelParts) -> None:
        self._api = DiscordApi(settings.bot_token.get_secret_value(), settings.api_base)
        super().__init__(parts, self._api.download, settings.channels)
        self._gaps = DiscordGaps(self._api, parts.database, self.name, settings.channels, self._message_event)
        self.carrier = self._discord = DiscordCarrier(
            self._api,
            parts.clock,
            name=self.name,
            me=lambda: self._bot,
            known=partial(known_messages, parts.database, self.name),
            outcome=lambda outcome: self._counts.message(self.name, "out", outcome),
        )
        self._menu = CommandMenu(self._api, parts.database, parts.menu)
        self._bot = 0
        self._content = True
        self._events: asyncio.Queue[Raw] = asyncio.Queue()

    @property
    def _account(self) -> str:
        return str(self._bot)

    def _loops(self) -> list[Coroutine[Any, Any, None]]:
        return [self._connect(), self._work()]

    async def _silence(self) -> None:
        await self._api.silence()

    async def _close(self) -> None:
        await self._api.close()

    async def private_place(self, person: Person) -> dict[str, Any]:
        opened = await self._api.call("POST", "/users/@me/channels", {"recipient_id": person.id})
        return {"chat": int(opened["id"]), "private": True}

    # --- life ---------------------------------------------------------------------------------------------------------

    async def _connect(self) -> None:
        """Be connected, for as long as it takes."""
        try:
            await self._api.open()
        except ApplianceError as missing:
            self._health.set(self.name, State.FAILED, str(missing))
            return
        tries = 0
        while True:
            try:
                self._bot = await self._api.login(self._hear, self._lost, content=self._content)
                self._opened.set()
                tries = 0
                await self._api.listen()
            except IntentError:
                log.warning("message contents are not given; going on without", channel=self.name)
                self._content = False
            except TokenError as error:
                await self._refused_token(error)
            except ApplianceError as trouble:
                await self._troubled(trouble, tries)
                tries += 1

    def _hear(self, event: Raw) -> None:
        self._counts.polled(self.name, self._clock.now())  # heartbeats are answered too: silence is an outage
        if event.get("t") in _HEARD:
            self._events.put_nowait(event)

    def _lost(self) -> None:
        self._health.set(self.name, State.DEGRADED, "The connection was cut; connecting again.")

    def _well(self) -> None:
        if self._content:
            self._health.set(self.name, State.READY, "Connected.")
        else:
            self._health.set(self.name, State.DEGRADED, say("discord_no_content"))

    async def _work(self) -> None:
        """Handle events in order; one that cannot be stored now is tried until it is."""
        while True:
            event = await self._events.get()
            tries = 0
            while not await self._handled(event):
                await self._clock.sleep(RETRY[min(tries, len(RETRY) - 1)])
                tries += 1

    async def _handled(self, event: Raw) -> bool:
        try:
            match event["t"]:
                case "READY":
                    await self._gaps.fill(self._account)
                    self._well()
                    self._beside(self._menu.register(self._bot))
                case "RESUMED":
                    self._well()
                case "MESSAGE_CREATE" | "MESSAGE_UPDATE":
                    await self._message_event(event)
                case _:
                    await self._interaction(event["d"])
        except (ApplianceError, OSError, apsw.Error) as trouble:
            log.warning("could not be taken, trying again", channel=self.name, reason=type(trouble).__name__)
            self._health.set(self.name, State.DEGRADED, f"A message could not be taken: {type(trouble).__name__}.")
            return False
        except (KeyError, TypeError, ValueError):  # a payload of a form that nobody has described
            if event["t"] == "READY":
                raise
            log.exception("event cannot be read", channel=self.name, event_type=event["t"])
        return True

    # --- what comes in ------------------------------------------------------------------------------------------------

    async def _message_event(self, event: Raw, mark: str = "") -> None:
        """Take a message or an edit, live or from history (then with the mark that follows from it)."""
        if event["t"] == "MESSAGE_CREATE":
            await self._take_message(read_message(event["d"], self._bot), mark)
        else:
            await self._take_edit(read_edit(event["d"], self._bot), mark)

    async def _interaction(self, raw: Raw) -> None:
        """A button, or a command of Discord's own menu."""
        heard = read_command(raw) or read_press(raw)
        if heard is None:
            return
        if heard.kind == "command" and not self._listens(heard):
            # A stranger in private gets what a written message would get; elsewhere nobody is answered.
            await self._call_back(heard, {"type": 4, "data": {"content": "—", "flags": _ONLY_FOR_THEM}})
            if heard.private:
                await self._meet(heard)
            return
        await self._take(heard)

    async def _acknowledge(self, heard: Heard) -> None:
        """Within Discord's three seconds."""
        if heard.kind != "command":
            await self._call_back(heard, _ACKNOWLEDGED)
            return
        deferred = asyncio.ensure_future(self._call_back(heard, _DEFERRED))
        self._discord.deferring(heard.token, deferred)
        await deferred

    async def _call_back(self, heard: Heard, body: Raw) -> None:
        path = "/interactions/{interaction_id}/{token}/callback"
        with contextlib.suppress(ApplianceError):  # too late to be told: it counts all the same
            await self._api.call("POST", path, body, interaction_id=int(heard.id), token=heard.token)
