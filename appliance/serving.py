"""`appliance up`: run the house on an event loop until a signal, and say how to reach it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import uvloop
from rich.console import Console
from rich.panel import Panel

from appliance.app import Appliance
from appliance.settings import Settings

# The loop's library looks names up in half of its own threads, which are four: two slow names made all others wait.
_LOOKUP_THREADS = "64"


def serve(settings: Settings, extend: Callable[[Appliance], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT. Raises SettingsError, StateError."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_serve(settings, extend))


def new_loop() -> asyncio.AbstractEventLoop:
    """The event loop of the house, on which a name that is slow to be found holds up no other."""
    os.environ.setdefault("UV_THREADPOOL_SIZE", _LOOKUP_THREADS)  # read at the first look-up
    return uvloop.new_event_loop()


async def _serve(settings: Settings, extend: Callable[[Appliance], None] | None) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    house = Appliance(settings, extend=extend)
    url = await house.start()
    try:
        _say_ready(house, url)
        progress = asyncio.create_task(_say_progress(house))
        await stopped.wait()
        progress.cancel()
    finally:
        await house.stop()


def _say_ready(house: Appliance, url: str) -> None:
    """One boxed line: the address and how to log in."""
    code = (
        "" if house.auth.has_password else f"\nOne-time login code: [bold]{house.auth.new_code()}[/bold] (10 minutes)"
    )
    console = Console(stderr=False, highlight=False)
    terminal = f"In a terminal: {_command()} chat"
    console.print(Panel(f"[bold]{url}[/bold]{code}\n{terminal}", title="Home agent appliance", expand=False))
    if house.server.exposure:
        console.print(house.server.exposure)
    sys.stdout.flush()


def _command() -> str:
    """How this program is called: by its name, or by its place where no PATH leads to it."""
    return "appliance" if shutil.which("appliance") else str(Path(sys.executable).with_name("appliance"))


async def _say_progress(house: Appliance) -> None:
    """The local model on its way: a line for each phase, and each tenth of it (bars do not show in container logs)."""
    console = Console(stderr=False, highlight=False)
    said = ""
    while True:
        state = house.supervisor.status()
        percent = state.get("percent")
        tenth = "" if percent is None else f" {int(percent // 10) * 10}%"
        line = f"local model: {state['phase']}{tenth} {state.get('detail') or ''}".rstrip()
        mark = f"{state['phase']}{tenth}"
        if mark != said and state["phase"] not in ("off",):
            said = mark
            console.print(line)
            sys.stdout.flush()
        if state["phase"] in ("ready", "failed", "off"):
            await asyncio.sleep(5.0)
        else:
            await asyncio.sleep(1.0)
