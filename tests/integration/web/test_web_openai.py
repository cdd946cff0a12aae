"""The OpenAI-compatible door, asked as chat clients and Home Assistant ask it."""

from __future__ import annotations

import base64
import json
from typing import Any

import httpx2

from appliance.messages import Inbound, SessionKey

from .house import House, Reply

URL = "/v1/chat/completions"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


async def test_both_models_are_listed(owner: httpx2.AsyncClient) -> None:
    listed = (await owner.get("/v1/models")).json()
    assert [model["id"] for model in listed["data"]] == ["appliance", "appliance-main"]
    assert (await owner.get("/v1/models/appliance")).json()["object"] == "model"


async def test_a_completion_has_the_known_shape(owner: httpx2.AsyncClient) -> None:
    answer = (await owner.post(URL, json={"model": "appliance", "messages": [user("hi")], "temperature": 0.2})).json()
    assert answer["object"] == "chat.completion"
    assert answer["choices"][0]["message"] == {"role": "assistant", "content": "You said: hi"}
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert answer["usage"] == {"prompt_tokens": 15, "completion_tokens": 3, "total_tokens": 18}


async def test_a_stream_ends_with_done_and_its_pieces_make_the_whole(owner: httpx2.AsyncClient) -> None:
    body = {"messages": [user("hi")], "stream": True, "stream_options": {"include_usage": True}}
    lines = (await owner.post(URL, json=body)).text.split("\n\n")
    assert lines[-2] == "data: [DONE]"
    chunks = [json.loads(line[6:]) for line in lines[:-2]]
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    said = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks if chunk["choices"])
    assert said == "You said: hi"
    assert chunks[-1]["usage"]["total_tokens"] == 18


async def test_an_answer_without_pieces_is_streamed_whole(owner: httpx2.AsyncClient, house: House) -> None:
    async def command(_: House, inbound: Inbound, row: int) -> Reply:
        return Reply("budget: 2.00", inbound.session, f"a{row}")

    house.script = command
    text = (await owner.post(URL, json={"messages": [user("/budget")], "stream": True})).text
    assert '"content":"budget: 2.00"' in text


async def test_a_growing_conversation_stays_in_one_session_and_says_only_the_new(
    owner: httpx2.AsyncClient, house: House
) -> None:
    history = [{"role": "system", "content": "You are at home."}, user("first")]
    await owner.post(URL, json={"messages": history})
    history += [{"role": "assistant", "content": "You said: first"}, user("second")]
    await owner.post(URL, json={"messages": history})
    assert house.book[0].session == house.book[1].session
    assert house.book[0].text == "[Instructions from the client]\nYou are at home.\n\n[Now]\nfirst"
    assert house.book[1].text == "second"
    await owner.post(URL, json={"messages": [user("another beginning")]})
    assert house.book[2].session != house.book[0].session


async def test_the_main_model_speaks_in_the_owners_conversation(owner: httpx2.AsyncClient, house: House) -> None:
    messages = [{"role": "system", "content": "x"}, user("hi")]
    await owner.post(URL, json={"model": "appliance-main", "messages": messages})
    assert house.book[0].session == SessionKey.main()
    assert house.book[0].text == "hi"


async def test_the_user_field_names_a_session_but_never_main(owner: httpx2.AsyncClient, house: House) -> None:
    await owner.post(URL, json={"messages": [user("hi")], "user": "kitchen"})
    await owner.post(URL, json={"messages": [user("hi")], "user": "main"})
    assert house.book[0].session == SessionKey.web("kitchen")
    assert not house.book[1].session.is_main


async def test_a_repeated_idempotency_key_is_said_once(owner: httpx2.AsyncClient, house: House) -> None:
    for _ in range(2):
        await owner.post(URL, json={"messages": [user("hi")]}, headers={"idempotency-key": "k-1"})
    assert len(house.book) == 1


async def test_text_parts_are_read(owner: httpx2.AsyncClient, house: House) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    await owner.post(URL, json={"messages": [{"role": "user", "content": parts}]})
    assert house.book[0].text == "a\nb"


async def test_a_picture_comes_along_and_earlier_ones_are_not_sent_again(
    owner: httpx2.AsyncClient, house: House
) -> None:
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\2"
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    shown = {"role": "user", "content": [{"type": "text", "text": "what is this"}, picture(address)]}
    await owner.post(URL, json={"messages": [shown]})
    await owner.post(URL, json={"messages": [shown, {"role": "assistant", "content": "a dot"}, user("sure?")]})
    first, second = house.book
    assert [(item.kind, item.media_type, item.size) for item in first.attachments] == [("image", "image/png", len(png))]
    assert (second.text, second.attachments, second.session) == ("sure?", (), first.session)


def picture(address: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": address}}


async def test_a_bad_request_gets_the_clients_own_error_shape(owner: httpx2.AsyncClient, house: House) -> None:
    wanted: list[tuple[Any, int]] = [
        ({}, 400),
        ({"messages": []}, 400),
        ({"messages": "x"}, 400),
        ({"messages": [{"role": "assistant", "content": "x"}]}, 400),
        ({"messages": [{"role": "user", "content": None}]}, 400),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400),
        ({"messages": [{"role": "user", "content": [{"type": 5}]}]}, 400),
        ({"messages": [{"role": "user", "content": [picture("http://169.254.169.254/x.png")]}]}, 400),
        ({"messages": [{"role": "user", "content": [picture("data:image/png;base64,=")]}]}, 400),
        ({"messages": [{"role": "user", "content": [picture("data:text/html;base64,AAAA")]}]}, 400),
        ({"messages": [{"role": "user", "content": ""}]}, 400),
        ({"messages": [{"role": "user", "content": "x"}], "model": "gpt-9"}, 404),
        ({"messages": [{"role": "user", "content": "x" * 70_000}]}, 413),
    ]
    got = []
    for body, _ in wanted:
        answer = await owner.post(URL, json=body)
        assert set(answer.json()["error"]) >= {"message", "type", "code"}
        got.append((body, answer.status_code))
    assert got == wanted
    assert house.book == []
