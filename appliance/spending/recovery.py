"""What nobody will settle any more, and books that disagree: charged as reserved, counted again from the rows."""

from __future__ import annotations

from collections.abc import Collection

import apsw

from appliance.messages import Usage
from appliance.spending import ledger
from appliance.spending.ledger import Charge, query_of


def charge_orphans(connection: apsw.Connection, identities: Collection[int]) -> int:
    """Charge these reservations as they were reserved, marked as bounds; return how many of them were still open.

    The provider may have answered such a call, so what it can have cost at most is what it counts for.
    """
    count = 0
    for identity in identities:
        found = ledger.find_reservation(connection, identity)
        if found is not None:
            call, amount = found
            ledger.close_reservation(connection, identity)
            ledger.enter(connection, identity, call, Charge(Usage(), amount, "bound", "orphan"), amount)
            count += 1
    return count


def count_again(connection: apsw.Connection, day: str) -> list[str]:
    """Count a day's totals again from its rows; return what is wrong with the rows themselves, and then do nothing."""
    bad = [problem for problem in ledger.check(query_of(connection), day) if problem.startswith("row ")]
    if not bad:
        ledger.rebuild(connection, day)
    return bad
