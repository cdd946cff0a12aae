"""The README says the same in three languages: the same commands, code and links."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
SIMPLIFIED, TRADITIONAL = (
    set("们这说时对会发过没问来国开为么样经动电话头车书买卖"),
    set("們這說時對會發過沒問來國開為麼樣經動電話頭車書買賣"),
)


def fences(text: str) -> list[str]:
    return re.findall(r"```\w*\n.*?```", text, re.DOTALL)


def spans(text: str) -> list[str]:
    for fence in fences(text):
        text = text.replace(fence, "")
    return sorted(re.findall(r"`([^`\n]+)`", text))


def links(text: str, folder: str) -> list[str]:
    """Where the links of a page in `folder` lead, from the root; those between the languages apart."""
    found = [posixpath.normpath(f"{folder}/{link}") for link in re.findall(r"\]\(([^)]+)\)", text)]
    return sorted(link for link in found if "README" not in link)


@pytest.mark.parametrize("name", ["docs/README.zh-Hant.md", "docs/README.zh-Hans.md"])
def test_a_translation_has_the_same_code_commands_and_links(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert fences(text) == fences(ENGLISH)
    assert spans(text) == spans(ENGLISH), "carry the change over to this translation"
    assert links(text, "docs") == links(ENGLISH, "."), "carry the change over to this translation"
    assert text.count("\n## ") == ENGLISH.count("\n## ")


def test_each_is_written_in_its_script_and_names_the_others() -> None:
    hant = (ROOT / "docs" / "README.zh-Hant.md").read_text(encoding="utf-8").replace("简体中文", "")
    hans = (ROOT / "docs" / "README.zh-Hans.md").read_text(encoding="utf-8").replace("繁體中文", "")
    assert not SIMPLIFIED & set(hant)
    assert not TRADITIONAL & set(hans)
    for text in (ENGLISH, hant, hans):
        assert len(set(re.findall(r"\]\(((?:\.\./|docs/)?README[^)]*)\)", text))) == 2
