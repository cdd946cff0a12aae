"""The pages that say what the house is set to and which models it has; the spend page links to the others."""

from __future__ import annotations

import html
from pathlib import Path

import httpx2
import pytest

from appliance.settings.example import in_force, rows
from appliance.settings.load import load_settings
from appliance.texts import SECTIONS
from appliance.texts.settings import DESCRIPTIONS

from .conftest import Whole


async def test_every_setting_stands_there_with_its_source_and_no_secret(whole: Whole) -> None:
    sections = (await whole.client.get("/api/settings")).json()["sections"]
    listed = {row["path"]: row for section in sections for row in section["rows"]}
    assert set(listed) == {path for path, *_ in rows()}
    assert all(row["description"] for row in listed.values())
    key = listed["anthropic.api_key"]
    assert (key["set"], key["value"], key["origin"]) == (True, "", "environment")
    assert (listed["server.port"]["origin"], listed["server.port"]["value"]) == ("environment", "0")
    assert listed["agent.max_steps"]["origin"] == "default"
    page = (await whole.client.get("/settings")).text
    assert "sk-ant-test" not in page
    assert "only-for-the-numbers" not in page
    assert page.count("APPLIANCE_AGENT__MAX_STEPS") == 1
    assert page.count("APPLIANCE_SERVER__PORT") == 2  # among what is set, and in its section


@pytest.mark.parametrize(("browser", "column"), [("zh-TW", 1), ("zh-CN", 2)])
async def test_what_settings_are_for_is_said_in_the_language_of_the_reader(
    whole: Whole, browser: str, column: int
) -> None:
    asked = {"accept-language": browser}
    page = html.unescape((await whole.client.get("/settings", headers=asked)).text)
    assert [entry[0] for entry in DESCRIPTIONS if f">{entry[0]}<" in page] == []
    assert [entry[0] for entry in DESCRIPTIONS if f">{entry[column]}<" not in page] == []
    assert all(f"<b>{title[column]}</b>" in page for title in SECTIONS.values())
    code = (await whole.client.post("/api/login-code")).json()["code"]
    async with httpx2.AsyncClient(base_url=whole.url, headers=asked) as reader:
        await reader.post("/api/login", json={"code": code})
        read = await reader.get("/api/settings")
    program = await whole.client.get("/api/settings", headers=asked)  # programs read English
    for answer, held in ((read, column), (program, 0)):
        sections = answer.json()["sections"]
        assert {section["title"] for section in sections} == {title[held] for title in SECTIONS.values()}
        described = {row["description"] for section in sections for row in section["rows"]}
        assert described == {entry[held] for entry in DESCRIPTIONS}


def test_where_a_setting_was_set_is_known(tmp_path: Path) -> None:
    config = tmp_path / "a.toml"
    config.write_text('[budget]\ndaily_usd = 3\n[web]\nsearch_url = "http://sam:secret@searxng:8080"\n')
    settings = load_settings(config, {"APPLIANCE_BUDGET__AT_LIMIT": "stop"}, {"server": {"port": 0}})
    shown = {row["path"]: row for section in in_force(settings) for row in section["rows"]}
    origins = {path: row["origin"] for path, row in shown.items() if row["origin"] != "default"}
    assert origins == {
        "budget.daily_usd": "file",
        "budget.at_limit": "environment",
        "web.search_url": "file",
        "server.port": "command line",
    }
    assert shown["web.search_url"]["value"] == '"http://searxng:8080"'


def test_the_key_of_a_further_model_server_is_not_shown() -> None:
    given = '{"nas": {"base_url": "http://nas", "model": "m", "api_key": "sk-hidden"}}'
    settings = load_settings(environ={"APPLIANCE_OPENAI_COMPATIBLE": given})
    assert "sk-hidden" not in str(in_force(settings))


async def test_the_models_page_shows_the_chain_and_the_catalogue(whole: Whole) -> None:
    shown = (await whole.client.get("/api/models/catalogue")).json()
    assert next(one["model"] for one in shown["chain"]) == "claude-sonnet-5-5"
    assert all(one["licence"] and one["size"] > 0 for one in shown["catalogue"])
    page = (await whole.client.get("/models")).text
    assert shown["catalogue"][0]["name"] in page
    assert "data-post" not in page  # no local model is used here, so there is nothing to fetch
    assert (await whole.client.post("/api/models/nonsense/pull", json={})).status_code == 400


@pytest.mark.parametrize("path", ["/spend", "/settings", "/models", "/health"])
async def test_every_page_links_to_every_other(whole: Whole, path: str) -> None:
    page = (await whole.client.get(path)).text
    for other in ("/approvals", "/memory", "/schedules", "/spend", "/models", "/settings", "/health"):
        assert f'<a href="{other}"' in page
    assert page.count('aria-current="page"') == 1
