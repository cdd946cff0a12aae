"""Name to tool; what a session may use; every failure turned into a result that the model can read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from appliance.errors import ApplianceError
from appliance.messages import Block, Person, SessionKey, Source
from appliance.models.base import ToolSpec
from appliance.tools.base import Tool, ToolContext, ToolResult

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}
Record = Callable[[str, ToolContext, dict[str, Any], ToolResult], None]
# Whether a turn may have the tool of this name at all, whatever the tool itself says.
Allowed = Callable[[str, SessionKey, Person], bool]


_SHOWN = 200  # characters of an argument


def audited(write: Callable[..., Any]) -> Record:
    """Given the audit's writer, return what makes a row of each tool run; long arguments are cut."""

    def record(name: str, context: ToolContext, arguments: dict[str, Any], result: ToolResult) -> None:
        shown = {k: (v if len(str(v)) <= _SHOWN else str(v)[:_SHOWN] + "…") for k, v in arguments.items()}
        write("tool", tool=name, session=context.session.value, turn=context.turn, ok=result.ok, arguments=shown)

    return record


class Registry:
    """Given tools, answer which a session sees, and run calls. `record` is told of every run (audit, metrics)."""

    def __init__(self, tools: Iterable[Tool] = (), record: Record | None = None) -> None:
        self._tools: dict[str, Tool] = {}
        self._record = record
        self.allowed: Allowed = lambda name, session, person: True
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool) -> None:
        self._tools[tool.spec.name] = tool

    def remove(self, name: str) -> None:
        self._tools.pop(name, None)

    def specs(self, session: SessionKey, person: Person) -> tuple[ToolSpec, ...]:
        """The tools of a session in a fixed order, so that the prompt's prefix stays the same."""
        return tuple(t.spec for _, t in sorted(self._tools.items()) if self._offers(t, session, person))

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def _offers(self, tool: Tool, session: SessionKey, person: Person) -> bool:
        return self.allowed(tool.spec.name, session, person) and tool.available(session, person)

    async def run(self, call: Block, context: ToolContext) -> ToolResult:
        """Run one tool_use block. Never raises but for cancellation."""
        name, arguments = call["name"], call["input"]
        tool = self._tools.get(name)
        if tool is None or not self._offers(tool, context.session, context.person):
            known = ", ".join(s.name for s in self.specs(context.session, context.person))
            return ToolResult(f"There is no tool {name!r} here. Tools: {known}.", ok=False)
        if "invalid" in call:
            return ToolResult(f"The input of {name} was not valid JSON: {call['invalid']!r}", ok=False)
        problem = check_arguments(tool.spec, arguments)
        if problem:
            return ToolResult(problem, ok=False)
        try:
            result = await tool.run(arguments, context)
        except asyncio.CancelledError:
            self._note(name, context, arguments, ToolResult("(cancelled)", ok=False))
            raise
        except ApplianceError as error:
            result = ToolResult(str(error), ok=False)
        except (OSError, TimeoutError) as error:
            result = ToolResult(f"{name} failed: {error}", ok=False)
        except Exception as error:  # noqa: BLE001 - a tool's bug must not end the turn; the model is told what it was
            result = ToolResult(f"{name} failed unexpectedly: {type(error).__name__}: {error}", ok=False)
        self._note(name, context, arguments, result)
        return result

    def _note(self, name: str, context: ToolContext, arguments: dict[str, Any], result: ToolResult) -> None:
        if self._record is not None:
            self._record(name, context, arguments, result)


def check_arguments(spec: ToolSpec, arguments: dict[str, Any]) -> str:
    """Compare arguments with a tool's flat schema; return what is wrong, or an empty string."""
    properties: dict[str, Any] = spec.schema.get("properties", {})
    missing = [name for name in spec.schema.get("required", ()) if name not in arguments]
    if missing:
        return f"{spec.name} needs: {', '.join(missing)}."
    for name, value in arguments.items():
        if name not in properties:
            return f"{spec.name} has no parameter {name!r}; it takes: {', '.join(properties)}."
        problem = _check_value(properties[name], value)
        if problem:
            return f"{spec.name}: {name} {problem}."
    return ""


def _check_value(schema: dict[str, Any], value: Any) -> str:
    wanted = schema.get("type")
    if isinstance(wanted, str) and (
        not isinstance(value, _TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean")
    ):
        return f"must be of type {wanted}"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(map(str, schema['enum']))}"
    return ""


def outside(results: Iterable[ToolResult]) -> bool:
    """True when any of the results holds text from outside."""
    return any(r.source is Source.OUTSIDE for r in results)
