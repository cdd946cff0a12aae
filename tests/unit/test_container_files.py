"""Shell scripts, Dockerfiles and YAML that no Python tool reads are read by the tools made for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent
DOCKERFILES = sorted([*ROOT.glob("sandbox_images/*/Dockerfile"), ROOT / "ansible" / "try" / "Dockerfile"])


def scripts() -> list[Path]:
    """Every tracked shell script, found by its first line."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = []
    for path in (ROOT / name for name in tracked.splitlines()):
        if path.is_file() and path.suffix in ("", ".sh"):
            with path.open("rb") as file:
                first = file.readline().rstrip()
            if first.startswith(b"#!") and first.endswith((b"/sh", b" bash", b"/bash")):
                found.append(path)
    return found


def read_by(*words: str | Path) -> str:
    """What a tool has against the files; empty when nothing."""
    done = subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True, timeout=60)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_shell_scripts_are_sound() -> None:
    found = scripts()
    assert len(found) > 8
    assert read_by(TOOLS / "shellcheck", *found) == ""


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.parent.name)
def test_dockerfiles_are_sound(path: Path) -> None:
    assert read_by(TOOLS / "hadolint", path) == ""


def test_yaml_files_are_sound() -> None:
    assert read_by(TOOLS / "yamllint", "--strict", "compose", "grafana", "ansible") == ""
