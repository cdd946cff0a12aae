"""The spend page over a real house: the figures of the books, in three languages, drawn without a script."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from appliance.app import Appliance
from appliance.testing.fake_anthropic import FakeAnthropic
from tests.house_settings import client_of, house_settings


@pytest.fixture
async def owner(tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    async with FakeAnthropic() as provider:
        settings = house_settings(tmp_path / "state", provider.url)
        house = Appliance(settings)
        url = await house.start()
        async with client_of(settings, url) as client:
            yield client
        await house.stop()


async def test_before_anything_is_spent_the_page_says_so(owner: httpx2.AsyncClient) -> None:
    answer = await owner.get("/spend")
    assert answer.status_code == 200
    assert "Nothing was spent yet." in answer.text
    assert "$0.00 of $2.00 (0%)" in answer.text


async def test_the_page_shows_what_the_books_say(owner: httpx2.AsyncClient) -> None:
    assert (await owner.post("/api/messages", json={"session": "main", "text": "Hello!"})).status_code == 200
    spent = (await owner.get("/api/budget")).json()[0]["spent"]
    page = (await owner.get("/spend")).text
    assert spent > 0
    assert f"${spent:.4f} of $2.00" in page
    assert "claude-sonnet-5-5" in page
    assert "agent:main:main" in page
    assert len(re.findall(r'<rect class="mark" x=', page)) == 30
    assert "<script>" not in page
    assert " style=" not in page
    for language, word in (("zh-TW", "最近 30 天"), ("zh-CN", "花费"), ("en", "The last 30 days")):
        assert word in (await owner.get("/spend", headers={"accept-language": language})).text


async def test_a_stranger_sees_no_figures(owner: httpx2.AsyncClient) -> None:
    async with httpx2.AsyncClient(base_url=owner.base_url) as stranger:
        answer = await stranger.get("/spend")
    assert answer.status_code in (303, 401)
    assert "$" not in answer.text
