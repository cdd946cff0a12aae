"""Commands that go on: followed, written to, ended, and found again after a restart."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from typing import Any

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.client import SandboxClient

from .conftest import House, docker, eventually

pytestmark = [pytest.mark.docker]


async def finished(house: House, job: str, seconds: float = 20) -> tuple[dict[str, Any], bytes]:
    state, data = await house.client.poll(job, wait=seconds)
    assert state["state"] not in ("starting", "running"), state
    return state, data


async def test_a_command_goes_on_and_its_output_and_end_are_known(house: House) -> None:
    job = await house.client.start("main", "echo 開始; sleep 1; echo end >&2; exit 4", label="agent:main:main\nowner")
    assert job["state"] == "running"
    state, data = await finished(house, job["id"])
    assert (state["state"], state["code"]) == ("exited", 4)
    assert data.decode() == "開始\nend\n"
    assert state["label"] == "agent:main:main\nowner"
    await eventually(lambda: not house.containers(), 10)


async def test_input_reaches_it_byte_by_byte_and_can_be_ended(house: House) -> None:
    job = await house.client.start("main", "od -An -v -tu1 | tr -s ' \\n' ' '")
    await house.client.write(job["id"], bytes(range(256)), close=True)
    _, data = await finished(house, job["id"])
    assert [int(word) for word in data.split()] == list(range(256))


async def test_a_conversation_with_a_program(house: House) -> None:
    job = await house.client.start("main", 'while read -r line; do echo "got $line"; done')
    await house.client.write(job["id"], "一\n".encode())
    await eventually(lambda: _has(house, job["id"], "got 一\n".encode()), 10)
    await house.client.write(job["id"], b"two\n")
    await eventually(lambda: _has(house, job["id"], b"got two\n"), 10)
    await house.client.kill(job["id"])


async def _has(house: House, job: str, text: bytes) -> bool:
    return text in (await house.client.poll(job))[1]


async def test_a_polite_kill_lets_it_tidy_up_and_a_kill_does_not_ask(house: House) -> None:
    polite = await house.client.start("main", "trap 'echo tidy; exit 3' TERM; while :; do sleep 0.1; done")
    await asyncio.sleep(0.7)
    await house.client.kill(polite["id"], polite=True)
    state, data = await finished(house, polite["id"])
    assert (state["code"], data) == (3, b"tidy\n")
    stubborn = await house.client.start("main", "trap '' TERM; while :; do sleep 0.1; done")
    state = await house.client.kill(stubborn["id"])
    assert (state["state"], state["code"]) == ("killed", None)
    await eventually(lambda: not house.containers(), 10)


async def test_it_ends_at_its_time(house: House) -> None:
    job = await house.client.start("main", "sleep 1000", lifetime=1)
    await eventually(lambda: _state(house, job["id"], "timeout"), 40)
    await eventually(lambda: not house.containers(), 10)


async def _state(house: House, job: str, state: str) -> bool:
    return bool((await house.client.poll(job))[0]["state"] == state)


async def test_its_output_is_read_by_position(house: House) -> None:
    job = await house.client.start("main", "for n in $(seq 1000); do echo line$n; done")
    state, _ = await finished(house, job["id"])
    whole = b"".join(b"line%d\n" % n for n in range(1, 1001))
    assert state["output"] == len(whole)
    seen, at = b"", 0
    while at < state["output"]:
        part, data = await house.client.poll(job["id"], start=at, limit=999)
        assert part["start"] == at
        seen, at = seen + data, part["next"]
    assert seen == whole
    assert (await house.client.poll(job["id"], start=-8))[1] == whole[-8:]


async def test_a_long_log_keeps_its_end(house: House) -> None:
    job = await house.client.start("main", "yes 0123456789abcde | head -c 12000000; echo; echo last")
    state, _ = await finished(house, job["id"], 60)
    assert state["output"] == 12_000_000 + 6
    assert state["first"] > 0
    assert (await house.client.poll(job["id"], start=-5))[1] == b"last\n"


async def test_it_goes_on_when_the_gateway_and_then_the_runner_die(house: House) -> None:
    job = await house.client.start(
        "main", "for n in 1 2 3 4 5 6 7 8 9; do echo $n; sleep 0.7; done; read -r x; echo $x"
    )
    await asyncio.sleep(1)
    os.kill(await house.pid(), signal.SIGKILL)
    await asyncio.sleep(1)
    reborn = SandboxClient(house.config)
    assert [found["id"] for found in await reborn.list()] == [job["id"]]
    await eventually(lambda: _has(house, job["id"], b"9\n"), 20)
    await reborn.write(job["id"], b"again\n")
    state, data = await finished(house, job["id"])
    assert (state["state"], state["code"]) == ("exited", 0)
    assert data == b"1\n2\n3\n4\n5\n6\n7\n8\n9\nagain\n"


async def test_one_that_ended_while_no_runner_lived_is_told_as_it_ended(house: House) -> None:
    job = await house.client.start("main", "sleep 1; echo done; exit 6")
    os.kill(await house.pid(), signal.SIGKILL)
    await asyncio.sleep(2)
    await eventually(lambda: _state(house, job["id"], "exited"), 20)
    state, data = await house.client.poll(job["id"])
    assert (state["code"], data) == (6, b"done\n")


async def test_one_whose_container_vanished_is_lost_never_a_success(house: House) -> None:
    job = await house.client.start("main", "sleep 100")
    for name in house.containers():
        if "-job-" in name:
            docker("rm", "-f", name)
    state, _ = await finished(house, job["id"])
    assert state["state"] in ("lost", "killed")
    assert state["code"] != 0


async def test_its_end_is_told_until_somebody_acknowledges_it(house: House) -> None:
    job = await house.client.start("main", "sleep 0.5", label="x")
    first = await house.client.ended([], 20)
    assert [found["id"] for found in first] == [job["id"]]
    assert [found["id"] for found in await house.client.ended([], 0)] == [job["id"]]
    assert await house.client.ended([job["id"]], 0) == ()


async def test_without_a_runner_it_ends_by_itself(house: House) -> None:
    """The lease: nobody renews it, so the container ends one to two leases later."""
    job = await house.client.start("main", "trap '' TERM HUP; sleep 1000")
    os.kill(await house.pid(), signal.SIGKILL)
    began = time.monotonic()
    await eventually(lambda: docker("inspect", "-f", "{{.State.Running}}", _name(house, job)) == "false", 70)
    assert time.monotonic() - began > 5


def _name(house: House, job: dict[str, Any]) -> str:
    return f"appliance-{house.owner[:8]}-job-{job['id']}"


async def test_too_many_at_once_are_refused(house: House) -> None:
    for _ in range(16):
        await house.client.start("main", "sleep 60")
    with pytest.raises(SandboxError, match="16 background commands"):
        await house.client.start("main", "sleep 60")
    for found in await house.client.list():
        await house.client.kill(found["id"])


@pytest.mark.parametrize("point", ["background_recorded", "background_created"])
async def test_a_kill_while_it_starts_leaves_no_container(
    house: House, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    monkeypatch.setenv("APPLIANCE_CRASH_AT", point)
    with pytest.raises(SandboxError, match="went away"):
        await house.client.start("main", "touch ran; sleep 100")
    monkeypatch.delenv("APPLIANCE_CRASH_AT")

    async def another() -> bool:
        # The kernel may close the killed runner's connections a moment before its socket.
        return (await house.client.health()).facts is not None

    await eventually(another, 30)
    found = await house.client.list()
    await eventually(lambda: _state(house, found[0]["id"], "lost"), 30)
    await eventually(lambda: not house.containers(), 20)
    assert not (house.files / "ran").exists()
