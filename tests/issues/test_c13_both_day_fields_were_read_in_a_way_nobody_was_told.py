"""From the documentation of other schedulers: both day fields set means either, and the user has to see it."""

from __future__ import annotations

from typer.testing import CliRunner

from appliance.automation.plan import BOTH_DAYS
from appliance.cli import app


def test_the_preview_shows_five_runs_and_says_how_both_day_fields_count() -> None:
    done = CliRunner().invoke(app, ["cron", "preview", "0 9 15 * 1", "--tz", "UTC", "--from", "2026-09-10T00:00:00Z"])
    assert done.exit_code == 0, done.output
    note, *lines = done.output.splitlines()
    assert note == BOTH_DAYS
    days = ["Mon 2026-09-14", "Tue 2026-09-15", "Mon 2026-09-21", "Mon 2026-09-28", "Mon 2026-10-05"]
    assert [line.split("  ")[1][:14] for line in lines] == days
