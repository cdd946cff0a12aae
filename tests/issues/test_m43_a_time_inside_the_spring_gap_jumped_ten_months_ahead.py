"""node-cron/node-cron#518."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from appliance.cli import app


def test_the_next_run_is_at_the_end_of_the_gap_and_then_the_next_day() -> None:
    command = ["cron", "preview", "30 2 * * *", "--tz", "America/New_York", "--from", "2026-03-08T06:30:00Z"]
    done = CliRunner().invoke(app, [*command, "--count", "2", "--json"])
    assert json.loads(done.output) == ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"]
