"""A message in sentences and clauses, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from appliance.memory.rules import Rules

# A title's full stop ends nothing.
_SENTENCE = re.compile(r"[。！!？?；;\n…]+|(?<!\bdr)(?<!\bmr)(?<!\bmrs)(?<!\bms)(?<!\bprof)\.(?=\s|$)|[~～]")
# Commas, dashes, blanks between Chinese words, what follows an address or a smile; a colon before an instruction.
_CUTS = (
    r"——|\s[-–—]\s|(?<=[\u4e00-\u9fff])[ \u3000]+(?=[\u4e00-\u9fff])"
    r"| (?:(?<=\ue000 )|(?<=xd )|(?<=[\U0001f300-\U0001faff] )) *(?=[\u4e00-\u9fff])"
)
_CLAUSE = re.compile(
    rf"[，,](?! ever\b)|{_CUTS}"
    r"|(?<!\d)[:：](?=\s*(?:don'?t|do not|never|no |please|mute|keep|send|i (?:want|prefer|like|love|hate) |别|不要"
    r"|请|勿|禁止|不许|密码))"
    # English joints of speech without commas.
    r"|(?<!nobody)(?<!no one)(?<!nothing)(?<!all)\s(?=(?:but(?! (?:not|never) )|because|cos) )"
    r"|(?<!husband)(?<!wife)(?<!partner)(?<!mum)(?<!mom)(?<!dad)(?<!son)(?<!daughter)(?<!kids)(?<!friend)"
    r"\s(?=(?:so|and) (?:please |pls |maybe |just )?"
    r"(?:don'?t|dont|do not|no |never|skip|stop|keep|i |i'm |im |my |we |call me|use |send |hold ))"
    r"|(?<!that)(?<!when)(?<!while)(?<!if)(?<!as)(?<!because)(?<!since)(?<!until)(?<!till)(?<!before)(?<!after)(?<!once)(?<!and)(?<!so)(?<!but)(?<!what)(?<!how)"
    r"\s(?=(?:i'm|im) )"
)
_ADVERB = re.compile(
    r"\w+|(?:this|since|for|these|in|at|on|as|after|before|until|by|last|next|most|all|right) \w+(?: \w+)?"
)
# The same for text without Latin letters, where the English joints cannot stand: a third of the time.
_CHINESE_CLAUSE = re.compile(rf"[，,]|{_CUTS}|(?<!\d)[:：](?=\s*(?:别|不要|请|勿|禁止|不许|密码))")
# "It has a heat pump and no gas": what is not there, no limit.
_LACKS = re.compile(r"and no \w+(?: \w+)?")
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
    for cut, following in [*((m.start(), m.end()) for m in joints.finditer(masked, start, end)), (end, end)]:
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
    joined: list[Clause] = []
    lead: int | None = None
    for clause in parts:
        if len(parts) > 1 and rules.only_standing.fullmatch(clause.text):
            if joined:
                joined[-1] = Clause(joined[-1].start, clause.end, masked[joined[-1].start : clause.end])
            else:
                lead = clause.start
            continue
        if joined and _HAS.search(joined[-1].text) and _LACKS.fullmatch(masked, joined[-1].end + 1, clause.end):
            joined[-1] = Clause(joined[-1].start, clause.end, masked[joined[-1].start : clause.end])
            continue
        start = clause.start if lead is None else lead
        joined.append(Clause(start, clause.end, masked[start : clause.end]))
        lead = None
    return joined
