"""What the page writes: where it stands, who may read it, what wins over it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from appliance.errors import InputError, SettingsError, StateError
from appliance.settings import Settings
from appliance.settings import page as settings_page
from appliance.settings.load import load_settings

KEY = "sk-ant-from-the-page"


def loaded(state: Path, **environ: str) -> Settings:
    return load_settings(environ={"APPLIANCE_STATE_DIR": str(state), **environ})


def test_what_the_page_kept_holds_at_the_next_start_and_a_secret_stands_in_a_file_of_its_own(tmp_path: Path) -> None:
    settings_page.keep(tmp_path, {"anthropic.api_key": KEY, "budget.daily_usd": Decimal("3.50"), "models.chain": ["a"]})
    settings_page.keep(tmp_path, {"budget.at_limit": "stop", "models.chain": None})
    settings = loaded(tmp_path)
    assert settings.anthropic.api_key.get_secret_value() == KEY
    assert (settings.budget.daily_usd, settings.budget.at_limit) == (Decimal("3.50"), "stop")
    assert settings.models.chain is None
    assert settings.origin("anthropic.api_key") == settings.origin("budget.daily_usd") == "page"
    secret = tmp_path / "secrets" / "anthropic_api_key"
    assert secret.stat().st_mode & 0o777 == 0o600
    assert secret.parent.stat().st_mode & 0o777 == 0o700
    assert KEY not in (tmp_path / "config" / "page.toml").read_text()


def test_the_owners_file_and_the_environment_win_over_the_page(tmp_path: Path) -> None:
    settings_page.keep(tmp_path, {"budget.daily_usd": Decimal(3), "budget.at_limit": "stop"})
    (tmp_path / "config" / "appliance.toml").write_text("[budget]\ndaily_usd = 4\n")
    settings = loaded(tmp_path, APPLIANCE_BUDGET__AT_LIMIT="ask")
    assert (settings.budget.daily_usd, settings.budget.at_limit) == (Decimal(4), "ask")
    assert settings.origin("budget.daily_usd") == "file"
    assert settings.origin("budget.at_limit") == "environment"


def test_a_variable_that_names_the_pages_own_file_does_not_lock_the_page_out(tmp_path: Path) -> None:
    file = settings_page.secret_file(tmp_path, "telegram.bot_token")
    settings_page.keep(tmp_path, {"telegram.bot_token": "123:abc"})
    assert loaded(tmp_path, TELEGRAM_BOT_TOKEN_FILE=str(file)).origin("telegram.bot_token") == "page"
    settings_page.keep(tmp_path, {"telegram.bot_token": None})
    settings = loaded(tmp_path, TELEGRAM_BOT_TOKEN_FILE=str(file))
    assert settings.origin("telegram.bot_token") == "default"
    assert settings.chats == []


def test_a_damaged_file_of_the_page_is_named_and_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "config" / "page.toml"
    file.parent.mkdir()
    file.write_text("[budget\n")
    with pytest.raises(SettingsError, match="not valid TOML"):
        loaded(tmp_path)
    with pytest.raises(StateError, match="could not be kept"):
        settings_page.keep(tmp_path, {"budget.at_limit": "stop"})
    assert file.read_text() == "[budget\n"


def test_values_hold_in_this_process_and_wrong_ones_change_nothing() -> None:
    settings = Settings()
    before = settings.budget
    settings.take_over({"budget.daily_usd": Decimal(5), "anthropic.api_key": KEY})
    assert settings.budget.daily_usd == Decimal(5)
    assert settings.has_key
    assert before.daily_usd == Decimal("2.00")  # a section that somebody holds never changes
    assert settings.origin("budget.daily_usd") == "page"
    with pytest.raises(InputError, match=r"budget\.daily_usd"):
        settings.take_over({"anthropic.api_key": None, "budget.daily_usd": "lots"})
    assert settings.has_key
    settings.take_over({"budget.daily_usd": None})
    assert settings.budget.daily_usd == Decimal("2.00")
    assert settings.origin("budget.daily_usd") == "default"
