"""Commands on another machine's engine, over TLS and over ssh: the work folder goes there and comes back."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.client import SandboxClient
from appliance.sandbox.template import OWNER_LABEL, RunnerConfig

from .conftest import House, eventually
from .far_engine import FarEngine, SshServer, certificates, far_engine, ssh_server

pytestmark = [pytest.mark.docker]


@pytest.fixture(scope="module")
def engine(image: str) -> Iterator[FarEngine]:
    with tempfile.TemporaryDirectory(prefix="far-") as name, far_engine(Path(name), image) as made:
        yield made


@pytest.fixture(scope="module")
def ssh() -> Iterator[SshServer]:
    with tempfile.TemporaryDirectory(prefix="ssh-") as name, ssh_server(Path(name)) as made:
        yield made


class FarHouse(House):
    """A house whose commands run on the other machine."""

    far: FarEngine

    def containers(self) -> list[str]:
        return self._listed("-a")

    def running(self) -> list[str]:
        """Those that were started, so that the work folder is there."""
        return self._listed()

    def _listed(self, *options: str) -> list[str]:
        if not (self.config.state / "id").exists():
            return []
        words = ("ps", *options, "--format", "{{.Names}}", "--filter", f"label={OWNER_LABEL}={self.owner}")
        return self.far.docker(*words).split()


@pytest.fixture
async def house(config: RunnerConfig, engine: FarEngine) -> AsyncIterator[FarHouse]:
    over_tls = replace(config, docker_host=engine.tls, docker_certificates=str(engine.certificates), copy_mib=4)
    made = FarHouse(over_tls, SandboxClient(over_tls))
    made.far = engine
    yield made
    await made.end()
    assert engine.docker("volume", "ls", "-q") == ""


async def test_a_command_over_tls_sees_the_work_folder_and_its_changes_come_back(house: FarHouse) -> None:
    (house.files / "in.txt").write_text("there 漢字")
    (house.files / "old.txt").write_text("old")
    (house.files / "sub/deep").mkdir(parents=True)
    (house.files / "sub/deep/gone.txt").write_text("gone")
    (house.files / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (house.files / "run.sh").chmod(0o755)
    script = (
        "cat in.txt; ./run.sh; echo new > old.txt; rm -r sub; mkdir -p 資料; printf '\\0\\1' > 資料/x.bin; "
        "id -u; echo err >&2; exit 3"
    )
    result = await house.client.run("main", script)
    assert (result.outcome, result.code, result.detail) == ("exited", 3, "")
    assert result.stdout.decode() == "there 漢字ran\n1000\n"
    assert result.stderr == b"err\n"
    assert (house.files / "old.txt").read_text() == "new\n"
    assert (house.files / "資料/x.bin").read_bytes() == b"\0\1"
    assert not (house.files / "sub").exists()
    assert (house.files / "in.txt").read_text() == "there 漢字"
    assert os.access(house.files / "run.sh", os.X_OK)
    owner = house.files.stat().st_uid
    assert {path.stat().st_uid for path in (house.files / "old.txt", house.files / "資料/x.bin")} == {owner}
    await eventually(lambda: not house.containers())


async def test_its_container_is_the_templates_with_a_volume_for_the_folder(house: FarHouse) -> None:
    task = asyncio.ensure_future(house.client.run("main", "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; sleep 60"))
    await eventually(house.containers)
    (name,) = house.containers()
    shown = house.far.docker(
        "inspect", "--format", "{{json .HostConfig.Mounts}} {{.HostConfig.NetworkMode}} {{.HostConfig.ReadonlyRootfs}} "
        "{{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}} {{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} "
        "{{.HostConfig.PidsLimit}} {{.Config.User}} {{.HostConfig.AutoRemove}}", name,
    )  # fmt: skip
    expected = '[{"Type":"volume","Target":"/workspace"}] none true [ALL] [no-new-privileges] '
    assert shown == expected + f"{512 << 20} {512 << 20} 128 1000:1000 true"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await eventually(lambda: not house.containers())


async def test_an_edit_made_here_meanwhile_is_not_lost(house: FarHouse) -> None:
    for name in ("both.txt", "deleted.txt", "untouched.txt"):
        (house.files / name).write_text("before")
    script = "sleep 6; echo theirs > both.txt; rm deleted.txt; echo theirs > made.txt"
    task = asyncio.ensure_future(house.client.run("main", script, limit=60))
    await eventually(house.running)
    for name in ("both.txt", "deleted.txt", "made.txt"):
        (house.files / name).write_text("ours")
    result = await task
    assert (result.outcome, result.code) == ("exited", 0)
    for name in ("both.txt", "deleted.txt", "made.txt"):
        assert (house.files / name).read_text() == "ours", name
    beside = sorted(path.name for path in house.files.glob("*.from-command-*"))
    assert [name.partition(".txt")[0] for name in beside] == ["both", "made"]
    assert all((house.files / name).read_text() == "theirs\n" for name in beside)
    assert "changed here while the command ran" in result.detail
    assert "deleted.txt" in result.detail


async def test_links_and_special_files_neither_go_nor_come(house: FarHouse, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    (house.files / "link").symlink_to(outside)
    (house.files / "folder").symlink_to(tmp_path)
    script = (
        "ls -A; ln -s /etc/passwd made; mkfifo pipe; echo x > plain; ln plain second; "
        "rm -f link folder; echo theirs > link; mkdir folder; echo theirs > folder/outside.txt"
    )
    result = await house.client.run("main", script)
    assert (result.outcome, result.code, result.stdout) == ("exited", 0, b"")
    assert outside.read_text() == "secret"
    assert (house.files / "link").is_symlink()
    assert (house.files / "folder").is_symlink()
    assert not os.path.lexists(house.files / "made")
    assert not os.path.lexists(house.files / "pipe")
    assert (house.files / "plain").read_text() == (house.files / "second").read_text() == "x\n"
    assert "links and special files are not copied back: made, pipe" in result.detail
    assert "2 links or special files were not copied there" in result.detail


async def test_a_folder_that_is_too_large_is_refused_before_anything_runs(house: FarHouse) -> None:
    (house.files / "big").write_bytes(bytes(5 << 20))
    with pytest.raises(SandboxError, match="at most 4 MiB"):
        await house.client.run("main", "touch ran")
    assert not (house.files / "ran").exists()


async def test_leaving_more_than_can_come_back_is_no_success(house: FarHouse) -> None:
    (house.files / "kept").write_text("as it was")
    result = await house.client.run("main", "echo new > kept; head -c 400000000 /dev/zero > big; echo done")
    assert (result.outcome, result.code, result.stdout) == ("uncopied", None, b"done\n")
    assert "too much to copy back" in result.detail
    assert (house.files / "kept").read_text() == "as it was"


async def test_at_its_limit_it_is_stopped_and_what_it_wrote_comes_back(house: FarHouse) -> None:
    began = time.monotonic()
    result = await house.client.run("main", "echo here > w; trap '' TERM; yes > /dev/null & sleep 300", limit=2)
    assert (result.outcome, result.code) == ("timeout", None)
    assert time.monotonic() - began < 30
    assert (house.files / "w").read_text() == "here\n"
    await eventually(lambda: not house.containers())


async def test_a_command_that_kills_its_container_is_no_success(house: FarHouse) -> None:
    result = await house.client.run("main", "echo x > w; kill -9 -1; sleep 5; exit 0", limit=10)
    assert (result.outcome, result.code) == ("died", None)
    assert "not copied back" in result.detail


async def test_a_killed_runner_leaves_nothing_there(house: FarHouse) -> None:
    task = asyncio.ensure_future(house.client.run("main", "trap '' TERM; sleep 300"))
    await eventually(house.running)
    os.kill(await house.pid(), 9)
    with pytest.raises(SandboxError, match="went away"):
        await task
    await eventually(lambda: not house.containers(), 30)


async def test_a_background_command_brings_its_files_back_when_it_ends(house: FarHouse) -> None:
    (house.files / "in").write_text("given")
    job = await house.client.start("main", "cat in; read line; echo $line > out; echo bye")
    await house.client.write(job["id"], "好\n".encode())
    state, data = await house.client.poll(job["id"], wait=30)
    assert (state["state"], state["code"], data) == ("exited", 0, b"givenbye\n")
    assert (house.files / "out").read_text() == "好\n"
    other = await house.client.start("main", "echo partly > part; echo written; sleep 300")

    async def written() -> bool:
        return b"written" in (await house.client.poll(other["id"]))[1]

    await eventually(written)
    assert (await house.client.kill(other["id"]))["state"] == "killed"
    assert (house.files / "part").read_text() == "partly\n"
    await eventually(lambda: not house.containers())


async def test_a_certificate_of_another_authority_is_not_trusted(house: FarHouse, tmp_path: Path) -> None:
    certificates(tmp_path / "other", {"client": ""})
    config = replace(house.config, docker_certificates=str(tmp_path / "other/client"))
    with pytest.raises(SandboxError, match=r"not one that ca\.pem vouches for"):
        await SandboxClient(config).run("main", "touch ran")
    assert not (house.files / "ran").exists()


async def test_a_command_over_ssh_does_the_same(
    house: FarHouse, engine: FarEngine, ssh: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    over_ssh = replace(
        house.config,
        docker_host=f"ssh://root@127.0.0.1:{ssh.port}{engine.local.removeprefix('unix://')}",
        docker_certificates="",
    )
    # ssh asks the password database for its user's home, so the test's own settings come by a wrapper in PATH.
    wrapper = ssh.home / "bin/ssh"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {ssh.home}/.ssh/config "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    (house.files / "in.txt").write_text("over ssh")
    client = SandboxClient(over_ssh)
    result = await client.run("main", "cat in.txt; echo back > out.txt; exit 4")
    assert (result.outcome, result.code, result.stdout) == ("exited", 4, b"over ssh")
    assert (house.files / "out.txt").read_text() == "back\n"
    assert (await client.health()).ok


async def test_an_ssh_host_that_nobody_knows_is_refused(house: FarHouse, ssh: SshServer) -> None:
    config = replace(house.config, docker_host=f"ssh://root@localhost:{ssh.port}", docker_certificates="")
    with pytest.raises(SandboxError, match="cannot be reached by ssh"):
        await SandboxClient(config).run("main", "touch ran")
    assert not (house.files / "ran").exists()


async def test_a_real_engine_that_stops_and_starts_again_is_never_a_success(house: FarHouse, engine: FarEngine) -> None:
    """The same engine by its socket, so that the pool and the background are in play too."""
    config = replace(house.config, docker_host=engine.local, docker_certificates="", engine_seconds=5.0)
    here = FarHouse(config, SandboxClient(config))
    here.far = engine
    await here.ready()
    job = await here.client.start("main", "sleep 300; touch late")
    task = asyncio.ensure_future(here.client.run("main", "sleep 300; exit 0", limit=60))
    await asyncio.sleep(1)
    await asyncio.to_thread(engine.stop)
    result = await asyncio.wait_for(task, 60)
    assert (result.outcome, result.code) == ("died", None)
    with pytest.raises(SandboxError, match="Docker engine"):
        await here.client.run("main", "touch ran", limit=5)
    assert not (await here.client.health()).ok
    await asyncio.to_thread(engine.start)
    assert (await here.client.run("main", "echo back", limit=30)).stdout == b"back\n"
    state, _ = await here.client.poll(job["id"], wait=30)
    assert state["state"] in ("killed", "exited", "lost")
    assert state["code"] != 0
    assert sorted(path.name for path in here.files.iterdir()) == []
    await here.client.release()
    await eventually(lambda: not here.containers(), 60)
