"""The owner's yes for something other than a command: exactly the words that were shown, once."""

from __future__ import annotations

from typing import Protocol

from appliance.errors import AccessError, ToolError
from appliance.sandbox.approvals import OWNER, Decision
from appliance.sandbox.plan import Plan
from appliance.tools.base import ToolContext


class Approving(Protocol):
    """Asks a person (sandbox.approvals.Approvals)."""

    async def request(self, plan: Plan, *, approver: str, session: str, why: str) -> Decision: ...

    async def redeem(self, approval: str, plan: Plan, /) -> None: ...


class OwnersYes:
    """Given who asks, wait for the owner's decision. Raises ToolError, beginning with `refused`, unless it is yes."""

    def __init__(self, people: Approving) -> None:
        self._people = people

    async def __call__(self, kind: str, words: tuple[str, ...], why: str, context: ToolContext, refused: str) -> None:
        plan = Plan(segments=((kind, *words),), kind=kind)
        decision = await self._people.request(plan, approver=OWNER, session=context.session.value, why=why)
        if not decision.approved:
            raise ToolError(f"{refused}: {decision.why}")
        try:
            await self._people.redeem(decision.id, plan)
        except AccessError as error:
            raise ToolError(f"{refused}: {error.what}") from None
