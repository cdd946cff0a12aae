"""Days that a question names: "in June", "last Tuesday", "3月31日", "上周". What was said then is looked at first.

A name that says no year (a month, a day of a month) means each of the last years, 03/04/2026 both days that it may be;
everything else means one stretch of time. What lies ahead or comes again and again ("next Tuesday", "每周一") is left
out: nothing was said then, or always.
The text is expected folded (languages.fold).
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from appliance.clock import day_bounds
from appliance.memory import seasons, words_en

Days = tuple[date, date]  # the first and the last
Stretch = tuple[float, float]  # Unix seconds: from, to (not included)

_YEARS = 5  # back, for a name without a year
_MONTHS = words_en.MONTHS.split("|")
_SHORT = {name[:3]: number for number, name in enumerate(_MONTHS, start=1)} | {"sept": 9}
_WEEKDAYS = words_en.WEEKDAYS.split("|")
_HAN_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_HAN_WEEKDAYS = "一二三四五六日"
_WORD_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2}

# A quick look, so that most questions cost no more than it.
_HINT = re.compile(
    r"\d|day\b|night\b|week|month|year|morning|ago\b|[月周天日年昨]|今[早晚朝]|星期|礼拜|きのう|おととい|어제|그저께|오늘|지난|작년|この[间前]|"
    + "|".join([*_SHORT, seasons.NAMES])
)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?![\d-])")
_NUMBERS = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2((?:19|20)\d\d)(?!\d)")
_MONTH_NAMES = "|".join([*_MONTHS, *(rf"{name}\.?" for name in _SHORT)])
_NAMED_MONTH = re.compile(
    r"(?:\b(?P<before>\d{1,2})(?:st|nd|rd|th)? (?:of )?)?"
    r"(?P<lead>\b(?:in|since|during|last|of|this(?! may\b)|late|early|mid) )?"
    rf"(?<!\bnext )\b(?P<month>{_MONTH_NAMES})(?!\w)(?: (?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?!\w))?"
    r"(?:,? (?P<year>(?:19|20)\d\d)\b)?"
)
_ALSO_A_WORD = frozenset({"may", "march", "mar", "dec", "jan", "sep", "oct", "jun"})
_EAST_MONTH = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d) ?[年년] ?)?(?<![个\d第])(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])"
    r" ?[月월](?!经|天(?!气)|租|[一两三四\d] ?次)"
    r"(?: ?(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号일])?"
)
_YEAR = re.compile(r"\b(?:in|during|early|mid|late) ((?:19|20)\d\d)\b|(?<!\d)((?:19|20)\d\d) ?[年년]")
_AGO = re.compile(
    r"(?<!\bhalf )\b(?P<count>\d{1,3}|a few|several|some|an?|one|two|three|four|five|six|couple of)"
    r" (?P<unit>day|week|month|year)s? ago\b"
    r"|(?P<east>\d{1,3}|[二三四五六七八九]?十[一二三四五六七八九]?|[一两二三四五六七八九]|好?几|数)"
    r" ?(?P<of>天|日|个?星期|周|个?礼拜|个?月|年)(?:之|以)?前"
)
_DAYS = frozenset(("day", "天", "日"))
_FEW = frozenset(("a few", "several", "some", "几", "好几", "数"))
_EAST_WEEK = "(?:周|星期|礼拜)"
_WEEKDAY = re.compile(
    r"(?<!\bnext )(?<!\bevery )(?<!\beach )(?<!\bby )(?<!\buntil )(?<!\bto )(?<!\bthrough )"
    rf"\b(?P<name>{'|'.join(_WEEKDAYS)})\b(?! ?s\b| ?(?:to|through|-)(?!\w))"
    rf"|(?<![下每一两三四几\d到至-])(?<![下每]个)(?P<week>上上|上|这|本)?个?{_EAST_WEEK}(?P<day>[一二三四五六日天])"
    rf"(?! ?[到至-] ?{_EAST_WEEK}?[一二三四五六日天])"
    r"|(?P<ja>[月火水木金土日])曜"
)
_JA_WEEKDAYS = "月火水木金土日"


def named_days(text: str, today: date, *, southern: bool = False) -> list[Days]:
    """Given a folded question and the owner's day, return the days it names, the likeliest first; [] when none.

    `southern`: seasons are those south of the equator.
    """
    if not _HINT.search(text):
        return []
    season = partial(_season, southern=southern)
    for reading in (_exact, _month, _east_month, season, _ago, _weekday, _relative, _year):
        found = [(first, min(last, today)) for first, last in reading(text, today) if first <= today]
        if found:
            return found
    return []


def stretches(text: str, today: date, zone: ZoneInfo) -> tuple[Stretch, ...]:
    """The same as Unix seconds."""
    days = named_days(text, today, southern=seasons.is_southern(zone))
    return tuple((day_bounds(first, zone)[0], day_bounds(last, zone)[1]) for first, last in days)


def _exact(text: str, today: date) -> Iterator[Days]:
    found = _ISO.search(text)
    if found:
        year, month = int(found[1]), int(found[2])
        yield from _spelled(year, month, int(found[3]) if found[3] else None)
    elif found := _NUMBERS.search(text):
        one, other, year = int(found[1]), int(found[3]), int(found[4])
        yield from _spelled(year, other, one)
        if found[2] == "/" and one != other:  # with a full stop the day stands first
            yield from _spelled(year, one, other)


def _month(text: str, today: date) -> Iterator[Days]:
    for found in _NAMED_MONTH.finditer(text):
        name = found["month"].rstrip(".")
        day = found["before"] or found["after"]
        if name in _ALSO_A_WORD and not (day or found["year"] or found["lead"]):
            continue
        month = _SHORT[name[:3]]
        yield from _each_year(text, found["year"], month, day, today)
        return


def _east_month(text: str, today: date) -> Iterator[Days]:
    found = _EAST_MONTH.search(text)
    if found:
        yield from _each_year(text, found["year"], _number(found["month"]), found["day"], today)


def _each_year(text: str, year: str | None, month: int, day: str | None, today: date) -> Iterator[Days]:
    years = [int(year)] if year else [today.year - back for back in _years_back(text)]
    for one in years:
        yield from _spelled(one, month, _number(day) if day else None)


def _years_back(text: str) -> Iterable[int]:
    """Which years a month without a number is of: the one that is named beside it, else each of the last."""
    return next(((back,) for pattern, back in _NAMED_YEARS if pattern.search(text)), range(_YEARS))


def _number(said: str) -> int:
    """12, "十二" and "二十三" alike."""
    if said.isdecimal():
        return int(said)
    tens, ten, ones = said.rpartition("十")
    return (10 * _HAN_DIGITS.get(tens, 1) if ten else 0) + _HAN_DIGITS.get(ones, 0)


def _spelled(year: int, month: int, day: int | None) -> Iterator[Days]:
    """One day, or a whole month; nothing for a day that no calendar has."""
    if not 1 <= month <= 12:
        return
    length = calendar.monthrange(year, month)[1]
    if day is None:
        yield date(year, month, 1), date(year, month, length)
    elif 1 <= day <= length:
        yield date(year, month, day), date(year, month, day)


def _season(text: str, today: date, *, southern: bool) -> Iterator[Days]:
    year = re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)
    years = [int(year[0])] if year else [today.year - back for back in _years_back(text)]
    return seasons.named_seasons(text, today, years, southern)


def _ago(text: str, today: date) -> Iterator[Days]:
    found = _AGO.search(text)
    if not found:
        return
    said = found["count"] or found["east"]
    unit = found["unit"] or found["of"]
    if said in _FEW:
        yield _back(today, unit, 7 if unit in _DAYS else 5)[0], _back(today, unit, 2)[1]
    else:
        yield _back(today, unit, _WORD_NUMBERS.get(said) or _number(said))


def _back(today: date, unit: str, count: int) -> Days:
    """The day, week, month or year so many before this one."""
    if unit in _DAYS:
        return _day_of(today, -count)
    if unit in ("week", "周") or unit.endswith(("星期", "礼拜")):
        return _week(today, -count)
    if unit == "month" or unit.endswith("月"):
        return _month_of(today, -count)
    return _year_of(today.year - count)


def _weekday(text: str, today: date) -> Iterator[Days]:
    """The last such day, or that of the week before when it says so."""
    found = _WEEKDAY.search(text)
    if not found:
        return
    if found["name"]:
        number = _WEEKDAYS.index(found["name"])
    elif found["ja"]:
        number = _JA_WEEKDAYS.index(found["ja"])
    else:
        number = _HAN_WEEKDAYS.index(found["day"].replace("天", "日"))
    back: int | None
    if found["week"]:
        back = {"上上": -2, "上": -1}.get(found["week"], 0)
    else:  # "Monday last week", "先週の月曜日"
        back = next((weeks for pattern, weeks in _WEEKS if pattern.search(text)), None)
    if back is None:
        day = today - timedelta(days=(today.weekday() - number) % 7 or 7)
    else:
        day = _week(today, back)[0] + timedelta(days=number)
    yield day, day


def _week(today: date, weeks: int) -> Days:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return monday, monday + timedelta(days=6)


def _month_of(today: date, months: int) -> Days:
    count = today.year * 12 + today.month - 1 + months
    year, month = divmod(count, 12)
    return next(_spelled(year, month + 1, None))


def _year_of(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def _day_of(today: date, days: int) -> Days:
    day = today + timedelta(days=days)
    return day, day


_NAMED_YEARS: tuple[tuple[re.Pattern[str], int], ...] = (  # years back
    (re.compile(r"\blast year|去年|昨年|작년"), 1),
    (re.compile(r"\bthis year|今年|올해"), 0),
    (re.compile(r"(?<![以之目提从大])前年(?![轻纪龄级])"), 2),
    (re.compile(r"大前年(?![轻纪龄级])"), 3),
    (re.compile(r"\bnext year|明年|来年|내년"), -1),
)

_WEEKS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"\bweek before last\b|上上(?:周|个?星期|个?礼拜)|先々周"), -2),
    (re.compile(r"\b(?:last|past) week\b|(?<![晚早马网路])上(?:周|个?星期|个?礼拜)|先周|지난 ?주"), -1),
    (re.compile(r"\bthis week\b|[这本今](?:周|个?星期|个?礼拜)|이번 ?주"), 0),
)

_RELATIVE: tuple[tuple[re.Pattern[str], Callable[[date], Days]], ...] = (
    (
        re.compile(r"\bthe other day\b|(?<![以之目提从眼])前[几两些]天|この[间前](?!の)|先日"),
        lambda today: (today - timedelta(days=14), today - timedelta(days=1)),
    ),
    (re.compile(r"大前天"), lambda today: _day_of(today, -3)),
    (
        re.compile(r"\bday before yesterday\b|(?<![以之目提从眼大])前天|前日|一昨日|おととい|그저께"),
        lambda today: _day_of(today, -2),
    ),
    (re.compile(r"\byesterday\b|\blast night\b|昨[天日晚夜]|きのう|어제"), lambda today: _day_of(today, -1)),
    (re.compile(r"\btoday\b|\bthis morning\b|\btonight\b|今[天日早晚朝]|오늘"), lambda today: _day_of(today, 0)),
    (
        re.compile(r"\b(?:last|past) weekend\b|(?<![晚早马网路])上(?:周|个)?周末|先周末|지난 ?주말"),
        lambda today: (_week(today, -1)[0] + timedelta(days=5), _week(today, -1)[1]),
    ),
    (
        re.compile(r"\bthis weekend\b|[这本今]个?周末"),
        lambda today: (_week(today, 0)[0] + timedelta(days=5), _week(today, 0)[1]),
    ),
    *((pattern, partial(lambda weeks, today: _week(today, weeks), weeks)) for pattern, weeks in _WEEKS),
    (re.compile(r"\ba fortnight ago\b"), lambda today: _week(today, -2)),
    (
        re.compile(r"\bhalf a year ago\b|半年(?:之|以)?前"),
        lambda today: (_month_of(today, -7)[0], _month_of(today, -5)[1]),
    ),
    (
        re.compile(r"\b(?:last|past) month|(?<![晚早马网路])上个?月(?![亮光饼])|先月|지난 ?달"),
        lambda today: _month_of(today, -1),
    ),
    (re.compile(r"\bthis month|[这本]个?月|今月|이번 ?달"), lambda today: _month_of(today, 0)),
)


def _relative(text: str, today: date) -> Iterator[Days]:
    for pattern, days in _RELATIVE:
        if pattern.search(text):
            yield days(today)
            return
    for pattern, back in _NAMED_YEARS:
        if pattern.search(text):
            yield _year_of(today.year - back)
            return


def _year(text: str, today: date) -> Iterator[Days]:
    found = _YEAR.search(text)
    if found:
        yield _year_of(int(found[1] or found[2]))
