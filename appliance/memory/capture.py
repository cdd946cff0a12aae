"""What a message says that must not be forgotten: wants (W), boundaries (B), facts (O). Rules only, no model.

A message goes through four sieves. First whole messages that are not the person's own word: take-backs, fiction,
lyrics, sarcasm. Then parts that are not (voices.py): quotations, code, text to translate or to send. Then sentences:
guesses, questions, things for today only, things of the past, other people. What is left is judged clause by clause.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from appliance.memory import facts_en, facts_zh
from appliance.memory.asked import asked_to_keep
from appliance.memory.clauses import Clause, clauses, sentences
from appliance.memory.items import Tag
from appliance.memory.judgement import View, asks, is_strong, judge, only_leads
from appliance.memory.rules import Rules, rules_for, warm
from appliance.memory.rules_ja import is_japanese, judge_japanese
from appliance.memory.voices import SPOKEN, VOID, fold, mask

__all__ = ["Item", "capture", "jsonl", "warm"]

_LONGEST = 6_000  # characters: a longer message is pasted matter, of which only both ends are the person's own
_NAMED = re.compile(
    r"(?:I'm|I am|i'm|Im|im|This is|我是) (?!(?:OK|Fine|Sorry|Sure|Back|Here|Done|Good|In|On|At|From)\b)"
    r"[A-Z][a-z]{1,14}(?: [A-Z][a-z]{1,14})?"
)
# "My dentist is Dr. Lin": somebody outside, and still a fact about the household.
_WHO = re.compile(
    r"(?:[Mm]y|[Oo]ur)(?! (?:question|problem|issue|guess|answer|point|favou?rite)\b)(?: \w+){1,3}(?:'s name)? is "
    r"(?:called |named )?(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?!Not\b|So\b|Very\b)[A-Z][a-z'-]+(?: [A-Z][a-z'-]+)*"
)
# "As grandma says, …": what follows is hers.
_QUOTING = re.compile(
    r"(?:says?|said|goes|told me|tells me|reads|wrote|writes|put it|saying)$"
    r"|(?:他们?|她们?|常|总|老|书上|网上|人家|妈妈?|爸爸?|老师|奶奶|爷爷|医生|专家|老话|俗话)[^，]{0,4}"
    r"(?:说|讲|写)(?:过|的|得好|道)?$"
)
# Said only to stress what came before.
_EMPHASIS = re.compile(
    r"没得商量|没商量|(?:也|都|绝对|就是)不行$|切记|no exceptions|not even|full stop|i mean it|period$|^(?:真"
    r"|要|若)?有?急?事(?:儿|情)?(?:就|再|可以)?[^，,。]{0,8}(?:说|找|联系|聊)|^(?:next|every|each) time and"
    r"|^and every"
)
# Only says how the thing named before was: "you posted it in three parts, a bit tiring".
_VERDICT = re.compile(
    r"(?:真的?|太|好|超|挺|很|有点|有些|蛮|怪|看着|看得|读着|听着|用着|看起来|实在|可)*(?:舒服|烦|清楚|省心"
    r"|省事|方便|好用|好懂|累|乱|头疼|头大"
    r"|爽|赞|棒|喜欢|顺眼|吵|费劲|丢脸|尴尬|崩溃|麻烦|直观|一目了然|难受|闹心|贴心)(?:了|多了|极了|的"
    r"|人)?(?:啊|耶|哦|呢|吧"
    r"|啦|欸|诶)?"
    r"|(?:看|听|读|用)得我[^，,。]{1,6}"
    r"|(?:it's |that's |this is )?(?:so |really |very |a bit |quite |super )?(?:annoying|tiring|exhausting"
    r"|confusing"
    r"|perfect|lovely|much (?:better|nicer|clearer)|handy|helpful|irritating|a pain)"
)
# "I split it by head, always do it that way": one statement in two breaths.
_SAME_AGAIN = re.compile(
    r"(?:以后|之后|今后|往后|每次|一直)?(?:也|都|就)*(?:这么|这样|照[这那]样?|按这个?|如此)(?:子)?(?:来|做|写|办"
    r"|记|弄|搞|处理|发|说|回|安排|排|走|干|执行|给|放)[^，,。]{0,3}|(?:always )?(?:do it "
    r"|keep it )?like that from now on"
)
_OF_AGENT = re.compile(
    r"你|每次|每回|上次|上回|昨天那|那种|这种|那个|之前那|\b(?:you|your|that|those|every time|last)\b"
)
_HEDGED = re.compile(r"\b(?:maybe|perhaps|might)\b|还是[^，,。]{2,}(?:好|吧)|我就|我会")
_TASTE = re.compile(r"(?:(?<!我)喜欢|(?<!我)爱|讨厌|\b(?:likes?|loves?|hates?|prefers?|wants?)\b)")
_NAME = re.compile(
    r"(?:叫|姓|name'?s?(?: is)?\b)|^(?:i'm|i am|im) ?\S+$"
    r"|^我是 ?\S{1,3}(?<![妇师员生工者家妈爸人手民商匠警医护兵长党控])$"
)
_GOES_ON = ("主要", "平时", "同时", "mostly", "mainly")
# From the task to something else, within one sentence.
_TURNS = re.compile(r"另外|对了|顺便|顺带|话说|还有|\b(?:btw|by the way|also|oh and)\b")
_PRONOUN = re.compile(r"[他她它]|(?:he|she|they|it)\b")
_KIN = re.compile(f"{facts_zh.KIN}|{facts_en.KIN}")
_WHOM = re.compile(f"(?:我|我的|我们的|家里)?{facts_zh.KIN}|(?:my|our|the) {facts_en.KIN}\\b")
_MAY = re.compile(r"you (?:can|could|may) (?:skip|leave out|spare|drop)\b")
_APPOSITION = re.compile(r"(?:an?|the) \w+(?! (?:is|are|was|has))")
# "…, 16G of memory, 512G of disk": measures that go on about the same thing.
_MEASURE = re.compile(
    r"(?:和|外加|还有|带|另有|and |with |plus )?(?:\d[\d.]*|[一二两三四五六七八九十]+)"
    r"(?! ?(?:点|块|元|分钟|小时|天|号|月|年|周|次|条|pm\b|am\b|min|hours?|days?|times?|o'clock))"
    r"[^，,。我你他她不别要]{1,14}"
)
_BEFORE_DOING = re.compile(r"^before (?:you )?\w+|(?:之前|以前|前)$")
_TO_ME = re.compile(r"\b(?:show|send|give|read|run|tell|text|ask|check|let|ping)\b.*\bme\b|给我|让我|跟我|问我")
_PERSONAL = re.compile(r"我(?!家|们家|的)|(?:i|i'm|im)\b")
# "The guard said parcels must not …": told by somebody who is neither of us.
_TELLS = re.compile(
    r"^(?!从|每|今后|往后|默认)[^，,。我你咱别不要请都先能可少多用就再也后时说以]{1,8}(?:说|讲|写道|规定|要求"
    r"|建议|劝|嘱咐|叮嘱"
    r"|通知)(?![话法明得服起到谎])"
    r"(?!一?[下声])(?:过|了|我们?|大家)?[^，,。]{3,}"
    r"|^(?!i\b|we\b|you\b|please\b|never\b|don't\b)(?:\w+ ){1,4}(?:says?|said|claims?|insists?|thinks?"
    r"|reckons?|tells (?:us|me)|told (?:us|me)) \w+ \w+"
)
_OWN_WORDS = re.compile(r"我(?:说|讲|是说)|\b(?:i|i've|as i) (?:said|say|told)")
_NO_LEAVE = re.compile(r"(?:没|未|不)[^，,。]{0,10}(?:点头|同意|允许|批准|许可)$|(?:下次|下回)")
_LEADS_TO = re.compile(
    r"^(?:when|whenever|if|(?:in|for|on|at|with) (?:every|each|any|all)|before|after|while|once|unless|on"
    r"|during|between|until|for anything|anything"
    r"|as soon as|next time|any ?time|every ?time|each time|whenever)\b"
    r"|^(?:如果|要是|只要|凡是|涉及|遇到|碰到|等我|每次|每当|在我|当我)"
    r"|^(?:下次|下回)(?!起|开始)|^(?:没|未|不)[^，,。]{0,10}(?:点头|同意|允许|批准|许可)$"
    r"|(?:除非|除了)[^，,。]{1,8}$|(?:的时候|时|之前|以前|之后|以后|前|(?<!零)后|期间|的话|的事|操作|的东西)$"
)


class Item(NamedTuple):
    """A span of the message, exactly as written, with its tag."""

    span: str
    tag: Tag


def capture(text: str) -> list[Item]:
    """Given one message of a person, return what to keep of it, in order. Spans are exact substrings of `text`."""
    if len(text) > _LONGEST:
        half = _LONGEST // 2
        return capture(text[:half]) + capture(text[-half:])
    folded = fold(text)
    rules = rules_for(folded)
    if rules.not_meant.search(folded):
        return []
    masked = mask(folded, rules)
    items: list[Item] = []
    complained: Tag | None = None
    for start, end, ender in sentences(masked):
        found, leads = _in_japanese(text, masked, start, end, ender), None
        if not found:
            found, leads = _sentence(text, masked, start, end, ender, rules)
            found = found or _remembered(text, masked, start, end, ender)
        if complained and found and found[0].tag in (complained, "B"):
            items.pop()  # the complaint only led to what is asked for now
        items.extend(found)
        complained = leads
    return items


def jsonl(lines: Iterable[str]) -> Iterator[str]:
    """Given lines of {"id", "text"}, yield {"id", "items": [{"span", "tag"}], "ms"} for each, in order.

    A line that is not such an object is answered with no items and an "error" that says why.
    """
    warm()
    fold("")
    for line in lines:
        if not line.strip():
            continue
        start = time.perf_counter()
        answer: dict[str, object] = {"id": None, "items": []}
        try:
            row = json.loads(line)
            answer["id"] = row["id"]
            answer["items"] = [{"span": item.span, "tag": item.tag} for item in capture(row["text"])]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            answer["error"] = f"The line cannot be read: {error}."
        answer["ms"] = round((time.perf_counter() - start) * 1000, 4)
        yield json.dumps(answer, ensure_ascii=False)


def _sentence(text: str, masked: str, start: int, end: int, ender: str, rules: Rules) -> tuple[list[Item], Tag | None]:
    """The items of a sentence, and the tag of the last one when it is a complaint that leads to something."""
    whole = masked[start:end].strip()
    asked = "?" in ender or "？" in ender
    if rules.wished.search(whole):
        return [Item(text[start:end].strip(), "W")], None
    parts = [] if _states_nothing(whole, asked, rules) else clauses(masked, start, end, rules)
    if not parts:
        return [], None
    view = View.of(whole, parts[0].text, asked, rules)
    found = _Found(text, masked)
    others = told = False  # somebody outside the household is spoken of; what somebody said is being told
    named = False
    end_before = start
    before: Clause | None = None  # the last clause, when it was nothing
    for clause in parts:
        if _QUOTING.search(clause.text) and not _OWN_WORDS.search(clause.text):
            break
        if view.task and _TURNS.search(masked, end_before, clause.start):
            view = replace(view, task=False)
        end_before = clause.end
        if rules.others.match(clause.text):
            others = not (found.kin and _PRONOUN.match(clause.text))
        elif rules.self_start.match(clause.text):
            others = told = False
        if told or (_TELLS.match(clause.text) and not _OWN_WORDS.search(clause.text)):
            told = True
            continue
        last = clause is parts[-1]
        said = text[clause.start : clause.end]
        if _NAMED.fullmatch(said) or (_WHO.fullmatch(said) and not asked):
            found.add(clause, "O", rules, leading=False)
            named = True
            continue
        if (named and _APPOSITION.match(clause.text)) or (found.fact and not asked and _MEASURE.fullmatch(clause.text)):
            found.extend(clause)  # "I'm Nadia, a translator in Lisbon"; "an N100, 16G of memory"
            named = False
            continue
        named = False
        tag = judge(
            clause.text,
            view,
            others=others,
            question=(asked and last) or asks(clause.text, rules),
            told=found.told(clause),
        )
        if before is not None and tag != "B" and _completes(clause, before):
            tag, clause = "W", Clause(before.start, clause.end, masked[before.start : clause.end])
        before = clause if tag is None and not others else None
        found.add(clause, tag, rules, leading=not last and _LEADS_TO.search(clause.text) is not None)
    return found.items(), found.complaint


def _in_japanese(text: str, masked: str, start: int, end: int, ender: str) -> list[Item]:
    """What a sentence in Japanese says, which ends with what decides. Folding is for Chinese: read as written."""
    whole = text[start:end].strip()
    if not is_japanese(whole) or VOID in masked[start:end] or SPOKEN in masked[start:end]:
        return []
    tag = judge_japanese(whole, "?" in ender or "？" in ender)
    return [Item(whole, tag)] if tag else []


def _remembered(text: str, masked: str, start: int, end: int, ender: str) -> list[Item]:
    """What a sentence asks to be remembered in so many words, whatever it is about."""
    raw = masked[start:end]
    begin = start + len(raw) - len(raw.lstrip())
    place = None if "?" in ender or "？" in ender else asked_to_keep(raw.strip())
    return [Item(text[begin + place[0] : begin + place[1]].strip(), "O")] if place else []


def _states_nothing(whole: str, asked: bool, rules: Rules) -> bool:
    """True for a sentence that is a guess or a question as a whole."""
    if rules.whole_hypothesis.search(whole):
        return True
    return rules.question_frame.match(whole) is not None and (asked or rules.quiet.search(whole) is None)


def _completes(clause: Clause, before: Clause) -> bool:
    """True for a clause that only says how the one before was, or that it is to be so for good."""
    if _VERDICT.fullmatch(clause.text):
        return _OF_AGENT.search(before.text) is not None
    return len(before.text) > 3 and _SAME_AGAIN.fullmatch(clause.text) is not None


class _Found:
    """The items of one sentence. Afterthoughts and reasons of what was just said are not items of their own."""

    def __init__(self, text: str, masked: str) -> None:
        self._text = text
        self._masked = masked
        self._spans: list[tuple[int, int, Tag, bool]] = []
        self._lead: Clause | None = None
        self._always = False  # whether the lead-in says that what follows is for good
        self._taste = False  # whether the last item says what somebody of the household likes
        self._weak = False  # whether the last item needs its sentence to be understood

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
            return
        strong = (
            lead is not None
            or is_strong(clause.text, tag, rules, told=self.told(clause))
            or _NAMED.match(self._text, clause.start) is not None
        )
        leads = only_leads(clause.text, tag, rules)
        if lead is not None and tag != "O" and len(clause.text) < 2 * len(lead.text):
            # "When I'm driving, don't call": one statement, said in two breaths.
            clause = Clause(lead.start, clause.end, self._masked[lead.start : clause.end])
        self._place(
            clause,
            tag,
            strong=strong,
            leads=leads,
            asks_first=tag == "B" and rules.ask_first.search(clause.text) is not None,
            eased=tag == "W" and rules.comfort.search(clause.text) is not None,
        )

    def _place(self, clause: Clause, tag: Tag, *, strong: bool, leads: bool, asks_first: bool, eased: bool) -> None:
        if self._spans:
            begin, end, before, led = self._spans[-1]
            if before == "W" and _SAME_AGAIN.fullmatch(clause.text):
                return
            if _EMPHASIS.search(clause.text) or (tag == before == "B" and asks_first):
                return
            if tag == "B" and before == "W" and led and asks_first:
                # "From now on when you touch the firewall, ask me first": one boundary.
                self._spans[-1] = (begin, clause.end, "B", False)
                return
            if tag == "B" and before == "O" and _MAY.match(clause.text):
                return  # "I'm an electrician, you can skip the basics"
            named = _NAMED.fullmatch(self._text, begin, end) is not None and clause.text.startswith(("i ", "we ", "我"))
            if tag == "O" and before == "O" and not strong and not named and not self._another(clause, begin):
                # "We moved the server, it runs Debian": one fact told in two breaths.
                self._spans[-1] = (begin, clause.end, "O", led)
                return
            if tag == "O" and before != "O":
                return  # the reason of what was just asked for
            if before == "O" and tag != "O" and self._weak and _HEDGED.search(clause.text):
                self._spans.pop()  # a hedged request: the fact before it is only its reason
            elif tag == "W" and before != "O" and led and clause.start - end < 6:
                self._spans.pop()  # "not so long, I like three sentences": the second half says it
            elif tag == "W" and before == "O" and strong and self._taste:
                self._spans.pop()  # "my wife likes fish, I prefer meat": hers is only the contrast
            elif not strong and self._follows(before, tag, eased=eased):
                return
        self._weak = not strong
        self._taste = tag == "O" and _TASTE.search(self._masked, clause.start, clause.end) is not None
        self._spans.append((clause.start, clause.end, tag, leads))

    def _another(self, clause: Clause, begin: int) -> bool:
        """True when `clause` is about somebody of the household other than the fact that stands at `begin`."""
        whom = _WHOM.match(clause.text)
        return whom is not None and not self._masked.startswith(whom.group(), begin)

    def _follows(self, before: Tag, tag: Tag, *, eased: bool) -> bool:
        """True for an afterthought, or for what follows from the fact just told.

        Somebody who first says who they are and then goes through wishes and limits means each of them.
        """
        if tag == "B" and any(span[2] == "O" for span in self._spans):
            return False
        return before != "O" or (tag == "W" and not eased)

    def told(self, clause: Clause) -> bool:
        """True when the last item is a fact about the person, of whom `clause` may go on without saying so."""
        if not self._spans or self._spans[-1][2] != "O":
            return False
        start, end = self._spans[-1][:2]
        if _PERSONAL.match(self._masked, start) is None:
            return False
        return clause.text.startswith(_GOES_ON) or _NAME.search(self._masked[start:end]) is not None

    def extend(self, clause: Clause) -> None:
        """Let the last item go on to the end of `clause`."""
        begin, _, tag, leads = self._spans[-1]
        self._spans[-1] = (begin, clause.end, tag, leads)

    @property
    def fact(self) -> bool:
        """True when the last item is a fact."""
        return bool(self._spans) and self._spans[-1][2] == "O"

    @property
    def kin(self) -> bool:
        """True when the last item is about somebody of the household, whom "she" then means."""
        return bool(self._spans) and _KIN.search(self._masked, *self._spans[-1][:2]) is not None

    @property
    def complaint(self) -> Tag | None:
        """The tag of the last item when it is a complaint: it says what is wrong, not what to do."""
        return self._spans[-1][2] if self._spans and self._spans[-1][3] else None

    def items(self) -> list[Item]:
        return [Item(self._text[start:end].strip(), tag) for start, end, tag, _ in self._spans]
