"""Commands on this machine itself: exactly the words of the plan, bounded in every way, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.host import HostCommands, leading_outside
from appliance.sandbox.output import KEEP
from appliance.sandbox.plan import Plan, bind

from .conftest import eventually


def plan(folder: Path, *segments: tuple[str, ...], environment: tuple[tuple[tuple[str, str], ...], ...] = ()) -> Plan:
    return bind(segments, folder=folder, environment=environment, host="host")


def running(mark: str) -> list[str]:
    return subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True).stdout.split()


async def test_words_reach_the_program_as_they_were_shown(tmp_path: Path) -> None:
    words = ("printf", "%s|", "a b", "$HOME", "`id`", "$(id)", "x'y", '"', "", "*", "新\n行", "; id", "| id", "> f")
    result = await HostCommands().run(plan(tmp_path, words), 10)
    assert (result.outcome, result.code) == ("exited", 0)
    assert result.stdout.decode() == "a b|$HOME|`id`|$(id)|x'y|\"||*|新\n行|; id|| id|> f|"
    assert list(tmp_path.iterdir()) == []


async def test_no_shell_and_one_process_a_segment(tmp_path: Path) -> None:
    program = (
        "import os; print(os.getpid(), os.getppid(), open(f'/proc/{os.getppid()}/cmdline').read().split(chr(0))[3])"
    )
    result = await HostCommands().run(plan(tmp_path, ("python3", "-c", program), ("cat",)), 10)
    _, _, parent = result.stdout.decode().split()
    assert parent.endswith("host_run.py")


async def test_segments_are_joined_and_the_last_ones_code_counts(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("b\na\nc\n")
    run = HostCommands().run
    result = await run(plan(tmp_path, ("sort", "in.txt"), ("head", "-n", "2"), ("tr", "a-z", "A-Z")), 10)
    assert (result.stdout, result.code) == (b"A\nB\n", 0)
    assert (await run(plan(tmp_path, ("yes",), ("head", "-n", "1")), 10)).stdout == b"y\n"
    failed = await run(plan(tmp_path, ("cat", "missing"), ("grep", "x")), 10)
    assert (failed.outcome, failed.code) == ("exited", 1)
    assert b"missing" in failed.stderr
    assert (await run(plan(tmp_path, ("sh", "-c", "kill -9 $$")), 10)).code == 137


async def test_nothing_of_the_gateways_environment_or_files_is_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-canary-0123456789")
    monkeypatch.setenv("LD_PRELOAD", "")
    held = (tmp_path.parent / "held").open("w")
    os.set_inheritable(held.fileno(), True)
    names = (("LC_ALL", "C"),)
    result = await HostCommands("Europe/Berlin").run(plan(tmp_path, ("env",), environment=(names,)), 10)
    held.close()
    found = dict(line.split("=", 1) for line in result.stdout.decode().splitlines())
    assert found == {
        "PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8", "TERM": "dumb", "TZ": "Europe/Berlin",
        "LC_ALL": "C",
    }  # fmt: skip
    listed = await HostCommands().run(plan(tmp_path, ("ls", "-l", "/proc/self/fd")), 10)
    assert b"held" not in listed.stdout
    assert len(listed.stdout.splitlines()) == 5  # a heading, three streams and the folder itself
    told = await HostCommands().run(plan(tmp_path, ("cat",)), 5)
    assert (told.stdout, told.code) == (b"", 0)


@pytest.mark.parametrize(
    "words",
    [
        ("sh", "-c", "trap '' TERM HUP INT; while :; do sleep 987; done"),
        ("sh", "-c", "setsid sleep 987 & setsid sh -c 'trap \"\" TERM; sleep 987' & sleep 987"),
        ("sh", "-c", "(sleep 987 &) ; sleep 987"),
        ("sh", "-c", "kill -STOP $$; sleep 987"),
    ],
)
async def test_at_its_limit_everything_it_started_is_gone(tmp_path: Path, words: tuple[str, ...]) -> None:
    began = time.monotonic()
    result = await HostCommands().run(plan(tmp_path, words), 1)
    assert (result.outcome, result.code) == ("timeout", None)
    assert time.monotonic() - began < 5
    assert running("sleep 987") == []


async def test_what_goes_on_in_the_background_ends_with_the_command(tmp_path: Path) -> None:
    words = ("sh", "-c", "setsid nohup sleep 986 >/dev/null 2>&1 & echo started")
    result = await HostCommands().run(plan(tmp_path, words), 10)
    assert (result.outcome, result.stdout) == ("exited", b"started\n")
    assert running("sleep 986") == []


async def test_cancelling_ends_it(tmp_path: Path) -> None:
    words = ("sh", "-c", "setsid sleep 985 & sleep 985; touch late")
    task = asyncio.ensure_future(HostCommands().run(plan(tmp_path, words), 60))
    await eventually(lambda: len(running("sleep 985")) >= 3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert running("sleep 985") == []
    assert not (tmp_path / "late").exists()


async def test_a_killed_gateway_takes_its_commands_along(tmp_path: Path) -> None:
    script = (
        "import asyncio, pathlib, sys\n"
        "from appliance.sandbox.host import HostCommands\n"
        "from appliance.sandbox.plan import bind\n"
        "words = ('sh', '-c', 'setsid sleep 984 & sleep 984')\n"
        "plan = bind((words,), folder=pathlib.Path(sys.argv[1]), host='host')\n"
        "asyncio.run(HostCommands().run(plan, 60))\n"
    )
    gateway = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
    await eventually(lambda: len(running("^sleep 984")) == 2)
    gateway.send_signal(signal.SIGKILL)
    gateway.wait(10)
    await eventually(lambda: not running("^sleep 984"))


async def test_output_is_bounded(tmp_path: Path) -> None:
    program = "import sys\nfor n in range(100): sys.stdout.write(chr(65 + n % 26) * 1000000)"
    result = await HostCommands().run(plan(tmp_path, ("python3", "-c", program)), 60)
    assert result.stdout_total == 100_000_000
    assert (result.stdout, result.stdout_tail) == (b"A" * (KEEP // 2), b"V" * (KEEP // 2))
    flood = await HostCommands().run(plan(tmp_path, ("tr", "\\0", "x"), ("cat",)), 10)
    assert flood.code == 0
    endless = await HostCommands().run(plan(tmp_path, ("yes",)), 300)
    assert (endless.outcome, endless.code) == ("flooded", None)


async def test_a_program_that_is_not_in_a_trusted_folder_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "curl").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "curl").chmod(0o755)
    with pytest.raises(SandboxError, match="did not run"):
        await HostCommands().run(plan(tmp_path, ("no-such-program-at-all",)), 10)
    await HostCommands().run(plan(tmp_path, ("curl", "--version")), 10)
    assert not (tmp_path / "ran").exists()


async def test_another_folder_in_the_approved_ones_place_runs_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    approved = plan(folder, ("touch", "ran"))
    folder.rename(tmp_path / "moved")
    folder.mkdir()
    with pytest.raises(SandboxError, match="no longer the one that was approved"):
        await HostCommands().run(approved, 10)
    assert list(folder.iterdir()) == []


def test_links_out_of_the_work_folder_are_seen(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    (folder / "sub").mkdir(parents=True)
    (folder / "plain").write_text("x")
    (folder / "inner").symlink_to("plain")
    (folder / "out").symlink_to("/etc/hostname")
    (folder / "dangling").symlink_to("/nowhere/at/all")
    (folder / "up").symlink_to("..")
    (folder / "loop").symlink_to("loop")
    for words in (
        ("head", "plain"),
        ("head", "inner"),
        ("grep", "root", "sub"),
        ("ls", "."),
        ("echo", "missing"),
        ("grep", "s/../../x", "a/../../b"),
        ("head", "up/files/plain"),
    ):
        assert leading_outside(folder, words) == "", words
    for words in (
        ("head", "out"), ("head", "./out"), ("grep", "--file=out", "plain"), ("grep", "-fout", "plain"),
        ("head", "sub/../out"), ("cp", "plain", "up/new"), ("ls", "up"), ("head", "dangling"), ("head", "loop"),
    ):  # fmt: skip
        assert leading_outside(folder, words), words
