"""The tables of both languages, compiled for what a message is written in: Chinese, English, or both mixed."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from types import ModuleType

from appliance.memory import guards_en, guards_zh
from appliance.memory.anchors import Cue, cue, hoisted

_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[a-z]{2}")


class Rules:
    """Each attribute is one table, or several that are looked for together: one walk over the text is quicker than two.

    As a pattern where it matters what is found and where; as a cue, which is quicker, where only whether.
    """

    def __init__(self, languages: Sequence[ModuleType]) -> None:
        def table(*names: str) -> str:
            return "|".join(getattr(language, name) for name in names for language in languages)

        self.not_meant: Cue = cue(table("TAKE_BACK", "FICTION", "LYRICS", "SARCASM"))
        self.feigned: Cue = cue(table("FICTION", "LYRICS", "SARCASM"))
        self.take_back: Cue = cue(table("TAKE_BACK"))
        self.announced: Cue = cue(table("PAYLOAD", "REPORTED"))
        self.payload = re.compile(hoisted(table("PAYLOAD")))
        self.reported = re.compile(hoisted(table("REPORTED")))
        self.hypothesis: Cue = cue(table("WHOLE_HYPOTHESIS"))
        self.question_frame = re.compile(hoisted(table("QUESTION_FRAME")))
        self.lead_in = re.compile(f"^(?:{table('LEAD_IN')})")
        self.only_standing = re.compile(f"(?:{table('ONLY_STANDING')})+")


@functools.cache
def _compiled(*languages: ModuleType) -> Rules:
    return Rules(languages)


def rules_for(folded: str) -> Rules:
    """Given folded text, the rules of the languages it is written in. A text in neither gets the English ones."""
    if _HAN.search(folded) is None:
        return _compiled(guards_en)
    return _compiled(guards_zh, guards_en) if _LATIN.search(folded) else _compiled(guards_zh)


def warm() -> None:
    """Compile everything now (a few tenths of a second), so that no message waits for it."""
    for text in ("a", "一", "一 ab"):
        rules_for(text)
