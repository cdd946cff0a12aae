"""The settings of a house under test, and a client that may talk to it."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from appliance.settings import Settings
from appliance.settings.load import load_settings

PLAIN = {"APPLIANCE_LOCAL__ENABLED": "false", "APPLIANCE_EXEC__ENABLED": "false"}


def settle_command_line(monkeypatch: pytest.MonkeyPatch, state: Path, **environ: str) -> Path:
    """Let the command line, run within the test, speak of a house on `state`; return that."""
    for name, value in {"APPLIANCE_STATE_DIR": str(state), **PLAIN, **environ}.items():
        monkeypatch.setenv(name, value)
    return state


def house_settings(state: Path, provider: str = "", **environ: str) -> Settings:
    """A house on `state`: a port of the kernel's choice, no local model, no commands, Claude at `provider`."""
    claude = {"ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": provider} if provider else {}
    return load_settings(
        environ={
            "APPLIANCE_STATE_DIR": str(state),
            "APPLIANCE_SERVER__PORT": "0",
            **PLAIN,
            **claude,
            **environ,
        }
    )


def client_of(settings: Settings, url: str) -> httpx2.AsyncClient:
    """A client with the bearer token of a house that was started."""
    token = (settings.state / "token").read_text().strip()
    return httpx2.AsyncClient(base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=30.0)
