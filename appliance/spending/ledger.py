"""The books: one row a call, totals kept beside them, reservations that are still open.

Every function here works inside the caller's transaction. A row is inserted once and never changed. Totals are counted
up at that moment and never computed by reading rows again, except by `check` and `rebuild`, which prove them right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from appliance.database import Migration
from appliance.errors import BudgetError
from appliance.messages import Usage

Figure = Literal["provider", "estimate", "bound"]
Query = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
SCOPES = ("day", "agent", "session", "purpose", "channel")  # each may have a limit
REPORTED = (*SCOPES, "model")
_COLUMN = {scope: "''" if scope == "day" else scope for scope in REPORTED}
_SUM_OF_ROWS = "SELECT {column}, sum(cost) FROM ledger WHERE day = ? GROUP BY 1"
_SUM_OF_OPEN = "SELECT {column}, sum(amount) FROM reservations WHERE day = ? GROUP BY 1"

MIGRATIONS: list[Migration] = [
    (
        "books",
        """
CREATE TABLE ledger(
  id INTEGER PRIMARY KEY, day TEXT NOT NULL, at REAL NOT NULL,
  model TEXT NOT NULL, provider TEXT NOT NULL, local INTEGER NOT NULL,
  purpose TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, channel TEXT NOT NULL, turn TEXT NOT NULL,
  input INTEGER NOT NULL CHECK(input >= 0), cache_read INTEGER NOT NULL CHECK(cache_read >= 0),
  cache_write_5m INTEGER NOT NULL CHECK(cache_write_5m >= 0),
  cache_write_1h INTEGER NOT NULL CHECK(cache_write_1h >= 0),
  output INTEGER NOT NULL CHECK(output >= 0), server_tools TEXT NOT NULL, seconds REAL NOT NULL,
  cost INTEGER NOT NULL CHECK(cost >= 0), electricity INTEGER NOT NULL CHECK(electricity >= 0),
  reserved INTEGER NOT NULL CHECK(reserved >= 0),
  figure TEXT NOT NULL CHECK(figure IN ('provider', 'estimate', 'bound')), outcome TEXT NOT NULL) STRICT;
CREATE INDEX ledger_day ON ledger(day);
CREATE TABLE reservations(
  id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT NOT NULL, at REAL NOT NULL,
  model TEXT NOT NULL, provider TEXT NOT NULL, local INTEGER NOT NULL,
  purpose TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, channel TEXT NOT NULL, turn TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK(amount >= 0)) STRICT;
CREATE TABLE spending_totals(
  day TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, calls INTEGER NOT NULL DEFAULT 0,
  input INTEGER NOT NULL DEFAULT 0, cache_read INTEGER NOT NULL DEFAULT 0, cache_write INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0,
  cost INTEGER NOT NULL DEFAULT 0 CHECK(cost >= 0), electricity INTEGER NOT NULL DEFAULT 0,
  reserved INTEGER NOT NULL DEFAULT 0 CHECK(reserved >= 0), PRIMARY KEY(day, scope, key)) STRICT, WITHOUT ROWID;
CREATE TABLE spending_series(
  provider TEXT NOT NULL, model TEXT NOT NULL, agent TEXT NOT NULL, channel TEXT NOT NULL, purpose TEXT NOT NULL,
  outcome TEXT NOT NULL, calls INTEGER NOT NULL, input INTEGER NOT NULL, cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL, output INTEGER NOT NULL, cost INTEGER NOT NULL,
  PRIMARY KEY(provider, model, agent, channel, purpose, outcome)) STRICT, WITHOUT ROWID;
CREATE TABLE spending_counters(
  name TEXT NOT NULL, scope TEXT NOT NULL, action TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY(name, scope, action)) STRICT, WITHOUT ROWID;
CREATE TABLE spending_marks(
  day TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, percent INTEGER NOT NULL,
  PRIMARY KEY(day, scope, key, percent)) STRICT, WITHOUT ROWID;
CREATE TABLE spending_raises(
  day TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, amount INTEGER NOT NULL,
  PRIMARY KEY(day, scope, key)) STRICT, WITHOUT ROWID;
CREATE TABLE spending_state(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE token_ratios(
  model TEXT NOT NULL, script TEXT NOT NULL, ratio REAL NOT NULL CHECK(ratio > 0), samples INTEGER NOT NULL,
  PRIMARY KEY(model, script)) STRICT, WITHOUT ROWID;
""",
    ),
]

_ADD_TOTAL = """
INSERT INTO spending_totals(day, scope, key, calls, input, cache_read, cache_write, output, seconds, cost, electricity)
VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET calls = calls + 1, input = input + excluded.input,
  cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
  output = output + excluded.output, seconds = seconds + excluded.seconds, cost = cost + excluded.cost,
  electricity = electricity + excluded.electricity"""
_ADD_RESERVED = """
INSERT INTO spending_totals(day, scope, key, reserved) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET reserved = reserved + ?4"""
_GIVE_BACK = "UPDATE spending_totals SET reserved = reserved + ?4 WHERE day = ?1 AND scope = ?2 AND key = ?3"
_ADD_SERIES = """
INSERT INTO spending_series VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET calls = calls + 1, input = input + excluded.input,
  cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
  output = output + excluded.output, cost = cost + excluded.cost"""


@dataclass(frozen=True, slots=True)
class Call:
    """Who called which model, for what, on which day. `at` is Unix seconds."""

    day: str
    at: float
    model: str
    provider: str
    local: bool
    purpose: str
    session: str
    agent: str
    channel: str
    turn: str

    def scopes(self) -> list[tuple[str, str]]:
        """(scope, key) of every scope that may have a limit on this call."""
        keys = ("", self.agent, self.session, self.purpose, self.channel)
        return list(zip(SCOPES, keys, strict=True))


@dataclass(frozen=True, slots=True)
class Charge:
    """What a call came to. `cost` and `electricity` are picodollars, `seconds` how long it took."""

    usage: Usage
    cost: int
    figure: Figure
    outcome: str
    seconds: float = 0.0
    electricity: int = 0


@dataclass(frozen=True, slots=True)
class Total:
    """Spent and reserved under one scope on one day, in picodollars."""

    cost: int = 0
    reserved: int = 0


def query_of(connection: apsw.Connection) -> Query:
    """Reads of this connection, in the form that works for readers and inside a transaction alike."""
    return lambda sql, arguments: connection.execute(sql, arguments).fetchall()


def open_reservation(connection: apsw.Connection, call: Call, amount: int) -> int:
    """Write a reservation and count it as reserved; return its id."""
    connection.execute(
        "INSERT INTO reservations(day, at, model, provider, local, purpose, session, agent, channel, turn, amount)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (call.day, call.at, call.model, call.provider, int(call.local), call.purpose, call.session, call.agent,
         call.channel, call.turn, amount),
    )  # fmt: skip
    identity = connection.last_insert_rowid()
    _reserve(connection, call, amount)
    return identity


def narrow_reservation(connection: apsw.Connection, identity: int, amount: int) -> int:
    """Lower an open reservation to `amount` (never raise it); return what is reserved now, 0 when it is not open."""
    found = find_reservation(connection, identity)
    if found is None:
        return 0
    call, before = found
    if amount >= before:
        return before
    connection.execute("UPDATE reservations SET amount = ? WHERE id = ?", (amount, identity))
    _reserve(connection, call, amount - before)
    return amount


def find_reservation(connection: apsw.Connection, identity: int) -> tuple[Call, int] | None:
    """The call and the amount of an open reservation."""
    rows = list(connection.execute(_OPEN + " WHERE id = ?", (identity,)))
    return (_call(rows[0]), rows[0][11]) if rows else None


def open_reservations(connection: apsw.Connection) -> list[tuple[int, Call, int]]:
    """(id, call, amount) of every open reservation."""
    return [(row[0], _call(row), row[11]) for row in connection.execute(_OPEN)]


_OPEN = "SELECT id, day, at, model, provider, local, purpose, session, agent, channel, turn, amount FROM reservations"


def _call(row: tuple[Any, ...]) -> Call:
    _, day, at, model, provider, local, purpose, session, agent, channel, turn, _ = row
    return Call(day, at, model, provider, bool(local), purpose, session, agent, channel, turn)


def close_reservation(connection: apsw.Connection, identity: int) -> bool:
    """Take a reservation off the books; False when it was not open."""
    found = find_reservation(connection, identity)
    if found is None:
        return False
    call, amount = found
    connection.execute("DELETE FROM reservations WHERE id = ?", (identity,))
    _reserve(connection, call, -amount)
    return True


def _reserve(connection: apsw.Connection, call: Call, amount: int) -> None:
    if amount:
        sql = _ADD_RESERVED if amount > 0 else _GIVE_BACK
        connection.executemany(sql, [(call.day, scope, key, amount) for scope, key in call.scopes()])


def charged(query: Query, identity: int) -> int | None:
    """What the row with this id came to, or None when there is none."""
    rows = query("SELECT cost FROM ledger WHERE id = ?", (identity,))
    return rows[0][0] if rows else None


def enter(connection: apsw.Connection, identity: int, call: Call, charge: Charge, reserved: int) -> None:
    """Write the row of a call and count it in every total."""
    usage = charge.usage
    connection.execute(
        "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (identity, call.day, call.at, call.model, call.provider, int(call.local), call.purpose, call.session,
         call.agent, call.channel, call.turn, usage.input, usage.cache_read, usage.cache_write_5m,
         usage.cache_write_1h, usage.output, json.dumps(usage.server_tools) if usage.server_tools else "",
         charge.seconds, charge.cost, charge.electricity, reserved, charge.figure, charge.outcome),
    )  # fmt: skip
    _count(connection, call, charge)
    count_request(connection, call, charge.outcome, usage, charge.cost)


def _count(connection: apsw.Connection, call: Call, charge: Charge) -> None:
    usage = charge.usage
    figures = (usage.input, usage.cache_read, usage.cache_write, usage.output, charge.seconds, charge.cost,
               charge.electricity)  # fmt: skip
    scopes = [*call.scopes(), ("model", call.model)]
    connection.executemany(_ADD_TOTAL, [(call.day, scope, key, *figures) for scope, key in scopes])


def count_request(connection: apsw.Connection, call: Call, outcome: str, usage: Usage, cost: int) -> None:
    """Count a request for the metrics, which live as long as the books."""
    connection.execute(
        _ADD_SERIES,
        (call.provider, call.model, call.agent, call.channel, call.purpose, outcome, usage.input, usage.cache_read,
         usage.cache_write, usage.output, cost),
    )  # fmt: skip


def count(connection: apsw.Connection, name: str, scope: str, action: str) -> None:
    """Count something that happened (a decision, an unpriced request)."""
    connection.execute(
        "INSERT INTO spending_counters VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
        (name, scope, action),
    )


def total(query: Query, day: str, scope: str, key: str) -> Total:
    """What is spent and reserved; raise BudgetError when the stored figure cannot be true."""
    rows = query(
        "SELECT cost, reserved FROM spending_totals WHERE day = ? AND scope = ? AND key = ?", (day, scope, key)
    )
    if not rows:
        return Total()
    cost, reserved = rows[0]
    if not isinstance(cost, int) or not isinstance(reserved, int) or cost < 0 or reserved < 0:
        raise damaged(f"the total of {scope} {key} on {day} reads {cost!r} spent and {reserved!r} reserved")
    return Total(cost, reserved)


def damaged(what: str) -> BudgetError:
    """The error for books that cannot be trusted; no paid call is made while they are in that state."""
    return BudgetError(
        f"The spending books are damaged: {what}. No paid model is called until they are repaired.",
        fix="Stop the gateway and run: appliance budget repair",
    )


def check(query: Query, day: str) -> list[str]:
    """Compare a day's totals with its rows and open reservations; return what is wrong, in words."""
    problems = [
        f"row {row[0]} of {day} holds an impossible figure"
        for row in query(
            "SELECT id FROM ledger WHERE day = ? AND (typeof(cost) != 'integer' OR cost < 0 OR min(input, cache_read,"
            " cache_write_5m, cache_write_1h, output) < 0)",
            (day,),
        )
    ]
    if problems:
        return problems
    for scope in SCOPES:
        column = _COLUMN[scope]
        rows: dict[str, int] = dict(query(_SUM_OF_ROWS.format(column=column), (day,)))
        held: dict[str, int] = dict(query(_SUM_OF_OPEN.format(column=column), (day,)))
        kept = {
            key: (cost, reserved)
            for key, cost, reserved in query(
                "SELECT key, cost, reserved FROM spending_totals WHERE day = ? AND scope = ?", (day, scope)
            )
        }
        for key in sorted({*rows, *held, *kept}):
            true = (rows.get(key, 0), held.get(key, 0))
            if kept.get(key, (0, 0)) != true:
                problems.append(f"the total of {scope} {key} on {day} says {kept.get(key)}, its rows say {true}")
    return problems


def rebuild(connection: apsw.Connection, day: str) -> None:
    """Count a day's totals again from its rows and open reservations; the rows are the truth."""
    connection.execute("DELETE FROM spending_totals WHERE day = ?", (day,))
    for scope in REPORTED:
        column = _COLUMN[scope]
        connection.execute(
            f"INSERT INTO spending_totals SELECT day, ?, {column}, count(*), sum(input), sum(cache_read),"  # noqa: S608 - fixed names
            " sum(cache_write_5m + cache_write_1h), sum(output), sum(seconds), sum(cost), sum(electricity), 0"
            f" FROM ledger WHERE day = ? GROUP BY {column}",
            (scope, day),
        )
    for _, call, amount in open_reservations(connection):
        if call.day == day:
            _reserve(connection, call, amount)
