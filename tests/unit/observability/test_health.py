"""Which parts work, since when, and whether the house is ready."""

from __future__ import annotations

import pytest

from appliance.observability.health import Health, State
from appliance.testing.manual_clock import ManualClock


def test_only_needed_parts_decide_about_readiness() -> None:
    health = Health(ManualClock(100.0))
    assert health.ready
    health.set("gateway", State.STARTING, needed=True)
    health.set("telegram", State.FAILED, "no network")
    assert not health.ready
    health.set("gateway", State.READY)
    assert health.ready


@pytest.mark.parametrize(("state", "ready"), [(s, s not in (State.STARTING, State.FAILED)) for s in State])
def test_a_needed_part_that_is_only_degraded_or_off_does_not_stop_the_house(state: State, ready: bool) -> None:
    health = Health(ManualClock(100.0))
    health.set("x", state, needed=True)
    assert health.ready is ready


def test_since_tells_the_last_change_of_state_not_of_detail() -> None:
    clock = ManualClock(100.0)
    health = Health(clock)
    health.set("model", State.STARTING, "10%")
    clock.move(60.0)
    health.set("model", State.STARTING, "20%")
    assert health.parts()[0].as_json() == {
        "name": "model",
        "state": "starting",
        "detail": "20%",
        "since": "1970-01-01T00:01:40.000Z",
    }
    health.set("model", State.READY)
    part = health.get("model")
    assert part is not None
    assert part.since == 160.0
