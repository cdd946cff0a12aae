"""Whether a command may run: the policy's word, and a person's where the policy asks for one.

In a container without network any script may run. Where network is asked for, or the owner chose the strict policy,
only words and pipes can run, and exactly the words that were judged and shown.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from appliance.errors import AccessError, InputError, ToolError
from appliance.sandbox import policy
from appliance.sandbox.approvals import OWNER, Decision
from appliance.sandbox.host import leading_outside
from appliance.sandbox.paths import WORKSPACE
from appliance.sandbox.plan import Plan, bind
from appliance.sandbox.policy import Verdict
from appliance.tools.base import ToolContext


class People(Protocol):
    """Asks a person and remembers what they always allow (sandbox.approvals.Approvals)."""

    def entries(self, host: str, network: str = "none") -> tuple[str, ...]: ...

    async def request(self, plan: Plan, *, approver: str, session: str, why: str) -> Decision: ...

    async def redeem(self, approval: str, plan: Plan, /) -> None: ...

    async def mark_used(self, segments: tuple[tuple[str, ...], ...], host: str, network: str = "none") -> None: ...


class PolicyGate:
    """The gate of `exec`. `image` tells the digest of the image that commands run in (shown and bound)."""

    def __init__(
        self,
        people: People,
        *,
        sandbox_policy: Literal["open", "strict"] = "open",
        image: Callable[[], str] = lambda: "",
    ) -> None:
        self._people = people
        self._policy: Literal["open", "strict"] = sandbox_policy
        self._image = image

    async def __call__(self, command: str, network: bool, context: ToolContext) -> str:
        """Return the script that may run, or raise ToolError with the reason; waits for a person when asked for."""
        place = "allowlist" if network else "none"
        entries = self._people.entries("sandbox", place)
        verdict = policy.check(
            command, host="sandbox", allow_list=entries, sandbox_policy=self._policy, extra_rights=network
        )
        if verdict.verdict == "deny":
            raise ToolError(f"Not allowed: {verdict.why}")
        if not verdict.segments:
            return command
        if verdict.verdict == "ask":
            await self._ask(verdict, place, context)
        else:
            await self._people.mark_used(verdict.segments, "sandbox", place)
        return exactly(verdict.segments, verdict.environment)

    async def elsewhere(self, command: str, host: Literal["host", "remote"], context: ToolContext, image: str) -> Plan:
        """Judge a command that is to run outside this machine's sandbox; return what may run, exactly.

        `image` is the digest of the image on the other machine, empty on the host. What the policy or the owner's list
        allows runs unasked, but not in a conversation that holds text from outside. Raises ToolError with the reason.
        """
        verdict = policy.check(command, host="host", allow_list=self._people.entries(host))
        if verdict.verdict == "deny":
            raise ToolError(f"Not allowed: {verdict.why}")
        if host == "host":
            _check_words(verdict, context.files)
        if verdict.verdict == "allow" and not context.tainted:
            await self._people.mark_used(verdict.segments, host)
            return await self._bind(verdict, "none", context, host, image)
        why = verdict.why if verdict.verdict == "ask" else "This conversation holds text from outside."
        return await self._ask(verdict, "none", context, host, image, why)

    async def _ask(
        self,
        verdict: Verdict,
        place: str,
        context: ToolContext,
        host: str = "sandbox",
        image: str | None = None,
        why: str = "",
    ) -> Plan:
        plan = await self._bind(verdict, place, context, host, image)
        decision = await self._people.request(
            plan, approver=OWNER, session=context.session.value, why=why or verdict.why
        )
        if not decision.approved:
            raise ToolError(f"Not run: {decision.why}")
        plan = await self._bind(verdict, place, context, host, image)
        try:
            await self._people.redeem(decision.id, plan)
        except AccessError as error:
            raise ToolError(f"Not run: {error.what}") from None
        return plan

    async def _bind(
        self, verdict: Verdict, place: str, context: ToolContext, host: str = "sandbox", image: str | None = None
    ) -> Plan:
        try:
            return await asyncio.to_thread(
                bind,
                verdict.segments,
                folder=context.files,
                environment=verdict.environment,
                image=self._image() if image is None else image,
                network=place,
                host=host,
            )
        except InputError as error:
            raise ToolError(f"Not run: {error.what}") from None


def _check_words(verdict: Verdict, folder: Path) -> None:
    """On this machine itself a path means another thing than in the container; refuse where that matters."""
    for words in verdict.segments:
        if any(WORKSPACE in word for word in words):
            raise ToolError(
                f"Not allowed: {WORKSPACE} is in the container only; here, give paths from the work folder."
            )
        if found := leading_outside(folder, words):
            raise ToolError(f"Not allowed: {found} is, or lies behind, a link that leads out of the work folder.")


def exactly(segments: Sequence[tuple[str, ...]], environment: Sequence[tuple[tuple[str, str], ...]] = ()) -> str:
    """A script that runs these words and no others: each segment replaces its shell, and no word is read by it."""
    parts = []
    for number, words in enumerate(segments):
        if not words or words[0].startswith("-"):
            raise ToolError("Not allowed: a command must begin with the name of a program.")
        names = environment[number] if number < len(environment) else ()
        setting = "".join(f"{name}={shlex.quote(value)} " for name, value in names)
        # `exec` takes the program from PATH, never a function, a keyword or what the shell itself can do.
        parts.append(f"({setting}exec {shlex.join(words)})")
    return " | ".join(parts)
