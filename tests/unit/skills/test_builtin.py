"""Our own skills: valid, short, and about tools that exist."""

import re
from pathlib import Path

import pytest

from appliance.skills.collection import BUILTIN
from appliance.skills.folder import contents
from appliance.skills.manifest import read_manifest

NAMES = sorted(path.name for path in BUILTIN.iterdir())
TOOLS = {
    "exec", "process", "fetch", "web_search", "browser", "read", "write", "edit", "memory_search", "remember",
    "schedule", "skill", "read_output", "check",
}  # fmt: skip
# What reads like a tool in a sentence: with `x`, `x` the file, use `x`.
_CALLED = re.compile(r"(?:[Ww]ith|[Uu]se|[Rr]un with|than|before|and|to|over|:|\() `([a-z_]+)`")


def test_the_shelf_is_known() -> None:
    assert NAMES == [
        "backups", "calendar", "calendar-ics", "mail", "media-library", "mentions", "network-check", "note-taking",
        "pdf-reading", "rss-digest", "server-health", "shopping-list", "weather",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_it_is_valid_short_and_names_only_tools_that_exist(name: str) -> None:
    files = contents(BUILTIN, name, shipped=True).files
    assert list(files) == ["SKILL.md"]
    found = read_manifest(files["SKILL.md"], name)
    text = files["SKILL.md"].decode()
    assert text.count("\n") < 60
    assert len(found.description) <= 70
    quoted = set(re.findall(r"`([a-z_]+)`", text)) & (TOOLS | set(_CALLED.findall(text)))
    words = {"rm", "rg", "diff", "tesseract", "pdftotext", "nproc", "from"}  # programs and parameters
    assert quoted - words <= TOOLS, quoted - words - TOOLS
    assert quoted & TOOLS, "it names no tool at all"


def test_the_tools_they_may_name_are_the_tools_there_are() -> None:
    package = Path(__file__).parents[3] / "appliance" / "tools"
    source = "\n".join(path.read_text(encoding="utf-8") for path in package.glob("*.py"))
    assert set(re.findall(r'ToolSpec\(\s*"([a-z_]+)"', source)) >= TOOLS
