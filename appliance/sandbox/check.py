"""For `appliance doctor`: can commands run here, and if not, what is missing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Literal

from appliance.sandbox.client import SandboxClient, runner_config
from appliance.sandbox.engine import DockerEngine, EngineError
from appliance.sandbox.template import RunnerConfig
from appliance.settings import Settings

Outcome = tuple[Literal["pass", "warn", "fail"], str, str]
_SECONDS = 5.0  # for one call to the engine


def sandbox_check(settings: Settings) -> Outcome | None:
    """Look at the engine and the image, or at the runner where it is a service of its own; None when switched off.

    Blocks for a few seconds at most, so call it in a thread. Starts no runner and no container.
    """
    if not settings.exec.enabled:
        return None
    config = runner_config(settings)
    if settings.exec.runner_socket:
        return asyncio.run(_service(config))
    return asyncio.run(_engine(config))


async def _service(config: RunnerConfig) -> Outcome:
    health = await SandboxClient(config, start_runner=False).health()
    if not health.ok:
        return "warn", f"Commands cannot run: {health.reason}", health.fix
    return "pass", f"The sandbox runner answers; commands run in {config.image}.", ""


async def _engine(config: RunnerConfig) -> Outcome:
    engine = DockerEngine(replace(config, engine_seconds=_SECONDS))
    try:
        version = str((await engine.ping()).get("Version", "?"))
        features = await engine.features()
    except EngineError as error:
        return "warn", f"Commands cannot run: {error.what}", error.fix or "Chat works without it."
    finally:
        await engine.close()
    detail = f"Docker {version} answers; commands run in {config.image}."
    if not features.init:
        return (
            "warn",
            detail + " Its first process can be traced by a command in it.",
            "Use the image of scripts/images.",
        )
    return "pass", detail, ""
