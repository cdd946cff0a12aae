"""Markdown in the lighter marks that some platforms know (*bold*, _slanted_, ~struck~); code is left as it is."""

from __future__ import annotations

import re
from collections.abc import Callable

_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]\n]+)\]\((https?://[^\s()]+)\)")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__")
_SLANTED = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_STRUCK = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~")
_BULLET = re.compile(r"^(\s*)[*+-][ \t]+", re.MULTILINE)
_MARK = "\ue000"  # stands for the bold mark until slanted text is done


def light(text: str, link: Callable[[str, str], str]) -> str:
    """Given Markdown and how a link is written, return it in lighter marks. Fences and inline code stay."""
    return "".join(piece if number % 2 else _marks(piece, link) for number, piece in enumerate(_CODE.split(text)))


def _marks(text: str, link: Callable[[str, str], str]) -> str:
    text = _LINK.sub(lambda found: link(found[1], found[2]), text)
    text = _BULLET.sub(r"\1• ", text)
    text = _HEADING.sub(lambda found: f"**{_BOLD.sub(_inner, found[1])}**", text)
    text = _BOLD.sub(lambda found: f"{_MARK}{found[1] or found[2]}{_MARK}", text)
    text = _SLANTED.sub(r"_\1_", text)
    return _STRUCK.sub(r"~\1~", text).replace(_MARK, "*")


def _inner(found: re.Match[str]) -> str:
    return found[1] or found[2]
