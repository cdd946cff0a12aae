"""The sections [mcp.<name>]: one way to a server, no secret where it could be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import SettingsError
from appliance.settings import Settings, secret_values
from appliance.settings.load import load_settings
from appliance.settings.mcp import McpServerSettings, bearer, secrets_of, variables


def loaded(tmp_path: Path, text: str, **environ: str) -> Settings:
    path = tmp_path / "appliance.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, environ=environ)


@pytest.mark.parametrize(
    ("section", "why"),
    [
        ("[mcp.a]\nabout = 'x'", "needs either a command or a url"),
        ("[mcp.a]\nurl = 'http://x/'\ncommand = 'y'", "needs either a command or a url"),
        ("[mcp.a]\ncommand = 'y'\nenv = ['A']", "env needs allow_host = true"),
        ("[mcp.a]\ncommand = 'y'\nallow_host = true\nenv = ['A=secret']", "write names, never values"),
        ("[mcp.a]\ncommand = 'y'\nallow_host = true\nnetwork = true", "network is for the sandbox"),
        ("[mcp.a]\nurl = 'file:///etc/passwd'", "http:// or https://"),
        ("[mcp.a]\nurl = 'http://x/'\ntoken = 't'\ntoken_file = 'f'", "keep one of them"),
        ("[mcp.'Bad Name']\nurl = 'http://x/'", "mcp.Bad Name"),
        (f"[mcp.a]\nurl = 'http://x/'\nabout = '{'w' * 161}'", "at most 160"),
        ("[mcp.a]\nurl = 'http://x/'\ntimeout_seconds = 601", "mcp.a.timeout_seconds"),
    ],
)
def test_what_cannot_work_is_refused_with_its_reason(tmp_path: Path, section: str, why: str) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, section)
    assert why in "\n".join(caught.value.problems)
    assert "secret" not in "\n".join(caught.value.problems)


def test_a_token_comes_from_the_settings_a_variable_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-file\n")
    text = f"[mcp.a]\nurl = 'http://x/'\ntoken_file = '{tmp_path / 'token'}'\n[mcp.b]\nurl = 'http://y/'\n"
    settings = loaded(tmp_path, text, APPLIANCE_MCP__B__TOKEN_FILE=str(tmp_path / "token"))
    assert bearer(settings.mcp["a"]) == "from-file"
    assert settings.mcp["b"].token.get_secret_value() == "from-file"


def test_every_secret_is_known_to_the_redactor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("from-file\n")
    monkeypatch.setenv("PLAIN", "from-variable")
    monkeypatch.setenv("FILED_FILE", str(tmp_path / "token"))
    text = (
        f"[mcp.a]\nurl = 'http://x/'\ntoken_file = '{tmp_path / 'token'}'\nheaders = {{ x-key = 'from-header' }}\n"
        "[mcp.b]\ncommand = 'y'\nallow_host = true\nenv = ['PLAIN', 'FILED']\n"
    )
    settings = loaded(tmp_path, text)
    assert set(secrets_of(settings.mcp)) == {"from-file", "from-variable"}
    assert "from-header" in secret_values(settings)
    assert "from-header" not in settings.model_dump_json()


def test_a_variable_that_is_not_there_is_named() -> None:
    server = McpServerSettings(command="y", allow_host=True, env=["NOT_THERE"])
    with pytest.raises(ValueError, match="the variable NOT_THERE is not set"):
        variables(server, {})
    with pytest.raises(ValueError, match="NOT_THERE_FILE: /no/such cannot be read"):
        variables(server, {"NOT_THERE_FILE": "/no/such"})


def test_the_page_has_a_row_for_every_setting_of_a_server() -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "mcp.md").read_text(encoding="utf-8")
    for name, field in McpServerSettings.model_fields.items():
        assert f"| `{name}` | {field.description} |" in page, name
