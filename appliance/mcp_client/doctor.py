"""What `appliance doctor` says of MCP servers: all that can be seen without starting any."""

from __future__ import annotations

import importlib.util
import shutil

from appliance.settings import Settings
from appliance.settings.mcp import bearer, variables

NOT_INSTALLED = "The package mcp is not installed."
INSTALL = "Install the extra: .venv/bin/uv sync --inexact --frozen --no-dev --extra mcp"


def installed() -> bool:
    """Whether the extra is there; looks for it without loading it."""
    return importlib.util.find_spec("mcp") is not None


def problems(settings: Settings) -> list[str]:
    """Given the settings, return `server: what is wrong` for each problem."""
    found = []
    for name, server in sorted(settings.mcp.items()):
        try:
            variables(server)
            bearer(server)
        except ValueError as error:
            found.append(f"{name}: {error}")
        if server.place == "host" and shutil.which(server.command) is None:
            found.append(f"{name}: there is no program {server.command}")
        if server.place == "sandbox" and not settings.exec.enabled:
            found.append(f"{name}: it runs in the sandbox, and exec.enabled is false")
        unknown = [tool for tool in server.free if server.tools and tool not in ("*", *server.tools)]
        if unknown:
            found.append(f"{name}: free names {', '.join(unknown)}, which tools does not")
    return found
