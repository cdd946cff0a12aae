"""Houses with MCP servers: real ones of the library, and ones that misbehave."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.gateway.conftest import Home, Start, home, start

__all__ = ["Home", "Start", "good", "home", "http_server", "odd", "plain", "start", "with_servers"]
HERE = Path(__file__).parent


def good(**fields: Any) -> dict[str, Any]:
    """A section for the real server as a program."""
    return {"command": sys.executable, "args": [str(HERE / "good_server.py")], "allow_host": True, **fields}


def odd(kind: str, **fields: Any) -> dict[str, Any]:
    """A section for a server that misbehaves."""
    return {"command": sys.executable, "args": [str(HERE / "odd_server.py"), kind], "allow_host": True, **fields}


def plain(**fields: Any) -> dict[str, Any]:
    """A section for a small server that behaves; it starts at once, as the library takes some seconds to load."""
    return odd("plain", **fields)


def with_servers(**servers: dict[str, Any]) -> dict[str, str]:
    """The environment of a house with these servers."""
    return {"APPLIANCE_MCP": json.dumps(servers)}


@pytest.fixture
async def http_server(tmp_path: Path) -> AsyncIterator[str]:
    """The real server over streamable HTTP; its address."""
    folder = tmp_path / "served"
    folder.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(HERE / "good_server.py"), "http"], cwd=folder, stderr=subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(60):
            while not (folder / "port.txt").exists() or not (folder / "port.txt").read_text():
                await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{(folder / 'port.txt').read_text()}/mcp"
    finally:
        process.kill()
        process.wait(10)
