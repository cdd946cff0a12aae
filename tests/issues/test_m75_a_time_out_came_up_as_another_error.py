"""On a time-out another exception than the documented one came up, and a slow command looked like a broken tool."""

from __future__ import annotations

import time
from pathlib import Path

import docker.errors
import pytest
import requests.exceptions
import urllib3.exceptions

from appliance.errors import SandboxError
from appliance.messages import Person, Role, SessionKey
from appliance.sandbox.engine import DockerEngine, EngineError
from appliance.sandbox.template import RunnerConfig
from appliance.tools.base import ToolContext
from appliance.tools.shell import Exec
from tests.integration.sandbox.conftest import House, config, house, image  # noqa: F401 - fixtures


@pytest.mark.docker
async def test_a_command_over_its_limit_is_a_time_out_and_nothing_else(house: House) -> None:  # noqa: F811
    await house.ready()
    context = ToolContext(SessionKey.main(), "main", Person("owner", role=Role.OWNER), "t", "c", house.files)
    began = time.monotonic()
    answer = await Exec(house.client).run({"command": "sleep 30", "timeout": 2}, context)
    assert not answer.ok
    assert "ran longer than its limit of 2 s" in answer.text
    assert 2 <= time.monotonic() - began < 4


@pytest.mark.parametrize(
    "error",
    [
        requests.exceptions.ReadTimeout("read timed out"),
        requests.exceptions.ConnectionError("Read timed out."),
        urllib3.exceptions.ReadTimeoutError(None, "", "Read timed out."),  # type: ignore[arg-type]
        docker.errors.APIError("server error"),
        docker.errors.DockerException("x"),
        ConnectionResetError("reset"),
        TimeoutError("timed out"),
    ],
)
async def test_whatever_the_docker_library_raises_is_one_documented_error(tmp_path: Path, error: Exception) -> None:
    engine = DockerEngine(RunnerConfig(socket=tmp_path / "s", agents=tmp_path, state=tmp_path, image="x"))

    def fail(api: object) -> None:
        raise error

    engine._api = object()  # type: ignore[assignment]
    with pytest.raises(EngineError) as caught:
        await engine.call(fail)
    engine._api = None
    await engine.close()
    assert isinstance(caught.value, SandboxError)
    if "timed out" in str(error).lower():
        assert "did not answer in time" in str(caught.value)
