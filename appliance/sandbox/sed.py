"""A small reader of sed scripts: refuses the commands that run a program or touch a file by name.

GNU sed's `e` runs a shell line, `w` and `W` write, `r` and `R` read, `s///e` and `s///w` do the same from flags.
"""

from __future__ import annotations

import re

_UNKNOWN = "The sed script is not understood."
_ADDRESS = re.compile(r"\d+(~\d+)?|\$|[+~]\d+")


def refuse(script: str) -> str:
    """Given a sed script, return why it may not run, or "". What is not understood is refused."""
    position = 0
    while position < len(script):
        if script[position] in " \t;{}":
            position += 1
            continue
        position = _addresses(script, position)
        if position < 0 or position >= len(script):
            return _UNKNOWN
        position, reason = _command(script, position)
        if reason:
            return reason
    return ""


def _command(script: str, position: int) -> tuple[int, str]:
    """Read one command; return the position after it and why it may not be, or ""."""
    command = script[position]
    position += 1
    if command in "=dDgGhHnNpPxzF{":
        return position, ""
    if command in "lqQ":
        return _skip_number(script, position), ""
    if command in "sy":
        return _substitution(script, position, command)
    if command in "btT:":
        end = re.compile(r"[;}]|$").search(script, position)
        return (end.start() if end else len(script)), ""
    if command in "aic#":
        return len(script), ""  # text, or a comment, up to the end of the script
    if command in "erRwW":
        return position, f"The sed command `{command}` runs a program or opens a file."
    return position, f"The sed command `{command}` is not understood."


def _skip_number(script: str, position: int) -> int:
    while position < len(script) and script[position] in " 0123456789":
        position += 1
    return position


def _addresses(script: str, position: int) -> int:
    """Skip `addr[,addr]` and `!`; return the position of the command, or -1."""
    while position < len(script):
        character = script[position]
        if character in " \t,!":
            position += 1
        elif character in "/\\":
            if character == "\\":
                position += 1
            if position >= len(script):
                return -1
            position = _delimited(script, position + 1, script[position])
            while 0 <= position < len(script) and script[position] in "IM":
                position += 1
            if position < 0:
                return -1
        else:
            match = _ADDRESS.match(script, position)
            if match is None:
                return position
            position = match.end()
    return position


def _delimited(script: str, position: int, delimiter: str) -> int:
    """The position after the next unescaped delimiter (one inside a bracket expression counts too), or -1."""
    while position < len(script):
        if script[position] == "\\":
            position += 2
            continue
        if script[position] == delimiter:
            return position + 1
        position += 1
    return -1


def _substitution(script: str, position: int, command: str) -> tuple[int, str]:
    if position >= len(script) or script[position] == "\\":
        return position, _UNKNOWN
    delimiter = script[position]
    position = _delimited(script, position + 1, delimiter)
    if position > 0:
        position = _delimited(script, position, delimiter)
    if position < 0:
        return position, _UNKNOWN
    start = position
    while position < len(script) and script[position] not in ";} \t#":
        position += 1
    flags = script[start:position]
    allowed = r"[gpiIm0-9]*" if command == "s" else ""
    if not re.fullmatch(allowed, flags) or script[position : position + 1] == "#":
        return position, f"The sed flags `{flags}` may run a program or write a file."
    return position, ""
