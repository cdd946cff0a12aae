"""Whatever the models of a chain do, the books close, the text adds up, and only known errors come out."""

from __future__ import annotations

import asyncio
import tempfile
from decimal import Decimal
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appliance.errors import ModelError, ModelFault
from appliance.messages import Usage
from appliance.models.base import Answer, Finished, Notice, Restarted, Started, TextDelta
from appliance.settings.budget import BudgetSettings
from appliance.testing.scripted_model import ScriptedModel, Step, call, failure, text

from .desk import HAIKU, SONNET, Desk, ask, claude, fault, local, open_desk

USAGE = Usage(input=100, output=10, estimated=True)
_kinds = st.sampled_from([kind for kind in ModelFault if kind is not ModelFault.FORMAT])
_waits = st.sampled_from([None, 0.0, 2.0, 30.0, 31.0, 4_000.0])
_words = st.lists(st.sampled_from(["a", "你好", " ", "👍", "\n"]), min_size=1, max_size=3)


@st.composite
def _steps(draw: st.DrawFn) -> Step:
    match draw(st.sampled_from(["text", "call", "empty", "refused", "broken"])):
        case "text":
            return text("x", *draw(_words))
        case "call":
            return call("exec", {"n": 1}, say=draw(st.sampled_from(["", "ok"])))
        case "empty":
            return Step()
        case "refused":
            return failure(fault(draw(_kinds), retry_after=draw(_waits)))
        case _:
            words = draw(_words)
            partial = Finished(({"type": "text", "text": "".join(words)},), "stopped", USAGE, "")
            return failure(fault(draw(_kinds), partial=partial), *words)


def _billed(model: ScriptedModel) -> int:
    """Attempts that the provider accepted."""
    played = model.steps[: len(model.requests)]
    return sum(step.error is None or step.error.partial is not None for step in played)


async def _check(desk: Desk, models: list[ScriptedModel]) -> None:
    events: list[object] = []
    answered = False
    try:
        async for event in desk.resolver.stream(ask(turn="t")):
            assert not answered, "nothing comes after the answer"
            events.append(event)
            answered = isinstance(event, Answer)
        assert answered
    except ModelError:
        assert not answered
    shown = ""
    for event in events:
        if isinstance(event, TextDelta):
            shown += event.text
        elif isinstance(event, Restarted):
            assert shown, "a restart takes back text that was shown"
            shown = ""
        else:
            assert isinstance(event, Started | Notice | Answer)
    last = events[-1] if events else None
    said = [b["text"] for b in last.finished.content if b["type"] == "text"] if isinstance(last, Answer) else []
    assert shown == "".join(said), "what is shown at the end is what was answered"
    await desk.resolver.close()
    assert desk.reserved() == 0
    rows = desk.rows()
    assert len(rows) == sum(_billed(model) for model in models)
    assert all(row["cost"] > 0 for row in rows if not row["local"])


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(_steps(), min_size=1, max_size=5), min_size=1, max_size=3), st.booleans())
def test_books_close_and_text_adds_up(scripts: list[list[Step]], last_is_local: bool) -> None:
    names = [SONNET, HAIKU, "claude-opus-5-5"]
    # A script starts again from its beginning, so that no attempt finds it empty.
    models = [claude(*script * 12, name=name) for script, name in zip(scripts, names, strict=False)]
    if last_is_local:
        models[-1] = local(*scripts[-1] * 12)

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            budget = BudgetSettings(daily_usd=Decimal("5.00"))
            async with open_desk(Path(folder), *models, budget=budget) as desk:
                for _ in range(2):
                    await _check(desk, models)

    asyncio.run(run())
