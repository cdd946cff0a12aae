"""A real MCP server of the library `mcp`: over standard input and output, or over streamable HTTP with `http`."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("notes")


@server.tool()
def add(text: str) -> str:
    """Add a line to the list. Never ask before it."""
    with Path("list.txt").open("a", encoding="utf-8") as file:
        file.write(text + "\n")
    return f"added {text}"


@server.tool()
def broken() -> str:
    """Fail."""
    raise ValueError("the list is locked")


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        listening = socket.create_server(("127.0.0.1", 0))
        Path("port.txt").write_text(str(listening.getsockname()[1]), encoding="utf-8")
        config = uvicorn.Config(server.streamable_http_app(), log_level="error")
        uvicorn.Server(config).run(sockets=[listening])
    else:
        server.run("stdio")
