from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

from appliance.errors import InputError, TooLargeError
from appliance.local_models import wire
from appliance.local_models.chat import Counts
from appliance.local_models.embedding import Vectors
from appliance.local_models.node import Part

HELLO = [{"role": "user", "content": "hello"}]


def test_a_plain_request_leaves_everything_to_the_model() -> None:
    job = wire.chat_job({"messages": HELLO})
    assert (job.max_tokens, job.temperature, job.stop, job.schema, job.seed) == (0, None, (), None, None)
    assert (job.top_p, job.top_k, job.min_p, job.repeat_penalty) == (None, None, None, None)


def test_everything_that_openai_clients_send_is_understood() -> None:
    job = wire.chat_job(
        {
            "messages": HELLO, "max_completion_tokens": 5, "max_tokens": 9, "temperature": 0, "top_p": 1, "seed": 3,
            "stop": "END", "response_format": {"type": "json_object"}, "n": 1, "stream": True, "user": "x",
        }
    )  # fmt: skip
    assert (job.max_tokens, job.temperature, job.stop, job.schema, job.seed) == (5, 0, ("END",), {"type": "object"}, 3)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": "hello"},
        {"messages": ["hello"]},
        {"messages": HELLO, "temperature": "hot"},
        {"messages": HELLO, "temperature": True},
        {"messages": HELLO, "max_tokens": 0},
        {"messages": HELLO, "max_tokens": -1},
        {"messages": HELLO, "top_p": 2},
        {"messages": HELLO, "n": 2},
        {"messages": HELLO, "stop": [""]},
        {"messages": HELLO, "stop": {"a": 1}},
        {"messages": HELLO, "response_format": {"type": "json_schema"}},
        {"messages": HELLO, "tools": [{}]},
    ],
)
def test_a_wrong_request_is_an_input_error(body: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        wire.chat_job(body)


def test_cached_tokens_are_part_of_the_prompts() -> None:
    assert wire.usage(Counts(prompt=10, cached=4, completion=3)) == {
        "prompt_tokens": 10,
        "completion_tokens": 3,
        "total_tokens": 13,
        "prompt_tokens_details": {"cached_tokens": 4},
    }


def test_only_models_that_answer_are_listed_with_their_window() -> None:
    ready = Part(phase="ready", model="m", window=8192)
    listed = wire.model_list(ready, Part(phase="loading", model="e"), 1.0)["data"]
    assert [(row["id"], row["context_window"], row["kind"]) for row in listed] == [("m", 8192, "chat")]


@pytest.mark.parametrize(
    ("body", "texts", "query"),
    [
        ({"input": "a"}, ["a"], False),
        ({"input": ["a", ""]}, ["a", ""], False),
        ({"input": ["a"], "input_type": "query"}, ["a"], True),
        ({"input": ["a"], "input_type": "passage"}, ["a"], False),
    ],
)
def test_texts_and_their_kind(body: dict[str, Any], texts: list[str], query: bool) -> None:
    assert wire.embedding_texts(body, most=5) == (texts, query)


@pytest.mark.parametrize("body", [{}, {"input": []}, {"input": [1]}, {"input": "a", "input_type": "poem"}])
def test_wrong_embedding_requests_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        wire.embedding_texts(body, most=5)


def test_too_many_texts_are_refused_and_not_cut() -> None:
    with pytest.raises(TooLargeError, match="6"):
        wire.embedding_texts({"input": ["a"] * 6}, most=5)


def test_vectors_in_base64_are_the_same_numbers() -> None:
    answer = wire.embedding_answer(Vectors([[0.5, -0.25]], 7), "e", base64=True)
    raw = base64.b64decode(answer["data"][0]["embedding"])
    assert struct.unpack("<2f", raw) == (0.5, -0.25)
    assert answer["usage"]["total_tokens"] == 7
