"""A model whose own template knows tools. Half a gigabyte, so it is not fetched for a test run: `appliance models pull`
it into the test models to run this file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from appliance.local_models.catalogue import entry
from appliance.local_models.store import Store
from appliance.testing.local_service import LocalService, models_folder


@pytest.fixture(scope="module")
def coder() -> Iterator[LocalService]:
    if not Store(models_folder()).present(entry("qwen2.5-coder-0.5b")):
        pytest.skip("qwen2.5-coder-0.5b is not in the test models (half a gigabyte, fetched by hand)")
    found = LocalService(chat="qwen2.5-coder-0.5b", embedder="off")
    yield found
    found.close()


def _tool(name: str, about: str, parameter: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


TOOLS = [_tool("exec", "Run a shell command.", "command"), _tool("read", "Read a file.", "path")]


def test_a_model_that_knows_tools_calls_one_by_itself(coder: LocalService) -> None:
    assert coder.status()["native_tools"]
    choice = coder.chat("Read the file notes.md", tools=TOOLS, max_tokens=100).json()["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    call = choice["message"]["tool_calls"][0]["function"]
    assert call["name"] == "read"
    assert json.loads(call["arguments"])["path"].endswith("notes.md")


def test_it_reads_the_result_of_its_call(coder: LocalService) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "notes.md"}'}}
    messages = [
        {"role": "user", "content": "Which colour does notes.md name? Read it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "The colour is turquoise."},
    ]
    body = {"messages": messages, "tools": TOOLS, "tool_choice": "none", "max_tokens": 60, "temperature": 0}
    choice = coder.client.post("/v1/chat/completions", json=body).json()["choices"][0]
    assert "turquoise" in choice["message"]["content"].lower()


def test_it_answers_without_a_tool_where_none_is_needed(coder: LocalService) -> None:
    choice = coder.chat("Hello, who are you?", tools=TOOLS, max_tokens=60).json()["choices"][0]
    assert "tool_calls" not in choice["message"]
    assert choice["message"]["content"]
