"""Schedules as people write them, and days off."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from appliance.automation.holidays import Holidays, parse_events
from appliance.automation.occurrences import upcoming, utc_text
from appliance.automation.plan import BOTH_DAYS, parse_plan
from appliance.errors import InputError

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime.fromisoformat("2026-11-30T13:00:00Z").timestamp()


@pytest.mark.parametrize(
    ("text", "canonical", "first"),
    [
        ("at 2026-12-24 18:00", "at 2026-12-24T17:00:00Z", "2026-12-24T17:00:00Z"),
        ("at 2026-12-24T18:00:00Z", "at 2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"),
        ("at +20m", "at 2026-11-30T13:20:00Z", "2026-11-30T13:20:00Z"),
        ("at 18:00", "at 2026-11-30T17:00:00Z", "2026-11-30T17:00:00Z"),
        ("at 9:00", "at 2026-12-01T08:00:00Z", "2026-12-01T08:00:00Z"),
        ("every 90m", "every 90m", "2026-11-30T14:30:00Z"),
        ("EVERY 2 hours", "every 2h", "2026-11-30T15:00:00Z"),
        ("cron 0 7 * * 1-5", "0 7 * * 1-5", "2026-12-01T06:00:00Z"),
        ("@daily", "0 0 * * *", "2026-11-30T23:00:00Z"),
    ],
)
def test_a_schedule_is_understood_and_its_canonical_form_means_the_same(text: str, canonical: str, first: str) -> None:
    plan = parse_plan(text, BERLIN, NOW)
    assert plan.text == canonical
    assert [utc_text(at) for at in upcoming(plan.rule, NOW, 1)] == [first]
    again = parse_plan(plan.text, BERLIN, NOW)
    assert again.text == canonical
    assert upcoming(again.rule, NOW, 3) == upcoming(plan.rule, NOW, 3)


@pytest.mark.parametrize("text", ["at", "at noon", "at 25:00", "every", "every 3", "every 2s", "every 900w", "hourly"])
def test_what_cannot_be_understood_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_plan(text, BERLIN, NOW)


def test_a_time_in_a_gap_is_moved_to_its_end() -> None:
    assert parse_plan("at 2027-03-28 02:30", BERLIN, NOW).text == "at 2027-03-28T01:00:00Z"


def test_the_day_rule_is_said_where_it_matters() -> None:
    assert parse_plan("0 9 15 * 1", BERLIN, NOW).note == BOTH_DAYS
    assert parse_plan("0 9 * * 1", BERLIN, NOW).note == ""


CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
DTSTART;VALUE=DATE:20261225
DTEND;VALUE=DATE:20261227
SUMMARY:Weihnachten und noch
  ein Tag
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20200101
RRULE:FREQ=YEARLY
SUMMARY:元旦
END:VEVENT
END:VCALENDAR
"""


def test_every_weekday_at_seven_except_holidays_of_a_calendar(tmp_path: Path) -> None:
    file = tmp_path / "holidays.ics"
    file.write_text(CALENDAR)
    plan = parse_plan("0 7 * * 1-5", BERLIN, NOW).without(Holidays(file).free)
    start = datetime.fromisoformat("2026-12-24T00:00+01:00").timestamp()
    days = [datetime.fromtimestamp(at, BERLIN).date().isoformat() for at in upcoming(plan.rule, start, 7)]
    assert days == [
        "2026-12-24", "2026-12-28", "2026-12-29", "2026-12-30", "2026-12-31", "2027-01-04", "2027-01-05",
    ]  # fmt: skip


def test_a_changed_calendar_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "holidays.ics"
    file.write_text(CALENDAR)
    holidays = Holidays(file)
    assert not holidays.free(date(2026, 12, 28))
    file.write_text(CALENDAR.replace("DTEND;VALUE=DATE:20261227", "DTEND;VALUE=DATE:20261229"))
    assert holidays.free(date(2026, 12, 28))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<html>", "not an iCalendar file"),
        (CALENDAR.replace("RRULE:FREQ=YEARLY", "RRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=3MO"), "repeats in a way"),
        (CALENDAR.replace("20200101", "soon"), "no date"),
        (CALENDAR.replace("20200101", "20200230"), "no date"),
    ],
)
def test_a_calendar_that_cannot_be_trusted_is_refused_by_name(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        list(parse_events(text))


def test_a_missing_calendar_is_an_error_and_not_a_year_without_holidays(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Holidays(tmp_path / "gone.ics").free(date(2026, 1, 1))


def test_a_yearly_event_ends_with_its_count_and_its_until() -> None:
    [counted] = parse_events("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20240501\nRRULE:FREQ=YEARLY;COUNT=2\nEND:VEVENT")
    assert [counted.covers(date(year, 5, 1)) for year in (2023, 2024, 2025, 2026)] == [False, True, True, False]
    [until] = parse_events(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20240501\nRRULE:FREQ=YEARLY;INTERVAL=2;UNTIL=20270101\nEND:VEVENT"
    )
    assert [until.covers(date(year, 5, 1)) for year in (2024, 2025, 2026, 2028)] == [True, False, True, False]
