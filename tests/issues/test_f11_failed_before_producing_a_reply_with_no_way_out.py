"""When recovery was exhausted the user read only that a reply had failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import ModelError, ModelFault
from appliance.models.base import ModelRequest
from appliance.models.claude import Claude, ClaudeConnection
from appliance.models.resolver import ChainError
from appliance.testing.scripted_model import failure

from ..unit.models.desk import ask, claude, fault, local, open_desk


async def test_the_error_says_what_happened_to_each_model_and_what_to_do(tmp_path: Path) -> None:
    down = ModelError("the network is down.", kind=ModelFault.NETWORK, fix="Check the network; the message is kept.")
    loading = failure(fault(ModelFault.UNAVAILABLE))
    async with open_desk(tmp_path, claude(*[failure(down)] * 3), local(loading)) as desk:
        with pytest.raises(ChainError) as caught:
            await desk.ask(ask())
    said = str(caught.value)
    for part in ("claude-sonnet-5-5: the network is down.", "local: trouble: unavailable", "Check the network"):
        assert part in said


async def test_a_network_that_is_down_is_said_with_a_way_out() -> None:
    connection = ClaudeConnection("k", "http://127.0.0.1:9", timeout=2)
    message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    with pytest.raises(ModelError) as caught:
        [event async for event in Claude("claude-sonnet-5-5", connection).stream(ModelRequest((), (message,)))]
    await connection.close()
    assert "claude-sonnet-5-5 cannot be reached" in str(caught.value)
    assert caught.value.fix
