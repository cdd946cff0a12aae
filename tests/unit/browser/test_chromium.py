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


def test_what_costs_chromium_its_sandbox_is_found_by_trying(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tried = chromium.own_sandbox.__wrapped__
    monkeypatch.setattr(chromium.os, "getuid", lambda: 0)
    assert "root" in tried()
    monkeypatch.setattr(chromium.os, "getuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "unshare is missing" in tried()
    program = tmp_path / "unshare"
    program.write_text("#!/bin/sh\necho 'unshare: Operation not permitted' >&2; exit 1\n")
    program.chmod(0o755)
    assert "forbids user namespaces (unshare: Operation not permitted)" in tried()
    program.write_text('#!/bin/sh\n[ "$*" = "--user --map-root-user --pid --net --fork --root=/ true" ]\n')
    assert tried() == ""
