"""Days that a question names, in five languages, seen from a Tuesday."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.memory.dates import named_days, stretches
from appliance.memory.languages import fold

TODAY = date(2026, 12, 1)


def named(question: str) -> list[tuple[str, str]]:
    return [(first.isoformat(), last.isoformat()) for first, last in named_days(fold(question), TODAY)]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what did I say yesterday?", "2026-11-30", "2026-11-30"),
        ("what was it the day before yesterday", "2026-11-29", "2026-11-29"),
        ("what did we eat today", "2026-12-01", "2026-12-01"),
        ("What did we decide last Tuesday?", "2026-11-24", "2026-11-24"),
        ("what did the plumber say on Friday", "2026-11-27", "2026-11-27"),
        ("two weeks ago", "2026-11-16", "2026-11-22"),
        ("10 days ago", "2026-11-21", "2026-11-21"),
        ("everything of last week", "2026-11-23", "2026-11-29"),
        ("last month's bill", "2026-11-01", "2026-11-30"),
        ("where did we go last year", "2025-01-01", "2025-12-31"),
        ("the trip in 2024", "2024-01-01", "2024-12-31"),
        ("what happened on 1 February, 2023?", "2023-02-01", "2023-02-01"),
        ("What did she paint on October 13th, 2023", "2023-10-13", "2023-10-13"),
        ("backup of 2026-03-31", "2026-03-31", "2026-03-31"),
        ("昨天我說了什麼", "2026-11-30", "2026-11-30"),
        ("上周三开会讲了什么", "2026-11-25", "2026-11-25"),
        ("上個月的帳單", "2026-11-01", "2026-11-30"),
        ("禮拜五我們吃了什麼", "2026-11-27", "2026-11-27"),
        ("十二天前我说了什么", "2026-11-19", "2026-11-19"),
        ("两三天前", "2026-11-28", "2026-11-28"),
        ("大前天", "2026-11-28", "2026-11-28"),
        ("去年三月去了哪", "2025-03-01", "2025-03-31"),
        ("where were we in march last year", "2025-03-01", "2025-03-31"),
        ("what did I say this march", "2026-03-01", "2026-03-31"),
        ("五月天气怎么样", "2026-05-01", "2026-05-31"),
        ("前年我在哪", "2024-01-01", "2024-12-31"),
        ("三个月前", "2026-09-01", "2026-09-30"),
        ("2025年十月二十三日的事", "2025-10-23", "2025-10-23"),
        ("先週の木曜日", "2026-11-26", "2026-11-26"),
        ("昨日の話", "2026-11-30", "2026-11-30"),
        ("지난주에 뭐라고 했지", "2026-11-23", "2026-11-29"),
        ("what was paid on 31/03/2026", "2026-03-31", "2026-03-31"),
        ("03/31/2026", "2026-03-31", "2026-03-31"),
        ("was war am 3.4.2026?", "2026-04-03", "2026-04-03"),
        ("a few days ago", "2026-11-24", "2026-11-29"),
        ("several weeks ago", "2026-10-26", "2026-11-22"),
        ("好几个月前", "2026-07-01", "2026-10-31"),
        ("数日前", "2026-11-24", "2026-11-29"),
        ("what did I say the other day", "2026-11-17", "2026-11-30"),
        ("前幾天說的餐廳", "2026-11-17", "2026-11-30"),
        ("この間話した店", "2026-11-17", "2026-11-30"),
        ("where did we go last summer", "2026-06-01", "2026-08-31"),
        ("the trip last winter", "2025-12-01", "2026-02-28"),
        ("in the fall of 2024", "2024-09-01", "2024-11-30"),
        ("summer 2025", "2025-06-01", "2025-08-31"),
        ("last year's spring", "2025-03-01", "2025-05-31"),
        ("去年夏天去了哪", "2025-06-01", "2025-08-31"),
        ("這個夏天", "2026-06-01", "2026-08-31"),
        ("this winter", "2026-12-01", "2026-12-01"),
        ("去年の夏", "2025-06-01", "2025-08-31"),
        ("작년 여름", "2025-06-01", "2025-08-31"),
        ("昨晚吃了什么", "2026-11-30", "2026-11-30"),
        ("今晚說了什麼", "2026-12-01", "2026-12-01"),
        ("Monday last week", "2026-11-23", "2026-11-23"),
        ("the week before last, on Friday", "2026-11-20", "2026-11-20"),
        ("先週の月曜日", "2026-11-23", "2026-11-23"),
        ("what did we do last weekend", "2026-11-28", "2026-11-29"),
        ("上週末去了哪", "2026-11-28", "2026-11-29"),
        ("上个周末", "2026-11-28", "2026-11-29"),
        ("a fortnight ago", "2026-11-16", "2026-11-22"),
        ("half a year ago", "2026-05-01", "2026-07-31"),
        ("半年前說的", "2026-05-01", "2026-07-31"),
        ("大前年", "2023-01-01", "2023-12-31"),
        ("mid 2025", "2025-01-01", "2025-12-31"),
    ],
)
def test_a_day_is_read_as_people_say_it(question: str, first: str, last: str) -> None:
    assert named(question)[0] == (first, last)


@pytest.mark.parametrize(
    "question",
    [
        "may I ask what the cat is called",
        "march on",
        "version 2.3.4",
        "error at 12:30",
        "what do I do on Mondays",
        "30 February",
        "1999-99-99",
        "第3月台",
        "tomorrow",
        "下个月",
        "do you think this may be a problem",
        "what is on next monday",
        "who comes next june",
        "what do we do every monday",
        "quiet hours monday to friday",
        "what is due by friday",
        "下周三有什么安排",
        "下个星期三",
        "每周一做什么",
        "周一到周五几点起床",
        "一周一次的药",
        "一月一次的检查",
        "明年3月去哪",
        "以前天天吃什么药",
        "目前天气怎么样",
        "以前年轻的时候我在哪工作",
        "月亮在天上，马上月圆",
        "五月天的演唱会",
        "summer tyres",
        "the leaves fall",
        "夏天穿什么",
        "next summer",
        "明年夏天",
        "每年夏天去哪",
        "99/99/2026",
        "每个周末做什么",
        "下周末去哪",
        "what is on this weekend",
        "早上末班车几点",
        "half past five",
        "",
    ],
)
def test_what_names_no_day_of_the_past_names_none(question: str) -> None:
    assert named(question) == []


def test_a_month_without_a_year_is_that_of_each_of_the_last_years() -> None:
    assert named("When did we go camping in June?")[:2] == [("2026-06-01", "2026-06-30"), ("2025-06-01", "2025-06-30")]
    assert named("12月说了什么")[0] == ("2026-12-01", "2026-12-01")  # what lies ahead is left out


def test_a_date_that_may_be_read_in_two_ways_is_both_days() -> None:
    assert named("the bill of 03/04/2026") == [("2026-04-03", "2026-04-03"), ("2026-03-04", "2026-03-04")]
    assert named("04/04/2026") == [("2026-04-04", "2026-04-04")]


def test_a_winter_with_a_year_begins_or_ends_in_it() -> None:
    assert named("2024年冬天") == [("2024-12-01", "2025-02-28"), ("2023-12-01", "2024-02-29")]
    assert len(set(named("in the winter"))) == len(named("in the winter")) == 6


@pytest.mark.parametrize(
    ("zone", "months"),
    [
        ("Europe/Berlin", (6, 8)),
        ("Asia/Taipei", (6, 8)),
        ("Australia/Sydney", (12, 2)),
        ("Pacific/Auckland", (12, 2)),
        ("Africa/Johannesburg", (12, 2)),
        ("America/Argentina/Buenos_Aires", (12, 2)),
        ("America/Bogota", (6, 8)),
    ],
)
def test_a_summer_is_that_of_the_owners_half_of_the_earth(zone: str, months: tuple[int, int]) -> None:
    here = ZoneInfo(zone)
    ((first, end),) = stretches("last summer", TODAY, here)
    assert (datetime.fromtimestamp(first, here).month, datetime.fromtimestamp(end - 1, here).month) == months


def test_days_are_the_owners() -> None:
    ((first, end),) = stretches("yesterday", TODAY, ZoneInfo("Asia/Taipei"))
    assert end - first == 86_400
    assert first % 86_400 == 16 * 3_600


@given(st.text(alphabet="0123456789-/. 年月日号天周前上个一二十几夏冬ago weekjuntdlsyfmr", max_size=40))
def test_no_text_is_refused(text: str) -> None:
    assert all(first <= last <= TODAY for first, last in named_days(text, TODAY))
