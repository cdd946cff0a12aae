"""Quiet hours out of what people say."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from appliance.automation.quiet import Quiet, parse_window, quiet_of, quiet_until


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("no push at night", "22:00-07:00"),
        ("別半夜推東西給我", "22:00-07:00"),
        ("别半夜推", "22:00-07:00"),
        ("夜里就别给我推送了", "22:00-07:00"),
        ("don't message me between 22 and 7", "22:00-07:00"),
        ("don't send anything from 22:30 to 6:45", "22:30-06:45"),
        ("quiet hours 11pm to 7am please", "23:00-07:00"),
        ("9 to 11 pm no pings", "21:00-23:00"),
        ("晚上十點到早上七點請不要推播，除非是漏水警報", "22:00-07:00"),
        ("凌晨不要发消息", "00:00-06:00"),
        ("凌晨1點到6點不要推送", "01:00-06:00"),
        ("don't wake us before 2pm", "00:00-14:00"),
        ("早上十點前別吵我", "00:00-10:00"),
        ("早上八点前的日报不要发", "00:00-08:00"),
        ("no notifications after 10pm", "22:00-07:00"),
        ("晚上十一点以后别发消息", "23:00-07:00"),
        ("半夜12点以后我基本不看手机，别推送", "00:00-07:00"),
        ("下午两点到四点别烦我", "14:00-16:00"),
        ("between 10pm and 7am I don't want to hear from you", "22:00-07:00"),
        ("no pushes between midnight and 7", "00:00-07:00"),
        ("quiet after 22:00 please", "22:00-07:00"),
        ("not before 9", "00:00-09:00"),
        ("no notifications while the baby naps (1 to 3)", "13:00-15:00"),
        ("晚上十點後不要傳訊息給我", "22:00-07:00"),
        ("晚上 11 点后 no notification please", "23:00-07:00"),
        ("晚上十点到早上七点别出声", "22:00-07:00"),
        ("午休一点到两点不要弹通知", "13:00-14:00"),
        ("八点之前别跟我说话", "00:00-08:00"),
        ("夜10時以降は通知しないで", "22:00-07:00"),
        ("22時から7時まで静かにして", "22:00-07:00"),
        ("２２時〜７時は通知しないでください", "22:00-07:00"),
        ("夜の10時半から翌朝6時までは起こさないで", "22:30-06:00"),
        ("午後10時30分以降はメッセージを送らないでください", "22:30-07:00"),
        ("7時より前に連絡しないでください", "00:00-07:00"),
        ("朝8時までは電話しないで", "00:00-08:00"),
        ("夜12時以降は通知しないで", "00:00-07:00"),
        ("夜中の2時から5時までは通知しないで", "02:00-05:00"),
        ("寝ている間は連絡しないで", "22:00-07:00"),
        ("午前中は連絡しないで", "06:00-12:00"),
    ],
)
def test_a_boundary_with_a_time_becomes_hours(text: str, hours: str) -> None:
    found = quiet_of(text)
    assert found is not None
    assert (found.start, found.end) == (parse_window(hours).start, parse_window(hours).end)
    assert found.days == frozenset(range(7))


@pytest.mark.parametrize(
    ("text", "hours", "days"),
    [
        ("dont ping me between 9 and 11 on weekdays", "09:00-11:00", range(5)),
        ("工作日上午9点到11点别打扰我", "09:00-11:00", range(5)),
        ("周末上午10点前别叫我", "00:00-10:00", (5, 6)),
        ("no messages on weekends", "00:00-00:00", (5, 6)),
        ("週末不要打擾", "00:00-00:00", (5, 6)),
        ("No pings on Sundays", "00:00-00:00", (6,)),
        ("禮拜天不要吵我", "00:00-00:00", (6,)),
        ("周一到周三上午别来找我", "06:00-12:00", (0, 1, 2)),
        ("nothing before 10 on Saturdays and Sundays, no messages", "00:00-10:00", (5, 6)),
        ("工作日九点到十一点别来找我", "09:00-11:00", range(5)),
        ("don't disturb me Friday to Monday after 8pm", "20:00-07:00", (4, 5, 6, 0)),
        ("平日の9時から17時までは電話しないで", "09:00-17:00", range(5)),
        ("月曜から金曜まで9時から17時は連絡しないでください", "09:00-17:00", range(5)),
        ("土日は連絡しないで", "00:00-00:00", (5, 6)),
        ("日曜日は通知しないで", "00:00-00:00", (6,)),
    ],
)
def test_days_of_the_week_are_kept(text: str, hours: str, days: tuple[int, ...]) -> None:
    found = quiet_of(text)
    assert found == Quiet(parse_window(hours).start, parse_window(hours).end, frozenset(days))


@pytest.mark.parametrize(
    "text",
    [
        "never touch the photos folder", "no jokes", "不要用語音", "以后别再半夜更新系统", "tell me the news at night",
        "晚上提醒我關燈", "keep the kids' names out of anything public", "别给我发语音",
        "no voice messages in the evening", "晚上别用语音回", "don't message her on Fridays", "周五别给她发消息",
        "no messages about work on Sundays", "夜10時以降は通知して", "夜10時以降は妻に連絡しないで",
        "2時間ごとに通知しないで", "夜に照明を消さないで", "日曜は仕事について連絡しないで",
    ],
)  # fmt: skip
def test_other_boundaries_and_wishes_hold_nothing_back(text: str) -> None:
    assert quiet_of(text) is None


BERLIN = ZoneInfo("Europe/Berlin")


def local(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


def test_a_night_reaches_over_midnight_and_ends_in_the_morning() -> None:
    night = parse_window("22:00-07:00")
    assert night.until(local("2026-11-30T21:59:59"), BERLIN) is None
    assert night.until(local("2026-11-30T22:00"), BERLIN) == local("2026-12-01T07:00")
    assert night.until(local("2026-12-01T06:59:59"), BERLIN) == local("2026-12-01T07:00")
    assert night.until(local("2026-12-01T07:00"), BERLIN) is None


def test_a_night_on_which_the_clock_changes_ends_at_the_time_on_the_wall() -> None:
    night = parse_window("22:00-07:00")
    for evening, morning in (("2026-10-24T23:00", "2026-10-25T07:00"), ("2027-03-27T23:00", "2027-03-28T07:00")):
        assert night.until(local(evening), BERLIN) == local(morning)


def test_windows_that_follow_one_another_are_one() -> None:
    windows = [parse_window("22:00-07:00"), parse_window("06:00-09:00")]
    assert quiet_until(windows, local("2026-11-30T23:00"), BERLIN) == local("2026-12-01T09:00")
    assert quiet_until([], local("2026-11-30T23:00"), BERLIN) is None
    always = [parse_window("00:00-00:00")]
    assert quiet_until(always, local("2026-11-30T23:00"), BERLIN) is not None


@pytest.mark.parametrize("text", ["", "22-7", "25:00-07:00", "22:60-07:00", "night"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a span"):
        parse_window(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no pings after 10pm", "22:00-07:00"),
        ("no pings on weekends", "Sat Sun"),
        ("Don't disturb me before 9 on Mondays", "00:00-09:00 Mon"),
    ],
)
def test_quiet_hours_are_shown_as_hours_and_days(text: str, shown: str) -> None:
    found = quiet_of(text)
    assert found is not None
    assert found.shown("Mon Tue Wed Thu Fri Sat Sun".split()) == shown
