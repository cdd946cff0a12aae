"""The items of one sentence: which clauses stand by themselves, and which lead to, explain or repeat another."""

from __future__ import annotations

import re
from dataclasses import dataclass

from appliance.memory import words_en, words_zh
from appliance.memory.clauses import Clause
from appliance.memory.items import Tag
from appliance.memory.judgement import is_strong, only_leads
from appliance.memory.rules import Rules

NAMED = re.compile(
    r"(?:I'm|I am|i'm|Im|im|This is|我是) (?!(?:OK|Fine|Sorry|Sure|Back|Here|Done|Good|In|On|At"
    r"|From)\b)[A-Z][a-z]{1,14}(?: [A-Z][a-z]{1,14})?"
)
# Said only to stress what came before.
_EMPHASIS = re.compile(
    r"没得商量|没商量|(?:也|都|绝对|就是)不行$|切记|no exceptions|not even|full stop|i mean it|period$"
    r"|^(?:真|要|若)?有?急?事(?:儿|情)?(?:就|再|可以)?[^，,。]{0,8}(?:说|找|联系|聊)"
    r"|^(?:next|every|each) time and"
    r"|^以后[都也]?别[说用提发做]?了?$"
    r"|^and every|^never (?:did|have|will)$"
    r"|^(?:it|that|they|work|the rest) (?:can|could|will) wait\b"
)
# "I split it by head, always do it that way": one statement in two breaths.
SAME_AGAIN = re.compile(
    r"(?:(?:以后|之后|今后|往后|每次|一直)[^，,。你我]{0,6})?(?:也|都|就)*(?:这么|这样|照[这那着]样?|按这个?"
    r"|如此)(?:子)?(?:来|做|写|办|记|弄|搞|处理|发|说|回|安排|排|走|干|执行|给|放)[^，,。]{0,3}"
    r"|(?:以后|之后|今后)(?:也|都|就)*(?:这样|如此|一样)(?:吧|好了)?"
    r"|(?:always |please |do |make |keep |write |send |format )*(?:it|that|them|every \w+|all \w+)? ?(?:like that"
    r"|that way|the same(?: way)?"
    r"|again)(?: every time| always| from now on| please)*"
)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|might|could|can|would)\b"
    r"|就(?:别|不用|不要|免)[^，,。]+(?:了|吧)$|能[^，,。]{1,12}就[别不]"
    r"|能不能|可不可以|可?[以能][^，,。]*吗|还是(?:别|不要|少|传|发|[写打]|[^，,。]{2,}(?:好|吧))|我就|我会"
)
_TASTE = re.compile(
    r"(?:(?<!我)喜欢|(?<!我)爱|讨厌|\b(?:likes?|loves?|hates?|prefers?|wants?|swears? by|insists? on|is into)\b)"
)
_NAME = re.compile(
    r"(?:叫|姓|name'?s?(?: is)?\b)|^(?:i'm|i am|im) ?\S+$"
    r"|^我是 ?\S{1,3}(?<![妇师员生工者家妈爸人手民商匠警医护兵长党控])$"
)
_NAME_IS = re.compile(r"(?:my |the )?name(?:'?s| is)\b")
_GOES_ON = ("主要", "平时", "同时", "mostly", "mainly")
# "No sound, a message will do": only says what is left after a limit.
# "I drink tea, no need to suggest coffee": only what follows from it.
_FOLLOWS_FROM = re.compile(r"^[^，,。]{1,8}就?(?:别|不用|不要|不必)再?推荐?了$")
_INSTEAD = re.compile(r"就(?:好|行|可以|够)|\binstead\b|\b(?:is|are|will be) (?:fine|enough|ok|okay)\b")
_BUT = re.compile(r"\b(?:but|yet|though)\b|但|可是|不过")
_SO = re.compile(r"所以")
_AND = re.compile(r"\band\b")
_KIN = re.compile(f"{words_zh.KIN}|{words_en.KIN}")
_WHOM = re.compile(f"(?:我|我的|我们的|家里)?{words_zh.KIN}|(?:my|our|the) {words_en.KIN}\\b")
_MAY = re.compile(r"you (?:can|could|may) (?:skip|leave out|spare|drop)\b")
_BEFORE_DOING = re.compile(r"^before (?:you )?\w+|(?:之前|以前|前)$")
_TO_ME = re.compile(r"\b(?:show|send|give|read|run|tell|text|ask|check|let|ping)\b.*\bme\b|给我|让我|跟我|问我")
_PERSONAL = re.compile(r"我(?!家|们家|的)|(?:i|i'm|im|my name)\b")
NO_LEAVE = (
    r"(?:没|未|不)[^，,。]{0,10}(?:点头|同意|允许|批准|许可|确认|授权|吩咐|发话|放行|松口|签字|拍板|首肯|答应|开口|ok)$"
)
_NO_LEAVE = re.compile(rf"{NO_LEAVE}|(?:下次|下回)")


@dataclass(slots=True)
class _Kept:
    """One item of the sentence, from `start` to `end`."""

    start: int
    end: int
    tag: Tag
    leads: bool  # it only says what is wrong, or what it is about: what follows may say it instead
    weak: bool = False  # it needs its sentence to be understood
    taste: bool = False  # it says what somebody of the household likes


class Gathering:
    """Given a message and its masked form, take the clauses of one sentence in turn and keep its items."""

    def __init__(self, text: str, masked: str) -> None:
        self._text = text
        self._masked = masked
        self._kept: list[_Kept] = []
        self._asked: list[_Kept] = []  # requests without a word that says they are for good
        self._lead: Clause | None = None
        self._always = False  # whether the lead-in says that what follows is for good

    def add(self, clause: Clause, tag: Tag | None, rules: Rules, *, leading: bool) -> None:
        """Take the next clause with its tag. `leading`: it only says when the following clause holds."""
        if (
            leading
            and (tag != "W" or rules.liking.search(clause.text) is None)
            and (tag != "B" or _NO_LEAVE.match(clause.text))
        ):
            self._lead, self._always = clause, rules.standing_strong.search(clause.text) is not None
            return
        lead, self._lead = self._lead, None
        if lead is not None and tag is None and self._always:
            tag = "W"  # "whenever a bill comes, file it": the first half says that it is for good
        if lead is not None and tag in ("W", None) and _BEFORE_DOING.search(lead.text) and _TO_ME.search(clause.text):
            tag = "B"  # "before you post, show it to me"
        if tag is None:
            if rules.wish.match(clause.text):
                self._asked.append(_Kept(clause.start, clause.end, "W", leads=False))
            return
        last = self._kept[-1] if self._kept else None
        strong = (
            lead is not None
            or _BUT.search(self._masked, last.end if last else 0, clause.start) is not None
            or (tag == "B" and _AND.search(self._masked, last.end if last else 0, clause.start) is not None)
            or (tag != "O" and _SO.search(self._masked, last.end if last else 0, clause.start) is not None)
            or is_strong(clause.text, tag, rules, told=self.told(clause))
            or NAMED.match(self._text, clause.start) is not None
        )
        leads = only_leads(clause.text, tag, rules)
        if lead is not None and tag != "O" and len(clause.text) < 2 * len(lead.text):
            # "When I'm driving, don't call": one statement, said in two breaths.
            clause = Clause(lead.start, clause.end, self._masked[lead.start : clause.end])
        if last is not None:
            if self._swallowed(last, clause, tag, strong=strong, rules=rules):
                return
            if self._replaced(last, clause, tag, strong=strong):
                self._kept.pop()
            elif not strong and self._follows(last.tag, tag, clause, rules):
                if tag == "W" and not _INSTEAD.search(clause.text):
                    self._asked.append(_Kept(clause.start, clause.end, tag, leads=False))
                return
        taste = tag == "O" and _TASTE.search(self._masked, clause.start, clause.end) is not None
        self._kept.append(_Kept(clause.start, clause.end, tag, leads, not strong, taste))

    def _swallowed(self, last: _Kept, clause: Clause, tag: Tag, *, strong: bool, rules: Rules) -> bool:
        """True for a clause that only stresses, explains or goes on with the last item, which may grow by it."""
        if (last.tag == "W" and SAME_AGAIN.fullmatch(clause.text)) or _EMPHASIS.search(clause.text):
            return True
        if tag == "B" and rules.ask_first.search(clause.text):
            if last.tag == "W" and last.leads:
                # "From now on when you touch the firewall, ask me first": one boundary.
                last.end, last.tag, last.leads = clause.end, "B", False
                return True
            if last.tag == "B":
                return True
        if tag == "B" and _FOLLOWS_FROM.search(clause.text):
            return True
        if tag == "B" and last.tag == "O" and _MAY.match(clause.text):
            return True  # "I'm an electrician, you can skip the basics"
        if tag != "O":
            return False
        if last.tag != "O":
            return True  # the reason of what was just asked for
        if _NAME_IS.match(self._masked, last.start) and self._masked[last.end : clause.start].strip() == "and":
            last.end = clause.end  # "My name is Harold and I am 78": one introduction
            return True
        named = NAMED.fullmatch(self._text, last.start, last.end) and clause.text.startswith(("i ", "we ", "我"))
        if strong or named or self._another(clause, last.start):
            return False
        last.end = clause.end  # "We moved the server, it runs Debian": one fact told in two breaths
        return True

    @staticmethod
    def _replaced(last: _Kept, clause: Clause, tag: Tag, *, strong: bool) -> bool:
        """True when the clause says what the last item only led to."""
        hedged = _HEDGED.search(clause.text) is not None
        if last.tag == "O":
            # A hedged request: the fact before it is only its reason. "My wife likes fish, I prefer meat": hers is
            # only the contrast.
            return tag != "O" and ((last.weak and hedged) or (tag == "W" and strong and last.taste))
        if tag == "B":
            return last.leads and hedged
        return last.leads and clause.start - last.end < 6  # "not so long, I like three sentences"

    def _another(self, clause: Clause, begin: int) -> bool:
        """True when `clause` is about somebody of the household other than the fact that stands at `begin`."""
        whom = _WHOM.match(clause.text)
        return whom is not None and not self._masked.startswith(whom.group(), begin)

    def _follows(self, before: Tag, tag: Tag, clause: Clause, rules: Rules) -> bool:
        """True for an afterthought, or for what follows from the fact just told.

        Somebody who first says who they are and then goes through wishes and limits means each of them.
        """
        tags = {one.tag for one in self._kept}
        if "O" in tags and (tag == "B" or ("B" in tags and not _INSTEAD.search(clause.text))):
            return False
        return before != "O" or (tag == "W" and rules.comfort.search(clause.text) is None)

    def told(self, clause: Clause) -> bool:
        """True when the last item is a fact about the person, of whom `clause` may go on without saying so."""
        if not self.fact:
            return False
        last = self._kept[-1]
        if _PERSONAL.match(self._masked, last.start) is None:
            return False
        return clause.text.startswith(_GOES_ON) or _NAME.search(self._masked[last.start : last.end]) is not None

    def extend(self, clause: Clause) -> None:
        """Let the last item go on to the end of `clause`."""
        self._kept[-1].end = clause.end

    @property
    def fact(self) -> bool:
        """True when the last item is a fact."""
        return bool(self._kept) and self._kept[-1].tag == "O"

    @property
    def kin(self) -> bool:
        """True when the last item is about somebody of the household, whom "she" then means."""
        return bool(self._kept) and _KIN.search(self._masked, self._kept[-1].start, self._kept[-1].end) is not None

    @property
    def complaint(self) -> Tag | None:
        """The tag of the last item when it is a complaint: it says what is wrong, not what to do."""
        return self._kept[-1].tag if self._kept and self._kept[-1].leads else None

    def items(self) -> list[tuple[int, int, Tag]]:
        """The place of each item in the message, with its tag.

        Somebody who says who they are and sets a limit means for good what is asked in the same breath.
        """
        kept = self._kept
        if self._asked and {one.tag for one in kept} >= {"B", "O"}:
            kept = sorted([*kept, *self._asked], key=lambda one: one.start)
        return [(one.start, one.end, one.tag) for one in kept]
