"""The first run in a real browser: a key, a limit and a bot are tried, kept, and hold at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from appliance.app import Appliance
from appliance.settings import Settings
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import FakeTelegram
from tests.house_settings import client_of, house_settings
from tests.telegram_bench import OWNER, telegram  # noqa: F401 - a fixture

from .conftest import Whole, started
from .test_deciding_page import browser, focused, pytestmark  # noqa: F401 - marks of everything that needs Chromium

if TYPE_CHECKING:
    from playwright.async_api import Page

KEY = "sk-ant-good-0123456789"
WRONG_TOKEN = "7000001:not-the-token-of-this-bot-0123456"
MEMBER = 12
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
DESK = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"}


@pytest.fixture
async def fresh(tmp_path: Path, telegram: FakeTelegram) -> AsyncIterator[Whole]:  # noqa: F811
    """A house that nobody has set up: no key, no chat."""
    async with FakeAnthropic(keys={KEY}) as provider, started(settings_of(tmp_path, provider, telegram)) as house:
        yield house


def settings_of(folder: Path, provider: FakeAnthropic, bot: FakeTelegram, **environ: str) -> Settings:
    return house_settings(
        folder / "state", ANTHROPIC_BASE_URL=provider.url, TELEGRAM_API_BASE=bot.url,
        APPLIANCE_LOCAL__URL="http://127.0.0.1:9", APPLIANCE_LOCAL__ENABLED="true", **environ,
    )  # fmt: skip


async def told(page: Page, step: str, text: str) -> None:
    await page.locator(f"#{step}-result", has_text=text).wait_for()


@pytest.mark.parametrize("options", [PHONE, DESK], ids=["phone", "desk"])
async def test_an_owner_is_led_from_the_login_to_the_first_message_on_the_phone(
    fresh: Whole,
    telegram: FakeTelegram,  # noqa: F811
    options: dict[str, Any],
) -> None:
    house = fresh.house
    async with browser() as started:
        context = await started.new_context(base_url=fresh.url, **options)
        context.set_default_timeout(20_000)
        page = await context.new_page()
        trouble: list[str] = []
        page.on("pageerror", lambda e: trouble.append(str(e)))
        await page.goto(f"/login#{house.auth.new_code()}")
        await page.click("#later")
        await page.wait_for_url("**/first-run")

        await page.fill("#key", "sk-ant-wrong-0123456789")
        await page.press("#key", "Enter")
        await told(page, "model", "Anthropic refuses this key.")
        await page.fill("#key", f" {KEY}\n")
        await page.press("#key", "Enter")
        await told(page, "model", "The key works.")
        assert await page.input_value("#key") == ""
        secret = house.state / "secrets" / "anthropic_api_key"
        assert secret.stat().st_mode & 0o777 == 0o600
        answer = (await fresh.client.post("/api/messages", json={"session": "main", "text": "hello"})).json()
        assert answer["model"] == "claude-sonnet-5-5"  # at once, without a restart

        await page.click("#next")
        await focused(page, "budget-title")
        await page.fill("#usd", "5")
        await page.select_option("#at-limit", "ask")
        await page.click("#budget form button")
        await told(page, "budget", "The limit holds")
        assert house.budget.status()[0]["limit"] == 5
        assert house.settings.budget.at_limit == "ask"

        await page.click("#next")
        await page.fill("#token", WRONG_TOKEN)
        await page.press("#token", "Enter")
        await told(page, "telegram", "Telegram refuses this token.")
        await page.fill("#token", telegram.world.token)
        await page.press("#token", "Enter")
        await told(page, "telegram", f"this is @{telegram.world.me['username']}")
        link = page.locator("#link")
        await link.wait_for()
        address = str(await link.get_attribute("href"))
        assert address.startswith(f"https://t.me/{telegram.world.me['username']}?start=")
        assert len(str(await page.locator("#picture path").get_attribute("d"))) > 1000
        assert await page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
        telegram.people.user(OWNER, name="Sam")
        telegram.people.say(OWNER, f"/start {address.rpartition('=')[2]}")
        await page.locator("#paired", has_text="Paired with Sam.").wait_for()
        await page.click("#invite")
        await link.wait_for()
        telegram.people.say(MEMBER, await page.inner_text("#code"))
        async with asyncio.timeout(20):
            while len(house.access.people()) < 2:
                await asyncio.sleep(0.05)
        assert [str(person.role) for _, person in house.access.people()] == ["owner", "member"]
        telegram.people.say(OWNER, "are you there?")
        async with asyncio.timeout(20):
            while not any("are you there?" in text for text in telegram.texts(OWNER)):  # the provider echoes
                await asyncio.sleep(0.05)

        await page.click("#next")
        await page.wait_for_selector("#composer")
        await page.goto("/")
        assert page.url == f"{fresh.url}/"  # not led there again
        assert trouble == []


async def test_what_was_kept_is_there_after_a_restart_and_no_answer_or_page_shows_a_secret(
    fresh: Whole,
    telegram: FakeTelegram,  # noqa: F811
    tmp_path: Path,
) -> None:
    post = fresh.client.post
    assert (await post("/api/first-run/model", json={"key": KEY})).status_code == 200
    assert (await post("/api/first-run/budget", json={"daily_usd": "3.5", "at_limit": "stop"})).status_code == 200
    bot = await post("/api/first-run/telegram", json={"token": telegram.world.token})
    assert bot.json() == {"username": telegram.world.me["username"], "restart": False}
    for path in ("/first-run", "/api/first-run", "/settings", "/api/settings", "/api/status"):
        text = (await fresh.client.get(path)).text
        assert KEY not in text
        assert telegram.world.token not in text
    rows = [row for section in (await fresh.client.get("/api/settings")).json()["sections"] for row in section["rows"]]
    assert {row["path"] for row in rows if row["origin"] == "page"} == {
        "anthropic.api_key", "telegram.bot_token", "budget.daily_usd", "budget.at_limit"
    }  # fmt: skip
    async with FakeAnthropic() as provider:
        again = settings_of(tmp_path, provider, telegram)
    assert again.chain() == ["claude-sonnet-5-5", "local"]
    assert again.chats == ["telegram"]
    assert (str(again.budget.daily_usd), again.budget.at_limit) == ("3.5", "stop")


async def test_wrong_input_is_refused_and_nothing_is_kept(fresh: Whole) -> None:
    for path, body in (
        ("model", {"key": "no key at all"}),
        ("model", {"key": "x" * 5000}),
        ("model", {"answers": "claude"}),
        ("model", {"answers": "somebody"}),
        ("budget", {"daily_usd": "lots", "at_limit": "stop"}),
        ("budget", {"daily_usd": -1, "at_limit": "stop"}),
        ("budget", {"daily_usd": 1, "at_limit": "never"}),
        ("telegram", {"token": "../../getMe"}),
        ("invite", {"role": "owner"}),
    ):
        answer = await fresh.client.post(f"/api/first-run/{path}", json=body)
        assert answer.status_code in (400, 413), (path, body, answer.text)
    assert not (fresh.house.state / "config" / "page.toml").exists()
    assert not (fresh.house.state / "secrets").exists()
    assert fresh.house.first_run.due


async def test_local_only_is_kept_and_what_the_environment_sets_cannot_be_changed_here(
    tmp_path: Path,
    telegram: FakeTelegram,  # noqa: F811
) -> None:
    async with FakeAnthropic() as provider:
        settings = settings_of(tmp_path, provider, telegram, ANTHROPIC_API_KEY=KEY, APPLIANCE_BUDGET__DAILY_USD="1")
        house = Appliance(settings)
        url = await house.start()
        try:
            async with client_of(settings, url) as client:
                answer = await client.post("/api/first-run/model", json={"answers": "local"})
                assert answer.json()["model"]["chain"] == ["local"]
                answer = await client.post("/api/first-run/model", json={"answers": "claude"})
                assert answer.json()["model"]["chain"] == ["claude-sonnet-5-5", "local"]
                for step, body in (("model", {"key": KEY}), ("budget", {"daily_usd": 2, "at_limit": "ask"})):
                    refused = await client.post(f"/api/first-run/{step}", json=body)
                    assert "is set from the environment" in refused.json()["error"]["message"]
                page = (await client.get("/first-run")).text
                assert 'id="key"' not in page
                assert "<fieldset disabled" in page
        finally:
            await house.stop()
