"""HTML to Markdown, the whole page as it stands: for pages that are no article (lists, tables, front pages)."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

_DROPPED = frozenset("script style noscript template svg canvas iframe head object embed select option button".split())
_BLOCKS = frozenset(
    "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5"
    " h6 header hr li main nav ol p pre section summary table tbody thead tr ul".split()
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_DEEPEST = 200


def markdown_of(root: Any, url: str) -> str:
    """Given an lxml element and its page's address, return the text with headings, links, lists and tables."""
    pieces: list[str] = []
    _walk(root, url, pieces, 0)
    lines = [" ".join(line.split()) for line in "".join(pieces).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _walk(element: Any, url: str, out: list[str], depth: int) -> None:
    tag = element.tag
    if not isinstance(tag, str) or tag in _DROPPED or depth > _DEEPEST or _hidden(element):
        return
    if tag == "br":
        out.append("\n")
        return
    if tag == "a" and element.get("href"):
        text = " ".join("".join(element.itertext()).split())
        if text:
            out.append(f"[{text}]({urljoin(url, element.get('href').strip())})")
        return
    if tag in ("td", "th"):
        out.append("| ")
    elif tag in _BLOCKS:
        out.append("\n" if tag in ("li", "tr", "dd", "dt") else "\n\n")
        out.append(_HEADINGS.get(tag, "- " if tag == "li" else ""))
    mark = {"b": "**", "strong": "**", "code": "`"}.get(tag, "") if (element.text or "").strip() else ""
    out.append(mark + (element.text or "").replace("\n", " "))
    for child in element:
        _walk(child, url, out, depth + 1)
        out.append((child.tail or "").replace("\n", " "))
    out.append(mark)
    if tag in ("td", "th"):
        out.append(" |" if element.getnext() is None else " ")
    elif tag in _BLOCKS and tag not in ("li", "tr"):
        out.append("\n\n")


def _hidden(element: Any) -> bool:
    return element.get("hidden") is not None or _HIDDEN.search(element.get("style") or "") is not None
