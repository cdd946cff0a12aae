"""Marks at 50, 80 and 100% of a limit: each is said once a day. 100 means that a call was refused or made smaller."""

from __future__ import annotations

import apsw

from appliance.spending.budget_day import BudgetDay
from appliance.spending.calls import BudgetEvent
from appliance.spending.ledger import Query
from appliance.spending.limits import Balance

MARKS = (50, 80, 100)


def passed(connection: apsw.Connection, day: BudgetDay, stands: Balance) -> list[BudgetEvent]:
    """Set the marks that spending has passed. Of two passed by one charge only the higher is said."""
    if stands.limit == 0:
        return []
    events: list[BudgetEvent] = []
    for percent in MARKS[:-1]:
        if stands.spent * 100 >= stands.limit * percent:
            events += reached(connection, day, stands, percent)
    return events[-1:]


def reached(connection: apsw.Connection, day: BudgetDay, stands: Balance, percent: int) -> list[BudgetEvent]:
    """Set one mark; return the event the first time on a day, else nothing."""
    connection.execute(
        "INSERT OR IGNORE INTO spending_marks VALUES (?, ?, ?, ?)", (day.name, stands.scope, stands.key, percent)
    )
    if not connection.changes():
        return []
    return [BudgetEvent("mark", stands.scope, stands.key, day.name, percent, stands.spent, stands.limit, day.resets_at)]


def forget(connection: apsw.Connection, day: str, stands: Balance | None) -> None:
    """After a limit moved: marks above where spending stands now may be said again, those below stay said."""
    if stands is None or stands.limit == 0:
        return
    for percent in MARKS:
        if stands.spent * 100 < stands.limit * percent:
            connection.execute(
                "DELETE FROM spending_marks WHERE day = ? AND scope = ? AND key = ? AND percent = ?",
                (day, stands.scope, stands.key, percent),
            )


def is_set(query: Query, day: str, stands: Balance, percent: int) -> bool:
    """Whether a mark was said today."""
    sql = "SELECT 1 FROM spending_marks WHERE day = ? AND scope = ? AND key = ? AND percent = ?"
    return bool(query(sql, (day, stands.scope, stands.key, percent)))
