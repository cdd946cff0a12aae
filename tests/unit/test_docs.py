"""What exists is documented, and what is documented exists."""

import re
from pathlib import Path

import pytest
import typer

from appliance.cli import app
from appliance.settings_example import page

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCS)


def commands() -> list[str]:
    group = typer.main.get_command(app)
    names = []
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", {})
        names += [f"{name} {sub}" for sub in inner] or [name]
    return names


def test_the_settings_page_is_the_settings_tree() -> None:
    assert (ROOT / "docs/settings.md").read_text() == page(), (
        "run: python -m appliance.settings_example > docs/settings.md"
    )


@pytest.mark.parametrize("command", commands())
def test_every_command_is_documented(command: str) -> None:
    assert f"appliance {command}" in TEXT


def test_every_command_that_the_docs_name_exists() -> None:
    known = {c.split()[0] for c in commands()}
    named = set(re.findall(r"(?<![\w/.-])appliance ([a-z][a-z-]+)", " ".join(re.findall(r"`([^`\n]+)`", TEXT))))
    assert named <= known, named - known


def test_every_link_in_the_docs_leads_somewhere() -> None:
    for path in DOCS:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("script", ["run", "test", "check", "images", "setup"])
def test_every_script_is_there_and_may_be_run(script: str) -> None:
    path = ROOT / "scripts" / script
    assert path.stat().st_mode & 0o111
    assert path.read_text().startswith("#!/usr/bin/env bash\n")
