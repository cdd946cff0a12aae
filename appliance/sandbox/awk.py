"""A small reader of awk programs: refuses what runs programs, opens files or prints the environment.

Strings and regular expressions are text; a slash starts a regular expression only where a value may begin, so that a
division cannot hide a pipe.
"""

from __future__ import annotations

import re

_REACHING = re.compile(r"system|getline|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|close\s*\(|fflush|@|load|include|\\|\$\(")
_BEFORE_VALUE = frozenset("(,{;&|!~\n}")


def refuse(program: str) -> str:
    """Given an awk program, return why it may not run, or ""."""
    code = _code(program)
    if code is None:
        return "The awk program is not understood."
    found = _REACHING.search(code)
    if found:
        return f"`{found.group()}` in an awk program can run programs, read files or print the environment."
    if "|" in code.replace("||", ""):
        return "This awk program pipes to or from another program."
    if re.search(r"print[^;}]*>", code):
        return "This awk program writes a file."
    return ""


def _code(program: str) -> str | None:
    """The program without the text of its strings, regular expressions and comment; None when one is not closed."""
    out: list[str] = []
    before = "\n"
    position = 0
    while position < len(program):
        character = program[position]
        if character == "#":
            break
        if character == '"' or (character == "/" and before in _BEFORE_VALUE):
            position = _end(program, position + 1, character)
            if position < 0:
                return None
            out.append(' ""')
            before = '"'
            continue
        out.append(character)
        if character not in " \t":
            before = character
        position += 1
    return "".join(out)


def _end(program: str, position: int, delimiter: str) -> int:
    while position < len(program):
        if program[position] == "\\":
            position += 1
        elif program[position] == delimiter:
            return position + 1
        position += 1
    return -1
