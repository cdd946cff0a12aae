"""The real thing: SmolLM2 and MiniLM under llama.cpp, in a process of their own."""

from __future__ import annotations

import base64
import json
import struct
import threading
import time
from typing import Any

import httpx2
import pytest

from appliance.testing.local_service import LocalService, similarity

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]

EXEC = {
    "type": "function",
    "function": {
        "name": "exec",
        "description": "Run a shell command.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}, "timeout": {"type": "number"}},
            "required": ["command"],
        },
    },
}


def _events(response: httpx2.Response) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in response.iter_lines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def test_a_question_is_answered(service: LocalService) -> None:
    answer = service.chat("What is the capital of France?").json()
    assert "Paris" in answer["choices"][0]["message"]["content"]
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert answer["model"] == "smollm2-135m-instruct"
    assert answer["usage"]["completion_tokens"] > 3


def test_the_true_window_is_told(service: LocalService) -> None:
    rows = {row["kind"]: row for row in service.client.get("/v1/models").json()["data"]}
    assert rows["chat"]["context_window"] == service.status()["window"] == 8192
    assert rows["embedding"]["context_window"] == 512
    assert service.status()["embedder"]["name"] == "all-minilm-l6-v2"


def test_a_stream_is_the_same_answer_in_pieces_with_its_usage(service: LocalService) -> None:
    whole = service.chat("Write one sentence about the sea.").json()["choices"][0]["message"]["content"]
    body = {
        "messages": [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": "Write one sentence about the sea."},
        ],
        "temperature": 0, "max_tokens": 40, "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
    with service.client.stream("POST", "/v1/chat/completions", json=body) as response:
        events = _events(response)
    deltas = [event["choices"][0]["delta"].get("content", "") for event in events if event["choices"]]
    assert len(deltas) > 5
    assert "".join(deltas) == whole
    assert [e["choices"][0]["finish_reason"] for e in events if e["choices"]][-1] in ("stop", "length")
    assert events[-1]["usage"]["prompt_tokens"] > 10


def test_the_next_turn_reads_only_its_new_words(service: LocalService) -> None:
    messages = [
        {"role": "system", "content": "You are a helpful assistant. " + "The house has a garden. " * 40},
        {"role": "user", "content": "Say hello."},
    ]
    body = {"messages": messages, "max_tokens": 12, "temperature": 0}
    first = service.client.post("/v1/chat/completions", json=body).json()
    messages += [first["choices"][0]["message"], {"role": "user", "content": "Again."}]
    usage = service.client.post("/v1/chat/completions", json=body).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] >= first["usage"]["prompt_tokens"] - 2
    # another conversation in between does not cost the first its place
    service.chat("Something else entirely: " + "what of the ship? " * 60)
    usage = service.client.post("/v1/chat/completions", json=body).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] >= first["usage"]["prompt_tokens"] - 2


@pytest.mark.parametrize("stream", [False, True])
def test_a_required_call_is_valid_json_for_a_known_tool(service: LocalService, stream: bool) -> None:
    body = {
        "messages": [{"role": "user", "content": "List the files in the current folder."}],
        "tools": [EXEC], "tool_choice": "required", "max_tokens": 120, "temperature": 0, "stream": stream,
    }  # fmt: skip
    if stream:
        with service.client.stream("POST", "/v1/chat/completions", json=body) as response:
            events = _events(response)
        calls = [c for e in events for c in e["choices"][0]["delta"].get("tool_calls", [])]
        finish = events[-1]["choices"][0]["finish_reason"]
    else:
        choice = service.client.post("/v1/chat/completions", json=body).json()["choices"][0]
        calls, finish = choice["message"]["tool_calls"], choice["finish_reason"]
    assert finish == "tool_calls"
    assert len(calls) == 1
    assert calls[0]["function"]["name"] == "exec"
    assert isinstance(json.loads(calls[0]["function"]["arguments"])["command"], str)


@pytest.mark.parametrize(
    "text", ["Run ls in the shell.", "What is 2 + 2?", "用中文打招呼 🙂", 'Answer with {"name": "rm", "arguments": {}}']
)
def test_with_tools_on_offer_an_answer_is_a_good_call_or_text(service: LocalService, text: str) -> None:
    choice = service.chat(text, tools=[EXEC], max_tokens=60).json()["choices"][0]
    for call in choice["message"].get("tool_calls", []):
        assert call["function"]["name"] == "exec"
        assert "command" in json.loads(call["function"]["arguments"])
    assert choice["message"].get("tool_calls") or choice["message"]["content"]


def test_half_a_call_is_none(service: LocalService) -> None:
    choice = service.chat("List files.", tools=[EXEC], tool_choice="required", max_tokens=4).json()["choices"][0]
    assert choice["finish_reason"] == "length"
    assert "tool_calls" not in choice["message"]


def test_an_answer_keeps_to_a_schema(service: LocalService) -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer"}},
        "required": ["name", "age"],
    }
    answer = service.chat(
        "Bob is 7 years old.", response_format={"type": "json_schema", "json_schema": {"schema": schema}}
    ).json()
    found = json.loads(answer["choices"][0]["message"]["content"])
    assert set(found) == {"name", "age"}
    assert isinstance(found["age"], int)


def test_stop_words_end_the_answer_and_are_not_shown(service: LocalService) -> None:
    answer = service.chat("What is the capital of France?", stop=[" is"]).json()["choices"][0]
    assert answer["message"]["content"] == "The capital of France"
    assert answer["finish_reason"] == "stop"


def test_a_prompt_over_the_window_is_a_400_of_its_own_type(service: LocalService) -> None:
    for stream in (False, True):
        response = service.chat("word " * 9000, stream=stream)
        assert response.status_code == 400
        error = response.json()["error"]
        assert error["type"] == "context_length_exceeded"
        assert error["prompt_tokens"] > error["window"] == 8192


def test_a_long_prompt_inside_the_window_is_read_whole(service: LocalService) -> None:
    answer = service.chat("The password is tulip. " + "Rain falls. " * 150 + "Say hello.", max_tokens=8).json()
    assert 450 < answer["usage"]["prompt_tokens"] < 700
    assert answer["usage"]["completion_tokens"] > 0


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"messages": 3}', b'{"messages": [{"role": "god"}]}', b"\xff\xfe"]
)
def test_rubbish_is_a_400_and_the_service_goes_on(service: LocalService, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    response = service.client.post("/v1/chat/completions", content=body, headers=headers)
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "invalid_request_error"
    assert service.client.get("/healthz").json() == {"status": "ok"}


def test_without_the_token_only_the_health_check_answers(service: LocalService) -> None:
    with httpx2.Client(base_url=service.url, trust_env=False) as stranger:
        assert stranger.get("/healthz").status_code == 200
        for path in ("/status", "/v1/models"):
            assert stranger.get(path).status_code == 401
        assert stranger.post("/v1/embeddings", json={"input": "a"}).status_code == 401
        wrong = stranger.get("/status", headers={"Authorization": "Bearer wrong"})
        assert wrong.status_code == 401


def test_half_a_surrogate_pair_is_no_error(service: LocalService) -> None:
    headers = {"Content-Type": "application/json"}
    chat = b'{"messages": [{"role": "user", "content": "hi \\ud800 there"}], "max_tokens": 3}'
    assert service.client.post("/v1/chat/completions", content=chat, headers=headers).status_code == 200
    embed = b'{"input": ["hi \\ud800 there"]}'
    assert service.client.post("/v1/embeddings", content=embed, headers=headers).status_code == 200


def test_meaning_is_near_and_nonsense_is_far(service: LocalService) -> None:
    bug, login, bread = service.embed("authentication bug", "login issues with auth", "banana bread recipe")
    assert len(bug) == 384
    assert similarity(bug, login) == pytest.approx(0.71, abs=0.02)
    assert similarity(bug, bread) == pytest.approx(0.02, abs=0.03)


def test_a_big_batch_keeps_its_order(service: LocalService) -> None:
    texts = [f"note number {i}: {'long ' * (i * 7 % 90)}" for i in range(120)] + ["", "表 🙂 テスト", "x\0y"]
    vectors = service.embed(*texts)
    assert len(vectors) == len(texts)
    for index in (0, 13, 77, 119, 120, 121, 122):
        assert similarity(vectors[index], service.embed(texts[index])[0]) > 0.999


def test_base64_vectors_are_the_same(service: LocalService) -> None:
    raw = service.client.post("/v1/embeddings", json={"input": "hello", "encoding_format": "base64"}).json()
    numbers = struct.unpack("<384f", base64.b64decode(raw["data"][0]["embedding"]))
    assert similarity(list(numbers), service.embed("hello")[0]) == pytest.approx(1.0, abs=1e-5)


def test_another_embedder_than_the_one_here_is_refused_so_that_vectors_never_mix(service: LocalService) -> None:
    response = service.client.post("/v1/embeddings", json={"input": "a", "model": "bge-m3"})
    assert response.status_code == 404
    assert "all-minilm-l6-v2" in response.json()["error"]["message"]


def test_embeddings_are_answered_while_a_long_answer_is_written(service: LocalService) -> None:
    done = threading.Event()

    def write() -> None:
        with service.connect() as client:
            client.post(
                "/v1/chat/completions",
                json={"messages": [{"role": "user", "content": "it rained, it snowed. " * 80}], "max_tokens": 20},
            )
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    time.sleep(0.2)
    service.embed("quick")
    assert not done.is_set()
    thread.join(60)
    assert done.is_set()


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_hangs_up_frees_the_model(service: LocalService, stream: bool) -> None:
    body = {
        "messages": [{"role": "user", "content": "Tell this story again: " + "it rained and rained. " * 700}],
        "max_tokens": 400, "stream": stream,
    }  # fmt: skip
    with service.connect() as client:
        if stream:
            with client.stream("POST", "/v1/chat/completions", json=body) as response:
                next(response.iter_lines())
        else:
            with pytest.raises(httpx2.ReadTimeout):
                client.post("/v1/chat/completions", json=body, timeout=0.5)
    first = _seconds(service)
    assert first < 8 + 10 * _seconds(service)  # reading that prompt to its end takes far longer


def _seconds(service: LocalService) -> float:
    begun = time.monotonic()
    assert service.chat("Say hello.", max_tokens=5).status_code == 200
    return time.monotonic() - begun


def test_the_status_answers_while_the_model_works(service: LocalService) -> None:
    thread = threading.Thread(target=lambda: service.chat("it rained and rained. " * 80, max_tokens=5))
    thread.start()
    time.sleep(0.1)
    assert service.status()["phase"] == "ready"
    assert thread.is_alive()
    thread.join(60)
