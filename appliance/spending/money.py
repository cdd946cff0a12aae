"""Money is whole picodollars, so that sums are exact: a US dollar is 10**12, a rate of 1 USD a million tokens 10**6."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from appliance.errors import InputError

PICO_PER_USD = 10**12
_LARGEST_USD = Decimal(1_000_000)  # SQLite's integers hold nine times as much; nobody's home budget comes near


def picodollars(usd: Decimal) -> int:
    """Given US dollars, return picodollars, rounded up: a limit or a rate is never understated.

    Raises InputError for NaN, infinity, a negative amount, or more than a million dollars.
    """
    if not usd.is_finite() or usd < 0:
        raise InputError(f"{usd} is not an amount of money.", fix="Give a finite number of dollars, 0 or more.")
    if usd > _LARGEST_USD:
        raise InputError(f"{usd} US dollars is more than the books hold.", fix="Give at most 1000000.")
    return ceil_div(int(usd.scaleb(24).to_integral_value()), PICO_PER_USD)


def parse_usd(text: str) -> Decimal:
    """Given what a person wrote (`1`, `$0.50`, `2.00 USD`), return dollars; raise InputError when it is no amount."""
    stripped = text.strip().removeprefix("$").removesuffix("USD").removesuffix("$").strip()
    try:
        amount = Decimal(stripped)
    except InvalidOperation:
        raise InputError(f"{text!r} is not an amount of money.", fix="Write dollars, such as 1 or 0.50.") from None
    picodollars(amount)
    return amount


def usd(pico: int) -> Decimal:
    """Given picodollars, return US dollars, exact."""
    return Decimal(pico).scaleb(-12)


def usd_number(pico: int) -> float:
    """Given picodollars, return the nearest JSON number of US dollars."""
    return float(usd(pico))


def show(pico: int) -> str:
    """Given picodollars, return them for a person: `$1.25`; finer under ten cents, and never $0 for something."""
    amount = usd(pico)
    if amount == 0:
        return "$0.00"
    if abs(amount) >= Decimal("0.10"):
        return f"${amount:.2f}"
    return f"${amount:.4f}" if abs(amount) >= Decimal("0.0001") else "<$0.0001"


def ceil_div(amount: int, by: int) -> int:
    """Integer division rounded up, for charges that do not come out even."""
    return -(-amount // by)
