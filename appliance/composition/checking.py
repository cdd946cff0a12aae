"""The checks put together: which of the owner's accounts are set up, and the tool over them; part of the composition
root."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from appliance.checks import calendars, mail, mentions, weather
from appliance.clock import Clock
from appliance.errors import SettingsError, ToolError
from appliance.messages import SessionKey
from appliance.network.client import Client
from appliance.network.tunnel import connect
from appliance.network.wall import Resolve, Wall, system_resolve
from appliance.observability.health import Health, State
from appliance.settings import Settings
from appliance.tools.check import CheckTool, Look
from appliance.tools.registry import Registry

_PORTS = {"http": 80, "https": 443, "webcal": 443, "webcals": 443}


class Checks:
    """Given what it needs of the house, offer `check` for what the owner set up; its endpoints may lie inside.

    Raises SettingsError for addresses that cannot be.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        tools: Registry,
        health: Health,
        clock: Clock,
        alone: Callable[[SessionKey], bool],
        resolve: Resolve = system_resolve,
    ) -> None:
        self._settings = settings.checks
        self._zone: Callable[[], ZoneInfo] = lambda: settings.owner.zone
        self._clock = clock
        self._proxy = settings.web.proxy
        self._wall = Wall(self._endpoints(), resolve)
        self._client = Client(self._wall, seconds=settings.web.timeout_seconds, proxy=self._proxy)
        looks = self._looks()
        if looks:
            tools.add(CheckTool(looks, alone))
        without = self._settings.calendars and "calendar" not in looks
        detail = ", ".join(looks) + ("; calendars need the extra: home-agent-appliance[calendar]" if without else "")
        health.set("checks", State.READY if looks else State.OFF, detail or "no account is set up (checks)")

    def _endpoints(self) -> list[str]:
        """host:port of everything that is set up, each exempt from the wall by name."""
        given = self._settings
        urls = {"checks.mentions_url": given.mentions_url, "checks.weather_url": given.weather_url}
        urls |= {f"checks.calendars.{name}": url.get_secret_value() for name, url in given.calendars.items()}
        found = [f"{given.mail_host}:{given.mail_port}"] if given.mail_host else []
        for name, url in urls.items():
            if not url:
                continue
            try:
                parts = urlsplit(url)
                port = parts.port or _PORTS[parts.scheme]
            except (ValueError, KeyError):
                raise SettingsError([f"{name} is no web address that begins with https://."]) from None
            host = parts.hostname or ""
            found.append(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        return found

    def _looks(self) -> dict[str, Look]:
        given = self._settings
        looks: dict[str, Look] = {}
        if given.mail_host:
            looks["mail"] = self._mail
        if given.calendars and importlib.util.find_spec("icalendar") is not None:
            looks["calendar"] = self._calendar
        if given.mentions_url:
            looks["mentions"] = self._mentions
        if given.weather_place:
            looks["weather"] = self._weather
        return looks

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now(), self._zone())

    async def _mail(self, hours: float) -> list[str]:
        given = self._settings
        account = mail.Account(
            given.mail_host, given.mail_port, given.mail_user, given.mail_password.get_secret_value(),
            given.mail_folder, given.mail_encryption,
        )  # fmt: skip
        since = self._now() - timedelta(hours=hours)
        return await mail.unread(account, since, lambda host, port: connect(self._wall, host, port, self._proxy))

    async def _calendar(self, hours: float) -> list[str]:
        """Every calendar; one that cannot be read is a line, unless it is the only one."""
        start = self._now()
        found: list[calendars.Appointment] = []
        troubles: list[str] = []
        for name, url in self._settings.calendars.items():
            try:
                end = start + timedelta(hours=hours)
                found += await calendars.coming(self._client, url.get_secret_value(), start, end, self._zone())
            except ToolError as error:
                troubles.append(f"{name}: {error.what}")
        if troubles and len(troubles) == len(self._settings.calendars):
            raise ToolError("; ".join(troubles))
        return [str(one) for one in sorted(found)] + troubles

    async def _mentions(self, hours: float) -> list[str]:
        given = self._settings
        since = self._now() - timedelta(hours=hours)
        return await mentions.recent(self._client, given.mentions_url, given.mentions_token.get_secret_value(), since)

    async def _weather(self, hours: float) -> list[str]:
        given = self._settings
        place, where = given.weather_place, (given.weather_latitude, given.weather_longitude)
        return await weather.forecast(self._client, given.weather_url, place, *where)
