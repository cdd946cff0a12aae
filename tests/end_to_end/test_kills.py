"""The short form of the kill suites; the long ones run by command (tests/faults/)."""

import pytest

from tests.faults import kill, kill_telegram


@pytest.mark.timeout(300)
@pytest.mark.parametrize("point", ["after_inbox_commit", "model.mid_stream", "after_tool", "before_answer_commit"])
async def test_a_kill_at_a_named_point_loses_and_repeats_nothing(point: str) -> None:
    outcome = await kill.one_run(1, 12, kill.Blow(point=point))
    assert not outcome.bad, str(outcome)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("after", [0.15, 0.6])
async def test_a_kill_at_any_moment_loses_and_repeats_nothing(after: float) -> None:
    outcome = await kill.one_run(2, 12, kill.Blow(after=after), kills=2)
    assert not outcome.bad, str(outcome)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("call", "when"), [("fdatasync", 9), ("pwrite64", 40)])
async def test_a_kill_at_a_system_call_loses_and_repeats_nothing(call: str, when: int) -> None:
    outcome = await kill.one_run(3, 8, kill.Blow(call=call, when=when))
    assert not outcome.bad, str(outcome)


@pytest.mark.timeout(300)
async def test_a_power_failure_loses_and_repeats_nothing() -> None:
    outcome = await kill.one_run(4, 8, kill.Blow(after=0.5), power=True)
    assert not outcome.bad, str(outcome)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("point", ["after_offset", "after_placeholder", "before_outbox_commit"])
async def test_a_kill_in_a_telegram_chat_leaves_every_message_answered_once(point: str) -> None:
    seen = await kill_telegram.one_run(6, None, point)
    assert not seen.bad, str(seen)
