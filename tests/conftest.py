"""What every test shares: a clean environment, and tiers that may not be skipped where they are required."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest

# A busy machine is no fault of the code: time is measured by benchmarks, never by a test.
hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")

TIERS = {"docker", "chromium", "prometheus", "local", "gvisor"}
REQUIRED = {name for name in os.environ.get("APPLIANCE_REQUIRE", "").split(",") if name}
_SCRUBBED = ("APPLIANCE_", "ANTHROPIC_", "TELEGRAM_", "DISCORD_", "WHATSAPP_", "SLACK_", "EMAIL_")

if REQUIRED - TIERS:
    raise pytest.UsageError(f"APPLIANCE_REQUIRE names unknown tiers: {', '.join(sorted(REQUIRED - TIERS))}")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of this machine reaches a test."""
    for name in list(os.environ):
        if name.startswith(_SCRUBBED):
            monkeypatch.delenv(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Where a tier is required, a skip is a failure."""
    report = yield
    required = REQUIRED & {mark.name for mark in item.iter_markers()}
    if report.skipped and required and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = (
            f"{item.nodeid}: skipped, but APPLIANCE_REQUIRE names {', '.join(required)}: {report.longrepr}"
        )
    return report
