"""Money on the command line, on a STATE without a gateway."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from appliance.command_line.money import budget_app, spend_app
from appliance.database import open_connection
from appliance.errors import ApplianceError, BudgetError
from appliance.messages import Usage
from appliance.spending import ledger
from appliance.spending.ledger import Call, Charge


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("APPLIANCE_STATE_DIR", str(folder))
    monkeypatch.setenv("APPLIANCE_LOCAL__ENABLED", "false")
    monkeypatch.setenv("APPLIANCE_OWNER__TIMEZONE", "UTC")
    return folder


def budget(*words: str) -> Result:
    return CliRunner().invoke(budget_app, list(words))


def spend(*words: str) -> Result:
    return CliRunner().invoke(spend_app, list(words))


def day_limit() -> dict[str, object]:
    rows = json.loads(budget("--json").output)
    return dict(rows[0])


def enter(state: Path, cost: int, day: str, at: float) -> None:
    """A settled call, as the house would write it."""
    books = open_connection(state / "core.db")
    with books:
        call = Call(day, at, "claude-sonnet-4-6", "anthropic", False, "chat", "agent:main:main", "main", "web", "t")
        usage = Usage(input=cost // 3_000_000)
        ledger.enter(books, 900_000 + cost % 1000, call, Charge(usage, cost, "provider", "ok"), cost)
    books.close()


def test_limits_are_shown_raised_and_set(state: Path) -> None:
    assert day_limit()["limit"] == 2.0
    assert budget("raise", "$1").output == "Raised by $1 for today.\n"
    assert day_limit()["limit"] == 3.0
    assert budget("set", "0.50").exit_code == 0
    assert day_limit()["limit"] == 1.5
    assert budget("set", "default").output == "The daily limit is the setting's again.\n"
    assert day_limit()["limit"] == 3.0
    assert "day: $0.00 of $3.00" in budget().output
    assert isinstance(budget("raise", "NaN").exception, ApplianceError)
    assert day_limit()["limit"] == 3.0


def test_a_pause_is_ended_and_books_are_counted_again(state: Path) -> None:
    from appliance.clock import SystemClock, day_of, iso

    assert budget("resume").output == "Paid models go on.\n"
    now = SystemClock().now()
    from zoneinfo import ZoneInfo

    day = day_of(now, ZoneInfo("UTC")).isoformat()
    enter(state, 3_000_000_000, day, now)
    assert budget("repair").output == "Nothing was wrong.\n"
    books = open_connection(state / "core.db")
    with books:
        books.execute("UPDATE spending_totals SET cost = 5 WHERE scope = 'day'")
    books.close()
    assert "Was wrong: the total of day" in budget("repair").output
    assert budget("repair").output == "Nothing was wrong.\n"
    assert day_limit()["spent"] == 0.003, iso(now)
    books = open_connection(state / "core.db")
    with books:
        books.execute("PRAGMA ignore_check_constraints = ON")
        books.execute("UPDATE ledger SET cost = -1")
    books.close()
    assert isinstance(budget("repair").exception, BudgetError)


def test_spending_is_shown_and_compared_with_the_providers_report(state: Path, tmp_path: Path) -> None:
    assert "Nothing was spent" in spend().output
    enter(state, 3_000_000_000, "2026-06-23", 1_782_216_000.0)
    assert "claude-sonnet-4-6" in spend("--day", "2026-06-23").output
    assert json.loads(spend("--day", "2026-06-23", "--by", "purpose", "--json").output)["total"] == 0.003
    report = tmp_path / "usage.csv"
    report.write_text("date,model,input\n2026-06-23,claude-sonnet-4-6,1000\n")
    same = spend("reconcile", str(report))
    assert same.exit_code == 0
    assert "provider $0.0030, books $0.0030" in same.output
    report.write_text("date,model,input\n2026-06-23,claude-sonnet-4-6,1001\n")
    more = spend("reconcile", str(report), "--json")
    assert more.exit_code == 1
    assert json.loads(more.output)["below"] == 1
    assert spend("reconcile", str(tmp_path / "none.csv")).exit_code == 2
