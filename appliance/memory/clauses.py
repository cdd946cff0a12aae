"""A message in sentences and clauses, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from appliance.memory.rules import Rules

# An end or a joint is looked for by its one character, then by what stands around it: the engine runs over a text in
# search of a few characters much quicker than it tries everything that may come before them.
_END = "。！!？?；;\r\n…"
# A title's full stop ends nothing.
_SENTENCE = re.compile(
    rf"[{_END}~～.](?:(?<=[{_END}])[{_END}]*|(?<=[~～])"
    r"|(?<=\.)(?=\s|$)(?<!\bdr\.)(?<!\bmr\.)(?<!\bmrs\.)(?<!\bms\.)(?<!\bprof\.))"
)
_HAN = "[\u4e00-\u9fff]"
# Commas, dashes, blanks between Chinese words, what follows an address or a smile; a colon before an instruction.
_CHINESE_CUTS = (
    rf"(?<=\s)[-–—]\s|(?<={_HAN}[ \u3000])[ \u3000]*(?={_HAN})"
    rf"|(?:(?<=\ue000 )|(?<=xd )|(?<=[\U0001f300-\U0001faff] )) *(?={_HAN})"
    r"|(?<=—)—"
)
_CHINESE_ORDERS = "别|不要|请|勿|禁止|不许|密码"
_ENGLISH_ORDERS = "don'?t|do not|never|no |please|mute|keep|send|i (?:want|prefer|like|love|hate) "
# English joints of speech without commas.
_ENGLISH_CUTS = (
    r"(?<=\s)(?:(?=(?:but(?! (?:not|never) )|because|cos) )(?<!nobody\s)(?<!no one\s)(?<!nothing\s)(?<!all\s)"
    r"|(?=(?:so|and) (?:please |pls |maybe |just )?"
    r"(?:don'?t|dont|do not|no |never|skip|stop|keep|i |i'm |im |my |we |call me|use |send |hold |text me|tell "
    r"|remind |give me|show me|read me|put |leave |let me|wake me|always |please |mute |stay |be "
    r"|nothing (?:about|on|in|at|after|before)\b|not a ))"
    r"(?<!\bhusband\s)(?<!\bwife\s)(?<!\bpartner\s)(?<!\bmum\s)(?<!\bmom\s)(?<!\bdad\s)(?<!\bson\s)(?<!\bdaughter\s)"
    r"(?<!\bkids\s)(?<!\bfriend\s)(?<!\bex\s)(?<!\bsister\s)(?<!\bbrother\s)"
    r"|(?=(?:i'm|im) )(?<!that\s)(?<!like\s)(?<!when\s)(?<!while\s)(?<!if\s)(?<!as\s)(?<!because\s)(?<!since\s)"
    r"(?<!until\s)(?<!till\s)(?<!before\s)(?<!after\s)(?<!once\s)(?<!and\s)(?<!so\s)(?<!but\s)(?<!what\s)(?<!how\s))"
)
_CLAUSE = re.compile(
    rf"[，,—:：\s](?:{_ENGLISH_CUTS}|(?<=[，,])(?! ever\b)|{_CHINESE_CUTS}"
    rf"|(?<=[:：])(?<!\d.)(?=\s*(?:{_ENGLISH_ORDERS}|{_CHINESE_ORDERS})))"
)
# The same for text without Latin letters, where the English joints cannot stand.
_CHINESE_CLAUSE = re.compile(
    rf"[，,—:：\s](?:(?<=[，,])|{_CHINESE_CUTS}|(?<=[:：])(?<!\d.)(?=\s*(?:{_CHINESE_ORDERS})))"
)
_ADVERB = re.compile(
    r"\w+|(?:this|since|for|these|in|at|on|as|after|before|until|by|last|next|most|all|right) \w+(?: \w+)?"
)
# "It has a heat pump and no gas": what is not there, no limit.
_LACKS = re.compile(r"and no \w+(?: \w+)?")
# "Two messages a day, max": the measure and its end.
_COUNTED = re.compile(r"(?:an?|one|two|three|four|five|ten|\d+) ")
_AT_MOST = re.compile(r"(?:and )?(?:no more|not more|tops|max(?:imum)?|at (?:the )?most)")
# "No politics, no religion": one limit.
_NO = re.compile(r"(?:please )?no \w+(?: \w+)?")
_HAS = re.compile(r"\b(?:has|have|got|with)\b")
_LETTER = re.compile("[a-z]")
_BEFORE = " \t\u3000、:：-—()（）*>\"'"
_BEHIND = " \t\u3000、:：-—()（）*\"'~哈啦喔哦欸诶耶"


@dataclass(slots=True)
class Clause:
    """`text` is the folded text from `start` to `end`."""

    start: int
    end: int
    text: str


def sentences(masked: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, what ends it) of each sentence."""
    position = 0
    for match in _SENTENCE.finditer(masked):
        if match.start() > position:
            yield position, match.start(), match.group()
        position = match.end()
    if position < len(masked):
        yield position, len(masked), ""


def clauses(masked: str, start: int, end: int, rules: Rules) -> list[Clause]:
    """The clauses of a sentence, without lead-ins and signs around them."""
    found: list[Clause] = []
    position = start
    joints = _CLAUSE if _LETTER.search(masked, start, end) else _CHINESE_CLAUSE
    for cut, following in [*(m.span() for m in joints.finditer(masked, start, end)), (end, end)]:
        text = masked[position:cut]
        if masked[cut:following].isspace() and text.isascii() and _ADVERB.fullmatch(text.strip()):
            continue  # "lately I'm …"
        left = position + len(text) - len(text.lstrip(_BEFORE))
        right = cut - (len(text) - len(text.rstrip(_BEHIND)))
        if right > left:
            lead = rules.lead_in.match(masked[left:right])
            if lead and lead.end() < right - left:
                left += lead.end()
            found.append(Clause(left, right, masked[left:right]))
        position = following
    return _joined(found, masked, rules)


def _joined(parts: list[Clause], masked: str, rules: Rules) -> list[Clause]:
    """Clauses that only say "from now on", "always" or "please" belong to the one they are about."""
    if len(parts) == 1:
        return parts
    joined: list[Clause] = []
    lead: int | None = None
    for clause in parts:
        if rules.only_standing.fullmatch(clause.text):
            if joined:
                joined[-1] = Clause(joined[-1].start, clause.end, masked[joined[-1].start : clause.end])
            else:
                lead = clause.start
            continue
        if joined and (
            (_HAS.search(joined[-1].text) and _LACKS.fullmatch(masked, joined[-1].end + 1, clause.end))
            or (_NO.fullmatch(joined[-1].text) and _NO.fullmatch(clause.text))
            or (_COUNTED.match(joined[-1].text) and _AT_MOST.fullmatch(clause.text))
        ):
            joined[-1] = Clause(joined[-1].start, clause.end, masked[joined[-1].start : clause.end])
            continue
        if lead is not None:
            clause, lead = Clause(lead, clause.end, masked[lead : clause.end]), None
        joined.append(clause)
    return joined
