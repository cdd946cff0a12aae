"""Whatever is broken, a command for the sandbox never runs on this machine itself, though the owner turned that on."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from appliance.errors import ApplianceError
from appliance.messages import Person, Role, SessionKey
from appliance.sandbox.approvals import Decision
from appliance.sandbox.client import SandboxClient
from appliance.sandbox.host import HostCommands
from appliance.sandbox.plan import Plan
from appliance.sandbox.template import RunnerConfig
from appliance.tools.base import ToolContext
from appliance.tools.hosts import Hosts
from appliance.tools.permission import PolicyGate
from appliance.tools.shell import Exec

from .conftest import House, eventually


class WillingPeople:
    """The worst case: they always say yes, and everything is on their list."""

    def entries(self, host: str, network: str = "none") -> tuple[str, ...]:
        return ("touch ran",)

    async def request(self, plan: Plan, *, approver: str, session: str, why: str) -> Decision:
        return Decision(True, "Approved.", "a1", "once")

    async def redeem(self, approval: str, plan: Plan, /) -> None:
        """Every approval fits."""

    async def mark_used(self, segments: tuple[tuple[str, ...], ...], host: str, network: str = "none") -> None:
        """Nothing to note."""


def tool(client: SandboxClient, remote: SandboxClient | None = None) -> Exec:
    """exec as a house with every host turned on offers it, over a sandbox that is thought to be up."""
    gate = PolicyGate(WillingPeople())
    return Exec(client, gate=gate, usable=lambda: True, hosts=Hosts(gate, host=HostCommands(), remote=remote))


def context(files: Path) -> ToolContext:
    return ToolContext(SessionKey.main(), "main", Person("owner", role=Role.OWNER), "t", "c", files)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "agents/main/files").mkdir(parents=True)
    return tmp_path


def config_of(root: Path, **changes: object) -> RunnerConfig:
    made = RunnerConfig(
        socket=root / "r/socket", agents=root / "agents", state=root / "r", image="x", linger_seconds=1.0
    )
    return replace(made, **changes)  # type: ignore[arg-type]


async def test_the_host_itself_does_run_what_was_asked_for_there(root: Path) -> None:
    files = root / "agents/main/files"
    made = tool(SandboxClient(config_of(root), start_runner=False))
    assert (await made.run({"command": "touch ran", "host": "host"}, context(files))).ok
    assert (files / "ran").exists()


@pytest.mark.parametrize(
    "engine", ["unix:///nowhere/docker.sock", "ssh://nobody@127.0.0.1:1", "tcp://127.0.0.1:1", "x"]
)
async def test_without_an_engine_nothing_runs(root: Path, engine: str) -> None:
    files = root / "agents/main/files"
    client = SandboxClient(config_of(root, docker_host=engine))
    for host in ("sandbox", "remote"):
        with pytest.raises(ApplianceError):
            await tool(client, client).run({"command": "touch ran", "host": host}, context(files))
    await client.release()
    assert list(files.iterdir()) == []


async def test_without_a_runner_nothing_runs(root: Path) -> None:
    files = root / "agents/main/files"
    client = SandboxClient(config_of(root), start_runner=False)
    for arguments in ({"command": "touch ran"}, {"command": "touch ran", "background": True}):
        with pytest.raises(ApplianceError, match="runner does not answer"):
            await tool(client).run(arguments, context(files))
    assert list(files.iterdir()) == []


@pytest.mark.docker
async def test_without_the_image_nothing_runs(house: House) -> None:
    client = SandboxClient(replace(house.config, image="appliance-shell:never-built"))
    with pytest.raises(ApplianceError, match="never-built"):
        await tool(client, client).run({"command": "touch ran"}, context(house.files))
    with pytest.raises(ApplianceError, match="never-built"):
        await tool(client, client).run({"command": "touch ran", "host": "remote"}, context(house.files))
    assert not (house.files / "ran").exists()


@pytest.mark.docker
async def test_a_runner_killed_in_the_middle_is_a_failure_and_no_second_run(house: House) -> None:
    await house.ready()
    command = "echo once >> runs; sleep 30; echo late >> runs"
    task = asyncio.ensure_future(tool(house.client).run({"command": command}, context(house.files)))
    await eventually(lambda: (house.files / "runs").exists())
    os.kill(await house.pid(), signal.SIGKILL)
    with pytest.raises(ApplianceError, match="went away"):
        await task
    await eventually(lambda: not house.containers(), 30)
    assert (house.files / "runs").read_text() == "once\n"
