"""The OpenAI form: requests read and checked, answers written."""

from __future__ import annotations

import struct
import time
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from appliance.errors import InputError, TooLargeError
from appliance.local_models.chat import ChatJob, Counts
from appliance.local_models.embedding import Vectors
from appliance.local_models.tool_calls import Toolbox

if TYPE_CHECKING:
    from appliance.local_models.node import Part


def chat_job(body: dict[str, Any]) -> ChatJob:
    """Given the body of a chat request, return the job; raise InputError naming what is wrong."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(item, dict) for item in messages):
        raise InputError("messages must be a list of at least one message.")
    if body.get("n") not in (None, 1):
        raise InputError("n must be 1.")
    stop = body.get("stop") or []
    stops = [stop] if isinstance(stop, str) else stop
    if not isinstance(stops, list) or not all(isinstance(item, str) and item for item in stops):
        raise InputError("stop must be a text or a list of texts.")
    return ChatJob(
        messages=messages,
        toolbox=Toolbox(body.get("tools"), body.get("tool_choice")),
        max_tokens=_whole("max_completion_tokens", body, 1, 10**6) or _whole("max_tokens", body, 1, 10**6) or 0,
        temperature=_number("temperature", body, 0, 5),
        top_p=_number("top_p", body, 0, 1),
        top_k=_whole("top_k", body, 0, 100_000),
        min_p=_number("min_p", body, 0, 1),
        repeat_penalty=_number("repeat_penalty", body, 0.5, 3),
        seed=_whole("seed", body, 0, 2**32 - 1),
        stop=tuple(stops),
        schema=_schema(body.get("response_format")),
    )


def _number(name: str, body: dict[str, Any], low: float, high: float) -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InputError(f"{name} must be a number from {low} to {high}.")
    return value


def _whole(name: str, body: dict[str, Any], low: int, high: int) -> int | None:
    value = _number(name, body, low, high)
    return None if value is None else int(value)


def _schema(wanted: Any) -> dict[str, Any] | None:
    match wanted:
        case None | {"type": "text"}:
            return None
        case {"type": "json_object"}:
            return {"type": "object"}
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return schema
    raise InputError("response_format must be text, json_object, or json_schema with a schema.")


def usage(counts: Counts) -> dict[str, Any]:
    """Token figures; cached ones are part of the prompt's."""
    return {
        "prompt_tokens": counts.prompt,
        "completion_tokens": counts.completion,
        "total_tokens": counts.prompt + counts.completion,
        "prompt_tokens_details": {"cached_tokens": counts.cached},
    }


def chat_answer(
    identity: str, model: str, text: str, calls: list[dict[str, Any]], finish: str, counts: Counts
) -> dict[str, Any]:
    """A whole answer."""
    message: dict[str, Any] = {"role": "assistant", "content": text if text or not calls else None}
    if calls:
        message["tool_calls"] = calls
    return {
        "id": identity,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage(counts),
    }


def chat_chunk(identity: str, model: str, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """One piece of a streamed answer."""
    return {
        "id": identity,
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def model_list(chat: Part, embedder: Part, started: float) -> dict[str, Any]:
    """The models that answer now, with their windows in tokens."""
    data = []
    for part, kind in ((chat, "chat"), (embedder, "embedding")):
        if part.phase == "ready":
            data.append(
                {
                    "id": part.model, "object": "model", "created": int(started), "owned_by": "local", "kind": kind,
                    "context_window": part.window, "input_modalities": ["text", "image"] if part.sees else ["text"],
                }
            )  # fmt: skip
    return {"object": "list", "data": data}


def embedding_texts(body: dict[str, Any], *, most: int) -> tuple[list[str], bool]:
    """Return the texts of an embedding request and whether they are queries.

    `input_type` is query, or document (also called passage), which is the default.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(item, str) for item in texts):
        raise InputError("input must be a text or a list of texts.")
    if len(texts) > most:
        raise TooLargeError(f"input has {len(texts)} texts; at most {most} are taken at once.")
    kind = body.get("input_type", "document")
    if kind not in ("query", "document", "passage"):
        raise InputError("input_type must be query, document or passage.")
    if body.get("encoding_format") not in (None, "float", "base64"):
        raise InputError("encoding_format must be float or base64.")
    return texts, kind == "query"


def embedding_answer(found: Vectors, model: str, base64: bool = False) -> dict[str, Any]:
    """Vectors in the order of the texts."""
    data = []
    for index, vector in enumerate(found.vectors):
        value = b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode() if base64 else vector
        data.append({"object": "embedding", "index": index, "embedding": value})
    return {
        "object": "list",
        "data": data,
        "model": model,
        "usage": {"prompt_tokens": found.tokens, "total_tokens": found.tokens},
    }
