"""Quiet hours: when a person does not want to be disturbed, from what they said and from the settings.

Rules, no model. A boundary counts when it forbids messages (push, ping, notify, 推送, 打扰 ...) and names a time: a
span (`between 22 and 7`, `晚上十点到早上七点`, `22時から7時まで`), one end of it (`before 8am`, `早上八點前`,
`夜10時以降`), a part of the day (`at night`, `半夜`, `凌晨`), which without hours is the one that people mean by it, or
days (`on Sundays`, `週末`). What cannot be read as hours, is about voice or one subject only, or about messages to
somebody else holds nothing back: the boundary still stands in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from appliance.automation.occurrences import instant_of
from appliance.memory.languages import fold

_DAY = 24 * 60
NIGHT = (22 * 60, 7 * 60)
_PARTS = (
    (re.compile(r"凌晨"), (0, 6 * 60)),
    (re.compile(r"半夜|深夜|夜里|夜间|大半夜|三更|睡觉|入睡|睡着|夜中|夜[はに、]|寝て(?:い|る)|就寝"), NIGHT),
    (re.compile(r"\b(?:at|late at|during the|in the middle of the|over) ?night|\bovernight|\bnights?\b|asleep"), NIGHT),
    (re.compile(r"\bafter (?:bedtime|dark)|\bwhile (?:i|we)(?:'m| am|'re| are)? ?sleep"), NIGHT),
    (re.compile(r"晚上"), (20 * 60, 7 * 60)),
    (re.compile(r"\bevenings?\b"), (18 * 60, 22 * 60)),
    (re.compile(r"中午|午休|午睡|昼休み"), (12 * 60, 14 * 60)),
    (
        re.compile(r"上午|午前|朝[はに、]|\b(?:in the|on \w+) mornings?\b|(?<!until )(?<!till )\bmornings\b"),
        (6 * 60, 12 * 60),
    ),
    (re.compile(r"下午|午后[はに、]|\bafternoons?\b"), (12 * 60, 18 * 60)),
)
_MESSAGES = re.compile(
    r"push|ping|notif|messag|disturb|bother|wake|text me|call me|write (?:to )?me|alert|report|remind|send|buzz|ring"
    r"|quiet|silen|hear from|(?:talk|speak) to me|contact|reach (?:me|out)|a peep|^(?:not|nothing) before"
    r"|推|打扰|吵|打给|打电话|通知|提醒|消息|发|烦|叫|叫醒|响|安静|日报|简报|静音|[敲找]我|来找|联系|说话|出声|弹"
    r"|连络|送[らっ]|送信|メッセージ|プッシュ|知らせ|起こ|话しかけ|静か|鸣ら|邪魔|电话[しをは]"
)
# Voice is not sent anyway; one subject, or somebody else's messages, are for the model to mind.
_VOICE = re.compile(
    r"\b(?:voice|audio|video) ?(?:messages?|notes?|memos?|replies|calls?)|语音(?:消息|讯息)?|发(?=语音)"
)
_ONE_SUBJECT = re.compile(r"\babout\b|关于|的事|について")
_TO_OTHERS = re.compile(
    r"\b(?:message|call|text|tell|e-?mail|ping|send|wake) (?:her|him|them|my|the)\b|[给叫](?:她|他|它)"
    r"|(?:妻|夫|父|母|娘|息子|彼女?|さん|たち)に(?!は?言)"
)
_FORBIDS = re.compile(
    r"\bno\b|\bnot(?:hing)?\b|n't\b|\bdont\b|\bnever\b|\bstop\b|\bquiet|\bsilen|\bwithout\b|\bhold\b|\bonly\b|\buntil\b"
    r"|别|不|勿|免|安静|静音|攒到|等到|莫|甭|禁|ないで|やめ|控え|静か|だめ|ダメ"
)
_CHINESE_HOURS = {
    c: n
    for n, c in enumerate("零 一 二 三 四 五 六 七 八 九 十 十一 十二".split())
} | {"两": 2} | {f"十{d}": 10 + n for n, d in enumerate("零一二三四五六七八九") if n > 2} | {
    "二十": 20, "二十一": 21, "二十二": 22, "二十三": 23, "二十四": 24
}  # fmt: skip
_HALVES = {
    "凌晨": 0, "清晨": 0, "早上": 0, "早晨": 0, "早": 0, "上午": 0, "今早": 0, "中午": 12, "下午": 12, "傍晚": 12,
    "午休": 12, "午睡": 12, "午后": 12, "晚上": 12, "晚": 12, "夜里": 12, "夜间": 12, "深夜": 12, "半夜": 12,
    "午前": 0, "朝": 0, "早朝": 0, "翌朝": 0, "昼": 12, "夕方": 12, "夜": 12, "夜中": 12, "晩": 12,
    "am": 0, "pm": 12,
}  # fmt: skip
_CN_HOUR = "二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九]"
_SMALL_HOURS = ("半夜", "深夜", "夜里", "夜间", "夜", "夜中")  # when 2 is after midnight
_TIME = (
    rf"(?P<half{{n}}>{'|'.join(sorted(_HALVES.keys() - {'am', 'pm'}, key=len, reverse=True))})?\s*の?\s*"
    rf"(?:(?P<digits{{n}}>\d{{{{1,2}}}})|(?P<words{{n}}>{_CN_HOUR}))"
    r"(?:(?::|[点时](?=\d{{2}}分))(?P<minutes{n}>\d{{2}})分?|\s?[点时](?P<cnhalf{n}>半)|\s?(?:点钟?|时(?!间)))?"
    r"\s*(?P<suffix{n}>am|pm|a\.m\.|p\.m\.|o'?clock)?"
)
_FIRST, _SECOND = _TIME.format(n=1), _TIME.format(n=2)
_SPAN = re.compile(rf"(?<![\d:]){_FIRST}\s*(?:到|至|から|and|to|until|till|[-~〜–—])\s*{_SECOND}(?!\d)")
_BEFORE = re.compile(rf"(?:before|until|till|earlier than)\s+{_FIRST}(?!\d)|{_SECOND}\s*(?:之前|以前|より?前|まで|前)")
_AFTER = re.compile(
    rf"(?:after|past|later than)\s+{_FIRST}(?!\d)|{_SECOND}\s*(?:之后|以后|过后|以降|过ぎ|より?后|から|后)"
)
_WEEKDAYS = re.compile(r"weekday|workday|工作日|平日|上班日")
_WEEKENDS = re.compile(r"weekend|周末|假日|土日|休日")
_DAY_OF_WEEK = (
    r"(mon|tues|wednes|thurs|fri|satur|sun)days?|(?:周|星期|礼拜)([一二三四五六日天])|([月火水木金土日])曜日?"
)
_DAY_NAME = re.compile(_DAY_OF_WEEK)
_DAY_RANGE = re.compile(rf"(?:{_DAY_OF_WEEK})\s*(?:to|through|until|till|[-~–—]|到|至|から)\s*(?:{_DAY_OF_WEEK})")
_NUMBERS = {name: n for n, name in enumerate("mon tues wednes thurs fri satur sun".split())} | {
    name: n for n, name in enumerate("一二三四五六日")
} | {name: n for n, name in enumerate("月火水木金土")} | {"天": 6}  # fmt: skip
_WORDS_FOR_HOURS = ((re.compile(r"\bmidnight\b"), "12am"), (re.compile(r"\bnoon\b"), "12pm"))
_AFTERNOON = re.compile(r"\bnaps?\b|\blunch")
_EARLIEST = 0  # "before 8" is quiet from midnight


@dataclass(frozen=True, slots=True)
class Quiet:
    """Minutes of the day from `start` until before `end`, over midnight when end is not later; `days` are weekdays (0
    is Monday) on which it begins."""

    start: int
    end: int
    days: frozenset[int] = frozenset(range(7))

    def shown(self, weekdays: Sequence[str]) -> str:
        """`22:00-07:00`, with the days when they are not all; `weekdays` names them from Monday."""
        hours = f"{self.start // 60:02}:{self.start % 60:02}-{self.end // 60:02}:{self.end % 60:02}"
        days = "" if len(self.days) == 7 else " ".join(weekdays[day] for day in sorted(self.days))
        return days if days and self.start == self.end else f"{hours} {days}".strip()

    def until(self, at: float, zone: ZoneInfo) -> float | None:
        """When the quiet that covers `at` ends (Unix seconds), or None when it does not cover it."""
        here = datetime.fromtimestamp(at, zone)
        today = here.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None, fold=0)
        length = (self.end - self.start) % _DAY or _DAY
        for day in (today - timedelta(days=1), today):
            if day.weekday() not in self.days:
                continue
            begin = day + timedelta(minutes=self.start)
            first, last = instant_of(begin, zone), instant_of(begin + timedelta(minutes=length), zone)
            if first <= at < last:
                return last
        return None


def quiet_until(windows: Iterable[Quiet], at: float, zone: ZoneInfo) -> float | None:
    """When it may speak again, or None when it may now. Windows that follow one another count as one."""
    windows = tuple(windows)
    end: float | None = None
    for _ in range(8):  # a week of windows that touch is enough for anybody
        later = max((u for w in windows if (u := w.until(at if end is None else end, zone)) is not None), default=None)
        if later is None:
            return end
        end = later
    return end


def quiet_of(text: str) -> Quiet | None:
    """The quiet hours that a boundary asks for, or None when it asks for none."""
    said = _VOICE.sub(" ", fold(text))
    if not _MESSAGES.search(said) or not _FORBIDS.search(said) or _TO_OTHERS.search(said):
        return None
    for word, hour in _WORDS_FOR_HOURS:
        said = word.sub(hour, said)
    days, hours = _days(said), _hours(said)
    if hours is None and (days is None or _ONE_SUBJECT.search(said)):
        return None
    start, end = hours or (0, 0)
    return Quiet(start % _DAY, end % _DAY, frozenset(range(7)) if days is None else days)


def _days(said: str) -> frozenset[int] | None:
    """The days of the week that are named (0 is Monday), or None when none is."""
    if _WEEKDAYS.search(said):
        return frozenset(range(5))
    if _WEEKENDS.search(said):
        return frozenset((5, 6))
    span = _DAY_RANGE.search(said)
    if span:
        first, last = (_NUMBERS[name] for name in span.groups() if name)
        return frozenset((first + n) % 7 for n in range((last - first) % 7 + 1))
    return frozenset(_NUMBERS[one[one.lastindex or 0]] for one in _DAY_NAME.finditer(said)) or None


def parse_window(text: str) -> Quiet:
    """`22:00-07:00` as a window. Raises ValueError."""
    found = re.fullmatch(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})", text.strip())
    numbers = [int(part) for part in found.groups()] if found else []
    if not numbers or numbers[0] > 24 or numbers[2] > 24 or numbers[1] > 59 or numbers[3] > 59:
        raise ValueError(f"{text!r} is not a span of hours such as 22:00-07:00")
    return Quiet((numbers[0] * 60 + numbers[1]) % _DAY, (numbers[2] * 60 + numbers[3]) % _DAY)


def _hours(said: str) -> tuple[int, int] | None:
    """(start, end) in minutes of the day."""
    if found := _SPAN.search(said):
        return _span(found)
    if found := _BEFORE.search(said):
        end = _minutes(found, 1 if found["digits1"] or found["words1"] else 2)
        return None if end is None else (_EARLIEST, end)
    if found := _AFTER.search(said):
        start = _minutes(found, 1 if found["digits1"] or found["words1"] else 2, late=True)
        return None if start is None else (start, NIGHT[1])
    return next((hours for pattern, hours in _PARTS if pattern.search(said)), None)


def _span(found: re.Match[str]) -> tuple[int, int] | None:
    start, end = _minutes(found, 1), _minutes(found, 2)
    if start is None or end is None:
        return None
    first, second = _half(found, 1), _half(found, 2)
    if first is not None and second is None and end <= start and first == 12 and end + _DAY // 2 > start:
        # "下午五点到六点半": the second time is in the same half of the day
        if end < _DAY // 2 and end + _DAY // 2 - start <= 6 * 60:
            end += _DAY // 2
    elif first is None and second == 12 and start < _DAY // 2 and start + _DAY // 2 < end:
        start += _DAY // 2  # "9 to 11 pm"
    elif first is second is None and end <= 6 * 60 and _AFTERNOON.search(found.string):
        start, end = start + _DAY // 2, end + _DAY // 2  # "while the baby naps, 1 to 3"
    return start, end


def _half(found: re.Match[str], number: int) -> int | None:
    word = found[f"half{number}"] or (found[f"suffix{number}"] or "").replace(".", "")
    return _HALVES.get(word)


def _minutes(found: re.Match[str], number: int, *, late: bool = False) -> int | None:
    """One time of the day in minutes; None for what is no hour. `late`: a bare small hour means the evening."""
    digits, words = found[f"digits{number}"], found[f"words{number}"]
    hour = int(digits) if digits else _CHINESE_HOURS.get(words or "", 99)
    if hour > 24:
        return None
    half = _half(found, number)
    word = found[f"half{number}"] or ""
    if half == 12 and hour < 12 and not (word in _SMALL_HOURS and hour < 6):
        hour += 12
    elif (half == 0 and hour == 12) or (word in (*_SMALL_HOURS, "晚上", "晩") and hour == 12):
        hour = 0
    elif half is None and late and 6 <= hour < 12:
        hour += 12
    minutes = int(found[f"minutes{number}"] or 0) + (30 if found[f"cnhalf{number}"] else 0)
    return (hour * 60 + minutes) % _DAY if minutes < 60 else None
