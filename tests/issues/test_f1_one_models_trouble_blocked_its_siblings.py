"""One model's 404, 429 or overload put its siblings to rest too, and a second failure widened the block."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import ModelFault
from appliance.testing.scripted_model import failure, text

from ..unit.models.desk import HAIKU, SONNET, ask, claude, fault, open_desk

OPUS = "claude-opus-5-5"


@pytest.mark.parametrize("kind", [ModelFault.NOT_FOUND, ModelFault.RATE_LIMIT, ModelFault.OVERLOADED])
async def test_with_two_models_in_trouble_the_third_on_the_same_key_is_asked(tmp_path: Path, kind: ModelFault) -> None:
    broken = [failure(fault(kind))] * 4
    a, b = claude(*broken, name=OPUS), claude(*broken, name=HAIKU)
    async with open_desk(tmp_path, a, b, claude(text("fine"), text("again"))) as desk:
        assert (await desk.ask(ask(turn="t1"))).answer.model == SONNET
        assert (await desk.ask(ask(turn="t2"))).answer.model == SONNET
        states = {row["model"]: row["state"] for row in desk.resolver.status()}
        assert states == {OPUS: "resting", HAIKU: "resting", SONNET: "ready"}
