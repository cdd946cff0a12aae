"""Who may find what. The filter is part of every query of the index, never a step after it.

private   MEMORY.md, USER.md and day notes of an agent: its owner's main session, nowhere else
session   a conversation: itself; the owner's main session also finds the house's own ones (web, cron, heartbeat)
          and groups, but never the direct messages of other people
item      a captured item: its person, where nobody else reads along; household ones: the owner and members, in
          private; team ones: wherever team files are found
team      files of team/: every agent and session, except for guests
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import apsw

from appliance.memory.items import OWNER, Item, whose
from appliance.memory.schema import ITEMS
from appliance.messages import Person, Role, SessionKey

ScopeKind = Literal["private", "session", "item", "team"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The reader: in which session, who asks, and what that person is to the house."""

    session: SessionKey
    person: str = OWNER
    role: Role = Role.OWNER

    @classmethod
    def of(cls, session: SessionKey, person: Person) -> Scope:
        """The reader of a turn."""
        return cls(session, whose(person), person.role)

    @property
    def main(self) -> bool:
        """True only for the owner in the main session."""
        return self.session.is_main and self.role is Role.OWNER

    @property
    def alone(self) -> bool:
        """True where only this person reads: the main session, or a direct message."""
        return self.main or bool(self.session.reader)


@dataclass(frozen=True, slots=True)
class Label:
    """The scope that a chunk carries."""

    kind: ScopeKind
    agent: str = ""
    session: str = ""
    person: str = ""
    see: str = ""


def label_of(item: Item, agent: str) -> Label:
    return Label("item", agent, person=item.person, see=item.see)


def label_id(connection: apsw.Connection, label: Label) -> int:
    """The row of a label, made when it is new."""
    values = (label.kind, label.agent, label.session, label.person, label.see)
    where = "kind=? AND agent=? AND session=? AND person=? AND see=?"
    for (found,) in connection.execute(f"SELECT id FROM scopes WHERE {where}", values):  # noqa: S608 - constant text
        return int(found)
    connection.execute("INSERT INTO scopes(kind, agent, session, person, see) VALUES (?,?,?,?,?)", values)
    return connection.last_insert_rowid()


# One statement, so that the rule stands in one place.
_ALLOWED = """
SELECT id FROM scopes WHERE (kind = 'item') = :items AND (
    (kind = 'private' AND agent = :agent AND :main)
 OR (kind = 'session' AND session = :session)
 OR (kind = 'session' AND agent = :agent AND :main AND (
        session GLOB 'agent:*:web:*' OR session GLOB 'cron:*' OR session GLOB 'heartbeat:*'
        OR session GLOB 'agent:*:*:group:*'))
 OR (kind = 'item' AND agent = :agent AND person = :person AND :alone)
 OR (kind = 'item' AND agent = :agent AND see IN ('household', 'team') AND :alone AND NOT :guest)
 OR (kind = 'item' AND see = 'team' AND NOT :guest)
 OR (kind = 'team' AND NOT :guest))
"""


def allowed(connection: apsw.Connection, scope: Scope, shelf: int) -> list[int]:
    """Ids of a shelf's labels that a reader may find."""
    values: dict[str, Any] = {
        "agent": scope.session.agent,
        "session": scope.session.value,
        "person": scope.person,
        "main": scope.main,
        "alone": scope.alone,
        "guest": scope.role is Role.GUEST,
        "items": shelf == ITEMS,
    }
    return [int(found) for (found,) in connection.execute(_ALLOWED, values)]
