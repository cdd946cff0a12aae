"""Whatever is asked of the runner, the container it makes is the template's."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from appliance.sandbox import protocol
from appliance.sandbox.background import Jobs
from appliance.sandbox.protocol import RefusedError
from appliance.sandbox.runner import Runner
from appliance.sandbox.template import Engine, RunnerConfig
from tests.integration.sandbox.conftest import House, docker

FEATURES = Engine(quota=True, image_id="sha256:1", init="/i", shell="/s")
FORBIDDEN = (
    "image HostConfig Binds Mounts Privileged privileged NetworkMode network CapAdd cap_add Devices PidMode IpcMode "
    "UsernsMode SecurityOpt security_opt VolumesFrom User user Env env Entrypoint entrypoint Cmd runtime Runtime "
    "Labels cwd mounts volumes ports extra_hosts dns cgroup_parent sysctls ulimits memory cpus pids name owner until"
).split()


class Recorder:
    """Stands where the engine stands and keeps every create request."""

    remote = False

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []

    async def features(self, *, fresh: bool = False) -> Engine:
        return FEATURES

    async def create(self, body: dict[str, Any], name: str) -> None:
        self.bodies.append(body)
        raise RefusedError("far enough")

    async def kill(self, name: str, signal: str = "KILL") -> None: ...

    async def remove(self, name: str) -> None: ...

    async def close(self) -> None: ...


def random_request(dice: random.Random) -> bytes:
    """Mostly well-formed requests with odd values and, now and then, a field that tries to choose more."""
    texts = ["id", "echo 好", "'; rm -rf /", "--privileged", "-v /:/host", "$(id)", "\n", "a\0b", "x" * 3000, ""]
    fields: dict[str, Any] = {
        "op": dice.choice(["run", "run", "run", "start", "start", "exec", "create", ""]),
        "work": dice.choice(["main", "main", "main", "other", "../main", "/", "main/..", "MAIN", ""]),
        "command": dice.choice(texts),
        "timeout": dice.choice([1, 5.5, 3600, 86_400, 0, -1, "1", None]),
    }
    if dice.random() < 0.2:
        fields["argv"] = [dice.choice(texts) for _ in range(dice.randrange(4))]
        del fields["command"]
    if dice.random() < 0.3:
        fields["profile"] = dice.choice(["none", "allowlist", "host", "bridge", "container:x"])
    if dice.random() < 0.25:
        fields[dice.choice(FORBIDDEN)] = dice.choice([True, "host", ["ALL"], {"a": "b"}, "/:/host", 0])
    return json.dumps(fields).encode()


def without_deadline(body: dict[str, Any]) -> dict[str, Any]:
    labels = {key: value for key, value in body["Labels"].items() if key != "appliance.until"}
    return {**body, "Labels": labels}


async def test_ten_thousand_random_requests_make_only_the_templates_containers(tmp_path: Path) -> None:
    for agent in ("main", "other"):
        (tmp_path / "agents" / agent / "files").mkdir(parents=True)
    config = RunnerConfig(
        socket=tmp_path / "s", agents=tmp_path / "agents", state=tmp_path / "r", image="x", pool_size=0
    )
    engine = Recorder()
    runner = Runner(config, engine=engine)  # type: ignore[arg-type]
    runner.jobs = Jobs(config, engine, runner.owner, lambda name: None, runner.carrier)  # type: ignore[arg-type]
    dice = random.Random(20_26)
    answered = 0
    for _ in range(10_000):
        try:
            request = protocol.decode(random_request(dice))
            await runner._answer(request, b"")
        except RefusedError as refusal:
            answered += refusal.what == "far enough"
    await runner.close()
    assert answered == len(engine.bodies) > 300
    seen = {json.dumps(without_deadline(body), sort_keys=True) for body in engine.bodies}
    # Two work folders, in the foreground and in the background: four containers are all that can ever be made.
    assert len(seen) == 4
    for text in seen:
        _check(json.loads(text), tmp_path)


def _check(body: dict[str, Any], root: Path) -> None:
    host = body["HostConfig"]
    assert set(body) == {
        "Image", "Hostname", "User", "WorkingDir", "Env", "Entrypoint", "Cmd", "Labels", "OpenStdin", "StdinOnce",
        "AttachStdin", "AttachStdout", "AttachStderr", "Tty", "HostConfig",
    }  # fmt: skip
    assert set(host) == {
        "NetworkMode", "ReadonlyRootfs", "Tmpfs", "ShmSize", "CapDrop", "SecurityOpt", "Privileged", "PidsLimit",
        "Memory", "MemorySwap", "Ulimits", "Init", "IpcMode", "LogConfig", "AutoRemove", "RestartPolicy", "Mounts",
        "NanoCpus",
    }  # fmt: skip
    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["Privileged"]) == ("none", True, False)
    assert (host["CapDrop"], host["SecurityOpt"]) == (["ALL"], ["no-new-privileges"])
    assert host["Memory"] == host["MemorySwap"] == 512 << 20
    (mount,) = host["Mounts"]
    work = body["Labels"]["appliance.work"]
    assert (mount["Type"], mount["Source"]) == ("bind", str(root / "agents" / work / "files"))
    assert not body["User"].startswith("0:")
    assert body["Env"] == []


@pytest.mark.docker
async def test_the_engine_made_what_the_template_says(house: House) -> None:
    await house.ready()
    await house.client.start("main", "sleep 30")
    names = house.containers()
    assert len(names) >= 2
    for name in names:
        found = json.loads(docker("inspect", name))[0]
        host, settings = found["HostConfig"], found["Config"]
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"] is True
        assert host["CapDrop"] == ["ALL"]
        assert not host["CapAdd"]
        assert host["SecurityOpt"] == ["no-new-privileges"]
        assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (512 << 20, 512 << 20, 128)
        assert (host["Privileged"], host["PidMode"], host["IpcMode"]) == (False, "", "private")
        assert not host["Binds"]
        assert not host["VolumesFrom"]
        assert not host["Devices"]
        assert not host["PortBindings"]
        assert [mount["Destination"] for mount in found["Mounts"]] == ["/workspace"]
        assert settings["User"] not in ("", "0", "0:0")
        assert not any(word in json.dumps(settings["Env"]) for word in ("KEY", "TOKEN", "SECRET"))
        assert host["LogConfig"]["Type"] == ("json-file" if "-job-" in name else "none")
        assert {limit["Name"] for limit in host["Ulimits"]} == {"nofile", "core", "fsize"}


async def test_a_runner_refuses_other_users(tmp_path: Path) -> None:
    """The peer's user id is the kernel's word, not the client's."""
    config = RunnerConfig(
        socket=tmp_path / "s", agents=tmp_path, state=tmp_path / "r", image="x", allowed_uids=(4_294_967,)
    )
    runner = Runner(config, engine=Recorder())  # type: ignore[arg-type]
    server = await asyncio.start_unix_server(runner.connected, str(config.socket))
    async with server:
        reader, writer = await asyncio.open_unix_connection(str(config.socket))
        writer.write(b'{"op":"list"}\n')
        answer = json.loads(await asyncio.wait_for(reader.readline(), 5))
        writer.close()
    await runner.close()
    assert (answer["ok"], answer["refused"]) == (False, True)
