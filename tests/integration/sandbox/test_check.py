"""What `appliance doctor` says about commands."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from appliance.sandbox.check import sandbox_check
from appliance.settings import Settings


def settings(tmp_path: Path, **exec_settings: object) -> Settings:
    return Settings.model_validate({"state_dir": tmp_path, "exec": exec_settings})


def look(found: Settings) -> object:
    return sandbox_check(found)


@pytest.mark.docker
async def test_with_engine_and_image_all_is_well(image: str, tmp_path: Path) -> None:
    status, detail, _ = await asyncio.to_thread(look, settings(tmp_path))  # type: ignore[misc]
    assert status == "pass"
    assert image in detail


@pytest.mark.docker
async def test_a_missing_image_is_said_with_how_to_get_it(image: str, tmp_path: Path) -> None:
    found = settings(tmp_path, image="appliance-shell:never")
    status, detail, fix = await asyncio.to_thread(look, found)  # type: ignore[misc]
    assert (status, fix) == ("warn", "Build it: scripts/images")
    assert "appliance-shell:never" in detail


async def test_without_an_engine_chat_goes_on_and_the_reason_is_said(tmp_path: Path) -> None:
    found = settings(tmp_path, docker_host=f"unix://{tmp_path}/none.sock")
    status, detail, _ = await asyncio.to_thread(look, found)  # type: ignore[misc]
    assert status == "warn"
    assert "no Docker engine" in detail


async def test_a_missing_runner_service_is_said(tmp_path: Path) -> None:
    found = settings(tmp_path, runner_socket=str(tmp_path / "runner.sock"))
    status, detail, fix = await asyncio.to_thread(look, found)  # type: ignore[misc]
    assert (status, fix) == ("warn", "Start it: appliance sandbox-runner")
    assert "does not answer" in detail


async def test_switched_off_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert await asyncio.to_thread(look, settings(tmp_path, enabled=False)) is None
