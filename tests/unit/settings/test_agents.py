"""Sections [agents.<id>]: what each agent has of its own, and what may not be shared."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from appliance.errors import SettingsError
from appliance.settings import Settings
from appliance.settings.agents import agent_of_channel, speaks_on
from appliance.settings.example import in_force
from appliance.settings.load import load_settings

STUDY = """
[agents.study]
chain = ["claude-haiku-5-5"]
cheap = "local"
daily_usd = "0.50"

[agents.study.telegram]
bot_token = "2:BBB"
members = [7]

[agents.kitchen-2]
"""


def read(tmp_path: Path, text: str, **environ: str) -> Settings:
    path = tmp_path / "appliance.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, environ=environ)


def problems(tmp_path: Path, text: str, **environ: str) -> str:
    with pytest.raises(SettingsError) as refused:
        read(tmp_path, text, **environ)
    return refused.value.what


def test_a_house_that_declares_none_has_the_main_agent_alone() -> None:
    settings = load_settings(environ={})
    assert settings.agent_ids == ["main"]
    assert settings.limits is settings.budget
    assert settings.models_named == settings.chain()


def test_an_agent_has_its_own_models_limit_and_bot_and_else_what_the_main_one_has(tmp_path: Path) -> None:
    settings = read(tmp_path, STUDY, ANTHROPIC_API_KEY="k", TELEGRAM_BOT_TOKEN="1:AAA")
    assert settings.agent_ids == ["main", "study", "kitchen-2"]
    assert (settings.chain("study"), settings.cheap("study")) == (["claude-haiku-5-5"], "local")
    assert settings.chain("kitchen-2") == settings.chain("main") == ["claude-sonnet-5-5", "local"]
    assert settings.limits.agent_usd == {"study": Decimal("0.50")}
    assert settings.chats == ["telegram", "telegram-study"]
    assert settings.models_named == ["claude-sonnet-5-5", "local", "claude-haiku-5-5"]


def test_a_cheap_model_without_a_key_is_the_last_of_the_agents_own_chain(tmp_path: Path) -> None:
    settings = read(tmp_path, '[agents.study]\nchain = ["nas"]\n[openai_compatible.nas]\nbase_url = "http://nas/v1"\n')
    assert (settings.cheap("study"), settings.cheap("main")) == ("nas", "local")


def test_a_bots_token_comes_from_a_file_of_its_own(tmp_path: Path) -> None:
    secret = tmp_path / "study_token"
    secret.write_text("2:FROM-FILE\n")
    settings = read(tmp_path, "", APPLIANCE_AGENTS__STUDY__TELEGRAM__BOT_TOKEN_FILE=str(secret))
    assert settings.agents["study"].telegram.bot_token.get_secret_value() == "2:FROM-FILE"


@pytest.mark.parametrize("name", ['"Study"', '"my agent"', '"-x"', '"../x"', '"學"', f'"{"a" * 65}"'])
def test_an_id_that_is_none_is_refused_by_name(tmp_path: Path, name: str) -> None:
    assert "a-z, 0-9 and -" in problems(tmp_path, f"[agents.{name}]\ndaily_usd = 1\n")


@pytest.mark.parametrize(("name", "why"), [("main", "needs no section"), ("team", "all agents share")])
def test_ids_with_a_meaning_of_their_own_are_refused(tmp_path: Path, name: str, why: str) -> None:
    assert why in problems(tmp_path, f"[agents.{name}]\ndaily_usd = 1\n")


def test_two_agents_with_one_bot_are_refused_and_the_token_is_not_shown(tmp_path: Path) -> None:
    said = problems(tmp_path, STUDY + '[agents.other.telegram]\nbot_token = "2:BBB"\n')
    assert "agents.other.telegram.bot_token is the bot of agents.study.telegram.bot_token" in said
    said += problems(tmp_path, STUDY, TELEGRAM_BOT_TOKEN="2:BBB")
    assert "agents.study.telegram.bot_token is the bot of telegram.bot_token" in said
    assert "BBB" not in said


def test_one_limit_in_two_places_is_refused(tmp_path: Path) -> None:
    said = problems(tmp_path, STUDY + '[budget.agent_usd]\nstudy = "1.00"\n')
    assert "agents.study.daily_usd and budget.agent_usd both limit study" in said


def test_what_cannot_be_used_is_refused_with_its_place(tmp_path: Path) -> None:
    said = problems(
        tmp_path,
        '[agents.a]\nchain = []\n[agents.b]\ndaily_usd = "-1"\n[agents.c]\nmodel = "x"\n'
        '[agents.d.telegram]\nwebhook_url = "https://x.example/hooks/telegram"\n',
    )
    for place in ("agents.a.chain", "agents.b.daily_usd", "agents.c.model", "agents.d.telegram"):
        assert place in said


def test_no_secret_shows_among_the_settings_in_force_however_deep_it_stands(tmp_path: Path) -> None:
    text = STUDY + '[mcp.home]\nurl = "http://ha:8123/api/mcp"\n[mcp.home.headers]\nx-house = "OPEN-SESAME"\n'
    shown = str(in_force(read(tmp_path, text)))
    assert "claude-haiku-5-5" in shown
    assert "2:BBB" not in shown
    assert "OPEN-SESAME" not in shown


def test_an_agent_speaks_on_its_own_channels_else_on_the_main_agents_else_anywhere(tmp_path: Path) -> None:
    agents = read(tmp_path, STUDY).agents
    everywhere = ["telegram", "telegram-study", "discord"]
    assert agent_of_channel(agents, "telegram-study") == "study"
    assert agent_of_channel(agents, "telegram-gone") == "main"
    assert speaks_on(agents, "study", everywhere) == {"telegram-study"}
    assert speaks_on(agents, "kitchen-2", everywhere) == {"telegram", "discord"}
    assert speaks_on(agents, "main", everywhere) == {"telegram", "discord"}
    assert speaks_on(agents, "main", ["telegram-study"]) == {"telegram-study"}
