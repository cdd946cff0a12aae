"""Reports read the books' totals, whoever asks and however."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from appliance.errors import InputError
from appliance.messages import Purpose, Usage
from appliance.spending.calls import BudgetEvent
from appliance.spending.report import Spending
from appliance.spending.show import MoneyText, bar, budget_text, event_text, footer_text, forecast_text, spend_text

from .books import Books, call, limit, open_books

DOLLAR = 10**12


def report(books: Books) -> Spending:
    return Spending(books.database, lambda: books.settings, lambda: books.zone, books.clock)


async def spend(books: Books, output: int, **changes: object) -> None:
    held = await books.budget.reserve(call(max_tokens=output, **changes))
    await books.budget.settle(held, Usage(input=100, cache_read=300, output=output))


async def test_a_day_is_listed_by_group_with_the_dearest_first(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await spend(books, 100)
        await spend(books, 1_000, purpose=Purpose.CRON, session="cron:news", channel="telegram", agent="other")
        await spend(books, 10, model="claude-haiku-5-5")
        found = report(books).spend(by="purpose")
        assert [row["key"] for row in found["rows"]] == ["cron", "chat"]
        assert found["rows"][1] == {
            "key": "chat",
            "calls": 2,
            "input": 200,
            "cache_read": 600,
            "cache_write": 0,
            "output": 110,
            "cost": 0.001908,  # (300 + 90 + 1,500) and (10 + 3 + 5) millionths
            "electricity": 0.0,
            "seconds": 0.0,
        }
        assert found["total"] == 0.017298
        assert {row["key"] for row in report(books).spend(by="model")["rows"]} == {
            "claude-sonnet-4-6",
            "claude-haiku-5-5",
        }
        assert {row["key"] for row in report(books).spend(by="agent")["rows"]} == {"main", "other"}


async def test_a_day_without_calls_is_empty_and_a_wrong_question_is_refused(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        assert report(books).spend("2026-01-01")["rows"] == []
        for day, by in (("tomorrow", "model"), ("2026-02-30", "model"), (None, "mood"), (None, "day; DROP TABLE x")):
            with pytest.raises(InputError):
                report(books).spend(day, by)


async def test_the_series_has_every_day_also_those_without_calls(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await spend(books, 1_000)
        await books.clock.advance(3 * 86_400)
        await spend(books, 2_000)
        series = report(books).series()
        assert len(series) == 30
        assert [row["key"] for row in series[-4:]] == ["2026-06-23", "2026-06-24", "2026-06-25", "2026-06-26"]
        assert [row["cost"] > 0 for row in series[-4:]] == [True, False, False, True]
        assert report(books).spend("yesterday")["rows"] == []


async def test_the_dearest_turns_and_the_cache_share_of_a_day(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await spend(books, 10, turn="cheap")
        await spend(books, 700, turn="dear")
        await spend(books, 700, turn="dear")
        turns = report(books).dearest_turns(count=2)
        assert [(row["turn"], row["calls"]) for row in turns] == [("dear", 2), ("cheap", 1)]
        assert turns[0]["cost"] == 0.02178
        assert report(books).cache_share() == 0.75
        assert report(books).cache_share("2026-01-01") == 0.0


@pytest.mark.parametrize(
    ("share", "cells"),
    [(0.0, "░░░░"), (0.001, "█░░░"), (0.5, "██░░"), (0.99, "████"), (1.0, "████"), (7.0, "████")],
)
def test_a_bar_shows_something_for_something_and_never_overflows(share: float, cells: str) -> None:
    assert bar(share, 4) == cells


async def test_texts_say_the_same_figures_in_every_language(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("1.00")) as books:
        await spend(books, 20_000)
        for language in ("en", "zh-Hant", "zh-Hans"):
            text = budget_text(books.budget.status(), ZoneInfo("Europe/Berlin"), language)
            assert "$0.30" in text
            assert "$1.00" in text
            assert "2026-06-24 02:00 (Europe/Berlin)" in text
            assert "$0.60" in forecast_text(report(books).forecast(), language)  # noon in UTC
            assert "claude-sonnet-4-6" in spend_text(report(books).spend(), language)
            event = BudgetEvent("mark", "purpose", "cron", "2026-06-23", 100, DOLLAR // 2, DOLLAR, 1_782_259_200.0)
            assert "purpose:cron" in event_text(event, ZoneInfo("UTC"), language)
        assert "no limit" in budget_text([{**books.budget.status()[0], "limit": None}], ZoneInfo("UTC"))
        assert "Nothing" in spend_text(report(books).spend("2026-01-01"))


async def test_a_limit_of_zero_can_be_shown(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0")) as books:
        assert "$0.00 of $0.00" in budget_text(books.budget.status(), ZoneInfo("UTC"))
        assert "0%" in forecast_text(report(books).forecast())


def test_a_footer_names_who_answered_and_what_it_cost() -> None:
    assert footer_text("claude-sonnet-5-5", 45_768_000_000) == "claude-sonnet-5-5 · $0.0458"
    assert footer_text("smollm2-135m-instruct", 0) == "smollm2-135m-instruct · $0.00"


async def test_the_chat_commands_say_where_today_is_heading_and_the_rows_below(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("1.00")) as books:
        await spend(books, 20_000)
        money = MoneyText(books.budget, report(books), lambda: books.zone)
        assert money.spend_text("purpose").splitlines()[0] == (
            "`███░░░░░░░` 30% · $0.30 of $1.00 spent today, heading for $0.60."
        )
        assert money.spend_text("purpose").splitlines()[-1] == "`████████` $0.30  chat  ×1"
        assert "day: $0.30 of $1.00, $0.70 left" in money.budget_text()
        with pytest.raises(InputError):
            money.spend_text("mood")
