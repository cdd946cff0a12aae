"""What `appliance up` says at its start."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from appliance import serving


def test_the_command_is_named_so_that_it_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert serving._command() == str(Path(sys.executable).parent / "appliance")
    linked = tmp_path / "appliance"
    linked.write_text("#!/bin/sh\n")
    linked.chmod(0o755)
    assert serving._command() == "appliance"
