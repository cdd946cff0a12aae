"""The same tool id twice in one stored answer broke the session for good."""

from __future__ import annotations

from pathlib import Path

from appliance.models.base import ModelRequest, PromptPart, ToolSpec
from appliance.models.claude import Claude, ClaudeConnection
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic

from ..unit.models.desk import SONNET, open_desk


async def test_six_blocks_with_five_ids_are_five_calls_and_the_history_is_accepted(tmp_path: Path) -> None:
    tool = ToolSpec("exec", "Run a command.", {"type": "object"})
    question = {"role": "user", "content": [{"type": "text", "text": "go"}]}
    async with FakeAnthropic() as api:
        connection = ClaudeConnection("k", api.url, timeout=10)
        async with open_desk(tmp_path, Claude(SONNET, connection)) as desk:
            calls = [("exec", {"n": n}) for n in range(5)]
            api.script(Reply(tools=calls, fault="duplicate_tool_ids"))
            content = (await desk.ask(ModelRequest((PromptPart("p"),), (question,), (tool,)))).answer.finished.content
            assert [block["input"]["n"] for block in content] == [0, 1, 2, 3, 4]
            results = [
                {"type": "tool_result", "tool_use_id": block["id"], "content": "done", "is_error": False}
                for block in content
            ]
            history = (
                question,
                {"role": "assistant", "content": list(content)},
                {"role": "user", "content": results},
            )
            await desk.ask(ModelRequest((PromptPart("p"),), history, (tool,)))
            assert [call.status for call in api.calls] == [200, 200]
        await connection.close()
