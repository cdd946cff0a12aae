"""What each role may see, ask and approve: the one table. Docs print it; a test holds commands and tools to it."""

from __future__ import annotations

from enum import StrEnum

from appliance.messages import Role


class Right(StrEnum):
    """One thing a person may do. The value is its name in the docs."""

    TALK = "talk to the agent, in a conversation of their own"
    SEE_OWN = "see their own session, start a new one, stop a turn"
    SEE_HOUSE = "see what works and what waits (`/status`, `/queue`)"
    RUN = "have commands run in the sandbox, use the web, be reminded"
    SET_MONEY = "see and set budgets and models"
    SEE_PRIVATE = "MEMORY.md, USER.md and day notes in the prompt and in search"
    APPROVE = "approve commands, sends and quarantined notes"
    MANAGE = "pair people, change roles, `/doctor`"


_GUEST = frozenset({Right.TALK, Right.SEE_OWN})
RIGHTS: dict[Role, frozenset[Right]] = {
    Role.OWNER: frozenset(Right),
    Role.MEMBER: _GUEST | {Right.SEE_HOUSE, Right.RUN},
    Role.GUEST: _GUEST,
}


def may(role: Role, right: Right) -> bool:
    """Whether a role has a right."""
    return right in RIGHTS[role]
