"""Commands on this machine itself, for an owner who turned that on: exactly the words of a plan, and no shell.

A process of its own (host_run.py) starts one process a segment, and ends them all at the limit, when the call is
cancelled, and when this process goes. Nothing in here decides whether a command may run.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from appliance.errors import SandboxError
from appliance.sandbox import host_run
from appliance.sandbox.client import CommandResult
from appliance.sandbox.output import FLOOD, Kept
from appliance.sandbox.paths import TRUSTED_FOLDERS
from appliance.sandbox.plan import Plan

_PIECE = 256 * 1024
_END_SECONDS = 3.0  # from the polite end, in which all descendants go, to the kill


class HostCommands:
    """Runs plans on this machine. `timezone` is the owner's."""

    def __init__(self, timezone: str = "UTC") -> None:
        self._timezone = timezone

    async def run(self, plan: Plan, limit: float) -> CommandResult:
        """Run an approved plan for at most `limit` seconds; cancelling ends it.

        Raises SandboxError when it did not run. Its programs are looked for in the trusted folders only; its
        environment is the minimal one.
        """
        status, far_status = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-I", "-S", host_run.__file__, str(far_status),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
                env=self._environment(plan, {}), pass_fds=(far_status,), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            os.close(status)
            raise SandboxError(f"The command was not started: {error.strerror}.") from None
        finally:
            os.close(far_status)
        try:
            return await self._follow(process, plan, status, limit)
        finally:
            os.close(status)

    async def _follow(
        self, process: asyncio.subprocess.Process, plan: Plan, status: int, limit: float
    ) -> CommandResult:
        assert process.stdin is not None
        process.stdin.write(self._letter(plan))
        process.stdin.close()
        out, err = Kept(), Kept()
        began = time.monotonic()
        reading = asyncio.ensure_future(_read(process, out, err))
        try:
            done, _ = await asyncio.wait({reading}, timeout=limit)
            outcome = reading.result() if done else "timeout"
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await asyncio.shield(_end(process))
        seconds = time.monotonic() - began
        code = None
        if outcome == "exited":
            told = _told(status)
            if "error" in told:
                raise SandboxError(f"The command did not run: {told['error']}.")
            code = told.get("code")
            outcome = outcome if code is not None else "died"
        return _result(outcome, code, seconds, out, err)

    def _letter(self, plan: Plan) -> bytes:
        environments = []
        for number in range(len(plan.segments)):
            given = plan.environment[number] if number < len(plan.environment) else ()
            environments.append(self._environment(plan, dict(given)))
        words = {
            "segments": plan.segments,
            "environment": environments,
            "folder": plan.folder,
            "folder_id": plan.folder_id,
        }
        return json.dumps(words).encode() + b"\n"

    def _environment(self, plan: Plan, given: Mapping[str, str]) -> dict[str, str]:
        """All that a command finds in its environment; nothing of the gateway's."""
        return {
            "PATH": ":".join(TRUSTED_FOLDERS),
            "HOME": plan.folder,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TZ": self._timezone,
            **given,
        }


async def _read(process: asyncio.subprocess.Process, out: Kept, err: Kept) -> str:
    """Read both streams until the process ends; return how that was."""

    async def drain(stream: Any, kept: Kept) -> None:
        while data := await stream.read(_PIECE):
            kept.add(data)
            if out.total + err.total > FLOOD:
                raise _FloodedError

    flooded = False
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(drain(process.stdout, out))
            group.create_task(drain(process.stderr, err))
    except* _FloodedError:
        flooded = True
    if flooded:
        return "flooded"
    await process.wait()
    return "exited"


class _FloodedError(Exception):
    """More output than any command may."""


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the process with all that it started."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(_END_SECONDS):
            await process.communicate()  # what is left in the pipes; they end with the last who holds them
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _told(status: int) -> dict[str, Any]:
    try:
        found = json.loads(os.read(status, 65_536) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _result(outcome: str, code: int | None, seconds: float, out: Kept, err: Kept) -> CommandResult:
    out_head, out_tail = out.parts()
    err_head, err_tail = err.parts()
    return CommandResult(
        outcome=outcome,
        code=code,
        seconds=seconds,
        detail="it was ended from outside" if outcome == "died" else "",
        stdout=out_head,
        stdout_tail=out_tail,
        stdout_total=out.total,
        stderr=err_head,
        stderr_tail=err_tail,
        stderr_total=err.total,
    )


def leading_outside(folder: Path, words: tuple[str, ...]) -> str:
    """The first of the words that names something in the folder which is, or lies behind, a link out of it; else "".

    On this machine such a link is followed; in the container it leads nowhere.
    """
    real = folder.resolve()
    for word in words:
        for part in {word, word.partition("=")[2], word.removeprefix("-")[1:] if word.startswith("-") else ""}:
            if not part or part.startswith("/") or "\0" in part:
                continue
            if _through_a_link(real, part):
                return part
    return ""


def _through_a_link(folder: Path, name: str) -> bool:
    """Whether the way to a name passes a link and ends outside the folder, existing or not."""
    place = folder
    try:
        for part in name.split("/"):
            place = place / part
            if place.is_symlink():
                target = (folder / name).resolve()
                return target != folder and folder not in target.parents
    except RuntimeError:
        return True  # a loop of links: nobody can tell where it leads
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG  # that is text, and no name
    return False
