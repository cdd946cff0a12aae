"""What exists is documented, and what is documented exists."""

import re
from pathlib import Path

import pytest

from appliance import cli_reference
from appliance.settings.example import page

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCS)


COMMANDS = [name for name, _ in cli_reference.commands()]


def test_the_settings_page_is_the_settings_tree() -> None:
    assert (ROOT / "docs/settings.md").read_text() == page(), (
        "run: python -m appliance.settings.example > docs/settings.md"
    )


def test_the_page_of_the_command_line_is_the_command_line() -> None:
    made = cli_reference.page()
    path = ROOT / "docs/command-line.md"
    assert path.read_text() == made, "run: python -m appliance.cli_reference > docs/command-line.md"


def test_every_command_that_the_docs_name_exists() -> None:
    known = {name.split()[1] for name in COMMANDS}
    named = set(re.findall(r"(?<![\w/.-])appliance ([a-z][a-z-]+)", " ".join(re.findall(r"`([^`\n]+)`", TEXT))))
    assert named <= known, named - known


def test_every_link_in_the_docs_leads_somewhere() -> None:
    for path in DOCS:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize(
    "script", ["run", "test", "check", "images", "setup", "release", "try-ansible", "audit-dependencies"]
)
def test_every_script_is_there_and_may_be_run(script: str) -> None:
    path = ROOT / "scripts" / script
    assert path.stat().st_mode & 0o111
    assert path.read_text().startswith("#!/usr/bin/env bash\n")
