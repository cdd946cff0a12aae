"""What one clause is: a boundary (B), a want (W), a fact (O), or nothing to keep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from appliance.memory.anchors import cue
from appliance.memory.items import Tag
from appliance.memory.rules import Rules
from appliance.memory.statements import likely_fact, likely_taste
from appliance.memory.voices import SPOKEN, VOID

_ONLY_A_TIME = 6  # words or characters: such a clause says when, and nothing else
_LETTER, _SIGN = "a-z0-9'", "\u4e00-\u9fff\ue000"
_WORD = re.compile(f"[{_LETTER}]+|[{_SIGN}]")
_TWO_WORDS = re.compile(f"[^{_LETTER}{_SIGN}]*(?:[{_LETTER}]++|[{_SIGN}])[^{_LETTER}{_SIGN}]*[{_LETTER}{_SIGN}]")
# "Grandma keeps saying '…'": the fact is only that she says so.
_QUOTES = re.compile(
    rf"^{VOID}+ ?(?:is|was|are)\b"
    rf"|(?:那句|这句|一句|口头禅|原话|名言|座右铭)[^，,。]{{0,4}}{VOID}"
    rf"|(?:(?<!我)说|讲|念叨?|唠叨|喊|问|写|回|唱)(?:了|着|过|道|的是|一?句)?[^，,。]{{0,3}}{VOID}"
    rf"|\b(?:motto|saying|line|words|advice) (?:is|was) {VOID}"
    rf"|\b(?:says?|said|saying|texted|wrote|writes|goes|yelled|asked|shouted|posted)[,]? {VOID}"
)
_ME = re.compile(r"我|\b(?:me|my|i)\b")
# A liking outlasts the words about time around it, unless it is said of this very day or occasion.
_LASTING = re.compile(
    r"喜欢|讨厌|偏爱|偏好|受不了|习惯|倾向|偏向|更愿意|宁愿|宁可|不惯|反感"
    r"|\b(?:like|love|hate|prefer|enjoy|dislike|can't stand|adore)\b"
)
_ONE_DAY = re.compile(
    r"今天|今晚|这次|这一次|这回|暂时|今日"
    r"|\b(?:today|tonight|tomorrow|right now|at the moment|for now|this (?:time|once|one)|just once)\b"
)
# What somebody outside never does limits nobody here.
_HABIT = re.compile(r"从来|从不|一向|一直|(?<!谁)都不|\bnever \w+s\b")
_ABOUT_CASES = re.compile(r"\b(?:when|whenever|if|before|anything|any time)\b|凡是|只要|涉及|每次|的时候$|之前$|前$")
# A sore stomach is a fact, not a taste.
_BODY = re.compile(r"(?:胃|嗓子|腰|身体|肚子|牙|膝盖|肩膀?|颈椎|心脏|皮肤)[^，,。]{0,3}(?:不舒服|难受|疼|痛|不好|不行)")
_COMPLAINT = re.compile(
    r"太[多长小密吵亮]|来回|不下去|受不|难受|头[疼痛大昏晕]|烦|累|我就(?!喜欢|爱|想|要)|丢脸|尴尬|吵醒|annoy|crazy"
    r"|mad|nuts"
    r"|hurts?|cringe|tiring|hard|leaves? me"
)
# "From now on only the Pi is left": how it will be, nothing to be done.
_BECOMES = re.compile(
    r"我(?!要|想|希望|说|问|叫)[^，,。]*了$|(?:只剩|多了$|就没有?了$|要(?:陪|去|接送|值班|上[课班]|加班|出差|复查"
    r"|产检))"
)
# "Up at five every day", "every evening eight to ten", "always have": how it is, nothing to be done.
_NO_WISH = re.compile(
    r"^(?:up|in bed|asleep|home|off|out|back|away) (?:at|by|before|after|on|every|from|until) "
    r"|^(?:always|never) (?:have|has|did|will)(?: done| been)?$|^every \w+ \w+ to \w+$"
)
# "No need to ask, just do it" allows something; it forbids nothing.
_ALLOWS = cue(
    r"(?:不用|不必|无需|不需要)[^，,。]{0,6}(?:问|确认|请示|报备|等我|征求)"
    r"|(?:不用|不必)[^，,。]{1,10}(?:真|太|好|超|可)(?:爽|好|棒|开心|舒服|香)"
    r"|^(?:不用|不必|无需)(?!再|每|给|发|推|提|通|叫|打|播|问|寄|传|写|说|附|加|管我|催|备注|客气|放|开"
    r"|关)[^，,。]{1,6}$"
    r"|\w don'?t bother (?:him|her|them|us|me)\b"
    r"|^(?:so )?no .{2,40} (?:needed|necessary|required)$"
    r"|^(?:so )?no \w+(?: \w+)? for (?:me|us)\b"
    r"|(?:半天|好久|好几遍|好几次)(?:才|都|也)"
    r"|^(?:不要|别|不行|不可以|不必)$"
    r"|^don'?t (?:bother|worry|mind)$"
    r"|(?:no need to|don't (?:have|need) to|needn't) (?:ask|check|confirm|wait)"
)
_CONTINUES = re.compile(
    r"^(?:现在|目前|平时|主要|还|也|同时|业余)?(?:做|写|有|在|住|养|教|开|带|搞|干|跑|卖|拍|画|学|读|当|管|负责"
    r"|从事|来自|更新|运营|经营|研究|接|照顾|全职|专注|面向|专门)(?!不|完|好|吗|个问题|什么|意|想)"
    r"|^(?:up|in bed|home|off|out|back|away) (?:at|by|before|after|on|every|from|until) "
    r"|^i (?!think|guess|know|want|need|love|like|hate|hope|mean|see|am|was|will|can)\w+ \w+"
    r"|^(?:and |also |currently |originally |mostly )*(?:work|live|have|teach|run|play|study|based|born|raised"
    r"|married|single|retired|(?:two|three|four|one) (?:kids|children|cats|dogs))\b"
)
# "Whoever asks": no question.
_WHOEVER = re.compile(
    r"(?:谁|什么|哪|怎么|多[少久大])[^，,。]{0,10}(?:都|也)(?!是|有|吗)[^，,。]+(?<![吗呢])$"
    r"|^what(?:'s)? (?:i|we|in|you|my \w+|happen\w*|goes)\b.*\b(?:stays?|remains|is (?:between|private|confidential))\b"
)
# "Check whether the gas is off": the question is inside.
_EMBEDDED = re.compile(
    r"(?:看|查|问|确认|检查|提醒|告诉(?!我(?:怎么|如何))|标|写|说(?!话)|讲|教)[^，,。]{0,10}(?:有没有|是不是|会不会|要不要|能不能|几|多少"
    r"|什么|哪|怎么)[^，,。吗呢]*$"
    r"|(?:什么|多少|哪|几|怎么|谁)[^，,。]{0,6}(?:别|不要|不准|不许)(?:告诉|说|讲|问|提|给|让)"
)
# "What is the difference between X and Y": asked about a limit, none is set.
_ABOUT_IT = re.compile(
    r"有(?:什么|啥)(?:区别|不同|用)|(?:差|区别|不同)在哪|会怎么?样|告诉我(?:怎么|如何|在哪)|教我|怎么[设弄开关]|在?哪里?[设开关改]"
)
_FINAL = frozenset({"吗", "呢", "对吧", "是吗", "好吗", "right", "huh"})
_REQUEST = re.compile(r"\b(?:could|can|would|will) you\b|能不能|可不可以|能否|可以|麻烦")
# "The headline a bit bigger?": how the agent's own work should be, asked or said.
_MORE = cue(
    r"(?:讲话|说话|回复|回答|回话|语气|口气|态度|标题|字|字体|文字|排版|内容|菜谱|回我|解释|说明|总结|摘要|日报"
    r"|周报|图表?|语速|音量|声音)[^，,。]{0,8}(?:一点|一些|点儿?|些)(?:吗|吧|啦|嘛|呢)?$"
    r"|先[^，,。]{1,8}再[^，,。]{1,8}"
    r"|(?:说|讲|写|念|播|回|读|放|发)得?(?:慢|快|短|长|大声|小声|简单|清楚|直接|详细|具体|温柔|客气|口语|通俗|随意"
    r"|正式|轻松|活泼|细|白|早|晚)一?(?:点|些)(?:儿|吗|吧|啦|嘛|呢)?$"
)
# Being woken says what is wrong; what is to be done about it may follow.
_WOKEN = cue(
    r"一[震响亮叫]|[吵惊]?醒|睡不|失眠|吓|心慌|崩溃|神经"
    r"|\b(?:wakes?|woke|startles?|scares?|buzz\w*|lit up|went off)\b"
)
# "I'm working from home today": what goes on now, not what changed.
_DOING = re.compile(
    r"(?:i'?m|i am|we're|we are) (?:\w+ing|on|off|at|in)\b.*\b(?:today|tonight|right now|this (?:morning|afternoon"
    r"|evening))\b"
)
_REFUSES = re.compile(
    r"^(?:never|don't|no )|(?:rather|prefer) not|rather you|don't want|do not want"
    r"|never want"
    r"|like it if you (?:didn't|stopped)|hate (?:for|it if)\b"
    r"|(?:prefer|appreciate|love) (?:it )?if you (?:didn|stopped|never)"
)
# How the agent speaks: an English imperative about it is a standing wish even without "always".
_MANNER = re.compile(
    r"\b(?:metric|imperial|celsius|fahrenheit|english|french|german|spanish|chinese|japanese|italian|dutch|irish"
    r"|welsh|gaelic|polish|turkish|hindi|urdu|arabic|russian|korean|portuguese|greek|swedish|norwegian|danish"
    r"|finnish|hebrew|ukrainian|romanian|hungarian|czech|thai|vietnamese"
    r"|mandarin|cantonese|british|american|spelling|bullets?|markdown|tables?|units?|24[- ]?h(?:ours?)?|iso|emoji"
    r"|plain|short|shorter|brief|concise|formal|informal|casual|tone|small|large|big|clean|civil|polite|simple"
    r"|friendly|gentle|sentences?|lines|words|lower ?case|headings?|python|typescript|rust|bash|code (?:blocks?"
    r"|comments?|examples?)|first name|nickname|pronouns|dates?|currency|euros|dollars|pounds|kilometers"
    r"|kilometres|miles|temperatures?|simplified|traditional|one \w+ at a time|citations?|sources|links|conclusion"
    r"|bottom line|commas?|decimals?|thousands|initials?|prose|paragraphs?|captions?|subtitles|large print|big type"
    r"|acronyms|abbreviations|grams|ounces|cups|fonts?|am/pm|week numbers|slang|jargon|contractions|steps"
    r"|point first|examples|numbers|my name|(?:married|maiden|full|last|middle|stage|pen) name|she/her|he/him"
    r"|they/them|slower|slowly|faster|louder|softly|softer"
    r"|clearly|quieter|politely|formally"
    r"|conclusion)\b"
    r"|\bwith just \w+$|\blike (?:i'm|i am) \w+|\bas pdfs?\b|\bin (?:pdf|csv|capitals|caps|bold|italics|colou?r|full"
    r"|words|digits)$"
    r"|中文|英文|繁体|简体"
    r"|\b(?:call|address|refer to) (?:me|my \w+|the \w+ as)\b"
    r"|every (?:summary|reply|answer|email|message|report)"
)


@dataclass(slots=True)
class View:
    """What holds for a whole sentence: `past`, no longer so; `task`, work to do now."""

    rules: Rules
    past: bool
    once: bool  # some clause speaks of the past
    condition: bool
    task: bool
    doubted: bool  # a condition in a question: nothing is stated

    @classmethod
    def of(cls, whole: str, first: str, asked: bool, rules: Rules) -> View:
        condition = rules.condition.search(whole) is not None
        once = rules.past.search(whole) is not None
        return cls(
            rules,
            past=once and rules.now.search(whole) is None,
            once=once,
            condition=condition,
            task=rules.task.match(first) is not None,
            doubted=condition and (asked or rules.asking.search(whole) is not None),
        )


def for_one_occasion(parts: Sequence[str], rules: Rules) -> list[bool]:
    """Given the clauses of a sentence, say of each whether it is said for one occasion only.

    A time that is named holds from there on, and for what stands before it when nothing else is said of it ("don't
    call, just tonight"). In a sentence that also sets a standing rule each clause stands for itself.
    """
    own = [rules.today.search(part) is not None and rules.from_today.search(part) is None for part in parts]
    if not any(own) or any(rules.from_today.search(part) for part in parts):
        return own
    first = own.index(True)
    narrows = any(named and len(_WORD.findall(part)) <= _ONLY_A_TIME for named, part in zip(own, parts, strict=True))
    return [narrows or place >= first for place in range(len(parts))]


def asks(clause: str, rules: Rules) -> bool:
    """True for the form of a question; "don't keep asking what I want" is none, its question is what is forbidden."""
    match = rules.asking.search(clause)
    if match is None or _WHOEVER.search(clause) or _EMBEDDED.search(clause):
        return False
    if match.end() == len(clause) and match.group() in _FINAL:
        return True
    forbidden = rules.negation.search(clause)
    if _ABOUT_IT.search(clause):
        return True
    return forbidden is None or forbidden.start() > match.start() or match.group().startswith(("怎么", "如何", "why"))


def is_strong(clause: str, tag: Tag, rules: Rules, *, told: bool) -> bool:
    """True for an item that stands by itself, wherever it is said."""
    if tag == "B":
        timed = rules.times.search(clause) or rules.ask_first.search(clause)
        return timed is not None and rules.too.search(clause) is None
    if tag == "W":
        return any(p.search(clause) for p in (rules.liking, rules.standing_strong, rules.at_time))
    return rules.nature.search(clause) is not None or (told and _CONTINUES.match(clause) is not None)


def only_leads(clause: str, tag: Tag, rules: Rules) -> bool:
    """True for "not too long" and for a complaint: when a want follows at once, that one is the item."""
    if tag == "B":
        return rules.too.search(clause) is not None or (_woken(clause) and rules.negation.search(clause) is None)
    if tag == "O" or rules.liking.search(clause):
        return False
    return _COMPLAINT.search(clause) is not None or _ABOUT_CASES.search(clause) is not None or _woken(clause)


def _woken(clause: str) -> bool:
    return _WOKEN.search(clause) is not None


def judge(clause: str, view: View, *, today: bool, others: bool, question: bool, told: bool = False) -> Tag | None:
    """Given a folded clause, return its tag.

    `today`: said for one occasion. `others`: somebody outside the household is spoken of. `told`: the clause before
    was a fact about the person, so one without a subject goes on about the same.
    """
    rules = view.rules
    if SPOKEN in clause:
        return None
    if view.once and rules.past.search(clause) and rules.now.search(clause) is None:
        return None
    if view.doubted or (_TWO_WORDS.match(clause) is None and clause != "ask") or (others and rules.says.search(clause)):
        return None
    limits = not today and not view.past and not (others and _HABIT.search(clause))
    if limits and _is_boundary(clause, view, question=question):
        return "B"
    if question and not others and not today and _asks_for_good(clause, rules):
        return "W"
    if question or view.past or rules.chat.match(clause) or (VOID in clause and _QUOTES.search(clause)):
        return None
    if others:
        own = not today and _ME.search(clause) is not None and rules.comfort.search(clause) is not None
        return "W" if own else None
    if view.condition and rules.condition.search(clause) and not _provides(clause, rules):
        return None
    if (not today or (_LASTING.search(clause) and not _ONE_DAY.search(clause))) and _is_want(clause, view):
        return "W"
    if told and not view.task and not today and _CONTINUES.match(clause):
        return "O"
    if _is_fact(clause, view, today=today):
        return "O"
    return None if today or view.condition else _unmarked(clause, view)


def _provides(clause: str, rules: Rules) -> bool:
    """True for a condition that states something: what does me good, or what to do in each such case."""
    return rules.comfort.search(clause) is not None or (
        "," in clause and rules.standing_strong.match(clause) is not None
    )


def _unmarked(clause: str, view: View) -> Tag | None:
    """What a clause is that no cue marks."""
    if likely_taste(clause):
        return "W"
    of_the_moment = view.task or view.rules.fault.search(clause) is not None
    return "O" if not of_the_moment and likely_fact(clause) else None


def _asks_for_good(clause: str, rules: Rules) -> bool:
    """True for a question that asks for something for good: "could you always…", "the titles a bit shorter?"."""
    return _REQUEST.search(clause) is not None and (
        rules.standing_strong.search(clause) is not None or _MORE.search(clause) is not None
    )


def _is_boundary(clause: str, view: View, *, question: bool) -> bool:
    rules = view.rules
    if question:
        return not view.task and rules.soft_limit.search(clause) is not None and not _ABOUT_IT.search(clause)
    return _limits(clause, view) and _ALLOWS.search(clause) is None


def _limits(clause: str, view: View) -> bool:
    """True for a clause that forbids something, or wants to be asked first."""
    rules = view.rules
    if view.task and not rules.standing.search(clause):
        return rules.ask_first.search(clause) is not None
    if not rules.boundary.search(clause):
        return False
    if rules.ask_first.search(clause):
        return True
    if rules.liking.search(clause) and not _REFUSES.search(clause):
        return False
    return rules.self_limit.search(clause) is None


def _is_want(clause: str, view: View) -> bool:
    rules = view.rules
    if rules.liking.search(clause):
        return rules.short_object.search(clause) is None
    if clause.startswith(("别", "不要", "don't", "never")):
        return False
    if rules.comfort.search(clause):
        return _BODY.search(clause) is None
    if rules.fact_subject.match(clause):
        return False
    if rules.standing_strong.search(clause) and not _NO_WISH.match(clause) and not _BECOMES.search(clause):
        rest = rules.standing_strong.sub("", clause)
        return len(_WORD.findall(rest)) > 2 or (bool(rest) and len(clause) - len(rest) > 5)
    if view.task and not rules.standing.search(clause):
        return False
    if _MORE.search(clause) and "再" not in clause[:6]:
        return True
    match = rules.wish.search(clause)
    return match is not None and (
        match.group()[:1] > "z" or _MANNER.search(clause) is not None or rules.standing.search(clause) is not None
    )


def _is_fact(clause: str, view: View, *, today: bool) -> bool:
    rules = view.rules
    if (view.task and not rules.self_start.match(clause)) or rules.fault.search(clause):
        return False
    if today:
        return rules.recent.search(clause) is not None and _DOING.match(clause) is None
    return rules.fact.search(clause) is not None
