"""The same bad payload was tried with every credential and put each of them to rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import ModelError, ModelFault
from appliance.models.claude import Claude, ClaudeConnection
from appliance.testing.anthropic_replies import bad_request
from appliance.testing.fake_anthropic import FakeAnthropic

from ..unit.models.desk import HAIKU, SONNET, ask, open_desk


async def test_a_refused_payload_is_sent_once_rests_nobody_and_the_repaired_one_is_answered(tmp_path: Path) -> None:
    async with FakeAnthropic() as api:
        connection = ClaudeConnection("k", api.url, timeout=10)
        models = [Claude(name, connection) for name in (SONNET, HAIKU)]
        async with open_desk(tmp_path, *models) as desk:
            api.script(bad_request("messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks"))
            with pytest.raises(ModelError) as caught:
                await desk.ask(ask())
            assert caught.value.kind is ModelFault.FORMAT
            assert len(api.calls) == 1
            assert {row["state"] for row in desk.resolver.status()} == {"ready"}
            assert (await desk.ask(ask())).answer.model == SONNET
            assert [row["outcome"] for row in desk.rows()] == ["ok"]
        await connection.close()
