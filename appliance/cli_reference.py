"""docs/command-line.md, made from the command line itself (`python -m appliance.cli_reference`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import typer

from appliance.cli import app


def commands() -> Iterator[tuple[str, Any]]:
    """(full name, command) of everything that can be run, in the order of the help."""
    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        inner = getattr(command, "commands", {})
        if not inner or command.invoke_without_command:
            yield f"appliance {name}", command
        for sub, part in inner.items():
            yield f"appliance {name} {sub}", part


def page() -> str:
    """The page; a test holds the file to it."""
    lines = [
        "# Command line",
        "",
        "Made by `python -m appliance.cli_reference > docs/command-line.md`. Each command asks the running gateway, or",
        "works on STATE itself when none runs. Exit 0: fine; 1: a problem, named on standard error; 2: wrong usage.",
    ]
    for name, command in commands():
        arguments = [(p.metavar or p.name or "").upper() for p in command.params if p.param_type_name == "argument"]
        usage = " ".join([name, *(f"[{a}]" for a in arguments)])
        lines += ["", f"## {name}", "", f"`{usage}`", "", (command.help or "").strip()]
        options = [p for p in command.params if p.param_type_name == "option"]
        if options:
            lines += ["", "| option | meaning |", "| --- | --- |"]
            lines += [f"| `{', '.join(p.opts)}` | {p.help or ''} |" for p in options]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
