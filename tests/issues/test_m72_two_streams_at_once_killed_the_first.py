"""M72: of two streams at once the first one died."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from appliance.testing.local_service import LocalService

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]


def test_two_streams_100_ms_apart_both_complete(service: LocalService) -> None:
    answers: dict[str, tuple[str, list[dict[str, Any]]]] = {}

    def stream(name: str, text: str) -> None:
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": 40, "stream": True}
        with service.connect() as client, client.stream("POST", "/v1/chat/completions", json=body) as response:
            lines = [line.removeprefix("data: ") for line in response.iter_lines() if line.startswith("data: ")]
        answers[name] = (lines[-1], [json.loads(line) for line in lines[:-1]])

    first = threading.Thread(target=stream, args=("first", "Tell me about the sea."))
    second = threading.Thread(target=stream, args=("second", "Tell me about the hills."))
    first.start()
    time.sleep(0.1)
    second.start()
    first.join(60)
    second.join(60)
    assert set(answers) == {"first", "second"}
    for last, events in answers.values():
        assert last == "[DONE]"
        assert not any("error" in event for event in events)
        assert "".join(event["choices"][0]["delta"].get("content", "") for event in events)
        assert events[-1]["choices"][0]["finish_reason"] in ("stop", "length")
