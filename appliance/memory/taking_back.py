"""Taking back: whether a message takes something back ("forget what I said about ..."), and which items it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from appliance.memory import guards_en, guards_zh, rules_ja, words_en, words_zh
from appliance.memory.capture import heard_in
from appliance.memory.hints import TAKES_BACK
from appliance.memory.items import Item
from appliance.memory.languages import analyse, fold
from appliance.memory.weighing import answered

_TAKE_BACK = re.compile(f"{guards_zh.TAKE_BACK}|{guards_en.TAKE_BACK}|{rules_ja.TAKE_BACK}")
_LONGEST = 2_000  # characters
_OF_ITEM = 0.5  # share of an item's terms that a take-back must name,
_OF_TOPIC = 0.75  # or share of what a take-back is about that an item must hold
# What only says that something is taken back, in folded text: what is left is what it is about.
_STOCK = re.compile(
    r"\b(?:please|actually|sorry|just|all|everything|anything|forget|forgotten|scrap|scratch|drop|delete|remove|undo"
    r"|erase|cancel|lift|revoke|clear|end|disable|ditch|bin|take|taken|back|never|mind|ignore|fix|correct|change|update"
    r"|amend|stop|don'?t|remember(?:ing)?|said|say|told|tell|talked|mention(?:ed)?|claimed|gave|set|asked|wanted|wrote"
    r"|about|regarding|concerning|bit|notes?|rules?|memory|memories|entry|entries|things?|stuff|part|preferences?|ban"
    r"|limits?|settings?|comments?|statement|earlier|before|yesterday|today|ago|last|week|month|other|day|any ?more"
    r"|longer|wrong|outdated|mistake|joke|off)\b"
    r"|忘(?:了|掉|记)?|取消|撤(?:回|销)?|删(?:掉|除)?|去掉|拿掉|作废|解除|不(?:算|作)数?|算了|忽略|无视|当我?没"
    r"|(?:别|不用|不要)(?:再)?(?:管|记着?)|之前|以前|上次|刚才|刚刚|先前|那天|昨天|前几天|[说讲提定设]过?的?|让"
    r"|[那这][条个项件笔]|事情?|规[则矩]|要求|限制|禁令|偏好|设定|记忆|关于|有关|[了吧请把我你的]"
    r"|(?:の)?(?:こと|话|件|ルール|设定|メモ|约束)|忘れて|取り消して|なしにして|撤回(?:します|して)?|さっき|前に"
    r"|以前|言った|赖んだ|下さい|ください|もう|[はをがの]"
)
_KIN = re.compile(rf"\b(?:my|our) ({words_en.KIN})\b|(?:我(?:们|家)*的?|^)({words_zh.KIN})")
_QUIET_HOURS = re.compile(r"\b(?:quiet|silent) (?:hours?|time)\b|do.not.disturb|勿扰|免打扰|(?:安静|静音)(?:时间|时段)")


def takes_back(text: str) -> bool:
    """Whether a message takes something back; such a one never becomes an item."""
    if len(text) > _LONGEST:
        return False
    return _TAKE_BACK.search(fold(text)) is not None or TAKES_BACK in answered(heard_in(text))


def named(text: str, items: Iterable[Item], quiet_hours: Callable[[str], bool]) -> list[Item]:
    """The items that a take-back names; none when it names none clearly.

    `quiet_hours` knows a boundary that asks for some: they are named by what they are called, not by their words.
    """
    asked = analyse(text)
    said, about = _telling(asked.families), _telling(analyse(_STOCK.sub(" ", asked.plain)).families)
    hours = _QUIET_HOURS.search(asked.plain) is not None
    found = []
    for item in items:
        words = analyse(item.text).families
        of_item = _share(_telling(words), said)
        of_topic = _share(about, words)
        # A limit is not lost for a word that it shares with another matter.
        half = of_item >= _OF_ITEM and (item.tag != "B" or of_topic > _OF_ITEM)
        if half or of_topic >= _OF_TOPIC or (hours and quiet_hours(item.text)):
            found.append(item)
    # My allergy is not my daughter's, nor hers mine.
    whose = _kin(_KIN.search(asked.plain))
    return [item for item in found if _concerns(fold(item.text), asked.plain, whose)] or found


def _concerns(item: str, plain: str, whose: str) -> bool:
    """Whether an item is about the one whom a take-back names, and about the person where it names none."""
    return whose in item if whose else _kin(_KIN.match(item)) in plain


def _kin(found: re.Match[str] | None) -> str:
    return "" if found is None else found[1] or found[2]


def _share(words: frozenset[str], of: frozenset[str]) -> float:
    return len(words & of) / len(words) if words else 0.0


def _telling(terms: frozenset[str]) -> frozenset[str]:
    """Those without single characters, which stand in many words; all where there are no others."""
    return frozenset(term for term in terms if term.isascii() or len(term) > 1) or terms
