"""What a look at the clock records: missed runs, clock jumps, long sleeps."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from appliance.automation.due import look
from appliance.automation.jobs import Found, Job, Standing
from appliance.automation.occurrences import Cron, Every, Rule, utc_text

UTC = ZoneInfo("UTC")
DAY = 86_400.0


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


class Told:
    """A job and everything that was recorded for it, as the table keeps it: the first record of an instant stands."""

    def __init__(self, rule: Rule, since: str, late: float = DAY) -> None:
        self.rule, self.late = rule, late
        self.standing = Standing(Job("j", "n", "p", "x"), "active", cursor=at(since))
        self.rows: dict[int, str] = {}

    def look(self, now: str, *, busy: bool = False) -> Found | None:
        found = look(self.standing, self.rule, at(now), late_seconds=self.late, busy=busy)
        if found is not None:
            self.standing = Standing(self.standing.job, "active", cursor=found.cursor)
            for row in found.rows:
                self.rows.setdefault(row.planned, row.state)
        return found

    def ran(self) -> list[str]:
        return [utc_text(planned) for planned, state in sorted(self.rows.items()) if state == "due"]


def daily(since: str, late: float = DAY) -> Told:
    return Told(Cron("0 9 * * *", UTC), since, late)


def test_nothing_is_recorded_before_the_time() -> None:
    job = daily("2026-11-30T08:00Z")
    assert job.look("2026-11-30T08:59:59Z") is None
    assert job.look("2026-11-30T09:00:00Z") is not None
    assert job.look("2026-11-30T09:00:01Z") is None
    assert job.ran() == ["2026-11-30T09:00:00Z"]


def test_a_week_asleep_is_one_run_and_six_skips_with_their_reason() -> None:
    job = daily("2026-11-20T10:00Z")
    found = job.look("2026-11-27T09:30Z")
    assert found is not None
    assert [row.state for row in found.rows] == ["skipped"] * 6 + ["due"]
    assert found.rows[0].reason == "missed; the run of 2026-11-27T09:00:00Z stands for it"
    assert found.rows[-1].late


def test_a_run_that_is_only_seconds_behind_is_not_late() -> None:
    job = daily("2026-11-30T08:00Z")
    found = job.look("2026-11-30T09:01:00Z")
    assert found is not None
    assert not found.rows[0].late


def test_a_run_while_the_one_before_goes_on_is_skipped() -> None:
    job = daily("2026-11-30T08:00Z")
    found = job.look("2026-11-30T09:00Z", busy=True)
    assert found is not None
    assert (found.rows[0].state, found.rows[0].reason) == ("skipped", "the run before had not ended")


def test_the_clock_goes_back_an_hour_and_nothing_runs_again() -> None:
    job = daily("2026-11-30T08:00Z")
    for now in ("09:00:00", "09:30:00", "08:30:00", "08:59:00", "09:00:00", "09:30:00"):
        job.look(f"2026-11-30T{now}Z")
    job.look("2026-12-01T09:00:00Z")
    assert job.ran() == ["2026-11-30T09:00:00Z", "2026-12-01T09:00:00Z"]


def test_the_clock_goes_on_and_back_by_25_hours_and_each_run_happens_once() -> None:
    job = daily("2026-11-30T08:00Z")
    for now in (
        "2026-11-30T08:30Z",
        "2026-12-01T09:30Z",
        "2026-11-30T08:31Z",
        "2026-11-30T09:00Z",
        "2026-12-01T09:00Z",
    ):
        job.look(now)
    job.look("2026-12-02T09:00Z")
    # The run of 30 November was given up for that of 1 December while the clock said so; it is not run twice.
    assert job.ran() == ["2026-12-01T09:00:00Z", "2026-12-02T09:00:00Z"]
    assert job.rows[int(at("2026-11-30T09:00Z"))] == "skipped"


def test_a_clock_that_was_in_2038_for_a_moment_does_not_stop_the_job_for_years() -> None:
    job = daily("2026-11-30T08:00Z")
    job.look("2038-01-19T03:14:08Z")
    job.look("2026-11-30T08:30Z")
    job.look("2050-01-01T00:00Z")
    job.look("1970-01-01T00:00Z")
    job.look("2026-11-30T08:31Z")
    assert "2038-01-18T09:00:00Z" in job.ran()
    later = Told(Every(60.0, at("2026-11-30T08:00Z")), "2026-11-30T08:00Z")
    later.look("2038-01-19T03:14:08Z")
    later.look("2026-11-30T12:00:00Z")
    later.look("2026-11-30T12:01:00Z")
    assert "2026-11-30T12:01:00Z" in later.ran()


def test_a_job_of_seconds_that_slept_for_days_is_recorded_in_bounded_time() -> None:
    job = Told(Cron("* * * * * *", UTC), "2026-11-20T00:00Z")
    found = job.look("2026-11-27T00:00Z")
    assert found is not None
    assert [row.state for row in found.rows] == ["skipped", "due"]
    assert found.rows[0].reason == "missed, with all others before 2026-11-27T00:00:00Z"
    assert found.cursor == at("2026-11-27T00:00Z")


def test_how_late_is_too_late_is_said() -> None:
    job = daily("2026-11-30T08:00Z", late=3_600)
    found = job.look("2026-11-30T10:30Z")
    assert found is not None
    assert (found.rows[0].state, found.rows[0].reason) == ("skipped", "missed by 1.5 h, more than the 1 h allowed")
