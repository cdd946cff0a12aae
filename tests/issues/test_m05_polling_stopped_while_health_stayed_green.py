"""After network errors the channel called itself connected and never polled again, for 29 hours."""

from __future__ import annotations

from pathlib import Path

from appliance.observability.health import State
from appliance.testing.fake_telegram import FakeTelegram
from tests.telegram_bench import OWNER, Bench


async def test_an_update_is_answered_within_30_seconds_of_repair(paired: Bench) -> None:
    def dropped() -> int:
        return len([c for c in paired.telegram.calls("getUpdates") if c.outcome == "dropped"])

    paired.telegram.people.fault("getUpdates", times=10, drop="before")
    paired.telegram.people.say(OWNER, "ends a poll that is under way")
    await paired.until(dropped)
    paired.telegram.people.say(OWNER, "are you there?")
    await paired.until(lambda: dropped() == 10, 30)
    repaired = paired.clock.monotonic()
    await paired.until(lambda: "You said: are you there?" in paired.replies(), 30)
    assert paired.clock.monotonic() - repaired < 30
    part = paired.health.get("telegram")
    assert part is not None
    assert part.state is State.READY


async def test_health_is_not_green_while_telegram_is_away_and_recovers(telegram: FakeTelegram, tmp_path: Path) -> None:
    bench = Bench(telegram, tmp_path, pace=40.0)
    await bench.start()
    await bench.pair()
    await telegram.stop()
    gone = bench.clock.monotonic()
    await bench.until(lambda: bench.health.get("telegram").state is State.DEGRADED)  # type: ignore[union-attr]
    assert bench.clock.monotonic() - gone < 120
    await telegram.start()
    telegram.people.say(OWNER, "back?")
    await bench.until(lambda: "You said: back?" in bench.replies())
    assert bench.health.get("telegram").state is State.READY  # type: ignore[union-attr]
    await bench.stop()


async def test_a_poll_that_hangs_for_ever_is_noticed_and_started_again(telegram: FakeTelegram, tmp_path: Path) -> None:
    bench = Bench(telegram, tmp_path, pace=100.0)
    await bench.start()
    await bench.pair()
    # Beyond the client's own time limit only the watchdog can help; at this pace that limit never comes.
    telegram.people.fault("getUpdates", times=1, delay=20)
    telegram.people.say(OWNER, "hello")
    await bench.until(lambda: "You said: hello" in bench.replies(), 15)
    await bench.stop()
