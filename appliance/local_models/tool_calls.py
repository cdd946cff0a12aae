"""Tool calls out of a model's text: always valid JSON for a tool that exists, or plain text."""

from __future__ import annotations

import json
import re
import secrets
from typing import Any

from appliance.errors import InputError

_FENCE = re.compile(r"^```(?:json|tool_call)?\s*\n?(.*?)\n?```\s*$", re.DOTALL)


class Toolbox:
    """The tools of one request, and whether the model may, must or must not call one."""

    def __init__(self, tools: Any, choice: Any) -> None:
        """Raise InputError when `tools` or `choice` are not in OpenAI's form."""
        self.tools: list[dict[str, Any]] = []
        self._schemas: dict[str, dict[str, Any]] = {}
        for tool in tools or []:
            function = tool.get("function") if isinstance(tool, dict) else None
            if not isinstance(function, dict) or not isinstance(function.get("name"), str) or not function["name"]:
                raise InputError("Each tool needs a function with a name.")
            self.tools.append({"type": "function", "function": function})
            self._schemas[function["name"]] = function.get("parameters") or {"type": "object", "properties": {}}
        self.must_call = False
        self.allowed = list(self._schemas)
        if choice == "none":
            self.tools, self.allowed = [], []
        elif choice == "required":
            self.must_call = bool(self.allowed)
        elif isinstance(choice, dict):
            name = (choice.get("function") or {}).get("name")
            if name not in self._schemas:
                raise InputError(f"tool_choice names {name!r}, which is not among the tools.")
            self.allowed, self.must_call = [str(name)], True
        elif choice not in (None, "auto"):
            raise InputError(f"tool_choice cannot be {choice!r}.", fix="Use auto, none, required or a function.")

    def call_schema(self, *, strict: bool = True) -> dict[str, Any]:
        """JSON Schema of one call. Not `strict`: arguments are any object, for schemas no grammar can be made of."""
        kinds = []
        for name in self.allowed:
            arguments = self._schemas[name] if strict else {"type": "object"}
            kinds.append(
                {
                    "type": "object",
                    "properties": {"name": {"const": name}, "arguments": arguments},
                    "required": ["name", "arguments"],
                    "additionalProperties": False,
                }
            )
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}

    def read(self, text: str) -> dict[str, Any] | None:
        """Given text that may be a call, return it in OpenAI's form; None when it is not one for a tool here."""
        text = text.strip()
        if fenced := _FENCE.match(text):
            text = fenced[1].strip()
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if isinstance(found, dict) and isinstance(found.get("function"), dict):
            found = found["function"]
        if not isinstance(found, dict) or found.get("name") not in self.allowed:
            return None
        arguments = found.get("arguments", found.get("parameters", {}))
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError:
                return None
        needed = self._schemas[found["name"]].get("required") or ()
        if not isinstance(arguments, dict) or any(key not in arguments for key in needed):
            return None
        return {
            "id": f"call_{secrets.token_hex(12)}",
            "type": "function",
            "function": {"name": found["name"], "arguments": json.dumps(arguments, ensure_ascii=False)},
        }


class HeldText:
    """A stream of text with a guard: what may be the beginning of a marker is held back until it is clear."""

    def __init__(self, markers: list[str], *, hold_all_of: tuple[str, ...] = ()) -> None:
        """`markers` end the stream; a text that begins with one of `hold_all_of` is held back whole."""
        self._markers = [marker for marker in markers if marker]
        self._whole = hold_all_of
        self._held = ""
        self._begun = False
        self.found = ""
        self.holding = False

    def feed(self, piece: str) -> str:
        """Take a piece, return what may be shown now. After a marker `found` is set and nothing more is shown."""
        if self.found:
            return ""
        self._held += piece
        hits = [(self._held.find(marker), marker) for marker in self._markers if marker in self._held]
        if hits:
            at, self.found = min(hits)
            shown, self._held = self._held[:at], ""
            return shown
        if not self._begun:
            start = self._held.lstrip()
            if not start or any(opening.startswith(start) for opening in self._whole):
                return ""
            self._begun = True
            self.holding = start.startswith(self._whole) if self._whole else False
        if self.holding:
            return ""
        keep = 0
        for marker in self._markers:
            for length in range(min(len(marker) - 1, len(self._held)), keep, -1):
                if self._held.endswith(marker[:length]):
                    keep = length
                    break
        cut = len(self._held) - keep
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown

    def rest(self) -> str:
        """What is still held back when the stream has ended."""
        shown, self._held = self._held, ""
        return shown
