"""The Slack channel: envelopes of the socket, held and taken in order; what all platforms share stands in
channels/platform.py."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from typing import Any

import apsw

from appliance.channels.base import ChannelParts
from appliance.channels.heard import Heard
from appliance.channels.held import HeldCalls
from appliance.channels.known import known_messages, remember
from appliance.channels.platform import PlatformChannel
from appliance.channels.slack.api import Raw, SlackApi, SocketModeError, TokenError
from appliance.channels.slack.carrier import SlackCarrier
from appliance.channels.slack.gaps import SlackGaps
from appliance.channels.slack.updates import read_command, read_edit, read_message, read_press
from appliance.errors import ApplianceError
from appliance.messages import Person
from appliance.observability.health import State
from appliance.settings.channels import SlackSettings

_LANGUAGES = {"zh-TW": "zh-Hant", "zh-CN": "zh-Hans"}  # what Slack's client speaks
_TAKEN = ("events_api", "interactive", "slash_commands")


class SlackChannel(PlatformChannel):
    """Give it its settings and the parts of the house; `carrier` is what delivery attaches."""

    name = "slack"
    title = "Slack"

    def __init__(self, settings: SlackSettings, parts: ChannelParts) -> None:
        self._api = SlackApi(
            settings.bot_token.get_secret_value(), settings.app_token.get_secret_value(), settings.api_base
        )
        super().__init__(parts, self._api.download, settings.channels)
        self._gaps = SlackGaps(self._api, parts.database, self.name, settings.channels, self._event)
        self.carrier = SlackCarrier(
            self._api,
            parts.clock,
            me=lambda: self._bot,
            known=partial(known_messages, parts.database, self.name),
            outcome=lambda outcome: self._counts.message(self.name, "out", outcome),
            ack=settings.ack_reaction,
        )
        self._held = HeldCalls(parts.database, self.name)
        self._bot = ""
        self._tries = 0
        self._people: OrderedDict[str, tuple[str, str]] = OrderedDict()  # by id: name, language

    @property
    def _account(self) -> str:
        return self._bot

    def _loops(self) -> list[Coroutine[Any, Any, None]]:
        return [self._connect(), self._take_held(self._held, self._take_call)]

    async def _close(self) -> None:
        await self._api.close()

    async def private_place(self, person: Person) -> dict[str, Any]:
        opened = await self._api.call("conversations.open", users=person.id)
        return {"chat": str(opened["channel"]["id"]), "private": True}

    # --- life ---------------------------------------------------------------------------------------------------------

    async def _connect(self) -> None:
        """Be connected, for as long as it takes."""
        while True:
            try:
                self._bot = str((await self._api.call("auth.test"))["user_id"])
                self._opened.set()
                await self._api.listen(self._hear)
            except (TokenError, SocketModeError) as error:
                await self._refused_token(error)
            except (ApplianceError, OSError, apsw.Error) as trouble:
                what = trouble.what if isinstance(trouble, ApplianceError) else type(trouble).__name__
                await self._troubled(ApplianceError(what), self._tries)
                self._tries += 1

    async def _hear(self, envelope: Raw) -> None:
        """Hold what an envelope brings; it is acknowledged after that. A new connection's gap comes before the rest."""
        self._counts.polled(self.name, self._clock.now())
        if envelope["type"] == "hello":
            self._tries = 0
            await self._held.hold("hello", json.dumps(envelope), rank=0)
        elif envelope["type"] in _TAKEN and self._concerns(envelope["payload"]):
            key = envelope["payload"].get("event_id") or envelope["envelope_id"]
            await self._held.hold(str(key), json.dumps(envelope), rank=1)

    def _concerns(self, payload: Raw) -> bool:
        """Whether a call may be for us; what is said in channels that are not on the list is not even held."""
        chat = str(payload.get("event", {}).get("channel") or "D")
        return chat.startswith("D") or self._listed(chat)

    # --- what comes in ------------------------------------------------------------------------------------------------

    async def _take_call(self, envelope: Raw) -> None:
        match envelope["type"]:
            case "hello":
                await self._gaps.fill(self._account)
                self._health.set(self.name, State.READY, "Connected.")
            case "events_api":
                await self._event(envelope["payload"]["event"])
            case "slash_commands":
                await self._command(read_command(envelope["payload"]))
            case _:
                pressed = read_press(envelope["payload"])
                if pressed is not None:
                    await self._take(pressed)

    async def _event(self, event: Raw, mark: str = "") -> None:
        """Take a message or an edit, live or from history (then with the mark that follows from it)."""
        edited = read_edit(event, self._bot)
        if edited is None:
            await self._take_message(read_message(event, self._bot), mark)
        else:
            await self._take_edit(edited, mark)

    async def _command(self, heard: Heard) -> None:
        """A command may be typed in anybody's private conversation: it is answered in the one with the bot."""
        heard = await self._named(heard)
        if heard.private:
            place = await self.private_place(self._person(heard))
            heard = replace(heard, chat=place["chat"], place=place)
        await self._take(heard)

    async def _named(self, heard: Heard) -> Heard:
        """With the name and language of who said it, as far as Slack tells: neither decides anything."""
        if heard.user not in self._people:
            try:
                found = (await self._api.call("users.info", user=heard.user, include_locale=True))["user"]
            except ApplianceError:
                return heard
            shown = found.get("profile", {}).get("display_name") or found.get("real_name") or found.get("name") or ""
            remember(self._people, heard.user, (str(shown), _LANGUAGES.get(str(found.get("locale")), "")))
        name, language = self._people[heard.user]
        return replace(heard, name=name, language=language)
