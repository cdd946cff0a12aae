"""A1: after a compaction a result referred to a call that was summarised away; every later turn was refused."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest

from appliance.agent.compaction import split
from appliance.agent.history import messages_of
from appliance.agent.window import fit, message_tokens
from appliance.messages import Message, Purpose, SessionKey
from appliance.models.base import ModelRequest
from appliance.models.claude_request import to_anthropic
from appliance.testing.anthropic_rules import check

STEPS = 24


def history(pair: int) -> list[dict[str, Any]]:
    """24 steps, a turn each; the one at `pair` calls a tool. The last turn goes on."""
    records: list[dict[str, Any]] = []
    for step in range(STEPS):
        turn = {"turn": f"t{step}"}
        records.append({**turn, "id": f"t{step}.0", "role": "user", "content": text(f"step {step} " + "word " * 30)})
        if step == pair:
            use = {"type": "tool_use", "id": "call1", "name": "read", "input": {"path": "a.txt"}}
            result = {"type": "tool_result", "tool_use_id": "call1", "content": "a " * 300, "is_error": False}
            records.append({**turn, "id": f"t{step}.1", "role": "assistant", "content": [use]})
            records.append({**turn, "id": f"t{step}.2", "role": "user", "kind": "tool", "content": [result]})
        if step < STEPS - 1:
            records.append({**turn, "id": f"t{step}.3", "role": "assistant", "content": text("done")})
    return records


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def accepted(messages: list[Message]) -> None:
    """Raises RefusedError where a strict provider would answer 400."""
    request = ModelRequest((), tuple(messages), purpose=Purpose.CHAT, session=SessionKey.main())
    check(to_anthropic(request, "claude-sonnet-5-5", 1_000))


@pytest.mark.parametrize("pair", range(STEPS))
def test_every_request_is_well_formed_wherever_a_compaction_cuts(pair: int) -> None:
    records = history(pair)
    costs = [message_tokens(messages_of(records[at:])) for at in range(len(records) - 1, -1, -1)]
    cuts = set()
    for keep in sorted({*costs, *accumulate(costs[:3])}):
        going, kept = split(records, keep, f"t{STEPS - 1}")
        assert [*going, *kept] == records
        cuts.add(len(going))
        accepted(messages_of([{"type": "marker", "summary": "What was done."}, *kept]))
    assert len(cuts) >= STEPS - 1


@pytest.mark.parametrize("pair", range(STEPS))
def test_every_request_is_well_formed_however_little_fits(pair: int) -> None:
    messages = messages_of(history(pair))
    for allowance in range(40, message_tokens(messages) + 20, 37):
        fitted, _ = fit(messages, allowance)
        accepted(fitted)
        assert "step 23" in str(fitted[-1]) or pair == STEPS - 1
