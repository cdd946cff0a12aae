"""The house as a whole: the order of starting and stopping, and what goes on beside it.

Order of start: lock, parts, port, the HTTP front (ready from here on), then everything slow behind it: recovery of open
messages, the local model, memory, the sandbox, channels, model libraries.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import structlog

from appliance import __version__
from appliance.agent.sessions import Sessions
from appliance.backup import backup, newest_backup, prune, require_books, restore_point
from appliance.channels.base import ChatChannel
from appliance.channels.ntfy import NtfyCarrier
from appliance.clock import SystemClock
from appliance.composition.first_run import FirstRun
from appliance.composition.front import services_of
from appliance.composition.parts import Parts
from appliance.composition.platforms import channel_of
from appliance.composition.rooms import core_rooms
from appliance.database import Database
from appliance.errors import StateError
from appliance.gateway.server import Server
from appliance.memory import capture
from appliance.observability import audit
from appliance.observability.health import State
from appliance.settings import Settings
from appliance.storage import StateLock, atomic_write, prepare_state
from appliance.tasks import AGAIN_SECONDS, end

log = structlog.get_logger(__name__)

_DRAIN_SECONDS = 20.0


class Appliance(Parts):
    """The whole program. `start`, then `stop`; `open_offline` for the command line while no gateway runs."""

    # start and stop --------------------------------------------------------------------------------------------

    _stopped = False

    async def start(self) -> str:
        """Bring everything up; return the page's address. Raises SettingsError, StateError."""
        self._take_state()
        try:
            self._open()
            self.server.bind()
            url = await self.server.start()
            atomic_write(self.state / "gateway.json", msgspec.json.encode({"url": url, "pid": os.getpid()}), mode=0o600)
            self.health.set("gateway", State.READY, needed=True)
            await self._behind_readiness()
        except BaseException:
            await self.stop()
            raise
        return url

    async def stop(self) -> None:
        """Drain: no new turns, running ones may end, what is stored goes out or waits for the next start.

        A second call does nothing.
        """
        if self._stopped:
            return
        self._stopped = True
        if hasattr(self, "server"):
            for channel in self.channels:
                await channel.pause()
            await self.automation.stop()
            await self.intake.close(_DRAIN_SECONDS)
            await self.delivery.close()
            for channel in self.channels:
                await channel.stop()
            await end(self._background, again=AGAIN_SECONDS)
            await self.hooks.stop()
            await self.mcp.stop()
            await self.execution.stop()
            await self.web.stop()
            await self.local_offers.stop()
            await self.memory.stop()
            await self.supervisor.stop()
            await self.server.stop()
            await self.resolver.close()
            await self.budget.close()
            await self.shelf.close()
            self.audit.record("stopped")
            await self.audit.flush()
            self.sessions.close()
        if hasattr(self, "core"):
            self.core.close()
        with contextlib.suppress(FileNotFoundError):
            (self.state / "gateway.json").unlink()
        self._lock.release()

    def open_offline(self) -> None:
        """Build the parts on STATE without starting anything, for the command line while no gateway runs."""
        self._take_state()
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise

    def close_offline(self) -> None:
        self.sessions.close()
        self.memory.index.close()
        self.core.close()
        self._lock.release()

    def build(self) -> None:
        """Make every part, and the HTTP front over them."""
        super().build()
        self.first_run = FirstRun(
            settings=self.settings,
            health=self.health,
            budget=self.budget,
            access=self.access,
            channels=lambda: self.channels,
            connect=self._connect,
            new_key=self._new_key,
            audit=self.audit.record,
        )
        self.server = Server(services_of(self, self.first_run))

    def _connect(self, name: str) -> None:
        """Go on a platform whose secret was set while the house runs."""
        channel = channel_of(name, self.settings, self.channel_parts)
        self.channels.append(channel)
        self.spawn(self._open_channel(channel), channel.name)

    def _new_key(self) -> None:
        """Let the models use the key that the settings hold now."""
        self.shelf.change_key()
        self.resolver.change_key()
        self.spawn(self.shelf.warm(), "warm")

    def _open(self) -> None:
        """Build the parts; where that changes the tables of an earlier release, a backup is made before."""
        require_books(self.state)
        passphrase = self.settings.backup.passphrase.get_secret_value()
        point = restore_point(self.state, core_rooms(), passphrase=passphrase)
        self.build()
        if point is not None:
            self.audit.record("restore_point", file=point.path.name, size=point.size)

    def _take_state(self) -> None:
        prepare_state(self.state)
        self._lock = StateLock(self.state)
        self._lock.acquire()

    async def _behind_readiness(self) -> None:
        """Everything that may take its time."""
        taken_up = await self.intake.recover()
        self.audit.record("started", version=__version__, taken_up=taken_up)
        await self.supervisor.start()
        await self.memory.start()
        await self.execution.start()
        await self.monitoring.notices.resume()
        self.hooks.start()
        self.automation.start()
        self.delivery.attach(NtfyCarrier(self.settings.notices.ntfy_token.get_secret_value()))
        for channel in self.channels:
            self.spawn(self._open_channel(channel), channel.name)
        if self.settings.has_key:
            self.spawn(self.shelf.warm(), "warm")
        self.spawn(asyncio.to_thread(capture.warm), "warm-capture")
        self.keep(self._watch_models, "watch-models")
        self.keep(self.skills.watch, "watch-skills")
        self.keep(self.web.watch, "watch-browser")
        self.keep(self._housekeeping, "housekeeping")
        self.keep(self.tidying.idle().run, "tidying")

    async def _open_channel(self, channel: ChatChannel) -> None:
        """Start a channel, and let delivery use it once the platform was reached."""
        await channel.start()
        await channel.opened()
        self.delivery.attach(channel.carrier)

    async def _watch_models(self) -> None:
        while True:
            await self.clock.sleep(await self.local_offers.look())

    async def _housekeeping(self) -> None:
        """Once an hour: what has expired goes; once a night: a backup."""
        while True:
            await asyncio.to_thread(self.outputs.expire)
            await self.budget.expire()
            if self.settings.backup.nightly:
                await self._nightly_backup()
            await self.clock.sleep(3600.0)

    async def _nightly_backup(self) -> None:
        """A backup when none was made since the owner's last backup hour, and that is today's."""
        settings = self.settings.backup
        now = datetime.fromtimestamp(self.clock.now(), self.settings.owner.zone)
        due = now.replace(hour=settings.hour, minute=0, second=0, microsecond=0)
        newest = newest_backup(self.state)
        if now < due or (newest is not None and newest >= due.timestamp()):
            return
        try:
            made = await asyncio.to_thread(backup, self.state, passphrase=settings.passphrase.get_secret_value())
            await asyncio.to_thread(prune, self.state / "backups", settings.keep)
        except StateError as error:
            self.health.set("backup", State.FAILED, str(error))
            log.error("the nightly backup failed", reason=error.what)
            return
        self.health.set("backup", State.READY, f"{made.files} files, {made.size:,} bytes")
        self.audit.record("backup", files=made.files, size=made.size)


def transcript_path(settings: Settings, name: str) -> Path:
    """Where the transcript of a session stands. Raises NotFoundError for an unknown one."""
    database = _reading(settings)
    try:
        sessions = Sessions(settings.state, database, SystemClock())
        return sessions.path(sessions.require(name))
    finally:
        database.close()


def audit_report(settings: Settings) -> dict[str, Any]:
    """The result of verifying the audit chain, also while the gateway runs."""
    database = _reading(settings)
    try:
        return audit.Audit(database).verify()
    finally:
        database.close()


def audit_lines(settings: Settings) -> list[str]:
    """The audit chain as lines of JSON, also while the gateway runs."""
    database = _reading(settings)
    try:
        return list(audit.Audit(database).export())
    finally:
        database.close()


def _reading(settings: Settings) -> Database:
    path = settings.state / "core.db"
    if not path.exists():
        raise StateError(f"There is no {path} yet.", fix="Start it once with: appliance up")
    database = Database(path, core_rooms())
    database.open()
    return database
