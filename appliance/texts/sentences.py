"""Sentences in the reader's language: refusals, why something is asked, what the doctor finds, how the parts are. They
are written in English, for the log and the command line; where a person reads one on the page or in a chat, it is
looked up here by its English form, as gettext does.

An entry is (English, zh-Hant, zh-Hans): `{}` in the English stands for a value, `{0}`, `{1}` ... for it in the others.
A value may be a phrase that has an entry of its own. Several sentences, items after `; ` and what follows a `name: `
are said one by one.
"""

from __future__ import annotations

import functools
import itertools
import re

from appliance.errors import ApplianceError
from appliance.texts.findings import FINDINGS
from appliance.texts.models import MODELS
from appliance.texts.people import PEOPLE
from appliance.texts.refusals import REFUSALS

Entry = tuple[str, str, str]
SENTENCES = (*REFUSALS, *FINDINGS)
# What is said by its key elsewhere, and stands in English in what a part reports.
_BY_KEY = (
    *(PEOPLE[key] for key in ("discord_no_content", "telegram_conflict")),
    *(entry for key, entry in MODELS.items() if key.startswith("phase_")),
)
_COLUMN = {"zh-Hant": 1, "zh-Hans": 2}
_DEEPEST = 4  # phrases in phrases; deeper, and in more pieces, there is only what somebody made up
_MOST_PIECES = 12
_END = re.compile(r"(?<=[.)]) ")
_ITEMS = re.compile(r"(?<=\.) |; ")
_NAMED = re.compile(r"(\S+): (.+)", re.DOTALL)


def in_language(text: str, language: str) -> str:
    """English sentences of ours in `language`; as they are for readers of English, and where they are not known."""
    return _said(text, _COLUMN.get(language, 0), _DEEPEST)


def told(error: ApplianceError, language: str) -> str:
    """An error as a person reads it: what happened, and what to do."""
    return f"{in_language(error.what, language)} {in_language(error.fix, language)}".strip()


def _said(text: str, column: int, deeper: int) -> str:
    if not (column and text and deeper):
        return text
    return _sentences(text, column, deeper) or _sentence(text, column, deeper) or _items(text, column, deeper) or text


def _sentence(text: str, column: int, deeper: int) -> str:
    """One sentence by its entry, perhaps after the name of what it is about, or "" when it has none."""
    named = _NAMED.fullmatch(text) if deeper else None
    if named is not None and (about := _sentence(named[2], column, deeper - 1)):
        return f"{named[1]}：{about}"
    for parts, entry in _forms():
        values = _values(parts, text)
        if values is not None:
            return entry[column].format(*(_said(value, column, deeper - 1) for value in values))
    return ""


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


def _sentences(text: str, column: int, deeper: int) -> str:
    """Several sentences when each of them has an entry, else ""."""
    said, at = "", 0
    for end in itertools.islice(_END.finditer(text), _MOST_PIECES):
        if found := _sentence(text[at : end.start()], column, deeper):
            said += _joint(said) + found
            at = end.end()
    rest = _sentence(text[at:], column, deeper) if said else ""
    return said + _joint(said) + rest if rest else ""


def _joint(before: str) -> str:
    return "" if not before or before.endswith(("。", "）")) else " "


def _items(text: str, column: int, deeper: int) -> str:
    """Items one by one when any has an entry, else what follows a name; "" when none of it is known."""
    items = _ITEMS.split(text, _MOST_PIECES)
    if len(items) > 1 and any(_sentence(item, column, deeper) for item in items):
        return "；".join(_said(item, column, deeper - 1) for item in items).replace("。；", "；")
    name, colon, rest = text.partition(": ")
    if not colon:
        return ""
    said = [_said(part, column, deeper - 1) for part in (name, rest)]
    return "：".join(said) if said != [name, rest] else ""


@functools.cache
def _forms() -> list[tuple[list[str], Entry]]:
    """Each entry with what its English form is made of; first those that begin with words of ours, which nobody's
    value can make up, then what says most."""
    found = [(entry[0].split("{}"), entry) for entry in (*SENTENCES, *_BY_KEY)]
    return sorted(found, key=lambda one: (bool(one[0][0]), sum(map(len, one[0]))), reverse=True)
