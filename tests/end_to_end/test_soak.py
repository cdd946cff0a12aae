"""The short form of the soak; the long one runs by command (tests/faults/soak.py)."""

from __future__ import annotations

import pytest

from tests.faults import soak


@pytest.mark.timeout(300)
async def test_hours_with_faults_and_kills_lose_and_repeat_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "HOUR", 15)
    result = await soak.soak(90, 7, kills=True)
    assert result["kills"] > 0
    assert (result["lost"], result["twice"], result["money"], result["zombies"]) == (0, 0, [], 0)
