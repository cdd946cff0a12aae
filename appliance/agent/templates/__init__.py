"""First versions of the Markdown files that a new agent gets; from then on they are the owner's."""

from __future__ import annotations

from importlib.resources import files

NAMES = ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "MEMORY.md", "HEARTBEAT.md")


def template(name: str) -> str:
    """The first version of one bootstrap file. Raises FileNotFoundError for a name that is not one."""
    return (files(__name__) / name).read_text(encoding="utf-8")
