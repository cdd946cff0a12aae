"""A small reader of jq programs: refuses the few that reach beyond standard input.

A jq program can print the environment (`env`, `$ENV`) and load files (`import`, `include`) with no option at all, also
from code inside a string (`"\\(env)"`). Plain string text is data, a field called `.env` is a field, `{env: 1}` is a
key.
"""

from __future__ import annotations

import re

_REFUSED = {
    "env": "prints the environment",
    "import": "reads a file",
    "include": "reads a file",
    "modulemeta": "reads a file",
    "get_search_list": "tells where modules are looked for",
    "input_filename": "tells file names",
    "getenv": "reads the environment",
    "system": "would run a program",
    "exec": "would run a program",
}
_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+)
    |(?P<comment>\#.*)
    |(?P<format>@[A-Za-z0-9_]+)
    |(?P<number>(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?)
    |(?P<field>\.[A-Za-z_][A-Za-z0-9_]*)
    |(?P<rec>\.\.)
    |(?P<variable>\$[ \t]*[A-Za-z_][A-Za-z0-9_:]*)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*)
    |(?P<quote>")
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<sign>\?//=?|[-+*/%|=!<>]=|//=?|\|=|[.?,:;|=<>+*/%$-])""",
    re.VERBOSE | re.ASCII,
)
_BLOCKS = frozenset({"if", "def", "try", "reduce", "foreach", "label"})
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def refuse(program: str) -> str:
    """Given a jq program, return why it may not run, or "" when it reads standard input only.

    Text that is not understood is refused as well.
    """
    reader = _Reader(program)
    while reader.position < len(program) and not reader.reason:
        reader.step()
    return reader.reason or ("The brackets of the jq program do not match." if reader.stack else "")


class _Reader:
    """Walks over a program token by token; `reason` is set at the first thing that may not be."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.position = 0
        self.reason = ""
        # Each open bracket; `"` stands for a string whose interpolation we are in.
        self.stack: list[str] = []
        self._before = ""
        # A comma inside `if … end` and its like separates outputs, not keys, wherever the block stands.
        self._blocks = False

    def step(self) -> None:
        match = _TOKEN.match(self.program, self.position)
        if match is None:
            self.reason = f"The jq program has {self.program[self.position]!r}, which is not understood."
            return
        kind, text = str(match.lastgroup), match.group()
        self.position = match.end()
        if kind in ("blank", "comment"):
            return
        self._blocks = self._blocks or text in _BLOCKS
        if kind == "quote":
            if self._string():
                self.stack.append('"')
        elif kind == "open":
            self.stack.append(text)
        elif kind == "close":
            self._close(text)
        else:
            self.reason = _refuse_name(kind, text, key=not self._blocks and self._is_key())
        self._before = text

    def _close(self, text: str) -> None:
        if self.stack and self.stack[-1] == '"' and text == ")":
            if not self._string():
                self.stack.pop()
        elif not self.stack or _CLOSING.get(self.stack.pop()) != text:
            self.reason = "The brackets of the jq program do not match."

    def _string(self) -> bool:
        """Read string text up to its end (False) or to interpolated code (True)."""
        while self.position < len(self.program):
            character = self.program[self.position]
            if character == '"':
                self.position += 1
                return False
            if character == "\\":
                if self.program[self.position + 1 : self.position + 2] == "(":
                    self.position += 2
                    return True
                self.position += 1
            self.position += 1
        self.reason = "The jq program has a string that is not closed."
        return False

    def _is_key(self) -> bool:
        """True for the name of a key in an object, `{env: 1}` or `{a, env}`, which is data."""
        if not self.stack or self.stack[-1] != "{" or self._before not in ("{", ","):
            return False
        return self.program[self.position :].lstrip(" \t")[:1] in (":", ",", "}")


def _refuse_name(kind: str, text: str, *, key: bool) -> str:
    if kind == "variable":
        name = text.lstrip("$ \t")
        if name == "ENV" or "::" in name or (name.startswith("__") and name != "__loc__"):
            return f"${name} in a jq program gives away the environment or the arguments."
        return ""
    if kind != "word":
        return ""
    if "::" in text:
        return "The jq program uses a module, which is read from a file."
    if text in _REFUSED and not key:
        return f"`{text}` in a jq program {_REFUSED[text]}."
    return ""
