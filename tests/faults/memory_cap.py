"""Run the gateway and all its children under a cap on their memory, and count what became of every message.

    sudo python tests/faults/memory_cap.py                  the cap of compose.yaml, with a heavy load: nobody may die
    sudo python tests/faults/memory_cap.py --mebibytes 400  one that its children reach, which end in its place
    sudo python tests/faults/memory_cap.py --kills 4        one that it cannot live under, raised after so many deaths

The load: conversations side by side with large pictures, long messages and long pages. The cap is a cgroup, as a
container has one; the kernel ends a process when it is reached, and it is started again as Docker does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import itertools
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.loopback import LoopbackServer, Request, Response
from appliance.testing.process import GatewayProcess
from tests.faults.books import SESSIONS, Trouble, answer, damage, messages_of, money, quiet, tallied

MEBIBYTE = 1024 * 1024
COMPOSE_CAP = 1024 * MEBIBYTE
TOO_LOW_CAP = 112 * MEBIBYTE  # it starts under this, and dies when the first call loads a model's library
SIDES = (8_000, 6_000)
ROUNDS = 6
LONG = 20_000
_ROOT = Path("/sys/fs/cgroup")


@dataclass
class Capped(Trouble):
    """`largest_mib` is the gateway's own largest size, `ended` how many processes the kernel ended for memory."""

    largest_mib: float = 0.0
    ended: int = 0
    deaths: int = 0


class Cap:
    """A cgroup with a limit (version 1 or 2). `under` is put before a command that shall live in it."""

    def __init__(self, limit: int) -> None:
        old = _ROOT / "memory"
        self._limit_file = "memory.limit_in_bytes" if old.is_dir() else "memory.max"
        self._events_file = "memory.oom_control" if old.is_dir() else "memory.events"
        self._folder = (old if old.is_dir() else _ROOT) / f"appliance-fault-{os.getpid()}-{limit}"
        self._folder.mkdir()
        self.become(limit)
        self.under = ("sh", "-c", f'echo $$ >{self._folder}/cgroup.procs && exec "$@"', "sh")

    def become(self, limit: int) -> None:
        (self._folder / self._limit_file).write_text(str(limit))

    @property
    def ended(self) -> int:
        """How many processes the kernel ended here because the limit was reached."""
        lines = (self._folder / self._events_file).read_text().splitlines()
        return int(dict(line.split() for line in lines)["oom_kill"])

    def remove(self) -> None:
        self._folder.rmdir()


@contextlib.contextmanager
def capped(limit: int) -> Iterator[Cap]:
    """A cap, removed behind. Raises OSError where there is no cgroup to be had."""
    cap = Cap(limit)
    try:
        yield cap
    finally:
        cap.remove()


def usable() -> bool:
    """Whether this process may limit the memory of another."""
    with contextlib.suppress(OSError), capped(COMPOSE_CAP):
        return os.getuid() == 0
    return False


def pictures() -> list[tuple[str, bytes]]:
    """Media type and bytes of a photograph and of a drawing; decoded whole, the latter takes 350 MB."""
    from PIL import Image

    photograph, drawing = io.BytesIO(), io.BytesIO()
    Image.effect_noise((1_000, 750), 40).resize(SIDES).convert("RGB").save(photograph, "JPEG", quality=50)
    Image.linear_gradient("L").resize(SIDES).convert("RGB").save(drawing, "PNG", compress_level=1)
    return [("image/jpeg", photograph.getvalue()), ("image/png", drawing.getvalue())]


def answering(page: str) -> Any:
    """The fake provider's side: every fourth message has a long page fetched, the others are answered at once."""
    numbers = itertools.count()

    def reading(body: dict[str, Any]) -> Reply:
        last = body["messages"][-1]["content"]
        fetched = not isinstance(last, str) and any(block["type"] == "tool_result" for block in last)
        if fetched or "please read" not in str(last):
            return Reply(text="answer " + "and more " * 200, pieces=4)
        return Reply(tools=[("fetch", {"url": f"{page}{next(numbers)}"})])

    return reading


async def _page(request: Request) -> Response:
    text = "".join(f"<p>Paragraph {n} of {request.path} 你好 {'word ' * 60}</p>" for n in range(6_000))
    body = f"<html><title>Long</title><body>{text}</body></html>".encode()
    return Response(200, {"content-type": "text/html; charset=utf-8"}, body)


@contextlib.asynccontextmanager
async def capped_house(cap: Cap, **environ: str) -> AsyncIterator[tuple[GatewayProcess, FakeAnthropic]]:
    """A house that is not started yet, and its provider."""
    pages = LoopbackServer(_page)
    port = await pages.start()
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider:
            provider.default(answering(f"http://127.0.0.1:{port}/"))
            house = GatewayProcess(
                Path(folder) / "state", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_BUDGET__DAILY_USD="10000", APPLIANCE_WEB__ALLOWED_HOSTS=f'["127.0.0.1:{port}"]', **environ,
            )  # fmt: skip
            house.under = cap.under
            house.state.mkdir()
            try:
                yield house, provider
            finally:
                await house.close()
                await pages.stop()


async def under_load(rounds: int = ROUNDS, limit: int = COMPOSE_CAP) -> Capped:
    """Conversations side by side, each message with photographs, a long text, or a long page to read."""
    outcome, wanted = Capped(), set[str]()
    with capped(limit) as cap:
        async with capped_house(cap) as (house, provider):
            await house.start()
            house.client.timeout = 600.0
            seen = await asyncio.to_thread(pictures)

            async def talk(session: str) -> None:
                for number in range(rounds):
                    identity = f"{session}-{number}"
                    wanted.add(identity)
                    fields: dict[str, Any] = {"id": identity, "session": session}
                    if number % 3 == 0:
                        fields["attachments"] = [await _uploaded(house, identity, *picture) for picture in seen]
                    ask = "please read the page. " if number % 3 == 1 else ""
                    await house.post(ask + "a long text 你好 " * (LONG // 15), **fields)

            await asyncio.gather(*map(talk, SESSIONS))
            outcome.died, outcome.largest_mib = not house.alive, largest_mib(house.pid)
            await _compare(outcome, house, provider, wanted)
        outcome.ended = cap.ended
    return outcome


async def too_low(kills: int, limit: int = TOO_LOW_CAP) -> Capped:
    """Messages to a house that the kernel ends again and again, until its cap is raised."""
    outcome, rows = Capped(), messages_of(0, 8)
    with capped(limit) as cap:
        async with capped_house(cap) as (house, provider):
            provider.default(answer)
            sending = asyncio.gather(*(house.send(text, i, session=s, wait_seconds=240.0) for s, i, text in rows))
            while outcome.deaths < kills:
                with contextlib.suppress(RuntimeError):  # it died before it answered
                    await house.start()
                await _death(house)
                outcome.deaths += 1
            outcome.ended = cap.ended
            cap.become(COMPOSE_CAP)
            await house.start()
            await sending
            await _compare(outcome, house, provider, {i for _, i, _ in rows})
            outcome.twice += [f"the effect {number}" for number, times in tallied(house.state).items() if times != 1]
    return outcome


async def _compare(outcome: Capped, house: GatewayProcess, provider: FakeAnthropic, wanted: set[str]) -> None:
    answered = await quiet(house, wanted)
    outcome.lost = sorted(i for i in wanted if answered[i] == 0)
    outcome.twice = sorted(i for i, n in answered.items() if n > 1)
    await house.stop()
    outcome.damaged = damage(house.state) + money(house.state / "core.db", provider)


async def _death(house: GatewayProcess, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while house.alive:
        if time.monotonic() > until:
            raise RuntimeError("it lives under a cap that was taken for too low")
        await asyncio.sleep(0.05)


async def _uploaded(house: GatewayProcess, name: str, media_type: str, raw: bytes) -> dict[str, str]:
    response = await house.client.post(
        f"{house.url}/api/attachments?name={name}", content=raw, headers={"content-type": media_type}
    )
    response.raise_for_status()
    return {"id": response.json()["id"]}


def largest_mib(pid: int) -> float:
    """The largest size that a process has had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--mebibytes", type=int, default=0, help="another cap")
    given = parser.parse_args()
    cap_bytes = given.mebibytes * MEBIBYTE
    work = too_low(given.kills, cap_bytes or TOO_LOW_CAP) if given.kills else under_load(limit=cap_bytes or COMPOSE_CAP)
    result = asyncio.run(work)
    print(result)
    sys.exit(1 if result.bad else 0)
