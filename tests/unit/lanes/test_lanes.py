"""One turn at a time in a session, many sessions at once, nothing dropped."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from appliance.agent.turn import TurnSteering
from appliance.lanes.policy import next_batch, on_arrival
from appliance.lanes.pool import Pool
from appliance.messages import Inbound, Mode, Person, Received, SessionKey


def received(row: int, session: str = "main", person: str = "owner", turn: str = "", deaths: int = 0) -> Received:
    inbound = Inbound(
        "web", "main", session, "message", str(row), f"m{row}", Person(person), SessionKey.web(session), 0.0
    )
    return Received(row, turn or f"t{row}", inbound, deaths=deaths)


class Runner:
    """Runs batches by waiting until it is told to go on."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.running = 0
        self.most = 0
        self.go = asyncio.Event()

    async def __call__(self, batch: Sequence[Received], steering: TurnSteering) -> None:
        self.batches.append([r.row for r in batch])
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.go.wait()
        finally:
            self.running -= 1


async def turns(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("mode", "running", "act"),
    [
        (Mode.STEER, True, "join"), (Mode.STEER, False, "queue"), (Mode.INTERRUPT, True, "interrupt"),
        (Mode.FOLLOWUP, True, "queue"), (Mode.COLLECT, True, "queue"),
    ],
)  # fmt: skip
def test_what_a_message_does_on_arrival(mode: Mode, running: bool, act: str) -> None:
    assert on_arrival(mode, running) == act


def test_messages_of_a_turn_that_was_cut_stay_together_and_alone() -> None:
    queue = [received(1, turn="t", deaths=1), received(2, turn="t", deaths=1), received(3)]
    assert next_batch(queue, [Mode.COLLECT] * 3) == 2


def test_people_of_a_group_are_not_read_together() -> None:
    queue = [received(1, person="a"), received(2, person="a"), received(3, person="b")]
    assert next_batch(queue, [Mode.STEER] * 3) == 2


async def test_a_session_runs_one_turn_and_sessions_run_side_by_side() -> None:
    runner = Runner()
    pool = Pool(runner, 8, lambda key: Mode.FOLLOWUP)
    for row, session in enumerate(("a", "a", "b", "c")):
        pool.put(received(row, session))
    await turns()
    assert runner.running == 3
    runner.go.set()
    await turns(30)
    assert sorted(runner.batches) == [[0], [1], [2], [3]]
    assert runner.most == 3


async def test_no_more_turns_than_allowed_run_at_once() -> None:
    runner = Runner()
    pool = Pool(runner, 2, lambda key: Mode.STEER)
    for row in range(6):
        pool.put(received(row, f"s{row}"))
    await turns()
    assert runner.running == 2
    runner.go.set()
    await turns(60)
    assert len(runner.batches) == 6
    assert runner.most == 2


async def test_a_change_of_the_session_waits_for_the_turn_and_comes_before_the_next() -> None:
    runner = Runner()
    pool = Pool(runner, 8, lambda key: Mode.FOLLOWUP)
    order: list[str] = []

    async def change() -> None:
        order.append(f"change after {len(runner.batches)}")

    pool.put(received(1))
    pool.put(received(2))
    await turns()
    waiting = asyncio.create_task(pool.alone(SessionKey.web("main"), change))
    await turns()
    assert order == []
    runner.go.set()
    await waiting
    assert order == ["change after 1"]
    await turns(30)
    assert runner.batches == [[1], [2]]


async def test_stop_ends_the_turn_and_what_waits_stays() -> None:
    runner = Runner()
    pool = Pool(runner, 8, lambda key: Mode.FOLLOWUP)
    pool.put(received(1))
    pool.put(received(2))
    await turns()
    assert pool.stop(SessionKey.web("main"))
    runner.go.set()
    await turns(30)
    assert runner.batches == [[1], [2]]
    assert not pool.stop(SessionKey.web("main"))


async def test_closing_lets_a_turn_end_and_starts_no_other() -> None:
    runner = Runner()
    pool = Pool(runner, 8, lambda key: Mode.FOLLOWUP)
    pool.put(received(1))
    pool.put(received(2))
    await turns()
    asyncio.get_running_loop().call_later(0.02, runner.go.set)
    await pool.close(5.0)
    assert runner.batches == [[1]]


class SteppedClock:
    """Time that moves when somebody sleeps; what a test puts into `then` happens during the first sleep."""

    def __init__(self) -> None:
        self.at = 0.0
        self.then: list[Callable[[], None]] = []

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds / 2
        if self.then:
            self.then.pop(0)()
        self.at += seconds / 2
        await asyncio.sleep(0)


def breath(row: int, gather: float = 0.3) -> Received:
    found = received(row)
    return replace(found, inbound=replace(found.inbound, options={"gather": gather}))


async def test_what_is_said_in_one_breath_is_one_turn() -> None:
    runner, clock = Runner(), SteppedClock()
    pool = Pool(runner, 2, lambda _: Mode.STEER, clock)
    clock.then = [lambda: pool.put(breath(2)), lambda: pool.put(breath(3))]
    pool.put(breath(1))
    await turns()
    assert runner.batches == [[1, 2, 3]]
    assert clock.at < 1
    runner.go.set()
    await pool.close()


async def test_somebody_who_types_on_is_answered_all_the_same() -> None:
    runner, clock = Runner(), SteppedClock()
    pool = Pool(runner, 2, lambda _: Mode.STEER, clock)
    clock.then = [lambda n=n: pool.put(breath(n)) for n in range(2, 60)]
    pool.put(breath(1))
    await turns(200)
    assert runner.batches[0][0] == 1
    assert clock.at <= 3.5
    runner.go.set()
    await pool.close()


async def test_a_message_without_a_breath_is_not_kept_waiting() -> None:
    runner, clock = Runner(), SteppedClock()
    pool = Pool(runner, 2, lambda _: Mode.STEER, clock)
    pool.put(received(1))
    await turns()
    assert runner.batches == [[1]]
    assert clock.at == 0
    runner.go.set()
    await pool.close()
