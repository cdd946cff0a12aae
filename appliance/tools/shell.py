"""`exec{command, background?, timeout?, network?}`: a script in a fresh container over the work folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

from appliance.errors import ToolError
from appliance.messages import Person, Role, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.observability.redaction import MASK
from appliance.sandbox.client import CommandResult
from appliance.sandbox.protocol import MAX_COMMAND, Profile
from appliance.tools.base import ToolContext, ToolResult, may_use_house
from appliance.tools.hosts import Hosts

# Folders whose files came from outside, and words by which a command may read them without naming them.
_OUTSIDE_FOLDERS = ("inbox", "downloads")
_NAMES_THEM = re.compile(r"\b(?:inbox|downloads)\b", re.IGNORECASE)
_MAY_WALK = re.compile(
    r"[*?]|\b(?:find|rg|grep|egrep|fgrep|tar|zip|rsync|xargs|du|tree|diff|git|walk|rglob|listdir|scandir)\b"
)
_HOW_IT_ENDED = {
    "timeout": "stopped: it ran longer than its limit of {limit:g} s; use a larger timeout or background=true",
    "died": "failed: {detail}",
    "flooded": "stopped: it wrote more output than any command may; write it to a file instead",
    "disk": "stopped: the disk of the work folder is nearly full",
    "uncopied": "failed: {detail}",
}


class Commands(Protocol):
    """Runs commands (sandbox.client.SandboxClient)."""

    async def run(
        self, work: str, command: str = "", *, profile: Profile = "none", limit: float = 120.0
    ) -> CommandResult: ...

    async def start(
        self, work: str, command: str, *, profile: Profile = "none", lifetime: float = 3600.0, label: str = ""
    ) -> dict[str, Any]: ...


class Gate(Protocol):
    """Judges a command before it runs: returns the script that may run, or raises ToolError with the reason.

    It may wait for a person.
    """

    async def __call__(self, command: str, network: bool, context: ToolContext) -> str: ...


async def open_gate(command: str, network: bool, context: ToolContext) -> str:
    """Without network any script may run: the container is the wall. With network nobody has said yes."""
    if network:
        raise ToolError("Commands have no network here: nobody can be asked for it.")
    return command


class Exec:
    """Give it who runs commands, the gate, whether commands can run now, and the default time limit in seconds.

    `network`: whether the owner listed any domains; without, the argument is not offered. `hosts` are the places
    outside the sandbox that the owner turned on.
    """

    def __init__(
        self,
        commands: Commands,
        *,
        gate: Gate = open_gate,
        usable: Callable[[], bool] = lambda: True,
        default_timeout: float = 120.0,
        network: bool = False,
        hosts: Hosts | None = None,
        ran: Callable[[str, float], None] = lambda outcome, seconds: None,
    ) -> None:
        self._commands = commands
        self._gate = gate
        self._usable = usable
        self._default_timeout = default_timeout
        self._hosts = hosts
        self._ran = ran
        properties: dict[str, Any] = {
            "command": {"type": "string", "description": "bash script"},
            "background": {"type": "boolean", "description": "return at once; see process"},
            "timeout": {"type": "number", "description": f"seconds, default {default_timeout:g}"},
        }
        if network:
            properties["network"] = {"type": "boolean", "description": "reach the listed domains; the owner is asked"}
        if hosts is not None and hosts.names:
            about_hosts = "sandbox if not given; elsewhere only plain words and pipes, and the owner may be asked"
            properties["host"] = {"type": "string", "enum": ["sandbox", *hosts.names], "description": about_hosts}
        about = "Run a script in a fresh container (bash, python3, git, jq, rg, curl). Only files in /workspace stay."
        self.spec = ToolSpec(
            "exec",
            about + ("" if network else " No network."),
            {"type": "object", "properties": properties, "required": ["command"]},
        )

    def available(self, session: SessionKey, person: Person) -> bool:
        elsewhere = self._hosts is not None and bool(self._hosts.names) and person.role is Role.OWNER
        return (self._usable() or elsewhere) and may_use_house(session, person)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        command, network = str(arguments["command"]), bool(arguments.get("network", False))
        _check(command)
        host = str(arguments.get("host") or "sandbox")
        if host != "sandbox":
            return await self._elsewhere(host, command, arguments, context)
        if not self._usable():
            raise ToolError("The sandbox cannot run commands now, and nothing was run anywhere else.")
        script = await self._gate(command, network, context)
        profile: Profile = "allowlist" if network else "none"
        source = source_of(command, network, context)
        if arguments.get("background"):
            lifetime = float(arguments.get("timeout") or 3600)
            job = await self._commands.start(
                context.agent, script, profile=profile, lifetime=min(max(lifetime, 1), 86_400), label=label(context)
            )
            return ToolResult(f"Started in the background as {job['id']}. Use process to follow it.", source=source)
        limit = self._limit(arguments)
        result = await self._commands.run(context.agent, script, profile=profile, limit=limit)
        self._ran(result.outcome, result.seconds)
        done = result.outcome == "exited" and result.code == 0
        return ToolResult(describe(result, limit), ok=done, source=source, origin="exec")

    async def _elsewhere(self, host: str, command: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        if arguments.get("network") or arguments.get("background"):
            raise ToolError("network and background are for the sandbox. Nothing was run.")
        if self._hosts is None:
            raise ToolError(f"The owner has not turned on the host {host!r} (exec.hosts). Nothing was run.")
        limit = self._limit(arguments)
        result = await self._hosts.run(host, command, limit, context)
        source = Source.OUTSIDE if host == "host" else source_of(command, False, context)
        done = result.outcome == "exited" and result.code == 0
        return ToolResult(describe(result, limit), ok=done, source=source, origin=f"exec on {host}")

    def _limit(self, arguments: dict[str, Any]) -> float:
        return min(max(float(arguments.get("timeout") or self._default_timeout), 0.1), 3600.0)


def _check(command: str) -> None:
    if not command.strip():
        raise ToolError("The command is empty.")
    if len(command) > MAX_COMMAND:
        raise ToolError(f"The command is too long; write a file of /workspace and run that. Limit: {MAX_COMMAND:,}.")
    if "\0" in command:
        raise ToolError("A command cannot contain NUL characters.")
    if MASK in command:
        raise ToolError(
            f"{MASK} stands where a secret was hidden from you; it is not the value. Nothing was run. "
            "Leave that text out, or copy it inside the container without showing it."
        )


def source_of(command: str, network: bool, context: ToolContext) -> Source:
    """Where the output of a command comes from: outside with network, or when it can have read outside files."""
    if network or _NAMES_THEM.search(command):
        return Source.OUTSIDE
    there = any(
        folder.is_dir() and any(folder.iterdir()) for folder in (context.files / name for name in _OUTSIDE_FOLDERS)
    )
    return Source.OUTSIDE if there and _MAY_WALK.search(command) else Source.OWN


def label(context: ToolContext) -> str:
    """What a background command is given, so that its end finds the conversation that started it."""
    return f"{context.session.value}\n{context.person.id}"[:200]


def describe(result: CommandResult, limit: float) -> str:
    """What the model reads: stdout, then stderr apart, then how it ended."""
    parts = []
    out = _stream(result.stdout, result.stdout_tail, result.stdout_total)
    err = _stream(result.stderr, result.stderr_tail, result.stderr_total)
    if out:
        parts.append(out)
    if err:
        parts.append(f"[stderr]\n{err}")
    if result.outcome == "exited":
        ended = f"exit code {result.code}"
    else:
        ended = _HOW_IT_ENDED[result.outcome].format(limit=limit, detail=result.detail)
    if result.detail and "{detail}" not in _HOW_IT_ENDED.get(result.outcome, ""):
        ended += f"; {result.detail}"
    parts.append(
        f"[{ended}, {result.seconds:.2f} s]" if out or err else f"(no output) [{ended}, {result.seconds:.2f} s]"
    )
    return "\n".join(parts)


def _stream(head: bytes, tail: bytes, total: int) -> str:
    if b"\0" in head[:8192]:
        return f"({total:,} bytes that are not text; write them to a file)"
    text = head.decode(errors="replace")
    if tail:
        left_out = total - len(head) - len(tail)
        text += f"\n[… {left_out:,} of {total:,} bytes left out …]\n" + tail.decode(errors="replace")
    return text.rstrip("\n")
