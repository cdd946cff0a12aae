"""`appliance skills` on STATE while no gateway runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appliance.cli import app
from appliance.errors import InputError


def test_a_skill_is_listed_shown_approved_and_revoked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPLIANCE_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("APPLIANCE_LOCAL__ENABLED", "false")
    folder = tmp_path / "config" / "skills" / "tea"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tea\ndescription: How tea is made.\n---\n\nBoil 水.\n")
    (folder.parent / "broken").mkdir()

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, ["skills", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    listed = run("list")
    assert "config/tea: How tea is made." in listed
    assert "unreadable  config/broken/SKILL.md: There is no SKILL.md" in listed
    shown = json.loads(run("show", "tea", "--json"))
    assert shown["state"] == "new"
    assert "Boil 水." in shown["text"]
    with pytest.raises(InputError):
        run("approve", "tea", "0" * 16)
    assert "config/tea is active." in run("approve", "tea", shown["hash"])
    assert json.loads(run("show", "tea", "--json"))["state"] == "active"
    assert "config/tea is off." in run("revoke", "config/tea")
