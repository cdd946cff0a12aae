"""`process{action, id?, text?, ...}`: commands that go on in the background, started by `exec` with background=true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from appliance.errors import ToolError
from appliance.messages import Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.observability.redaction import MASK
from appliance.tools.base import ToolContext, ToolResult, may_use_house
from appliance.tools.shell import source_of

_TAIL = 8_000  # bytes that poll shows
_KEYS = {"enter": b"\n", "tab": b"\t", "escape": b"\x1b", "space": b" ", "backspace": b"\x7f"}
_ACTIONS = ("list", "poll", "log", "write", "key", "kill")


class BackgroundCommands(Protocol):
    """Follows background commands (sandbox.client.SandboxClient)."""

    async def poll(
        self, job: str, *, start: int = 0, limit: int = 65_536, wait: float = 0.0
    ) -> tuple[dict[str, Any], bytes]: ...

    async def write(self, job: str, data: bytes, *, close: bool = False) -> dict[str, Any]: ...

    async def kill(self, job: str, *, polite: bool = False) -> dict[str, Any]: ...

    async def list(self) -> Sequence[dict[str, Any]]: ...


class Process:
    """Give it who follows background commands, and whether commands can run now."""

    spec = ToolSpec(
        "process",
        "Follow background commands: list; poll (state and latest output; waits up to `wait` seconds for the end); "
        "log (output from byte `from`); write (`text` to its input; `close` ends it); key (`text`: enter, tab, ctrl-c, "
        "ctrl-d); kill.",
        {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": list(_ACTIONS)},
                "id": {"type": "string"},
                "text": {"type": "string"},
                "close": {"type": "boolean"},
                "from": {"type": "integer"},
                "wait": {"type": "number"},
            },
            "required": ["action"],
        },
    )

    def __init__(self, commands: BackgroundCommands, *, usable: Callable[[], bool] = lambda: True) -> None:
        self._commands = commands
        self._usable = usable

    def available(self, session: SessionKey, person: Person) -> bool:
        return self._usable() and may_use_house(session, person)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        action = arguments["action"]
        mine = {job["id"]: job for job in await self._commands.list() if _session(job) == context.session.value}
        if action == "list":
            lines = [_line(job) for job in mine.values()]
            return ToolResult("\n".join(lines) or "No background commands.", origin="process")
        job = mine.get(str(arguments.get("id", "")))
        if job is None:
            raise ToolError(f"There is no background command {arguments.get('id')!r} in this conversation. Use list.")
        match action:
            case "poll":
                wait = min(max(float(arguments.get("wait", 0)), 0.0), 60.0)
                return await self._output(job, context, start=-_TAIL, limit=_TAIL, wait=wait)
            case "log":
                return await self._output(job, context, start=int(arguments.get("from", 0)), limit=65_536, wait=0.0)
            case "write":
                return await self._write(job, str(arguments.get("text", "")), bool(arguments.get("close")))
            case "key":
                return await self._key(job, str(arguments.get("text", "")))
            case "kill":
                return ToolResult(_line(await self._commands.kill(job["id"])), origin="process")
        raise ToolError(f"There is no action {action!r}; there are: {', '.join(_ACTIONS)}.")

    async def _output(
        self, job: dict[str, Any], context: ToolContext, *, start: int, limit: int, wait: float
    ) -> ToolResult:
        state, data = await self._commands.poll(job["id"], start=start, limit=limit, wait=wait)
        text = data.decode(errors="replace").rstrip("\n")
        where = f"[bytes {state['start']}-{state['next']} of {state['output']}]" if data else "(no output)"
        source = Source.OUTSIDE if job.get("profile") == "allowlist" else source_of(job["command"], False, context)
        parts = [_line(state), text, where] if text else [_line(state), where]
        return ToolResult("\n".join(parts), source=source, origin="process")

    async def _write(self, job: dict[str, Any], text: str, close: bool) -> ToolResult:
        if MASK in text:
            raise ToolError(f"{MASK} stands where a secret was hidden from you; it is not the value.")
        await self._commands.write(job["id"], text.encode(), close=close)
        return ToolResult(f"Wrote {len(text.encode())} bytes to {job['id']}.", origin="process")

    async def _key(self, job: dict[str, Any], name: str) -> ToolResult:
        key = name.lower()
        if key == "ctrl-c":
            await self._commands.kill(job["id"], polite=True)
        elif key == "ctrl-d":
            await self._commands.write(job["id"], b"", close=True)
        elif key in _KEYS:
            await self._commands.write(job["id"], _KEYS[key])
        else:
            raise ToolError(f"There is no key {name!r}; there are: {', '.join([*_KEYS, 'ctrl-c', 'ctrl-d'])}.")
        return ToolResult(f"Sent {key} to {job['id']}.", origin="process")


def _session(job: dict[str, Any]) -> str:
    return str(job["label"]).partition("\n")[0]


def _line(job: dict[str, Any]) -> str:
    code = f" with code {job['code']}" if job["code"] is not None else ""
    note = f" ({job['note']})" if job.get("note") else ""
    return f"{job['id']}: {job['state']}{code}{note}, {job['output']} bytes of output: {job['command'][:120]}"
