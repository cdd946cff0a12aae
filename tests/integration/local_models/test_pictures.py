"""Pictures that the local model sees: the real service and llama.cpp, with eyes that tell colours."""

from __future__ import annotations

import base64
import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from appliance.local_models import runtime
from appliance.local_models.progress import Stop, ignore
from appliance.local_models.store import Store
from appliance.models.base import Finished, ModelRequest, PromptPart
from appliance.models.openai_compatible import OpenAICompatible
from appliance.testing.colour_eyes import write_few_places_eyes, write_few_places_model, write_tiled_eyes
from appliance.testing.local_service import LocalService, models_folder

from .conftest import Supervised, running

pytestmark = [pytest.mark.local, pytest.mark.timeout(1800)]
SMALL = models_folder() / "SmolLM2-135M-Instruct.Q4_1.gguf"
QUESTION = "Which colour do you see: red, green or blue? Answer with one word. "


@pytest.fixture(scope="module")
def seeing(service: LocalService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalService]:
    """The small chat model as a file of one's own, with a projector beside it."""
    runtime.ensure(Store(models_folder()), ignore, Stop())
    mine = tmp_path_factory.mktemp("seeing") / "mine.gguf"
    mine.symlink_to(SMALL)
    write_tiled_eyes(SMALL, mine.with_name("mmproj-mine.gguf"))
    yield from running(chat=str(mine), embedder="off")


@pytest.fixture(scope="module")
def at_few_places(service: LocalService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalService]:
    """The same in a form where a picture takes fewer positions than tokens, as Qwen's models have it."""
    runtime.ensure(Store(models_folder()), ignore, Stop())
    mine = tmp_path_factory.mktemp("few-places") / "mine.gguf"
    write_few_places_model(SMALL, mine)
    write_few_places_eyes(SMALL, mine.with_name("mmproj-mine.gguf"))
    yield from running(chat=str(mine), embedder="off")


@pytest.fixture
async def model(seeing: LocalService) -> AsyncIterator[OpenAICompatible]:
    made = OpenAICompatible.local_service(Supervised(seeing), timeout=90)
    yield made
    await made.close()


def drawn(colour: str, size: tuple[int, int] = (64, 64), form: str = "PNG") -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, colour).save(made, form)
    return made.getvalue()


def asked(service: LocalService, *pictures: bytes, text: str = QUESTION, **more: Any) -> dict[str, Any]:
    addresses = [f"data:image/png;base64,{base64.b64encode(one).decode()}" for one in pictures]
    parts = [{"type": "text", "text": text}, *({"type": "image_url", "image_url": {"url": a}} for a in addresses)]
    messages = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": parts}]
    body = {"messages": messages, "temperature": 0, "max_tokens": 12, **more}
    answer = service.client.post("/v1/chat/completions", json=body)
    found: dict[str, Any] = answer.json()
    return found


def said(answer: dict[str, Any]) -> str:
    return str(answer["choices"][0]["message"]["content"])


def test_the_service_says_that_it_sees(seeing: LocalService, service: LocalService) -> None:
    assert (seeing.status()["sees"], service.status()["sees"]) == (True, False)
    (listed,) = seeing.client.get("/v1/models").json()["data"]
    assert listed["input_modalities"] == ["text", "image"]


@pytest.mark.parametrize(("colour", "word"), [("red", "red"), ("lime", "green"), ("blue", "blue")])
def test_what_is_in_the_picture_reaches_the_answer(seeing: LocalService, colour: str, word: str) -> None:
    assert said(asked(seeing, drawn(colour))).strip() == word


def test_a_picture_of_any_size_and_form_is_brought_to_the_models(seeing: LocalService) -> None:
    large = drawn("blue", (5000, 3000), "WEBP")
    answer = asked(seeing, large)
    assert "blue" in said(answer)
    assert answer["usage"]["prompt_tokens"] < seeing.status()["window"]


def test_a_picture_counts_in_tokens_and_is_read_once(seeing: LocalService) -> None:
    picture = drawn("red", (600, 600))
    plain = asked(seeing, text="Say yes. ")["usage"]
    first = asked(seeing, picture, text="Say yes. ")["usage"]
    again = asked(seeing, picture, text="Say yes. ")["usage"]
    other = asked(seeing, drawn("blue", (600, 600)), text="Say yes. ")["usage"]
    assert first["prompt_tokens"] > plain["prompt_tokens"] + 9, "nine parts and the whole of it"
    assert again["prompt_tokens_details"]["cached_tokens"] == first["prompt_tokens"] - 1
    assert other["prompt_tokens_details"]["cached_tokens"] < first["prompt_tokens"] // 2


def test_a_conversation_goes_on_after_a_picture_and_comes_back_to_it(seeing: LocalService) -> None:
    before = asked(seeing, drawn("blue"))
    asked(seeing, text="Count from one to five hundred. " * 40)  # another conversation takes the context
    after = asked(seeing, drawn("blue"))
    assert said(after) == said(before)
    assert after["usage"]["prompt_tokens"] == before["usage"]["prompt_tokens"]


@pytest.mark.parametrize(("colour", "word"), [("red", "red"), ("lime", "green"), ("blue", "blue")])
def test_a_picture_at_fewer_positions_than_tokens_is_seen_and_counted(
    at_few_places: LocalService, colour: str, word: str
) -> None:
    plain = asked(at_few_places)["usage"]["prompt_tokens"]
    first, again = (asked(at_few_places, drawn(colour, (224, 224))) for _ in range(2))
    assert word in said(first).lower()
    assert said(again) == said(first)
    assert first["usage"]["prompt_tokens"] >= plain + 8 * 8, "28 pixels a token"
    cached = again["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert plain < cached < first["usage"]["prompt_tokens"]


def test_an_answer_in_a_form_sees_too(seeing: LocalService) -> None:
    schema = {"type": "object", "properties": {"colour": {"enum": ["red", "green", "blue"]}}, "required": ["colour"]}
    form = {"type": "json_schema", "json_schema": {"schema": schema}}
    assert '"green"' in said(asked(seeing, drawn("lime"), response_format=form, max_tokens=30))


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n" + b"\0" * 60, drawn("red")[:90]])
def test_what_is_no_picture_is_refused_and_the_service_goes_on(seeing: LocalService, data: bytes) -> None:
    assert asked(seeing, data)["error"]["type"] == "invalid_request_error"
    assert said(asked(seeing, drawn("red"))).strip() == "red"


def test_a_picture_that_does_not_fit_beside_the_words_is_too_long(seeing: LocalService) -> None:
    full = "word " * (seeing.status()["window"] - 100)
    assert asked(seeing, drawn("red", (600, 600)), text=full)["error"]["code"] == "context_length_exceeded"


def test_a_model_without_eyes_refuses_a_picture(service: LocalService) -> None:
    assert "text only" in asked(service, drawn("red"))["error"]["message"]


async def test_the_gateway_shows_it_a_picture_without_being_told(model: OpenAICompatible, tmp_path: Path) -> None:
    path = tmp_path / "sent.png"
    path.write_bytes(drawn("lime", (600, 600)))
    shown = {"type": "image", "path": str(path), "media_type": "image/png"}
    message = {"role": "user", "content": [{"type": "text", "text": QUESTION}, shown]}
    request = ModelRequest((PromptPart("You are a helpful assistant."),), (message,), max_tokens=24)
    assert model.vision
    finished = [event async for event in model.stream(request)][-1]
    assert isinstance(finished, Finished)
    assert finished.usage.prompt > 90, "half of them are the picture's"
    assert finished.content[0]["text"].strip()
