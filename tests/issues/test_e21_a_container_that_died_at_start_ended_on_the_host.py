"""The sandbox container died at its start; the command then ran on the host, or hung. It must fail with the reason."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.client import SandboxClient
from tests.integration.sandbox.conftest import House, config, docker, eventually, house, image  # noqa: F401

pytestmark = [pytest.mark.docker]


@pytest.fixture(params=["no sleep, no env", "env refuses", "env prints nonsense"])
def broken(request: pytest.FixtureRequest, image: str) -> Iterator[str]:  # noqa: F811
    """Images whose start goes wrong in three ways."""
    steps = {
        "no sleep, no env": "RUN rm -f /usr/bin/env /usr/bin/sleep",
        "env refuses": "RUN printf '#!/bin/sh\\nexit 126\\n' > /usr/bin/env",
        "env prints nonsense": "RUN printf '#!/bin/sh\\necho nonsense\\nexec sleep 100\\n' > /usr/bin/env",
    }
    name = f"appliance-test-broken-{abs(hash(request.param)) % 10_000}"
    text = f"FROM {image}\nUSER 0\n{steps[request.param]}\nUSER 1000\n"
    done = subprocess.run(["docker", "build", "-q", "-t", name, "-"], input=text, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    yield name
    docker("rmi", "-f", name)


async def test_the_command_fails_with_the_reason_and_runs_nowhere(house: House, broken: str) -> None:  # noqa: F811
    made = House(replace(house.config, image=broken), SandboxClient(replace(house.config, image=broken)))
    with pytest.raises(SandboxError, match=r"did not come up|died at its start|Docker:"):
        await made.client.run("main", "echo ran > ran; hostname", limit=10)
    assert not (made.files / "ran").exists()
    health = await made.client.health()
    assert not health.ok
    assert health.reason
    await eventually(lambda: not made.containers(), 30)


async def test_a_missing_image_is_named_with_how_to_get_it(house: House) -> None:  # noqa: F811
    client = SandboxClient(replace(house.config, image="appliance-shell:never-built"))
    with pytest.raises(SandboxError, match=r"appliance-shell:never-built.*scripts/images"):
        await client.run("main", "true")


async def test_without_an_engine_there_is_a_reason_and_no_run(house: House) -> None:  # noqa: F811
    client = SandboxClient(replace(house.config, docker_host=f"unix://{house.config.state}/none.sock"))
    health = await client.health()
    assert not health.ok
    assert "no Docker engine" in health.reason
    with pytest.raises(SandboxError, match="no Docker engine"):
        await client.run("main", "touch ran")
    assert not (house.files / "ran").exists()
