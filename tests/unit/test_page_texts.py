"""Every text that the page asks for exists, in all three languages, and holds the same blanks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

import appliance

WEB = Path(appliance.__file__).parent / "web"


def texts() -> dict[str, list[str]]:
    """The table of texts.js, read without a JavaScript engine: it is kept in JSON's form but for trailing commas."""
    source = (WEB / "static" / "texts.js").read_text(encoding="utf-8")
    table = source[source.index("export const TEXTS = {") + 21 : source.index("};\n\nlet language") + 1]
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", table))  # type: ignore[no-any-return]


def test_every_text_has_three_languages_with_the_same_blanks() -> None:
    for key, values in texts().items():
        assert len(values) == 3, key
        assert all(values), key
        blanks = {frozenset(re.findall(r"\{\w+\}", value)) for value in values}
        assert len(blanks) == 1, key


def test_every_key_that_is_asked_for_exists_and_every_text_is_asked_for() -> None:
    sources = [path.read_text(encoding="utf-8") for path in [*WEB.glob("templates/*.html"), *WEB.glob("static/*.js")]]
    everything = "\n".join(source for source in sources if "export const TEXTS" not in source)
    known = set(texts())
    asked = set(re.findall(r'data-(?:text|label|placeholder)="([^"]+)"', everything))
    asked |= set(re.findall(r'\bt\("([^"]+)"', everything))
    asked = {key for key in asked if "{{" not in key}
    assert asked - known == set()
    made = {key for key in known if key.startswith(("model.", "marker.", "pages.", "approval."))}  # of a phase or kind
    used = {key for key in known if f'"{key}"' in everything}
    assert known - used - made == set()


def test_traditional_texts_hold_no_simplified_characters_and_the_other_way_round() -> None:
    simplified, traditional = (
        set("们这说时对会发过没问来国开为么样经动电话头车书买卖"),
        set("們這說時對會發過沒問來國開為麼樣經動電話頭車書買賣"),
    )
    for key, (_, hant, hans) in texts().items():
        assert not simplified & set(hant), key
        assert not traditional & set(hans), key


def test_the_page_names_no_other_host() -> None:
    for path in [*WEB.glob("templates/*.html"), *WEB.glob("static/*.js"), *WEB.glob("static/*.css")]:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://\w", text), path.name
        assert "innerHTML" not in text, path.name
        assert "eval(" not in text, path.name


@pytest.mark.skipif(shutil.which("node") is None, reason="no node to check the syntax with; Chromium does in its tier")
@pytest.mark.parametrize("path", sorted((WEB / "static").glob("*.js")), ids=lambda path: path.name)
def test_the_scripts_are_valid(path: Path) -> None:
    done = subprocess.run(["node", "--check", str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


class Untranslated(HTMLParser):
    """Collects words that stand in a template itself: text and spoken labels that no table of texts fills."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._stack: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for name in ("aria-label", "title", "placeholder", "alt"):
            if _words(given.get(name)) and "data-label" not in given and "data-placeholder" not in given:
                self.found.append(f"{tag} {name}={given[name]}")
        if tag not in ("meta", "link", "img", "input", "br", "path", "rect", "circle"):
            filled = "data-text" in given or given.get("lang") in ("en", "zh-Hant", "zh-Hans")
            self._stack.append((tag, filled or tag in ("script", "style", "noscript", "code")))

    def handle_endtag(self, tag: str) -> None:
        while self._stack and self._stack.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if _words(data) and not any(filled for _, filled in self._stack):
            self.found.append(data.strip())


def _words(text: str | None) -> bool:
    return re.search(r"[a-z]{2,}|[\u4e00-\u9fff]", text or "") is not None


@pytest.mark.parametrize("path", sorted(WEB.glob("templates/*.html")), ids=lambda path: path.name)
def test_no_page_holds_words_that_are_not_translated(path: Path) -> None:
    source = re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    # The title is drawn anew by the page's script, and how often a page looks is no word.
    source = re.sub(r"\{%-?\s*block (?:title|poll)\s*%\}.*?\{%-?\s*endblock\s*-?%\}", "", source)
    source = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", source, flags=re.DOTALL)
    reader = Untranslated()
    reader.feed(source)
    assert reader.found == []


def test_the_search_for_words_finds_them() -> None:
    reader = Untranslated()
    reader.feed('<p>Hello</p><button aria-label="Close"></button><p data-text="x">filled</p><code>code</code>')
    assert reader.found == ["Hello", "button aria-label=Close"]
