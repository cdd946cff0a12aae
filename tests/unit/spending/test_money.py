"""Whole picodollars, and what a person may write."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.errors import InputError
from appliance.spending.money import parse_usd, picodollars, show, usd


@given(st.integers(0, 10**18))
def test_money_goes_to_dollars_and_back_without_loss(pico: int) -> None:
    assert picodollars(usd(pico)) == pico


def test_less_than_a_picodollar_is_rounded_up() -> None:
    assert picodollars(Decimal("0.0000000000001")) == 1


@pytest.mark.parametrize("text", ["1", "$1", "1.00 USD", " 1$ ", "1e0"])
def test_what_a_person_writes_is_understood(text: str) -> None:
    assert parse_usd(text) == 1


@pytest.mark.parametrize("text", ["", "NaN", "inf", "-1", "one", "1,5", "2000000", "١.x"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_usd(text)


@pytest.mark.parametrize(
    ("amount", "text"),
    [("0", "$0.00"), ("1.234", "$1.23"), ("0.0458", "$0.0458"), ("0.00001", "<$0.0001"), ("0.1", "$0.10")],
)
def test_small_amounts_keep_their_digits(amount: str, text: str) -> None:
    assert show(picodollars(Decimal(amount))) == text
