"""Two hundred compactions in a row: each request is well formed, the window stays small, nothing leaves the file."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from appliance.agent.compaction import Compactor
from appliance.agent.history import messages_of
from appliance.agent.transcript import Record, Transcript
from appliance.agent.window import message_tokens
from appliance.errors import ModelError, ModelFault
from appliance.messages import SessionKey
from appliance.testing.anthropic_rules import check
from appliance.testing.manual_clock import ManualClock

MAIN = SessionKey.main()


def user(turn: int, text: str) -> Record:
    block = {"type": "text", "text": text}
    return {"id": f"t{turn}.0", "turn": f"t{turn}", "seq": 0, "role": "user", "content": [block], "rows": [turn],
            "text": text, "source": "owner"}  # fmt: skip


def call(turn: int, seq: int, *ids: str) -> Record:
    blocks = [{"type": "tool_use", "id": one, "name": "read", "input": {"path": "a"}} for one in ids]
    return {"id": f"t{turn}.{seq}", "turn": f"t{turn}", "seq": seq, "role": "assistant", "content": blocks}


def result(turn: int, seq: int, one: str) -> Record:
    block = {"type": "tool_result", "tool_use_id": one, "content": "done " * 20}
    return {"id": f"t{turn}.{seq}", "turn": f"t{turn}", "seq": seq, "role": "user", "kind": "tool", "content": [block],
            "source": "own"}  # fmt: skip


def answer(turn: int, seq: int, text: str) -> Record:
    return {"id": f"t{turn}.{seq}", "turn": f"t{turn}", "seq": seq, "role": "assistant", "final": True,
            "content": [{"type": "text", "text": text}], "rows": [turn], "text": text}  # fmt: skip


def well_formed(records: Sequence[Record], coming: str = "go on") -> None:
    """Raise RefusedError when the strict provider would refuse the next request."""
    messages = messages_of([*records, user(9_999, coming)])
    check({"model": "claude-sonnet-5-5", "max_tokens": 10, "messages": messages})


class OneSession:
    """Sessions with a single transcript."""

    def __init__(self, path: Path) -> None:
        self.held = Transcript(path, MAIN.value)

    def transcript(self, key: SessionKey) -> Transcript:
        return self.held


class Forgetful:
    """A resolver whose every model is away: summaries are made by rules."""

    async def stream(self, request: Any, *, chain: Any = None) -> Any:
        raise ModelError("away", kind=ModelFault.UNAVAILABLE)
        yield


def compactor(sessions: OneSession) -> Compactor:
    async def nothing(*_: Any) -> None: ...

    return Compactor(
        sessions=sessions, resolver=Forgetful(), cheap=lambda agent: ["x"], clock=ManualClock(), capture=nothing,
        note=nothing, emit=nothing, cooled=lambda key: None,
    )  # type: ignore[arg-type]  # fmt: skip


async def test_two_hundred_compactions_over_random_talk_stay_small_and_lose_nothing(tmp_path: Path) -> None:
    source = random.Random(11)
    sessions = OneSession(tmp_path / "main.jsonl")
    work = compactor(sessions)
    turn, sizes = 0, []
    for _ in range(200):
        for _ in range(source.randrange(0, 4)):
            turn += 1
            sessions.held.append(user(turn, " ".join(source.choices(["door", "4711", "nas-01", "茶", "🙂"], k=40))))
            ids = [f"c{turn}-{n}" for n in range(source.randrange(0, 3))]
            if ids:
                sessions.held.append(call(turn, 1, *ids))
                for seq, one in enumerate(source.sample(ids, source.randrange(0, len(ids) + 1)), 2):
                    sessions.held.append(result(turn, seq, one))
            if source.random() < 0.9:
                sessions.held.append(answer(turn, 9, "ok " * source.randrange(1, 60)))
        before = len(sessions.held.records)
        await work.compact(MAIN, reason="asked", keep_tokens=source.choice([0, 50, 400]))
        assert len(sessions.held.records) <= before + 1
        well_formed(sessions.held.window())
        sizes.append(message_tokens(messages_of(sessions.held.window())))
    assert max(sizes) < 6_000
    reread = Transcript(sessions.held.path, MAIN.value)
    reread.load()
    lines = [json.loads(line) for line in sessions.held.path.read_text(encoding="utf-8").splitlines()]
    said = [record for record in lines if "rows" in record and record["role"] == "user"]
    assert len(said) == turn
    assert "4711" in str(messages_of(reread.window()))
