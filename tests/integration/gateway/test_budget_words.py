"""`/budget` says what it did, and what could have been meant."""

from __future__ import annotations

from .conftest import Home


async def test_every_change_of_the_budget_is_said_in_words(home: Home) -> None:
    assert "The daily limit is $3 from now on" in (await home.say("/budget set $3"))["reply"]
    assert "$1.50 more for today" in (await home.say("/budget raise 1.50"))["reply"]
    assert "of the setting budget.daily_usd again" in (await home.say("/budget set default"))["reply"]
    assert (await home.say("/budget resume"))["reply"].startswith("Paid models go on.")
    for wrong in ("/budget set lots", "/budget raise -1"):
        assert "is not an amount of dollars. /budget shows the limits" in (await home.say(wrong))["reply"]
    assert (await home.say("/budget 1000"))["reply"].startswith("/budget shows the limits")
    assert home.house.budget.status()[0]["limit"] == 3.5
