"""What one sentence of a message says, clause by clause: whose words and affairs they are, and what each comes to."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from appliance.memory.anchors import cue
from appliance.memory.clauses import Clause
from appliance.memory.gathering import NAMED, NO_LEAVE, SAME_AGAIN, Gathering
from appliance.memory.hints import Found
from appliance.memory.items import Tag
from appliance.memory.judgement import View, asks, for_one_occasion, judge
from appliance.memory.rules import Rules

_TURN = 3  # characters: a word that turns to something else may also open the clause
# "My dentist is Dr. Lin": somebody outside, and still a fact about the household.
_WHO = re.compile(
    r"(?:[Mm]y|[Oo]ur)(?! (?:question|problem|issue|guess|answer|point"
    r"|favou?rite)\b)(?: \w+){1,3}(?:'s name)? is (?:called |named )?(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?!Not\b|So\b"
    r"|Very\b)[A-Z][a-z'-]+(?: [A-Z][a-z'-]+)*"
    r"|我们?的? ?(?:[^\W喜欢歡愛爱被不想就都让讓要也一再还還]{1,3}|[a-z]{2,9}) ?[叫姓] ?[^，,。大]{1,8}"
)
# "As grandma says, …": what follows is hers.
_SAYS = (
    "say",
    "says",
    "said",
    "goes",
    "told me",
    "tells me",
    "reads",
    "wrote",
    "writes",
    "put it",
    "saying",
    "complained",
    "announced",
    "warned",
    "whispers",
    "whispered",
    "shouted",
    "quoted",
)
_ZH_SAYS = tuple(verb + end for verb in ("说", "讲", "写") for end in ("", "过", "的", "得好", "道"))
_ZH_QUOTING = re.compile(
    r"(?:他们?|她们?|常|总|老|书上|网上|人家|妈妈?|爸爸?|老师|奶奶|爷爷|外[公婆]|医生|大夫|专家|老话|俗话|师[傅父]|领导|老板"
    r"|同事|朋友|客户|邻居|教练|导师|房东|主播|博主|网友)[^，]{0,4}"
    rf"(?:{'|'.join(_ZH_SAYS)})$"
)
# "His favourite line, …", "someone wrote on the board, …"
_EN_QUOTING = cue(
    r"(?:'s|\bhis|\bher|\btheir) (?:\w+ )?(?:line|motto|saying|words|catchphrase|mantra)$"
    r"|^(?!i\b).*\b(?:wrote|scribbled|posted|tweeted|texted|commented|captioned) (?:on|in|under|at|to|me|us|back)\b"
    r"|\bleft (?:me |us )?an? (?:note|message|comment|review|card)\b"
)
# Only says how the thing named before was: "you posted it in three parts, a bit tiring".
_VERDICT = re.compile(
    r"(?:我|真的?|太|好|超|挺|很|有点|有些|蛮|怪|看着|看得|读着|读起来|听着|用着|看起来|实在|可)*(?:舒服|烦|清楚|省心"
    r"|省事"
    r"|方便|好用|好懂|累|乱|头疼|头大|爽|赞|棒|喜欢|顺眼|吵|费劲|丢脸|尴尬|崩溃|麻烦|直观|一目了然|难受|闹心"
    r"|贴心|跟得上|[看听]得懂|记得住|一[看听读]我?就[懂会]|太?好使|绝|神|受用|实用|到位|漂亮|用心|惊艳|省时间?|帮大忙)(?:了|多了|极了|的|人)?(?:啊|耶|哦|呢|吧|啦|欸|诶)?"
    r"|(?:看|听|读|用)得我[^，,。]{1,6}"
    r"|(?:it's |that's |this is )?(?:so |really |very |a bit |quite |super )?(?:annoying|tiring|exhausting"
    r"|confusing|perfect|lovely|much (?:better|nicer|clearer)|handy|helpful|irritating|a pain)"
)
_OF_AGENT = re.compile(
    r"你|每次|每回|上次|上回|昨天那|那种|这种|那个|之前那"
    r"|\b(?:you|your|that|those|every time|last)\b"
)
# From the task to something else, within one sentence.
_TURNS = re.compile(r"另外|对了|顺便|顺带|话说|还有|\b(?:btw|by the way|also|oh and)\b")
_PRONOUN = re.compile(r"[他她它]|(?:he|she|they|it)\b")
_APPOSITION = re.compile(
    r"(?:an?|the) \w+(?! (?:is|are|was|has))"
    r"|(?:\d+|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?)$"
)
# "…, 16G of memory, 512G of disk": measures that go on about the same thing.
_MEASURE = re.compile(
    r"(?:和|外加|还有|带|另有|and |with |plus )?(?:\d[\d.]*|[一二两三四五六七八九十]+)(?! ?(?:点|块|元|分钟|小时"
    r"|天|号|月|年|周|次|条|pm\b|am\b|min|hours?|days?|times?|o'clock))[^，,。我你他她不别要]{1,14}"
    r"|no (?:(?:signal|reception|coverage|heating|hot water|storage|space)(?: \w+){0,2}|kids|children|pets|siblings"
    r"|car|garden|lift|partner|religion|allergies|garage|balcony|dryer"
    r"|dishwasher|gas)"
)
# "The guard said parcels must not …": told by somebody who is neither of us.
_TELLS = re.compile(
    r"^(?!从|每|今后|往后|默认)[^，,。我你咱别不没要请都先能可少多用就再也后时说以]{1,8}(?:说|讲|写道|[写贴]着|规定|要求"
    r"|建议|强调|宣布|表示|劝|嘱咐|叮嘱|通知|嚷|念叨|唠叨|吆喝|喊(?!我))(?![话法明得服起到谎一])(?!一?[下声])(?:过|了|我们?|大家)?[^，,。]{3,}"
    r"|^(?!i\b|we\b|you\b|please\b|never\b|don't\b|(?:the|my|our) (?:vet|doctor|gp|dentist|consultant|midwife"
    r"|specialist)\b)(?!a )(?:[\w']+ ){1,4}(?:says?|said|claims?|insists?|thinks?"
    r"|reckons?|tells (?:us|me)|told (?:us|me)) \w+ \w+"
)
# Back from what is told to what follows from it.
_SO = re.compile(r"\bso\b|所以")
_OWN_WORDS = re.compile(r"我(?:说|讲|是说)|\b(?:i|i've|as i) (?:said|say|told)")
_LEADS_TO = cue(
    r"^(?:when|whenever|if|(?:in|for|on|at|with) (?:every|each|any|all)|before|after|while|once|unless|on|during"
    r"|between|until|for anything|anything|as soon as|next time|any ?time|every ?time|each time|whenever)\b"
    r"|^(?:every|each) (?:single |other )?\w+(?: (?:morning|evening|night|at \w+(?: \w+)?|before \w+|after \w+))*$"
    r"|^(?:whatever|however) (?:you|it)\b|^(?:in|over) (?:winter|summer|spring|autumn|the (?:holidays|winter|summer"
    r"|mornings|evenings))$"
    r"|^(?:over|above|more than) (?:\W?\d+|an?|one|two|three|five|ten|twenty|fifty)\b"
    r"|^(?:weekends?|evenings|mornings|nights|(?:sun|mon|tues|wednes|thurs|fri|satur)days?) (?:are|is) (?:for|sacred"
    r"|family|mine|ours)\b"
    r"|^(?:如果|要是|只要|凡是|涉及|遇到|碰到|等我|每次|每当|在我|当我)"
    r"|^[^，,。]{0,6}你可以[^，,。]{1,6}$"
    r"|^(?:下次|下回)(?!起|开始)"
    r"|^(?:以后|往后|今后|凡是?|任何|只要)(?:要|想)[^，,。]{2,12}的$"
    rf"|^{NO_LEAVE}"
    r"|(?:除非|除了)[^，,。]{1,8}$"
    r"|(?:的时候|时|之前|以前|之后|以后|前|(?<!零)后|期间|(?<![励套实真好坏心说讲情])的话|的事|操作|的东西)$"
)


class Sentence(NamedTuple):
    """A sentence of a message: the message as written and masked, its place there, its clauses ([] when it states
    nothing), and whether it ends with a question mark."""

    text: str
    masked: str
    start: int
    end: int
    parts: list[Clause]
    asked: bool


class Said(NamedTuple):
    """What a sentence says. `settled` are the numbers of the clauses of which the patterns are sure, `leads` is the tag
    of the last item when it is a complaint that leads to something."""

    found: list[Found]
    settled: frozenset[int] = frozenset()
    leads: Tag | None = None


def said_by(sentence: Sentence, rules: Rules) -> Said:
    """Given a sentence and the rules of its languages, return what it says."""
    text, masked, start, end, parts, asked = sentence
    whole = masked[start:end].strip()
    if rules.wished.search(whole):
        return Said([Found(start, end, "W")])
    if not parts:
        return Said([])
    settled: set[int] = set()
    view = View.of(whole, parts[0].text, asked, rules)
    found = Gathering(text, masked)
    speech = _Speech()
    named = False
    end_before = start
    before: Clause | None = None  # the last clause, when it was nothing
    occasions = for_one_occasion([part.text for part in parts], rules)
    for number, (clause, today) in enumerate(zip(parts, occasions, strict=True)):
        if _quotes(clause.text):
            break
        if view.task and _TURNS.search(masked, end_before, clause.start + _TURN):
            view = replace(view, task=False)
        speech.told = speech.told and _SO.search(masked, end_before, clause.start) is None
        end_before = clause.end
        speech.hear(clause.text, rules, found)
        if speech.told or speech.others or today or view.past or view.doubted or view.task:
            settled.add(number)
        if speech.told:
            continue
        last = clause is parts[-1]
        said = text[clause.start : clause.end]
        if NAMED.fullmatch(said) or (not asked and _WHO.fullmatch(said)):
            found.add(clause, "O", rules, leading=False)
            settled.add(number)
            named = True
            continue
        if (named and _APPOSITION.match(clause.text)) or (found.fact and not asked and _MEASURE.fullmatch(clause.text)):
            found.extend(clause)  # "I'm Nadia, a translator in Lisbon"; "an N100, 16G of memory"
            named = clause.text.isdigit()
            continue
        named = False
        tag = judge(
            clause.text,
            view,
            today=today,
            others=speech.others,
            question=(asked and last) or asks(clause.text, rules),
            told=found.told(clause),
        )
        if before is not None and tag != "B" and _completes(clause, before):
            tag, clause = "W", Clause(before.start, clause.end, masked[before.start : clause.end])
        before = clause if tag is None and not speech.others else None
        found.add(
            clause, tag, rules, leading=not last and not view.doubted and _LEADS_TO.search(clause.text) is not None
        )
    return Said([Found(*item) for item in found.items()], frozenset(settled), found.complaint)


class _Speech:
    """Whose affairs and whose words the clauses of a sentence are, one after another."""

    others = False  # somebody outside the household is spoken of
    told = False  # what somebody said is being told

    def hear(self, clause: str, rules: Rules, found: Gathering) -> None:
        if rules.others.match(clause):
            self.others = not (found.kin and _PRONOUN.match(clause))
        elif rules.self_start.match(clause):
            self.others = self.told = False
        if _TELLS.match(clause) and not _OWN_WORDS.search(clause):
            self.told = True


def _quotes(clause: str) -> bool:
    """True for a clause after which somebody else's words follow."""
    announced = (
        clause.endswith(_SAYS)
        or (clause.endswith(_ZH_SAYS) and _ZH_QUOTING.search(clause) is not None)
        or _EN_QUOTING.search(clause) is not None
    )
    return announced and _OWN_WORDS.search(clause) is None


def _completes(clause: Clause, before: Clause) -> bool:
    """True for a clause that only says how the one before was, or that it is to be so for good."""
    if _VERDICT.fullmatch(clause.text):
        return _OF_AGENT.search(before.text) is not None
    return len(before.text) > 3 and SAME_AGAIN.fullmatch(clause.text) is not None
