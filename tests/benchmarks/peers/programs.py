"""The four programs: how each is set up with its own defaults, and asked through its own door."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import yaml

from tests.benchmarks.peers.install import PACKAGES, node
from tests.benchmarks.peers.program import (
    ASK_SECONDS,
    MODEL,
    USD_PER_MTOK_IN,
    USD_PER_MTOK_OUT,
    WINDOW,
    OpenAIProgram,
    Program,
    free_port,
)

_IN_CONTAINER = Path("/.dockerenv")


class Ours(Program):
    """This appliance, over its HTTP API."""

    package = PACKAGES["appliance"]
    healthy = "/healthz"
    read_tool = "read"
    sandboxed = True
    sandbox_note = "a fresh container for each command"

    @property
    def files(self) -> Path:
        return self.home / "state" / "agents" / "main" / "files"

    def write(self) -> None:
        (self.home / "state" / "config").mkdir(parents=True, exist_ok=True)
        kinds = ("input", "cache_read", "cache_write_5m", "cache_write_1h")
        rates = "".join(f"{kind} = {USD_PER_MTOK_IN}\n" for kind in kinds) + f"output = {USD_PER_MTOK_OUT}\n"
        (self.home / "prices.toml").write_text(f"[models.{MODEL}]\n{rates}")
        (self.home / "state" / "config" / "appliance.toml").write_text(
            f'[models]\nchain = ["fake"]\n[openai_compatible.fake]\nbase_url = "{self.setting.model_url}"\n'
            f'api_key = "k"\nmodel = "{MODEL}"\nwindow = {WINDOW}\npaid = true\n[local]\nenabled = false\n'
            f'[budget]\ndaily_usd = "{self.setting.daily_usd or 1_000}"\nprice_file = "{self.home / "prices.toml"}"\n'
        )

    def command(self) -> list[str]:
        return [str(self.installed / "bin" / "appliance"), "up", "--port", str(self.port)]

    def environ(self) -> dict[str, str]:
        return {"APPLIANCE_STATE_DIR": str(self.home / "state")}

    async def ask(self, text: str, session: str) -> None:
        token = (self.home / "state" / "token").read_text().strip()
        headers = {"authorization": f"Bearer {token}"}
        body = {"session": session, "text": text}
        response = await self.client.post(f"{self.url}/api/messages", json=body, headers=headers)
        response.raise_for_status()


class OpenClaw(OpenAIProgram):
    """OpenClaw's gateway, over its chat completions endpoint, one session key a session."""

    package = PACKAGES["OpenClaw"]
    healthy = "/readyz"
    read_tool = "read"
    session_header = "x-openclaw-session-key"
    asked_model = "openclaw"
    containers = "openclaw-sbx-"
    sandbox_note = "`sandbox.mode = all`: one container a session, kept"

    @property
    def files(self) -> Path:
        return self.home / ".openclaw" / "workspace"

    def write(self) -> None:
        cost = {"input": USD_PER_MTOK_IN, "output": USD_PER_MTOK_OUT, "cacheRead": 0, "cacheWrite": 0}
        model = {
            "id": MODEL, "name": MODEL, "reasoning": False, "input": ["text"], "contextWindow": WINDOW,
            "maxTokens": 8192, "cost": cost,
        }  # fmt: skip
        provider = {
            "baseUrl": self.setting.model_url, "apiKey": "k", "api": "openai-completions", "models": [model],
        }  # fmt: skip
        defaults: dict[str, Any] = {"model": {"primary": f"fake/{MODEL}"}}
        if self.setting.image:
            defaults["sandbox"] = {
                "mode": "all", "scope": "session", "workspaceAccess": "rw", "docker": {"image": self.setting.image},
            }  # fmt: skip
        settings = {
            "gateway": {
                "mode": "local", "port": self.port, "bind": "loopback",
                "auth": {"mode": "token", "token": self.key},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "models": {"mode": "merge", "providers": {"fake": provider}},
            "agents": {"defaults": defaults},
        }  # fmt: skip
        folder = self.home / ".openclaw"
        folder.mkdir(exist_ok=True)
        (folder / "openclaw.json").write_text(json.dumps(settings))

    def command(self) -> list[str]:
        start = self.installed / "node_modules" / "openclaw" / "openclaw.mjs"
        words = [str(node(self.installed)), str(start), "gateway"]
        return [*_outside_a_container(), *words] if self.setting.image else words


class Nanobot(Program):
    """nanobot's gateway, over its WebSocket channel, one chat a session."""

    package = PACKAGES["nanobot"]
    sandbox_note = "`exec.sandbox = bwrap`: bubblewrap for each command; it has no Docker backend"

    @property
    def files(self) -> Path:
        return self.home / ".nanobot" / "workspace"

    def write(self) -> None:
        self._door = free_port()
        settings = {
            "agents": {"defaults": {"model": MODEL, "provider": "custom", "contextWindowTokens": WINDOW}},
            "providers": {"custom": {"apiKey": "k", "apiBase": self.setting.model_url}},
            "gateway": {"port": self.port},
            "channels": {"websocket": {"enabled": True, "port": self._door, "websocketRequiresToken": False}},
            "tools": {"exec": {"sandbox": "bwrap"}} if self.setting.image else {},
        }
        folder = self.home / ".nanobot"
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text(json.dumps(settings))

    def command(self) -> list[str]:
        return [str(self.installed / "bin" / "nanobot"), "gateway", "--foreground"]

    async def ask(self, text: str, session: str) -> None:
        url = f"ws://127.0.0.1:{self._door}/?client_id=bench"
        async with aiohttp.ClientSession() as client, client.ws_connect(url) as socket:
            await socket.send_json({"type": "attach", "chat_id": session})
            await socket.send_json({"type": "message", "chat_id": session, "content": text})
            async with asyncio.timeout(ASK_SECONDS):
                async for message in socket:
                    if message.json().get("event") == "turn_end":
                        return
        raise ConnectionResetError("the socket closed before the end of the turn")


class Hermes(OpenAIProgram):
    """hermes-agent's gateway, over its API server."""

    package = PACKAGES["hermes-agent"]
    shell_tool = "terminal"
    session_header = "X-Hermes-Session-Id"
    asked_model = "hermes-agent"
    containers = "hermes-"
    sandbox_note = "`terminal.backend = docker`: one container a task, kept"

    @property
    def files(self) -> Path:
        return self.home / "work"

    def write(self) -> None:
        self.files.mkdir(exist_ok=True)
        terminal: dict[str, Any] = {"cwd": str(self.files)}
        if self.setting.image:
            terminal |= {"backend": "docker", "docker_image": self.setting.image}
        model = {
            "default": MODEL, "provider": "custom", "base_url": self.setting.model_url, "api_key": "k",
            "context_length": WINDOW,
        }  # fmt: skip
        folder = self.home / ".hermes"
        folder.mkdir(exist_ok=True)
        (folder / "config.yaml").write_text(yaml.safe_dump({"model": model, "terminal": terminal}))

    def command(self) -> list[str]:
        return [str(self.installed / "bin" / "hermes"), "gateway", "run"]

    def environ(self) -> dict[str, str]:
        return {"API_SERVER_ENABLED": "true", "API_SERVER_KEY": self.key, "API_SERVER_PORT": str(self.port)}


def _outside_a_container() -> list[str]:
    """OpenClaw takes `/.dockerenv` for proof that it runs in a container, and then cannot mount folders: where this
    machine has that file without being one, start with a root that lacks it."""
    if not _IN_CONTAINER.exists():
        return []
    words = ["bwrap"]
    for entry in sorted(Path("/").iterdir()):
        if entry.is_symlink():
            words += ["--symlink", str(entry.readlink()), str(entry)]
        elif entry.is_dir():
            words += ["--dev-bind", str(entry), str(entry)]
    return [*words, "--"]


PROGRAMS: tuple[type[Program], ...] = (Ours, OpenClaw, Nanobot, Hermes)
