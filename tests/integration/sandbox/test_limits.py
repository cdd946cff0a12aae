"""Commands that do not want to end, or want everything: stopped at their limit, and never called a success."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from appliance.sandbox import output
from appliance.sandbox.client import SandboxClient

from .conftest import House, docker, eventually

pytestmark = [pytest.mark.docker]


def memory_kib(pid: int) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])


STUBBORN = {
    "sleeps": "sleep 1000",
    "ignores TERM": "trap '' TERM INT HUP; while :; do sleep 1; done",
    "floods stdout": "yes",
    "floods stderr": "yes >&2",
    "floods both": "yes & yes >&2",
    "forks without end": "f() { f | f & wait; }; f",
    "spins": "while :; do :; done",
    "one endless line": "tr '\\0' x < /dev/zero",
    "binary noise": "cat /dev/urandom",
    "stops itself": "kill -STOP $$",
    "waits for input": "exec 0<>/tmp/fifo 2>/dev/null; tail -f /dev/null",
}


async def test_every_stubborn_command_is_stopped_at_its_limit(house: House) -> None:
    await house.ready()
    before = memory_kib(await house.pid())
    for name, script in STUBBORN.items():
        await house.ready()
        began = time.monotonic()
        result = await house.client.run("main", script, limit=2)
        took = time.monotonic() - began
        assert result.outcome in ("timeout", "flooded"), (name, result.outcome, result.stderr[:200])
        assert result.code is None, name
        assert took < 4.5, (name, took)
        assert len(result.stdout) + len(result.stdout_tail) <= 1 << 20, name
    await eventually(lambda: memory_kib_of_ready(house, before), 10)


async def memory_kib_of_ready(house: House, before: int) -> bool:
    return memory_kib(await house.pid()) < before + 50 * 1024


async def test_a_fork_bomb_whose_first_process_ends_is_over_with_it(house: House) -> None:
    result = await house.client.run("main", ":(){ :|:& };:", limit=10)
    assert result.outcome in ("exited", "timeout")
    assert (await house.client.run("main", "echo fine")).stdout == b"fine\n"


async def test_children_in_the_background_do_not_hold_up_the_answer(house: House) -> None:
    await house.ready()
    began = time.monotonic()
    result = await house.client.run("main", "sleep 100 & yes > /dev/null & (sleep 50; echo late) & echo now")
    assert (result.outcome, result.code, result.stdout) == ("exited", 0, b"now\n")
    assert time.monotonic() - began < 3


async def test_a_command_that_closes_its_streams_ends_as_it_ended(house: House) -> None:
    result = await house.client.run("main", "exec >&- 2>&- <&-; exit 4")
    assert (result.outcome, result.code) == ("exited", 4)


async def test_a_pipe_left_unable_to_wait_still_brings_the_exit_code(house: House) -> None:
    script = """
import fcntl, os, sys
for fd in (1, 2):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)
wrote = 0
try:
    while wrote < 50_000_000:
        wrote += os.write(1, b'z' * 65536)
except BlockingIOError:
    pass
os._exit(6)
"""
    result = await house.client.run("main", f"python3 -c '{script}'".replace("b'z'", 'b"z"'))
    assert (result.outcome, result.code) == ("exited", 6)


@pytest.mark.parametrize("script", ["kill -9 -1", "kill -9 $PPID", "kill -9 0"])
async def test_a_command_that_kills_everything_around_it_is_no_success(house: House, script: str) -> None:
    result = await house.client.run("main", f"echo before; {script}; sleep 5; exit 0", limit=10)
    assert (result.outcome, result.code) == ("died", None)
    assert "ended before it did" in result.detail


async def test_a_polite_kill_of_the_group_is_an_ordinary_end(house: House) -> None:
    result = await house.client.run("main", "trap 'exit 7' TERM; kill 0; sleep 5", limit=10)
    assert (result.outcome, result.code) == ("exited", 7)


async def test_too_much_memory_kills_the_command_not_the_answer(house: House) -> None:
    result = await house.client.run("main", "python3 -c 'x = bytearray(2 << 30); print(len(x))'", limit=60)
    assert result.code != 0
    assert b"2147483648" not in result.stdout


async def test_a_ten_gigabyte_file_stops_at_the_file_limit(house: House) -> None:
    result = await house.client.run("main", "fallocate -l 10G big; echo $?; ls -s big 2>/dev/null", limit=60)
    assert result.outcome == "exited"
    assert not (house.files / "big").exists() or (house.files / "big").stat().st_size <= 2 << 30


@pytest.mark.skipif(os.getuid() != 0, reason="mounts a small disk")
async def test_a_nearly_full_disk_ends_the_command(house: House) -> None:
    mounted = house.files
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=280m,mode=777", "tmpfs", str(mounted)], check=True)
    try:
        script = "head -c 100000000 /dev/zero > big; sleep 60"
        result = await house.client.run("main", script, limit=30)
        assert (result.outcome, result.code) == ("disk", None)
    finally:
        for name in house.containers():
            docker("rm", "-f", name)
        subprocess.run(["umount", str(mounted)], check=True)


async def test_a_flood_is_ended_before_its_limit(house: House) -> None:
    began = time.monotonic()
    result = await house.client.run("main", "tr '\\0' x < /dev/zero", limit=300)
    assert result.outcome == "flooded"
    assert result.stdout_total + result.stderr_total <= output.FLOOD + (1 << 20)
    assert time.monotonic() - began < 120


async def test_cancelling_ends_the_command(house: House) -> None:
    await house.ready()
    task = asyncio.ensure_future(house.client.run("main", "sleep 300; echo late > late"))
    await asyncio.sleep(0.5)
    running = set(house.containers())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    facts = (await house.client.health()).facts
    assert facts is not None
    assert facts["running"] == 0
    await eventually(lambda: len(running - set(house.containers())) >= 1, 10)
    assert not (house.files / "late").exists()


async def test_a_container_removed_from_outside_is_no_success(house: House) -> None:
    await house.ready()
    task = asyncio.ensure_future(house.client.run("main", "sleep 30"))
    await asyncio.sleep(0.5)
    for name in house.containers():
        docker("rm", "-f", name)
    result = await asyncio.wait_for(task, 20)
    assert (result.outcome, result.code) == ("died", None)
    assert (await house.client.run("main", "echo again")).stdout == b"again\n"


async def test_a_killed_runner_takes_its_commands_along(house: House) -> None:
    """Nobody is left who could own them: their standard input ends, and so do they."""
    await house.ready()
    task = asyncio.ensure_future(house.client.run("main", "trap '' TERM; sleep 300"))
    await asyncio.sleep(0.5)
    os.kill(await house.pid(), signal.SIGKILL)
    with pytest.raises(Exception, match="went away"):
        await task
    await eventually(lambda: not house.containers(), 20)


async def test_a_gateway_that_vanishes_ends_its_command_and_leaves_the_runner(house: House) -> None:
    await house.ready()
    pid = await house.pid()
    reader, writer = await asyncio.open_unix_connection(str(house.config.socket))
    writer.write(b'{"op":"run","work":"main","command":"sleep 300"}\n')
    await writer.drain()
    await asyncio.sleep(0.5)
    writer.transport.abort()
    del reader
    other = SandboxClient(house.config)
    facts = None
    for _ in range(50):
        facts = (await other.health()).facts
        if facts is not None and facts["running"] == 0:
            break
        await asyncio.sleep(0.1)
    assert facts is not None
    assert (facts["running"], facts["pid"]) == (0, pid)


async def test_a_runner_nobody_needs_ends_and_leaves_nothing(house: House) -> None:
    brief = SandboxClient(replace(house.config, linger_seconds=1.0))
    await brief.run("main", "true")
    await eventually(lambda: not house.config.socket.exists(), 20)
    await eventually(lambda: not house.containers(), 10)


async def test_a_released_runner_ends_at_once(house: House) -> None:
    await house.client.run("main", "true")
    await house.client.release()
    await eventually(lambda: not house.config.socket.exists(), 20)
    assert (await house.client.run("main", "echo back")).stdout == b"back\n"


async def test_a_second_runner_of_the_same_state_steps_back(house: House) -> None:
    pid = await house.pid()
    clients = [SandboxClient(house.config) for _ in range(4)]
    await asyncio.gather(*(client.health() for client in clients))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "appliance.sandbox",
        house.config.to_json(),  # type: ignore[attr-defined]
    )
    await process.wait()
    await asyncio.sleep(1)
    assert await house.pid() == pid


async def test_twenty_at_once_are_all_answered_in_line(house: House) -> None:
    results = await asyncio.gather(*(house.client.run("main", f"echo {n}") for n in range(20)))
    assert [result.stdout for result in results] == [b"%d\n" % n for n in range(20)]


async def test_unowned_containers_of_ours_are_swept(house: House) -> None:
    await house.client.health()
    name = f"stray-{house.owner}"
    labels = ("--label", f"appliance.composition.owner={house.owner}", "--label", "appliance.kind=command")
    docker("run", "-d", "--name", name, *labels, "--network", "none", house.config.image, "sleep", "1000")
    assert name in house.containers()
    await eventually(lambda: name not in house.containers(), 60)
