"""The pool on its own: who waits first is served first, nothing is used twice, failures do not spin."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.container import Ready
from appliance.sandbox.pool import Key, Pool

MAIN: Key = ("main", "none")


class Factory:
    """Makes containers out of socket pairs; `gate` holds starts back, `fail` makes the next ones fail."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.buried: list[str] = []
        self.fail = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.starting = 0
        self.most_starting = 0
        self._ends: dict[str, socket.socket] = {}

    async def boot(self, key: Key) -> Ready:
        self.starting += 1
        self.most_starting = max(self.most_starting, self.starting)
        try:
            await self.gate.wait()
            await asyncio.sleep(0)
            if self.fail:
                self.fail -= 1
                raise SandboxError("no engine")
        finally:
            self.starting -= 1
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        name = f"c{len(self.made)}"
        self.made.append(name)
        self._ends[name] = theirs
        return Ready(name, key[0], ours, "/")

    def end(self, name: str) -> None:
        self._ends.pop(name).close()

    def close(self) -> None:
        for sock in self._ends.values():
            sock.close()


@pytest.fixture
def factory() -> Iterator[Factory]:
    made = Factory()
    yield made
    made.close()


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def test_a_container_is_given_out_once(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=2)
    taken = [await pool.take(MAIN) for _ in range(10)]
    assert len({ready.name for ready in taken}) == 10
    for ready in taken:
        ready.close()
    await pool.close()


async def test_who_waits_first_is_served_first(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=2)
    factory.gate.clear()
    order: list[int] = []

    async def wait(number: int) -> None:
        ready = await pool.take(MAIN)
        order.append(number)
        ready.close()

    tasks = [asyncio.ensure_future(wait(number)) for number in range(8)]
    await settle()
    factory.gate.set()
    await asyncio.gather(*tasks)
    assert order == list(range(8))
    assert factory.most_starting <= 3
    await pool.close()


async def test_a_waiting_folder_is_not_starved_by_refills_of_another(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=8)
    pool.warm(MAIN)
    factory.gate.clear()
    first = asyncio.ensure_future(pool.take(("other", "none")))
    await settle()
    factory.gate.set()
    ready = await asyncio.wait_for(first, 1)
    assert ready.work == "other"
    ready.close()
    await pool.close()


async def test_how_many_stand_ready_follows_use_up_to_the_limit(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=3)
    pool.warm(MAIN)
    await settle()
    assert pool.ready == 1
    for _ in range(5):
        (await pool.take(MAIN)).close()
        pool.tend()
        await settle()
    assert pool.ready == 3
    await pool.close()


async def test_all_folders_together_have_a_limit(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=2, most=4)
    for number in range(10):
        pool.warm((f"a{number}", "none"))
    await settle()
    assert pool.ready == 4
    await pool.close()


async def test_without_a_pool_each_command_gets_a_cold_start(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=0)
    pool.warm(MAIN)
    await settle()
    assert pool.ready == 0
    (await pool.take(MAIN)).close()
    await settle()
    assert factory.made == ["c0"]
    await pool.close()


async def test_a_container_that_died_while_it_waited_is_passed_over(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=1)
    pool.warm(MAIN)
    await settle()
    factory.end("c0")
    ready = await pool.take(MAIN)
    assert ready.name == "c1"
    assert factory.buried == ["c0"]
    ready.close()
    await pool.close()


async def test_whoever_waits_hears_why_and_the_pool_does_not_spin(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=2)
    factory.fail = 10_000
    with pytest.raises(SandboxError, match="no engine"):
        await pool.take(MAIN)
    await settle()
    assert factory.fail >= 9_997
    assert str(pool.last_error) == "no engine"
    factory.fail = 0
    (await pool.take(MAIN)).close()
    assert pool.last_error is None
    await pool.close()


async def test_a_cancelled_wait_gives_its_container_to_the_next(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=1)
    factory.gate.clear()
    first = asyncio.ensure_future(pool.take(MAIN))
    second = asyncio.ensure_future(pool.take(MAIN))
    await settle()
    first.cancel()
    factory.gate.set()
    (await asyncio.wait_for(second, 1)).close()
    with pytest.raises(asyncio.CancelledError):
        await first
    await pool.close()


async def test_closing_buries_what_waits_and_ends_who_waits(factory: Factory) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=2)
    pool.warm(MAIN)
    await settle()
    factory.gate.clear()
    waiting = [asyncio.ensure_future(pool.take(("other", "none"))) for _ in range(4)]
    await settle()
    await pool.close()
    assert factory.buried == ["c0"]
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(result, SandboxError) for result in results)


async def test_containers_are_wanted_only_where_somebody_asked_lately(
    factory: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(factory.boot, factory.buried.append, size=2)
    assert pool.wanted == 0
    pool.warm(MAIN)
    assert pool.wanted == 1
    (await pool.take(MAIN)).close()
    assert pool.wanted == 2
    monkeypatch.setattr("appliance.sandbox.pool._IDLE", -1.0)
    assert pool.wanted == 0
    await pool.close()
    none = Pool(factory.boot, factory.buried.append, size=0)
    none.warm(MAIN)
    assert none.wanted == 0
    await none.close()
