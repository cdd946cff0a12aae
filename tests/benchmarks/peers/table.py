"""The figures as a table in Markdown, the best of each row in bold."""

from __future__ import annotations

from tests.benchmarks.pages import machine
from tests.benchmarks.peers.install import PACKAGES
from tests.benchmarks.peers.measures import Figure, Figures

ROWS = {
    "first": "tokens of the first request (“hello”, fresh home, every default tool)",
    "day": "tokens sent over a day of thirty turns, nine files read",
    "day_uncached": "of these, what no earlier prompt began with (a prefix cache reads the rest)",
    "turn": "a warm turn beyond the model, ms (median)",
    "cpu": "CPU of a warm turn, ms",
    "memory": "memory 20 s after the start, MiB (PSS of all its processes)",
    "memory_after": "memory after 46 turns, MiB",
    "start": "start to a healthy answer, s (median of five)",
    "install": "install, MiB",
    "sandbox": "`echo hi` in its sandbox, between the two model calls, ms (median)",
    "sandbox_turn": "the whole turn with that command, ms (median)",
    "sandbox_kind": "what that sandbox is",
    "big": "a command prints 300,000 characters: what each later request carries of them",
    "limit": "forty messages, a daily limit of $0.20",
    "kill": "`kill -9` after a tool's effect, while the answer is written; restart",
}


def table(found: dict[str, Figures]) -> str:
    """Given the figures by program, return the table with the machine and the day below it."""
    names = list(found)
    lines = ["| | " + " | ".join(f"{name} {PACKAGES[name].version}" for name in names) + " |"]
    lines.append("| --- |" + " --- |" * len(names))
    for row, title in ROWS.items():
        cells = [found[name].get(row, Figure("not measured")) for name in names]
        best = min((cell.value for cell in cells if cell.value is not None), default=None)
        shown = [f"**{cell.shown}**" if cell.value is not None and cell.value == best else cell.shown for cell in cells]
        lines.append(f"| {title} | " + " | ".join(shown) + " |")
    return "\n".join([*lines, "", machine()])
