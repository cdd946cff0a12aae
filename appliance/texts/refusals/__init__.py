"""Refusals in the reader's language, and why something is asked. They are written in English, for the log and the
command line; where a person reads one on the page or in a chat, its sentence is looked up here by its English form, as
gettext does.

An entry is (English, zh-Hant, zh-Hans): `{}` in the English stands for a value, `{0}`, `{1}` ... for it in the others.
A value may be a phrase that has an entry of its own.
"""

from __future__ import annotations

import functools
import re

from appliance.errors import ApplianceError
from appliance.texts.refusals.asking import ASKING
from appliance.texts.refusals.commands import COMMANDS
from appliance.texts.refusals.keeping import KEEPING
from appliance.texts.refusals.schedules import SCHEDULES
from appliance.texts.refusals.trouble import TROUBLE

REFUSALS = (*ASKING, *KEEPING, *SCHEDULES, *COMMANDS, *TROUBLE)
_COLUMN = {"zh-Hant": 1, "zh-Hans": 2}


def in_language(text: str, language: str) -> str:
    """An English sentence of ours in `language`; as it is for readers of English, and where it is not known."""
    column = _COLUMN.get(language)
    if column is None or not text:
        return text
    for pattern, entry in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            return entry[column].format(*(in_language(value, language) for value in found.groups()))
    return text


def told(error: ApplianceError, language: str) -> str:
    """An error as a person reads it: what happened, and what to do."""
    return f"{in_language(error.what, language)} {in_language(error.fix, language)}".strip()


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], tuple[str, str, str]]]:
    """Each entry with what its English form matches; what says most comes first."""
    ordered = sorted(REFUSALS, key=lambda entry: len(entry[0].replace("{}", "")), reverse=True)
    return [(re.compile("(.*?)".join(map(re.escape, entry[0].split("{}"))), re.DOTALL), entry) for entry in ordered]
