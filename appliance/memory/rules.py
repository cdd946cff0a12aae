"""The tables of both languages, compiled for what a message is written in: Chinese, English, or both mixed."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from types import ModuleType
from typing import get_type_hints

from appliance.memory import (
    facts_en,
    facts_zh,
    guards_en,
    guards_zh,
    limits_en,
    limits_zh,
    voices_en,
    wishes_en,
    wishes_zh,
    words_en,
    words_zh,
)
from appliance.memory.anchors import Cue, cue, hoisted

CHINESE = (limits_zh, wishes_zh, facts_zh, guards_zh)
ENGLISH = (limits_en, wishes_en, facts_en, guards_en, voices_en)
_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[a-z]{2}")
# Spoken about the house or the person: what follows is a fact rather than an instruction.
_ZH_FACT_SUBJECT = (
    rf"^(?:我(?!要|想|希望|喜欢|的(?:邮件|回复|周报|报告|[^，,。]{{1,8}}(?:一律|统一|默认|都[用按放存写])))"
    rf"|我们|{words_zh.HOME}(?!要|请|[^，,。]{{0,8}}(?:都[用要按给]|一律|统一|默认|单独|分开|自动)))"
)
_ZH_OTHERS = (
    rf"^(?:我(?:们)?(?:的|有个|(?:有)?一个)? ?|我?那?个?|一个|某个?)?{guards_zh.OTHERS}"
    rf"|^[^，,。我你]{{1,10}}的{guards_zh.OTHERS}|^我?{words_zh.KIN}的(?:{guards_zh.OTHERS}|{words_zh.KIN})"
)
# Looked for together, because one walk over the text is quicker than several.
JOINED = {
    "announced": ("payload", "reported"),
    "not_meant": ("take_back", "fiction", "lyrics", "sarcasm"),
    "feigned": ("fiction", "lyrics", "sarcasm"),
    "boundary": ("negation", "quiet", "limit", "soft_limit", "ask_first"),
    "fact": ("recent", "nature", "having"),
}
# In mixed talk "when I sleep" may be Chinese and "no sound" English: such a clause has two beginnings.
_FOLLOW_CHINESE = ("negation", "wish", "soft_limit")
_EN_WHEN = (
    r"(?:(?:these days|nowadays|lately|currently|recently|of late|most days|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)days?"
    r"|(?:every|each|on|since|most) \w+|in the \w+s?|usually|normally|sometimes),? )?"
)
_EN_FACT_SUBJECT = (
    rf"^{_EN_WHEN}(?:(?:i|we|i'm|im|ive|we're|i've|my|our)\b|the {words_en.KIN}\b|{words_en.KIN} (?:is|has|\w+s) "
    rf"|officially "
    r"|the (?:\w+ )?\w+ (?:go|come|run|close|open|leave|arrive|start|end)(?:e?s)?\b)"
)


class Rules:
    """Each attribute is one table, named as in the modules of CHINESE and ENGLISH, or several JOINED.

    As a pattern where it matters what is found and where; as a cue, which is quicker, where only whether.
    """

    not_meant: Cue
    feigned: Cue
    take_back: Cue
    announced: Cue
    payload: re.Pattern[str]
    reported: re.Pattern[str]
    today: Cue
    from_today: Cue
    past: Cue
    now: Cue
    whole_hypothesis: Cue
    condition: Cue
    wished: Cue
    asking: re.Pattern[str]
    question_frame: re.Pattern[str]
    task: re.Pattern[str]
    chat: re.Pattern[str]
    standing: Cue
    standing_strong: re.Pattern[str]
    boundary: Cue
    negation: re.Pattern[str]
    ask_first: Cue
    quiet: Cue
    soft_limit: Cue
    liking: Cue
    comfort: Cue
    wish: re.Pattern[str]
    nature: Cue
    recent: Cue
    fact: Cue
    times: Cue
    says: Cue
    fault: Cue
    self_limit: Cue
    too: Cue
    at_time: Cue
    short_object: Cue

    def __init__(self, *, chinese: bool, english: bool) -> None:
        languages = [*(CHINESE if chinese else ()), *(ENGLISH if english else ())]
        for name, kind in get_type_hints(Rules).items():
            source = _table(name, languages)
            setattr(self, name, cue(source) if kind is Cue else _any_of(source))
        self.fact_subject = _any_of(chinese and _ZH_FACT_SUBJECT, english and _EN_FACT_SUBJECT)
        self.others = _any_of(
            chinese and _ZH_OTHERS,
            english and f"^(?:{guards_en.OTHERS})",
        )
        self.self_start = _any_of(
            chinese and "^(?:但是?|可是?|不过|倒是|而|所以|因为|其实)?(?:我|咱|本人)",
            english and r"^(?:and |but |so |(?:personally|myself|me)[, ]+)?(?:i|i'm|im|we|my|our)\b",
        )
        self.lead_in = _any_of(chinese and f"^{guards_zh.LEAD_IN}", english and f"^{guards_en.LEAD_IN}")
        standing = _any_of(
            chinese and wishes_zh.STANDING_STRONG,
            english and wishes_en.STANDING_STRONG,
            guards_zh.POLITE,
            guards_en.POLITE,
        )
        self.only_standing = re.compile(f"(?:{standing.pattern})+")


def _table(name: str, languages: Sequence[ModuleType]) -> str:
    """The table of that name in those languages, or those it is JOINED of."""
    return "|".join(
        _spoken(part, language, mixed=len(languages) > len(ENGLISH))
        for part in JOINED.get(name, (name,))
        for language in languages
        if hasattr(language, part.upper())
    )


def _spoken(name: str, language: ModuleType, *, mixed: bool) -> str:
    """The table of that name in one language, as it is spoken by itself or `mixed` with the other."""
    source: str = getattr(language, name.upper())
    if mixed and language in ENGLISH and name in _FOLLOW_CHINESE:
        return source.replace("^(?:and", "(?:^|(?<=[\u4e00-\u9fff] ))(?:and")
    return source


def _any_of(*sources: str | bool) -> re.Pattern[str]:
    return re.compile(hoisted("|".join(source for source in sources if isinstance(source, str))))


@functools.cache
def _compiled(chinese: bool, english: bool) -> Rules:
    return Rules(chinese=chinese, english=english)


def rules_for(folded: str) -> Rules:
    """Given folded text, the rules of the languages it is written in. A text in neither gets the English ones."""
    chinese = _HAN.search(folded) is not None
    return _compiled(chinese, not chinese or _LATIN.search(folded) is not None)


def warm() -> None:
    """Compile everything now (a few tenths of a second), so that no message waits for it."""
    for chinese, english in ((True, False), (False, True), (True, True)):
        _compiled(chinese, english)
