"""The ordinary package clients, uv or pip: put packages into a folder of their own, never into the system's Python."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from appliance.local_models.errors import FetchError, LocalModelError, StoppedError
from appliance.local_models.progress import Stop

INSTALL_SECONDS = 1200.0
TAIL_LINES = 12
_NETWORK = re.compile(r"(?i)connection|timed? ?out|temporary failure|dns|unreachable|network|ssl|certificate")


def uv_command() -> list[str] | None:
    """How to start uv here, or None where there is none."""
    found = shutil.which("uv")
    if found:
        return [found]
    return [sys.executable, "-m", "uv"] if find_spec("uv") else None


def pip_command() -> list[str] | None:
    """How to start pip for this interpreter, or None where neither pip nor uv can be had."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    uv = uv_command()
    if uv:
        return [*uv, "run", "--no-project", "--python", sys.executable, "--with", "pip", "python", "-m", "pip"]
    return None


def install(packages: Sequence[str], target: Path, *, dependencies: bool, stop: Stop) -> None:
    """Put `packages` (names with versions, or wheel files) into the folder `target`.

    Raise FetchError when the registry cannot be reached or lacks one, LocalModelError without uv and pip.
    """
    uv = uv_command()
    flags = [] if dependencies else ["--no-deps"]
    if uv:
        command = [*uv, "pip", "install", "--no-progress", "--python", sys.executable]
    else:
        pip = pip_command()
        if pip is None:
            raise LocalModelError(
                "Neither uv nor pip can be started here, so packages cannot be fetched.",
                fix="Install one of them: sudo apt-get install -y python3-pip",
            )
        command = [*pip, "install", "--no-input", "--disable-pip-version-check"]
    target.mkdir(parents=True, exist_ok=True)
    run([*command, *flags, "--target", str(target), *packages], stop=stop, seconds=INSTALL_SECONDS, what="Fetching")


def run(
    command: Sequence[str],
    *,
    stop: Stop,
    seconds: float,
    what: str,
    line: Callable[[str], None] | None = None,
    env: dict[str, str] | None = None,
) -> None:
    """Run a program in a process group of its own and hand each output line to `line`.

    Raise FetchError with the last lines when it fails or says nothing for `seconds`, StoppedError when told to stop; in
    both cases nothing of it is left running. What goes on speaking may take as long as a slow machine needs.
    """
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
        errors="replace", start_new_session=True, env={**os.environ, **(env or {})},
    ) as process:  # fmt: skip
        tail: list[str] = []
        try:
            _follow(process, tail, line, stop, seconds, what)
        except BaseException:
            end_group(process)
            raise
    if process.returncode != 0:
        said = "\n".join(tail)
        raise FetchError(
            f"{what} failed ({' '.join(command[:4])} … exited {process.returncode}):\n{said}",
            fix="Check the network and the package registry's address, then try again.",
            retry=bool(_NETWORK.search(said)),
        )


def _follow(
    process: subprocess.Popen[str],
    tail: list[str],
    line: Callable[[str], None] | None,
    stop: Stop,
    silence: float,
    what: str,
) -> None:
    import selectors

    if process.stdout is None:
        return
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        pending = ""
        descriptor = process.stdout.fileno()
        heard = time.monotonic()
        while True:
            stop.check()
            if not selector.select(timeout=0.2):
                if time.monotonic() - heard > silence:
                    raise FetchError(f"{what} said nothing for {silence:.0f} s and was ended.", retry=True)
                continue
            heard = time.monotonic()
            block = os.read(descriptor, 65536).decode(errors="replace")
            if not block:
                break
            *lines, pending = (pending + block).split("\n")
            for text in filter(None, map(str.strip, lines)):
                tail.append(text[:400])
                del tail[:-TAIL_LINES]
                if line is not None:
                    line(text)
    process.wait(timeout=60)


def end_group(process: subprocess.Popen[str]) -> None:
    """End a program and everything that it started."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=3)
            if sign == signal.SIGTERM:
                continue
            return


__all__ = ["StoppedError", "end_group", "install", "pip_command", "run", "uv_command"]
