"""When schedules come due, above all on the days on which clocks change."""

from __future__ import annotations

import itertools
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.automation.occurrences import Cron, Every, Once, before, instant_of, matches, upcoming, utc_text
from appliance.errors import InputError


def due(expression: str, zone: str, since: str, count: int) -> list[str]:
    start = datetime.fromisoformat(since).timestamp()
    return [utc_text(at) for at in upcoming(Cron(expression, ZoneInfo(zone)), start, count)]


@pytest.mark.parametrize(
    ("expression", "zone", "since", "right"),
    [
        ("0 20 * * *", "Europe/Paris", "2022-10-30T00:00+02:00", ["2022-10-30T19:00:00Z", "2022-10-31T19:00:00Z"]),
        ("30 2 * * *", "America/New_York", "2026-03-08T06:30Z", ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"]),
        ("30 1 * * *", "America/New_York", "2026-11-01T04:00Z", ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"]),
        (
            "*/30 * * * *",
            "America/New_York",
            "2026-11-01T01:00-04:00",
            ["2026-11-01T05:00:00Z", "2026-11-01T05:30:00Z", "2026-11-01T06:00:00Z", "2026-11-01T06:30:00Z"],
        ),
        ("0 * * * *", "Australia/Lord_Howe", "2019-10-06T01:43+10:30", ["2019-10-05T16:00:00Z"]),
        ("0 0 1 8 *", "Asia/Tokyo", "2026-07-31T00:00Z", ["2026-07-31T15:00:00Z"]),
    ],
)
def test_the_time_vectors_come_out_as_computed(expression: str, zone: str, since: str, right: list[str]) -> None:
    assert due(expression, zone, since, len(right)) == right


def test_a_daily_job_inside_a_repeated_hour_is_not_owed_again_in_the_second_one() -> None:
    assert due("30 1 * * *", "America/New_York", "2026-11-01T05:31Z", 1) == ["2026-11-02T06:30:00Z"]


def test_two_times_in_one_gap_are_one_run_at_its_end() -> None:
    assert due("0,30 2 * * *", "America/New_York", "2026-03-08T06:30Z", 2) == [
        "2026-03-08T07:00:00Z",
        "2026-03-09T06:00:00Z",
    ]


def test_half_hour_changes_do_not_shift_later_minutes() -> None:
    assert due("*/20 5 * * *", "Australia/Lord_Howe", "2019-10-06T00:00+10:30", 3) == [
        "2019-10-05T18:00:00Z",
        "2019-10-05T18:20:00Z",
        "2019-10-05T18:40:00Z",
    ]


def test_a_gap_at_midnight_is_passed_over_to_its_end() -> None:
    """Beirut 2026-03-29: 00:00 does not exist, the day begins at 01:00."""
    assert due("0 0 * * *", "Asia/Beirut", "2026-03-28T12:00Z", 1) == ["2026-03-28T22:00:00Z"]
    assert due("*/10 0 * * *", "Asia/Beirut", "2026-03-28T22:00Z", 1) == ["2026-03-29T21:00:00Z"]


def test_every_counts_real_seconds_over_a_change_of_clocks() -> None:
    start = datetime.fromisoformat("2026-10-24T22:00Z").timestamp()
    found = upcoming(Every(5400, start), start, 20)
    assert {b - a for a, b in itertools.pairwise(found)} == {5400}
    assert found[0] == start + 5400


def test_both_day_fields_mean_either_and_a_star_in_one_means_both() -> None:
    assert due("0 9 15 * 1", "UTC", "2026-09-10T00:00Z", 3) == [
        "2026-09-14T09:00:00Z",
        "2026-09-15T09:00:00Z",
        "2026-09-21T09:00:00Z",
    ]
    assert Cron("0 9 15 * 1", ZoneInfo("UTC")).both_days
    assert due("0 9 */15 * 1", "UTC", "2026-01-01T00:00Z", 1) == ["2026-02-16T09:00:00Z"]
    assert not Cron("0 9 */15 * 1", ZoneInfo("UTC")).both_days


@pytest.mark.parametrize("text", ["", "* * * *", "61 * * * *", "0 9 31 2 *", "a b c d e", "* * * * * * *", "0 9 * * 8"])
def test_what_is_no_cron_expression_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(InputError, match="is not a cron expression"):
        Cron(text, ZoneInfo("UTC"))


def test_a_single_instant_comes_due_once() -> None:
    assert upcoming(Once(100.0), 0.0, 5) == [100.0]
    assert upcoming(Once(100.0), 101.0, 5) == []


@settings(max_examples=60, deadline=None)
@given(
    expression=st.sampled_from(
        ["30 2 * * *", "*/15 * * * *", "0 * * * *", "15 1,2 * * *", "0 9 15 * 1", "*/10 2 * * *", "0 0 29 2 *"]
    ),
    zone=st.sampled_from(
        ["America/New_York", "Europe/Paris", "Australia/Lord_Howe", "Asia/Tokyo", "Asia/Beirut", "UTC"]
    ),
    at=st.integers(1_570_000_000, 1_800_000_000),
)
def test_next_previous_and_match_agree(expression: str, zone: str, at: int) -> None:
    rule = Cron(expression, ZoneInfo(zone))
    following = rule.after(at)
    assert following is not None
    assert following > at
    assert matches(rule, following)
    previous = before(rule, following)
    assert previous is not None
    assert previous <= at
    assert rule.after(previous) == following


@settings(max_examples=40, deadline=None)
@given(at=st.integers(1_700_000_000, 1_900_000_000))
def test_a_local_time_maps_to_an_instant_that_never_goes_back(at: int) -> None:
    zone = ZoneInfo("America/New_York")
    local = datetime.fromtimestamp(at, ZoneInfo("UTC")).replace(tzinfo=None)
    assert instant_of(local, zone) <= instant_of(local.replace(second=59), zone)
