"""Any history whose pairs are whole is turned into a request that strict providers take."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.messages import Purpose
from appliance.models.base import ModelRequest, PromptPart, ToolSpec
from appliance.models.claude_request import to_anthropic
from appliance.models.openai_request import to_openai
from appliance.testing.anthropic_rules import check, sign
from appliance.testing.fake_openai import wrong_with

MODEL = "claude-sonnet-5-5"
_texts = st.sampled_from(["", " ", "\n\t", "hello", "你好", "👍🏽", "\u200b", "<outside>", "a" * 500])
_ids = st.text(alphabet="ab:/_-號", min_size=1, max_size=6)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@st.composite
def _thinking(draw: st.DrawFn) -> dict[str, Any]:
    thought = draw(st.sampled_from(["", "hm", "想"]))
    author = draw(st.sampled_from([MODEL, "claude-haiku-5-5", ""]))
    block = {"type": "thinking", "thinking": thought, "signature": sign(thought)}
    return {**block, "model": author} if author else block


@st.composite
def _histories(draw: st.DrawFn) -> tuple[dict[str, Any], ...]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": [_text("begin")]}]
    used: set[str] = set()
    for _ in range(draw(st.integers(0, 4))):
        content: list[dict[str, Any]] = draw(st.lists(_thinking(), max_size=2))
        content += [_text(text) for text in draw(st.lists(_texts, max_size=2))]
        ids = [i for i in draw(st.lists(_ids, max_size=3, unique=True)) if i not in used]
        used.update(ids)
        for call_id in ids:
            call = {
                "type": "tool_use",
                "id": call_id,
                "name": "exec",
                "input": draw(st.sampled_from([{}, {"a": "學"}])),
            }
            content.append({**call, "invalid": "{"} if draw(st.booleans()) else call)
        messages.append({"role": "assistant", "content": content})
        answers = [
            {"type": "tool_result", "tool_use_id": i, "content": draw(_texts), "is_error": draw(st.booleans())}
            for i in draw(st.permutations(ids))
        ]
        said = [_text(text) for text in draw(st.lists(_texts, max_size=2))]
        messages.append({"role": "user", "content": said + answers if draw(st.booleans()) else answers + said})
    messages.append({"role": "user", "content": [_text("and?")]})
    return tuple(messages)


@st.composite
def _requests(draw: st.DrawFn) -> ModelRequest:
    parts = st.builds(PromptPart, _texts, st.booleans())
    names = draw(st.lists(st.sampled_from(["exec", "read", "write"]), max_size=3, unique=True))
    return ModelRequest(
        system=tuple(draw(st.lists(parts, max_size=6))),
        messages=draw(_histories()),
        tools=tuple(ToolSpec(name, "", {"type": "object"}) for name in names),
        purpose=draw(st.sampled_from(Purpose)),
    )


@settings(max_examples=300, deadline=None)
@given(_requests())
def test_the_messages_api_takes_it(request: ModelRequest) -> None:
    check(to_anthropic(request, MODEL, 1_000))


@settings(max_examples=200, deadline=None)
@given(_requests())
def test_an_openai_compatible_server_takes_it(request: ModelRequest) -> None:
    assert wrong_with(to_openai(request, "tiny", 1_000, vision=False)) == ""
