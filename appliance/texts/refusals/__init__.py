"""Refusals in the reader's language, and why something is asked. They are written in English, for the log and the
command line; where a person reads one on the page or in a chat, its sentence is looked up here by its English form, as
gettext does.

An entry is (English, zh-Hant, zh-Hans): `{}` in the English stands for a value, `{0}`, `{1}` ... for it in the others.
A value may be a phrase that has an entry of its own.
"""

from __future__ import annotations

import functools

from appliance.errors import ApplianceError
from appliance.texts.refusals.asking import ASKING
from appliance.texts.refusals.commands import COMMANDS
from appliance.texts.refusals.keeping import KEEPING
from appliance.texts.refusals.schedules import SCHEDULES
from appliance.texts.refusals.trouble import TROUBLE

REFUSALS = (*ASKING, *KEEPING, *SCHEDULES, *COMMANDS, *TROUBLE)
_COLUMN = {"zh-Hant": 1, "zh-Hans": 2}
_DEEPEST = 4  # phrases in phrases; deeper there is only what somebody made up


def in_language(text: str, language: str) -> str:
    """An English sentence of ours in `language`; as it is for readers of English, and where it is not known."""
    return _said(text, _COLUMN.get(language, 0), _DEEPEST)


def told(error: ApplianceError, language: str) -> str:
    """An error as a person reads it: what happened, and what to do."""
    return f"{in_language(error.what, language)} {in_language(error.fix, language)}".strip()


def _said(text: str, column: int, deeper: int) -> str:
    if not (column and text and deeper):
        return text
    for parts, entry in _sentences():
        values = _values(parts, text)
        if values is not None:
            return entry[column].format(*(_said(value, column, deeper - 1) for value in values))
    return text


def _values(parts: list[str], text: str) -> list[str] | None:
    """What stands between the parts of a sentence, each value as short as can be; None where it is another sentence.

    A value may be what somebody wrote, so no regular expression: it tried every way to share a text among the values.
    """
    if len(parts) == 1:
        return [] if text == parts[0] else None
    first, *middle, last = parts
    at, end = len(first), len(text) - len(last)
    if at > end or not text.startswith(first) or not text.endswith(last):
        return None
    values: list[str] = []
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return None
        values.append(text[at:found])
        at = found + len(part)
    return [*values, text[at:end]]


@functools.cache
def _sentences() -> list[tuple[list[str], tuple[str, str, str]]]:
    """Each entry with what its English form is made of; first those that begin with words of ours, which nobody's
    value can make up, then what says most."""
    found = [(entry[0].split("{}"), entry) for entry in REFUSALS]
    return sorted(found, key=lambda one: (bool(one[0][0]), sum(map(len, one[0]))), reverse=True)
