"""Whether there is a browser here, and what to do when there is none."""

from pathlib import Path

import pytest

from appliance.browser import chromium


def test_what_is_missing_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(chromium.importlib.util, "find_spec", lambda name: None)
    assert "extra" in chromium.missing("")
    monkeypatch.setattr(chromium.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "Chromium is not installed" in chromium.missing("")
    assert "no program" in chromium.missing(str(tmp_path / "chromium"))
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert chromium.missing("") == ""
    assert chromium.executable("") == str(program)


def test_root_and_forbidden_namespaces_cost_chromium_its_sandbox(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(chromium.os, "getuid", lambda: 0)
    assert "root" in chromium.own_sandbox()
    monkeypatch.setattr(chromium.os, "getuid", lambda: 1000)
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "max_user_namespaces").write_text("0\n")
    monkeypatch.setattr(chromium, "Path", lambda root, name: tmp_path / name)
    assert "max_user_namespaces" in chromium.own_sandbox()
    (tmp_path / "user" / "max_user_namespaces").write_text("15000\n")
    assert chromium.own_sandbox() == ""
