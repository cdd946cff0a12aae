"""One typed tree: every problem at once, each with its path and the nearest name."""

import os
from pathlib import Path

import pytest

from appliance.errors import SettingsError
from appliance.settings import secret_values
from appliance.settings.example import example, rows
from appliance.settings.load import load_settings


def problems(config: str = "", tmp_path: Path | None = None, **environ: str) -> list[str]:
    path = None
    if config and tmp_path is not None:
        path = tmp_path / "appliance.toml"
        path.write_text(config)
    with pytest.raises(SettingsError) as caught:
        load_settings(path, environ=environ)
    return caught.value.problems


def test_defaults_are_the_designs() -> None:
    settings = load_settings(environ={"HOME": "/nowhere"})
    assert settings.server.port == 8321
    assert str(settings.budget.daily_usd) == "2.00"
    assert settings.chain() == ["local"]
    assert load_settings(environ={"ANTHROPIC_API_KEY": "k"}).chain() == ["claude-sonnet-5-5", "local"]


def test_every_problem_is_named_at_once_with_its_path_and_the_nearest_name(tmp_path: Path) -> None:
    found = problems(
        "[budgt]\ndaily_usd = 1\n[server]\nprot = 1\nport = 99999\n", tmp_path, APPLIANCE_BUDGET__DALY_USD="1"
    )
    text = "\n".join(found)
    assert "budgt: unknown setting; did you mean budget?" in text
    assert "server.prot: unknown setting; did you mean server.port?" in text
    assert "budget.daly_usd: unknown setting; did you mean budget.daily_usd?" in text
    assert "server.port" in text
    assert len(found) == 4


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "-1", "lots", ""])
def test_a_limit_that_is_no_finite_amount_is_refused(value: str) -> None:
    if value == "":  # an empty variable switches the limit off, as the description says
        assert load_settings(environ={"APPLIANCE_BUDGET__DAILY_USD": value}).budget.daily_usd is None
        return
    assert any("budget.daily_usd" in p for p in problems(APPLIANCE_BUDGET__DAILY_USD=value))


def test_a_secret_can_come_from_a_file_and_only_its_last_newline_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("sk-ant-1 \n")
    settings = load_settings(environ={"ANTHROPIC_API_KEY_FILE": str(path)})
    assert settings.anthropic.api_key.get_secret_value() == "sk-ant-1 "


def test_both_a_variable_and_its_file_are_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("x")
    found = problems(ANTHROPIC_API_KEY="a", ANTHROPIC_API_KEY_FILE=str(path))
    assert found == ["ANTHROPIC_API_KEY and ANTHROPIC_API_KEY_FILE are both set; keep one of them"]


def test_an_unreadable_secret_file_is_named_with_the_user(tmp_path: Path) -> None:
    found = problems(TELEGRAM_BOT_TOKEN_FILE=str(tmp_path / "missing"))
    assert f"cannot be read by user {os.getuid()}" in found[0]
    assert "TELEGRAM_BOT_TOKEN_FILE" in found[0]


def test_a_setting_whose_own_name_ends_in_file_is_not_a_secret_file(tmp_path: Path) -> None:
    settings = load_settings(environ={"APPLIANCE_BUDGET__PRICE_FILE": "/srv/prices.toml"})
    assert settings.budget.price_file == Path("/srv/prices.toml")


def test_lists_come_as_json_and_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "appliance.toml"
    path.write_text('[models]\nchain = ["local"]\n[server]\nport = 1234\n')
    settings = load_settings(path, environ={"APPLIANCE_MODELS__CHAIN": '["claude-opus-5-5","local"]'})
    assert settings.chain() == ["claude-opus-5-5", "local"]
    assert settings.server.port == 1234


def test_broken_toml_is_named_with_its_file(tmp_path: Path) -> None:
    assert "appliance.toml: not valid TOML" in problems("[server\n", tmp_path)[0]


def test_an_unknown_time_zone_is_refused_and_a_known_one_taken() -> None:
    assert any("owner.timezone" in p for p in problems(APPLIANCE_OWNER__TIMEZONE="Mars/Base"))
    assert load_settings(environ={"APPLIANCE_OWNER__TIMEZONE": "Asia/Tokyo"}).owner.zone.key == "Asia/Tokyo"


def test_every_setting_has_a_description_and_the_example_file_is_valid(tmp_path: Path) -> None:
    assert all(description for _, _, _, description in rows())
    lines = [line.removeprefix("#") for line in example().splitlines() if not line.startswith("# ")]
    path = tmp_path / "appliance.toml"
    path.write_text("\n".join(lines))
    load_settings(path, environ={})


def test_every_secret_of_the_tree_is_known_to_the_redactor() -> None:
    settings = load_settings(
        environ={
            "ANTHROPIC_API_KEY": "one",
            "TELEGRAM_BOT_TOKEN": "two",
            "APPLIANCE_BACKUP__PASSPHRASE": "three",
            "APPLIANCE_OPENAI_COMPATIBLE": '{"nas": {"base_url": "http://nas/v1", "api_key": "four"}}',
        }
    )
    assert sorted(secret_values(settings)) == ["four", "one", "three", "two"]


def test_a_problem_names_the_file_or_the_variable_it_stands_in(tmp_path: Path) -> None:
    key = tmp_path / "port"
    key.write_text("many\n")
    config = '[budget]\ndaily_usd = "lots"\n[email]\npassword = "x"\n[server]\nallowed_hosts = [1]\n'
    found = problems(
        config, tmp_path, APPLIANCE_EMAIL__SECURITY="none", APPLIANCE_SERVER__PORT_FILE=str(key), APPLIANCE_AGNT="1"
    )
    file = f"{tmp_path}/appliance.toml"
    assert [line.partition(":")[0] for line in found if "budget" in line] == [file]
    assert any(line.startswith(f"{file} and APPLIANCE_EMAIL__SECURITY: email: ") for line in found)
    assert any(line.startswith(f"{file}: server.allowed_hosts.0: ") for line in found)
    assert any(line.startswith("APPLIANCE_SERVER__PORT_FILE: server.port: ") for line in found)
    assert any(line.startswith("APPLIANCE_AGNT: agnt: unknown setting; did you mean agent?") for line in found)
    with pytest.raises(SettingsError, match="the command line: server"):
        load_settings(environ={"APPLIANCE_STATE_DIR": str(tmp_path)}, overrides={"server": {"port": 99999}})
