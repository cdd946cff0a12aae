"""What the owner changes: today's raise, another daily limit, a pause. Marks that are not passed may be said again."""

from __future__ import annotations

from decimal import Decimal

import apsw

from appliance.settings.budget import BudgetSettings
from appliance.spending import limits, marks
from appliance.spending.ledger import query_of


def raise_limit(
    connection: apsw.Connection, settings: BudgetSettings, day: str, scope: str, key: str, amount: int
) -> None:
    """Add `amount` picodollars to a limit for one day."""
    connection.execute(
        "INSERT INTO spending_raises VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
        (day, scope, key, amount),
    )
    marks.forget(connection, day, limits.balance(query_of(connection), settings, day, scope, key))


def set_daily(connection: apsw.Connection, settings: BudgetSettings, day: str, usd: Decimal | None) -> None:
    """Keep a daily limit in place of the setting, or (None) forget it."""
    connection.execute("DELETE FROM spending_state WHERE key IN ('daily_usd', 'daily_usd_replaces')")
    if usd is not None:
        connection.executemany(
            "INSERT INTO spending_state VALUES (?, ?)",
            [("daily_usd", str(usd)), ("daily_usd_replaces", str(settings.daily_usd))],
        )
    marks.forget(connection, day, limits.balance(query_of(connection), settings, day, "day", ""))


def set_session(connection: apsw.Connection, session: str, usd: Decimal | None) -> None:
    """Give one session a daily limit of its own (a scheduled job's), or (None) take it away."""
    key = limits.SESSION_USD + session
    connection.execute("DELETE FROM spending_state WHERE key = ?", (key,))
    if usd is not None:
        connection.execute("INSERT INTO spending_state VALUES (?, ?)", (key, str(usd)))


def pause(connection: apsw.Connection, why: str) -> None:
    """Remember why paid models are paused, or (empty) that they are not."""
    connection.execute("DELETE FROM spending_state WHERE key = 'paused'")
    if why:
        connection.execute("INSERT INTO spending_state VALUES ('paused', ?)", (why,))
