"""A fallback with a smaller window was sent the whole context."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import ModelFault
from appliance.models.resolver import ChainError
from appliance.testing.scripted_model import failure, text

from ..unit.models.desk import ask, claude, fault, local, open_desk

LONG = "word " * 100_000  # about 150,000 tokens as they are guessed here
DOWN = failure(fault(ModelFault.OVERLOADED))


async def test_a_fallback_that_cannot_hold_the_request_is_passed_over_for_one_that_can(tmp_path: Path) -> None:
    small = local(window=32_000)
    async with open_desk(tmp_path, claude(DOWN, DOWN), small, local(text("ok"), name="big", window=400_000)) as desk:
        assert (await desk.ask(ask(LONG))).answer.model == "big"
        assert small.requests == []


async def test_when_only_the_small_one_is_left_the_error_says_the_window_to_build_for(tmp_path: Path) -> None:
    small = local(window=32_000)
    async with open_desk(tmp_path, claude(DOWN, DOWN, DOWN, DOWN), small) as desk:
        with pytest.raises(ChainError) as caught:
            await desk.ask(ask(LONG))
        assert caught.value.window == 32_000
        assert caught.value.kind is ModelFault.OVERLOADED
        assert small.requests == []
