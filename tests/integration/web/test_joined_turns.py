"""A message that joins a turn: both answers stand on the page once, whatever happened between them."""

from __future__ import annotations

import asyncio
from typing import Any

from appliance.messages import Event, Inbound

from .house import House, Reply, Running
from .test_web_page import browser, logged_in, pytestmark, say  # noqa: F401 - marks and a fixture


async def script(house: House, inbound: Inbound, row: int) -> Reply:
    def emit(kind: Any, rows: list[int], **data: Any) -> None:
        house.events.emit(Event(kind, inbound.session, {"turn": f"t{row}", "message_ids": rows, **data}))

    emit("text", [row], delta="The answer is 42.")
    emit("text", [row, 99], delta="Let me look.")
    emit("tool_start", [row, 99], id="c1", name="exec", input={})
    emit("tool_end", [row, 99], id="c1", name="exec", ok=True, summary="rain")
    await asyncio.sleep(0.05)
    emit("text", [row, 99], delta="And it rains.")
    return Reply("The answer is 42.\n\nAnd it rains.", inbound.session, f"a{row}")


async def test_each_answer_stands_once(browser: Any, running: Running, house: House) -> None:  # noqa: F811
    house.script = script
    page = (await logged_in(browser, running)).page
    await say(page, "what is it, and does it rain?")
    answer = page.locator(".message.assistant").first
    await answer.locator(".foot", has_text="scripted").wait_for()
    texts = await answer.locator(".markdown").all_inner_texts()
    assert texts == ["The answer is 42.", "Let me look.", "And it rains."]
