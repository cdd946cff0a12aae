"""The same attacks under gVisor, where commands have a kernel of their own (`exec.runtime = "runsc"`)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from appliance.sandbox.client import SandboxClient
from appliance.sandbox.template import RunnerConfig
from tests.attacks.test_sandbox_escape import WAYS
from tests.integration.sandbox.conftest import House, docker

pytestmark = [pytest.mark.docker, pytest.mark.gvisor]

# gVisor's own kernel answers a few of them otherwise: it makes a node that leads to no device, shows what
# streams a process has, on which nothing more is sent, and shows of pid 1 what the image set, which is no secret.
WAYS_THERE = {
    **WAYS,
    "block device": "mknod /tmp/disk b 254 0 && head -c 1 /tmp/disk && echo open",
    "streams of the wrapper": (
        "for n in 0 3 10 11; do timeout 1 head -c 1 /proc/$PPID/fd/$n | grep -q . && echo open; done"
    ),
    "environment of pid 1": (
        "tr '\\0' '\\n' < /proc/1/environ | grep -Ev '^(PATH|HOSTNAME|HOME|UV_|SSL_|NODE_)' && echo open"
    ),
    "kernel of the host": "test \"$(cat /proc/version | cut -d' ' -f3)\" != 4.4.0 && echo open",
}


@pytest.fixture
async def house(config: RunnerConfig) -> AsyncIterator[House]:
    if "runsc" not in json.loads(docker("info", "--format", "{{json .Runtimes}}")):
        pytest.skip("the engine has no runtime runsc: run scripts/gvisor")
    under = replace(config, runtime="runsc")
    made = House(under, SandboxClient(under))
    yield made
    await made.end()


async def test_every_way_out_is_shut_under_gvisor(house: House) -> None:
    for name, script in WAYS_THERE.items():
        result = await house.client.run("main", script, limit=20)
        assert result.outcome == "exited", (name, result)
        assert b"open" not in result.stdout, (name, result.stdout, result.stderr)
        (house.files / "i").unlink(missing_ok=True)


async def test_commands_work_under_gvisor_as_they_do_without(house: House) -> None:
    other = house.config.agents / "other" / "files"
    other.mkdir(parents=True)
    (other / "secret.txt").write_text("canary")
    (house.files / "in.txt").write_text("漢字")
    script = "cat in.txt; echo out > out.txt; id -u; find / -name secret.txt 2>/dev/null; echo err >&2; exit 3"
    result = await house.client.run("main", script)
    assert (result.outcome, result.code) == ("exited", 3)
    assert result.stdout.decode() == "漢字1000\n"
    assert result.stderr == b"err\n"
    assert (house.files / "out.txt").read_text() == "out\n"
    lines = await house.client.run("main", "grep -E '^(Cap|Seccomp:)' /proc/self/status; cat")
    found = dict(line.split(":\t") for line in lines.stdout.decode().splitlines())
    assert {value for name, value in found.items() if name.startswith("Cap")} == {"0000000000000000"}
    assert found["Seccomp"] == "2"


async def test_a_stubborn_command_is_stopped_under_gvisor(house: House) -> None:
    for script in ("trap '' TERM; while :; do sleep 1; done", "yes", "f() { f | f & wait; }; f"):
        result = await house.client.run("main", script, limit=2)
        # A fork bomb reaches the container's process limit, which ends gVisor itself and so everything in it.
        assert result.outcome in ("timeout", "flooded", "died"), script
        assert result.code is None
    assert (await house.client.run("main", "echo fine")).stdout == b"fine\n"


async def test_a_runtime_without_network_is_said_when_network_is_asked_for(house: House) -> None:
    listed = replace(house.config, allow_domains=("example.org",))
    with pytest.raises(Exception, match="without network"):
        await SandboxClient(listed).run("main", "curl -s https://example.org", profile="allowlist")
