"""The short form of the network suite; the long one runs by command (tests/faults/network.py)."""

import pytest

from tests.faults import network


@pytest.mark.timeout(180)
@pytest.mark.parametrize("mode", ["cut", "half_open"])
async def test_a_spoilt_way_to_the_provider_loses_and_repeats_nothing(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "SPOILT_SECONDS", 2.0)
    spoilt = await network.to_provider(1, mode)
    assert not spoilt.bad, str(spoilt)


@pytest.mark.timeout(180)
async def test_a_spoilt_way_to_telegram_loses_and_repeats_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "SPOILT_SECONDS", 2.0)
    spoilt = await network.to_telegram(1, "reset")
    assert not spoilt.bad, str(spoilt)
