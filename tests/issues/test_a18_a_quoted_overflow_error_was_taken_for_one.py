"""A user who quoted the overflow error was treated as if the context had overflown."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import ModelError, ModelFault
from appliance.models.claude import Claude, ClaudeConnection
from appliance.testing.anthropic_replies import Reply, bad_request
from appliance.testing.fake_anthropic import FakeAnthropic

from ..unit.models.desk import SONNET, ask, open_desk

QUOTES = [
    "Context overflow: prompt too large for the model",
    "prompt is too long: 1000001 tokens > 1000000 maximum",
    "invalid_request_error: input length and `max_tokens` exceed context limit",
]


@pytest.mark.parametrize("quote", QUOTES)
async def test_a_quoted_error_is_ordinary_text_in_question_and_answer(tmp_path: Path, quote: str) -> None:
    async with FakeAnthropic() as api:
        connection = ClaudeConnection("k", api.url, timeout=10)
        async with open_desk(tmp_path, Claude(SONNET, connection)) as desk:
            api.script(Reply(text=quote))
            assert (await desk.ask(ask(quote))).shown == quote
        await connection.close()


async def test_another_refusal_that_repeats_the_users_words_is_no_overflow(tmp_path: Path) -> None:
    async with FakeAnthropic() as api:
        connection = ClaudeConnection("k", api.url, timeout=10)
        async with open_desk(tmp_path, Claude(SONNET, connection)) as desk:
            api.script(bad_request(f"messages.0.content.0.text: {QUOTES[1]}: contains something odd"))
            with pytest.raises(ModelError) as caught:
                await desk.ask(ask(QUOTES[1]))
            assert caught.value.kind is ModelFault.FORMAT
        await connection.close()
