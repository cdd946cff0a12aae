"""The owner's own code, told what happens: small Python files and executables in STATE/config/hooks.

Each event runs each hook that wants it once, in a process of its own with a bare environment, the event as one line of
JSON on its standard input. Hooks run one after another, apart from the loop; a failure is logged and changes nothing.
Only `session:compact:before` is waited for, and not for longer than one hook may take. docs/how-to/hooks.md is the
contract.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import structlog

from appliance.clock import Clock, iso
from appliance.settings.hooks import HooksSettings
from appliance.tasks import end

log = structlog.get_logger(__name__)
EVENTS = (
    "session:start",
    "session:end",
    "message:received",
    "message:sent",
    "turn:end",
    "session:compact:before",
    "session:compact:after",
    "heartbeat",
    "budget:mark",
)
WAITED_FOR = frozenset({"session:compact:before"})
_WANTS = re.compile(r"^\s*(?:#|//|--)\s*events:\s*(.+)$", re.MULTILINE)
_HEAD = 2_048  # bytes of a hook that are searched for the events it wants
_MOST_WAITING = 1_000
_SHOWN = 2_000  # bytes of what a failed hook wrote to its standard error
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True, slots=True)
class Hook:
    """A program and the events it wants (all of them when it names none). `unfit` says why it is not run."""

    path: Path
    wants: frozenset[str]
    unfit: str = ""


def find(folder: Path) -> list[Hook]:
    """Given the folder, return its hooks by name. Hidden files, and what is neither Python nor executable, are none."""
    found: list[Hook] = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for path in sorted(folder.iterdir()):
            about = path.stat() if path.exists() else None
            runs = path.suffix == ".py" or os.access(path, os.X_OK)
            if about is None or path.name.startswith((".", "_")) or not stat.S_ISREG(about.st_mode) or not runs:
                continue
            found.append(Hook(path, *_read(path, about)))
    return found


def _read(path: Path, about: os.stat_result) -> tuple[frozenset[str], str]:
    if about.st_uid not in (os.getuid(), 0) or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return frozenset(), "others may write it: chmod go-w it, and own it"
    with path.open("rb") as file:
        named = _WANTS.search(file.read(_HEAD).decode("utf-8", "replace"))
    if named is None:
        return frozenset(EVENTS), ""
    wants = frozenset(re.split(r"[,\s]+", named[1].strip()))
    unknown = sorted(wants - frozenset(EVENTS))
    return wants, f"it names unknown events: {', '.join(unknown)}" if unknown else ""


class Hooks:
    """Given the folder, run hooks. `tell` never waits; `ask` waits for the hooks of one event. `start`, then `stop`."""

    def __init__(self, folder: Path, state: Path, clock: Clock, settings: Callable[[], HooksSettings]) -> None:
        self._folder = folder
        self._state = state
        self._clock = clock
        self._settings = settings
        self._queue: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._complained: set[tuple[Path, str]] = set()

    @property
    def present(self) -> bool:
        """Whether there is anything to tell; cheap enough for every message."""
        return self._settings().enabled and self._folder.is_dir()

    def start(self) -> None:
        self._task = asyncio.create_task(self._work(), name="hooks")

    async def stop(self) -> None:
        """End the hook that runs; events that wait are dropped."""
        if self._task is not None:
            await end([self._task])
            self._task = None

    def tell(self, name: str, data: Mapping[str, Any]) -> None:
        """Have the hooks of an event run soon, in order. Drops the event, and says so, when 1,000 wait."""
        if not self.present:
            return
        if self._queue.qsize() >= _MOST_WAITING:
            log.warning("an event is not told to hooks: too many wait", event_name=name, waiting=_MOST_WAITING)
            return
        self._queue.put_nowait((name, self._line(name, data)))

    async def ask(self, name: str, data: Mapping[str, Any]) -> None:
        """Run the hooks of an event and wait until they ended, together no longer than one of them may take."""
        if not self.present:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings().timeout_seconds + 1.0):
                await self._run_all(name, self._line(name, data))

    def _line(self, name: str, data: Mapping[str, Any]) -> bytes:
        event = {"version": 1, "event": name, "at": iso(self._clock.now()), "data": dict(data)}
        return msgspec.json.encode(event) + b"\n"

    async def _work(self) -> None:
        while True:
            name, line = await self._queue.get()
            await self._run_all(name, line)

    async def _run_all(self, name: str, line: bytes) -> None:
        try:
            hooks = await asyncio.to_thread(find, self._folder)
        except OSError as error:
            log.warning("the hooks cannot be read", folder=str(self._folder), reason=str(error))
            return
        for hook in hooks:
            if hook.unfit:
                if (hook.path, hook.unfit) not in self._complained:
                    self._complained.add((hook.path, hook.unfit))
                    log.warning("a hook is not run", hook=hook.path.name, reason=hook.unfit)
            elif name in hook.wants:
                problem = await self._run(hook.path, name, line)
                if problem:
                    log.warning("a hook failed", hook=hook.path.name, event_name=name, reason=problem)

    async def _run(self, path: Path, name: str, line: bytes) -> str:
        """Run one hook; return what went wrong, or "". Whatever it leaves running is ended with it."""
        argv = [sys.executable, "-I", str(path)] if path.suffix == ".py" else [str(path)]
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                cwd=self._folder,
                env=self._environment(name),
                start_new_session=True,
            )
        except OSError as error:
            return f"it cannot be started: {error.strerror or error}"
        heard = asyncio.create_task(_tail(process.stderr))
        limit, said = self._settings().timeout_seconds, ""
        try:
            async with asyncio.timeout(limit):
                await _feed(process.stdin, line)
                code = await process.wait()
        except TimeoutError:
            return f"it did not end within {limit:g} s and was killed"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            with contextlib.suppress(TimeoutError):
                # What a hook left behind in a session of its own may hold the pipe: nobody waits for that.
                said = await asyncio.wait_for(heard, 1.0)
        return "" if code == 0 else f"it ended with {code}: {said.strip() or 'nothing on standard error'}"

    def _environment(self, name: str) -> dict[str, str]:
        """Nothing of the house's own environment, which may hold keys."""
        kept = {key: os.environ[key] for key in ("TZ", "LANG") if key in os.environ}
        return {
            "PATH": _PATH,
            "LANG": "C.UTF-8",
            **kept,
            "HOME": str(self._folder),
            "APPLIANCE_STATE_DIR": str(self._state),
            "APPLIANCE_HOOK_EVENT": name,
        }


async def _feed(pipe: asyncio.StreamWriter | None, line: bytes) -> None:
    """Write the event; a hook that does not read it is none the worse."""
    if pipe is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        pipe.write(line)
        await pipe.drain()
    pipe.close()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        await pipe.wait_closed()


async def _tail(pipe: asyncio.StreamReader | None) -> str:
    """The end of what is written, however much it is."""
    kept = b""
    while pipe is not None and (piece := await pipe.read(65_536)):
        kept = (kept + piece)[-_SHOWN:]
    return kept.decode("utf-8", "replace")
