"""pallets-eco/croniter#25."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from appliance.cli import app


def test_eight_in_the_evening_stays_eight_in_the_evening() -> None:
    command = ["cron", "preview", "0 20 * * *", "--tz", "Europe/Paris", "--from", "2022-10-30T00:00+02:00"]
    done = CliRunner().invoke(app, [*command, "--count", "3", "--json"])
    assert json.loads(done.output) == ["2022-10-30T19:00:00Z", "2022-10-31T19:00:00Z", "2022-11-01T19:00:00Z"]
