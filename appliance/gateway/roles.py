"""What each role may see, ask and approve: the one table, printed in the docs as it stands here."""

from __future__ import annotations

from enum import StrEnum

from appliance.errors import AccessError
from appliance.messages import Role


class Right(StrEnum):
    """One thing a person may do. The value is its name in the docs."""

    TALK = "talk to the agent in a conversation of their own"
    SEE_OWN = "see their own session: /status, /context, /whoami"
    RUN = "have the agent run commands in the sandbox and use the web"
    SCHEDULE = "have the agent remind them"
    SEE_SPENDING = "see what the house spends: /spend, /budget"
    CHOOSE_MODEL = "choose the model of their session"
    SEE_PRIVATE = "have MEMORY.md, USER.md and day notes in the prompt and in search"
    CHANGE_MEMORY = "correct or forget what the agent remembers about the house"
    SET_BUDGET = "raise or set limits"
    APPROVE = "approve commands, sends and quarantined notes"
    MANAGE = "pair people, change roles, run /doctor"


_GUEST = frozenset({Right.TALK, Right.SEE_OWN})
_MEMBER = _GUEST | {Right.RUN, Right.SCHEDULE, Right.SEE_SPENDING, Right.CHOOSE_MODEL}
RIGHTS: dict[Role, frozenset[Right]] = {
    Role.OWNER: frozenset(Right),
    Role.MEMBER: _MEMBER,
    Role.GUEST: _GUEST,
}


def may(role: Role, right: Right) -> bool:
    """Whether a role has a right."""
    return right in RIGHTS[role]


def require(role: Role, right: Right) -> None:
    """Raise AccessError (403) unless the role has the right."""
    if not may(role, right):
        raise AccessError(f"Your role ({role}) may not do this: {right}.", fix="Ask the owner.")
