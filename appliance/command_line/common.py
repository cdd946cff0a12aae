"""What every group of commands needs: the settings in force, the house on STATE, JSON."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from appliance.client import GatewayClient, NotRunningError
from appliance.settings import Settings
from appliance.settings.load import load_settings

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Agent = Annotated[str, typer.Option("--agent", help="Which agent, where there are several.")]
Config = Annotated[Path | None, typer.Option("--config", help="Settings file instead of STATE/config/appliance.toml.")]


class _Chosen:
    config: Path | None = None


def choose_config(path: Path | None) -> None:
    """Remember the settings file of this command line."""
    _Chosen.config = path or _Chosen.config


def chosen_config() -> Path | None:
    return _Chosen.config


def settings() -> Settings:
    """The settings as this command sees them. Raises SettingsError."""
    return load_settings(_Chosen.config)


def show(data: Any) -> None:
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2, default=str))


@contextlib.contextmanager
def house() -> Iterator[Any]:
    """The parts of the house on STATE, nothing started, while no gateway runs. Raises StateError when one does."""
    from appliance.app import Appliance

    parts = Appliance(settings())
    parts.open_offline()
    try:
        yield parts
    finally:
        parts.close_offline()


def ask(path: str, offline: Callable[[Any], Any]) -> Any:
    """GET `path` from the running gateway, or compute the same from STATE when none runs."""
    try:
        return GatewayClient.find(settings().state).call("GET", path)
    except NotRunningError:
        with house() as parts:
            return offline(parts)


def change(path: str, body: Any, offline: Callable[[Any], Awaitable[Any]], *, seconds: float = 30.0) -> Any:
    """POST `body` to the running gateway, or do the same to STATE when none runs; an answer takes at most `seconds`."""
    try:
        return GatewayClient.find(settings().state, timeout=seconds).call("POST", path, body)
    except NotRunningError:
        with house() as parts:
            return asyncio.run(_awaited(offline(parts)))


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work
