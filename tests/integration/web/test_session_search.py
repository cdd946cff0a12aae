"""Conversations are found by what was said in them, as far as their reader may find it."""

from __future__ import annotations

from typing import Any

from appliance.messages import Inbound, Person, Role, SessionKey

from .conftest import Whole
from .test_deciding_page import logged_in, pytestmark  # noqa: F401 - marks of what needs Chromium


async def said(whole: Whole, session: str, text: str) -> None:
    answer = await whole.client.post("/api/messages", json={"session": session, "text": text})
    assert answer.status_code == 200, answer.text


async def in_private(whole: Whole, text: str) -> SessionKey:
    """What somebody else tells the agent in a chat of their own."""
    key = SessionKey.dm("telegram", "77")
    receipt = await whole.house.intake.accept(
        Inbound(
            channel="telegram", account="1", chat="77", kind="message", id="p1", text=text,
            person=Person("77", "Kim", Role.MEMBER), session=key, at=1.0,
        )
    )  # fmt: skip
    await whole.house.replies.wait(receipt.row, 20)
    return key


async def found(whole: Whole, words: str) -> list[dict[str, Any]]:
    await whole.house.memory.index.sync()
    answer = await whole.client.get("/api/sessions/search", params={"q": words})
    return list(answer.json()["sessions"])


async def test_the_gateway_finds_words_in_any_language_and_never_in_another_persons_chat(whole: Whole) -> None:
    await said(whole, "garden", "The compost heap stands behind the shed.")
    await said(whole, "cooking", "我想學做番茄炒蛋。")
    private = await in_private(whole, "My compost secret: the surprise party is on Friday.")
    assert private.value in {row["key"] for row in whole.house.sessions.list()}
    hits = await found(whole, "compost")
    assert [hit["key"] for hit in hits] == ["agent:main:web:garden"]
    assert "behind the shed" in hits[0]["snippet"]
    assert [hit["key"] for hit in await found(whole, "番茄")] == ["agent:main:web:cooking"]
    assert await found(whole, "surprise party") == []
    assert await found(whole, "zebra") == []
    for wrong in ("", " "):
        assert (await whole.client.get("/api/sessions/search", params={"q": wrong})).status_code == 400


async def test_the_page_shows_where_the_words_stand_and_opens_that_place(whole: Whole) -> None:
    await said(whole, "garden", "The compost heap stands behind the shed.")
    for number in range(12):
        await said(whole, "garden", f"And line {number}.\n\n" + "More of it.\n\n" * 8)
    await said(whole, "cooking", "Something else.")
    await whole.house.memory.index.sync()
    async with logged_in(whole) as (_, page, trouble):
        await page.fill("#filter", "compost heap")
        entry = page.locator("#sessions button")
        await page.locator("#sessions .where", has_text="compost heap").wait_for()
        assert await entry.count() == 1
        await page.press("#filter", "Tab")
        await page.keyboard.press("Enter")
        place = page.locator(".message:focus")
        await place.wait_for()
        assert "compost heap" in await place.inner_text()
        assert await place.evaluate("one => one.getBoundingClientRect().top >= 0")
        await page.fill("#filter", "")
        await page.locator("#sessions button", has_text="cooking").wait_for()
        assert trouble == []
