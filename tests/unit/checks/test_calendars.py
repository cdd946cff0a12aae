"""Events of a calendar, as a person would read them off a wall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("icalendar")
from appliance.checks.calendars import events

BERLIN = ZoneInfo("Europe/Berlin")


def calendar(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//t//t//EN", *lines, "END:VCALENDAR", ""])


def event(*lines: str, uid: str = "1") -> list[str]:
    return ["BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260101T000000Z", *lines, "END:VEVENT"]


def shown(text: str, start: str, hours: float = 48, zone: ZoneInfo = BERLIN) -> list[str]:
    at = datetime.fromisoformat(start).replace(tzinfo=zone)
    return [str(one) for one in sorted(events(text, at, at + timedelta(hours=hours), zone))]


def test_times_are_shown_in_the_owners_zone_whatever_zone_they_are_written_in() -> None:
    text = calendar(
        *event("DTSTART:20261201T080000Z", "DTEND:20261201T090000Z", "SUMMARY:UTC"),
        *event("DTSTART;TZID=Asia/Taipei:20261201T180000", "DURATION:PT30M", "SUMMARY:台北", uid="2"),
        *event("DTSTART:20261201T120000", "SUMMARY:Floating", "LOCATION:Home\\, kitchen", uid="3"),
    )
    assert shown(text, "2026-12-01T00:00") == [
        "Tue 2026-12-01 09:00-10:00 UTC",
        "Tue 2026-12-01 11:00-11:30 台北",
        "Tue 2026-12-01 12:00-12:00 Floating (Home, kitchen)",
    ]


def test_whole_days_end_with_the_day_before_their_end() -> None:
    text = calendar(
        *event("DTSTART;VALUE=DATE:20261201", "SUMMARY:One"),
        *event("DTSTART;VALUE=DATE:20261130", "DTEND;VALUE=DATE:20261203", "SUMMARY:Three", uid="2"),
    )
    assert shown(text, "2026-12-01T10:00", 1) == [
        "Mon 2026-11-30 all day to 2026-12-02 Three",
        "Tue 2026-12-01 all day One",
    ]


def test_a_repeated_time_stays_on_the_wall_clock_when_the_clocks_change() -> None:
    text = calendar(*event("DTSTART;TZID=Europe/Berlin:20261020T090000", "RRULE:FREQ=DAILY", "SUMMARY:Pills"))
    assert shown(text, "2026-10-24T00:00", 72) == [f"{day} 09:00-09:00 Pills" for day in (
        "Sat 2026-10-24", "Sun 2026-10-25", "Mon 2026-10-26")]  # fmt: skip


def test_a_rule_ends_skips_moves_and_adds() -> None:
    text = calendar(
        *event(
            "DTSTART;TZID=Europe/Berlin:20261201T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;UNTIL=20261204T235959Z",
            "EXDATE;TZID=Europe/Berlin:20261202T090000", "RDATE;TZID=Europe/Berlin:20261206T070000", "SUMMARY:Standup",
        ),
        *event(
            "RECURRENCE-ID;TZID=Europe/Berlin:20261203T090000", "DTSTART;TZID=Europe/Berlin:20261203T150000",
            "SUMMARY:Standup moved",
        ),
    )  # fmt: skip
    assert shown(text, "2026-12-01T00:00", 24 * 7) == [
        "Tue 2026-12-01 09:00-10:00 Standup",
        "Thu 2026-12-03 15:00-15:00 Standup moved",
        "Fri 2026-12-04 09:00-10:00 Standup",
        "Sun 2026-12-06 07:00-08:00 Standup",
    ]


def test_whole_days_repeat_every_year_and_until_may_be_a_date() -> None:
    text = calendar(
        *event("DTSTART;VALUE=DATE:19800229", "RRULE:FREQ=YEARLY", "SUMMARY:Leap"),
        *event("DTSTART;VALUE=DATE:20261130", "RRULE:FREQ=DAILY;UNTIL=20261201", "SUMMARY:Two", uid="2"),
    )
    assert shown(text, "2028-02-28T00:00", 48) == ["Tue 2028-02-29 all day Leap"]
    assert shown(text, "2026-11-30T00:00", 96) == ["Mon 2026-11-30 all day Two", "Tue 2026-12-01 all day Two"]


def test_what_is_cancelled_over_or_later_is_left_out() -> None:
    text = calendar(
        *event("DTSTART:20261201T100000Z", "STATUS:CANCELLED", "SUMMARY:No"),
        *event("DTSTART:20261201T060000Z", "DTEND:20261201T070000Z", "SUMMARY:Over", uid="2"),
        *event("DTSTART:20261201T060000Z", "DTEND:20261201T120000Z", "SUMMARY:Under way", uid="3"),
        *event("DTSTART:20261209T060000Z", "SUMMARY:Later", uid="4"),
    )
    assert shown(text, "2026-12-01T10:00", 24, ZoneInfo("UTC")) == ["Tue 2026-12-01 06:00-12:00 Under way"]


@pytest.mark.parametrize(
    "rule", ["FREQ=SECONDLY", "FREQ=MINUTELY;COUNT=100000000", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"]
)
@pytest.mark.timeout(20)
def test_a_rule_that_would_take_for_ever_does_not(rule: str) -> None:
    text = calendar(*event("DTSTART:19700101T000000Z", f"RRULE:{rule}", "SUMMARY:x"))
    assert shown(text, "2026-12-01T00:00", 24, ZoneInfo("UTC")) == []


@pytest.mark.parametrize("text", ["", "<html>login</html>", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"])
def test_what_is_no_calendar_is_said(text: str) -> None:
    with pytest.raises(ValueError):
        list(events(text, datetime.now(UTC), datetime.now(UTC), BERLIN))
