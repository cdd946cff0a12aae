"""A person's word on a command: asked for, given once, used once.

What is approved is a Plan (words, folder, image, network, scripts), and only that plan can be redeemed: by one run,
within 30 minutes, in the same life of the process. "always" remembers the full argv of the inner program, never a
shell, an interpreter or a wrapper. Whoever cannot be reached has said no.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import apsw

from appliance.clock import Clock, iso
from appliance.database import Database, Migration
from appliance.errors import AccessError, DeliveryError, InputError, NotFoundError
from appliance.observability import audit
from appliance.sandbox import allow_list, filters
from appliance.sandbox.plan import Plan
from appliance.sandbox.verdicts import Strictness

MIGRATIONS: list[Migration] = [
    (
        "approvals",
        """CREATE TABLE approvals(
            id TEXT PRIMARY KEY, life TEXT NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL, approver TEXT NOT NULL,
            plan TEXT NOT NULL, shown TEXT NOT NULL, why TEXT NOT NULL, segments TEXT NOT NULL, host TEXT NOT NULL,
            network TEXT NOT NULL, asked_at REAL NOT NULL, expires_at REAL NOT NULL, state TEXT NOT NULL,
            decided_by TEXT NOT NULL DEFAULT '', decided_at REAL
        ) STRICT;
        CREATE INDEX approvals_state ON approvals(state, asked_at);
        CREATE TABLE approval_rules(
            id TEXT PRIMARY KEY, entry TEXT NOT NULL, host TEXT NOT NULL, network TEXT NOT NULL,
            created_by TEXT NOT NULL, created_at REAL NOT NULL, last_used_at REAL,
            UNIQUE(entry, host, network)
        ) STRICT;""",
    )
]
OWNER = "owner"  # the owner on the web page or the command line, who has shown the token
TTL = 30 * 60.0
MAX_SHOWN = 3_500  # characters; the smallest channel shows 4,096 with its buttons
_KEEP = 30 * 86_400.0

Answer = Literal["once", "always", "deny"]
_REFUSED = {
    "used": "was already used",
    "approved": "was already decided",
    "denied": "was already denied",
    "expired": "has expired; ask for the command again",
    "cancelled": "is no longer wanted: its turn ended",
    "restarted": "was asked before a restart, so it no longer counts; ask for the command again",
    "changed": "no longer fits: what it was given for has changed",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a request. `id` redeems it when `approved`; `why` is for the model to read."""

    approved: bool
    why: str
    id: str = ""
    answer: Answer = "deny"


@dataclass(frozen=True, slots=True)
class Pending:
    """What a person is shown: `shown` whole, never cut. Times are Unix seconds."""

    id: str
    kind: str
    session: str
    approver: str
    shown: str
    why: str
    remembers: tuple[str, ...]
    asked_at: float
    expires_at: float

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "session": self.session,
            "approver": self.approver,
            "text": self.shown,
            "why": self.why,
            "always": list(self.remembers),
            "asked_at": iso(self.asked_at),
            "expires_at": iso(self.expires_at),
        }


class Notifier(Protocol):
    """Shows a request to its approver, with buttons where there are some.

    ask: True once the request has been handed to a way that reaches the approver; False, or DeliveryError, when there
    is none. settled: the request is over (`outcome` is once, always, denied, expired or cancelled), so take buttons
    away.
    """

    async def ask(self, pending: Pending) -> bool: ...

    async def settled(self, pending: Pending, outcome: str) -> None: ...


class Approvals:
    """Give it core.db (with MIGRATIONS and the audit chain), a clock and a notifier; `start` before use."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        notifier: Notifier,
        *,
        counted: Callable[[str, str], None] = lambda kind, decision: None,
        ttl: float = TTL,
    ) -> None:
        self._database = database
        self._clock = clock
        self._notifier = notifier
        self._counted = counted
        self._ttl = ttl
        self._life = secrets.token_hex(8)
        self._waiting: dict[str, tuple[Pending, asyncio.Future[Decision]]] = {}

    async def start(self) -> int:
        """Void what a former life of the process asked or approved; return how many that were."""
        now = self._clock.now()

        def work(connection: apsw.Connection) -> int:
            connection.execute("DELETE FROM approvals WHERE asked_at < ?", (now - _KEEP,))
            connection.execute(
                "UPDATE approvals SET state = 'restarted' WHERE state IN ('pending', 'approved') AND life <> ?",
                (self._life,),
            )
            return int(connection.changes())

        return await self._database.write(work)

    async def request(self, plan: Plan, *, approver: str, session: str, why: str) -> Decision:
        """Ask `approver` and wait for the answer, at most 30 minutes. Never raises for a no: the Decision says it."""
        shown = plan.shown(MAX_SHOWN)
        if len(shown) > MAX_SHOWN:
            return self._refused(plan, f"It is {len(shown)} characters long, too long to be shown whole.")
        now = self._clock.now()
        remembers = tuple(shlex.join(words) for words in _to_remember(plan) or ())
        pending = Pending(
            secrets.token_urlsafe(9), plan.kind, session, approver, shown, why, remembers, now, now + self._ttl
        )
        await self._database.write(lambda connection: self._insert(connection, pending, plan))
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._waiting[pending.id] = (pending, future)
        try:
            if not await self._reached(pending):
                await self._close(pending, "denied")
                return self._refused(plan, "Nobody who may decide could be reached.")
            return await self._answer(pending, future)
        except asyncio.CancelledError:
            await asyncio.shield(self._close(pending, "cancelled"))
            raise
        finally:
            self._waiting.pop(pending.id, None)

    async def decide(self, id: str, decision: str, by: str = OWNER) -> dict[str, Any]:  # noqa: A002 - the API's word
        """Answer a request as `by`; return {"id", "decision", "remembered", "note"}.

        Raises NotFoundError (no such request), AccessError (another's request), InputError (not an answer; used,
        decided, expired, or from before a restart).
        """
        if decision not in ("once", "always", "deny"):
            raise InputError("The decision must be once, always or deny.")
        now = self._clock.now()
        problem, remembered = await self._database.write(
            lambda connection: self._decide(connection, id, decision, by, now)
        )
        if problem is not None:
            raise problem
        note = ""
        if decision == "always":
            note = (
                "From now on these run unasked: " + "; ".join(remembered)
                if remembered
                else "Approved once only: a shell, interpreter, wrapper or inline script is never remembered."
            )
        pending, future = self._waiting.get(id, (None, None))
        if pending is not None and future is not None and not future.done():
            approved = decision != "deny"
            answer: Answer = "always" if decision == "always" else "once" if approved else "deny"
            why = "Approved." if approved else "The person said no."
            future.set_result(Decision(approved, why, id if approved else "", answer))
        return {"id": id, "decision": decision, "remembered": remembered, "note": note}

    async def redeem(self, id: str, plan: Plan) -> None:  # noqa: A002 - the API's word
        """Use up an approval for exactly this plan, bound again just before the run; else raise AccessError."""
        now, digest = self._clock.now(), plan.digest()

        def work(connection: apsw.Connection) -> str:
            row = connection.execute(
                "SELECT state, plan, expires_at, life FROM approvals WHERE id = ?", (id,)
            ).fetchone()
            if row is None:
                return "does not exist"
            state, approved, expires_at, life = row
            if state != "approved":
                return _REFUSED.get(state, "was not given")
            reason = "restarted" if life != self._life else "expired" if now >= expires_at else ""
            reason = reason or ("" if approved == digest else "changed")
            connection.execute("UPDATE approvals SET state = ? WHERE id = ?", (reason or "used", id))
            audit.append(connection, now, "approval_used", {"id": id, "outcome": reason or "used"})
            return _REFUSED[reason] if reason else ""

        refusal = await self._database.write(work)
        if refusal:
            raise AccessError(f"The approval {refusal}.")

    def list(self) -> Sequence[dict[str, Any]]:
        """The requests that wait for an answer, oldest first."""
        return [pending.as_json() for pending in self.pending()]

    def pending(self) -> tuple[Pending, ...]:
        now = self._clock.now()
        waiting = self._waiting.values()
        return tuple(pending for pending, future in waiting if not future.done() and pending.expires_at > now)

    def entries(self, host: str, network: str = "none") -> tuple[str, ...]:
        """The remembered commands for this place, as entries for `policy.check(allow_list=...)`."""
        rows = self._database.read(
            "SELECT entry FROM approval_rules WHERE host = ? AND network = ? ORDER BY created_at", (host, network)
        )
        return tuple(str(row[0]) for row in rows)

    def rules(self) -> Sequence[dict[str, Any]]:
        """Every remembered command, with when it was last used."""
        rows = self._database.read(
            "SELECT id, entry, host, network, created_by, created_at, last_used_at FROM approval_rules ORDER BY "
            "created_at"
        )
        return [
            {
                "id": row[0], "entry": row[1], "host": row[2], "network": row[3], "created_by": row[4],
                "created_at": iso(row[5]), "last_used_at": iso(row[6]) if row[6] is not None else None,
            }
            for row in rows
        ]  # fmt: skip

    async def allow(self, entry: str, *, host: str = "host", network: str = "none", by: str = OWNER) -> dict[str, Any]:
        """Remember an entry that the owner wrote. Raises InputError for what may never be remembered."""
        if allow_list.parse(entry) is None:
            raise InputError(
                f"{entry!r} cannot be remembered: it is empty, not plain words, or a shell, interpreter or wrapper.",
                fix="Give the full command, or end it in ` *` for exactly one more word.",
            )
        now = self._clock.now()
        text = entry.strip()
        rule = await self._database.write(lambda c: _remember(c, text, host, network, by, now))
        return {"id": rule, "entry": text, "host": host, "network": network}

    async def revoke(self, id: str) -> None:  # noqa: A002 - the API's word
        """Forget a remembered command. Raises NotFoundError."""

        def work(connection: apsw.Connection) -> bool:
            connection.execute("DELETE FROM approval_rules WHERE id = ? OR entry = ?", (id, id))
            found = connection.changes() > 0
            if found:
                audit.append(connection, self._clock.now(), "approval_rule_revoked", {"rule": id})
            return found

        if not await self._database.write(work):
            raise NotFoundError(f"There is no remembered command {id}.", fix="`appliance policy list` shows them.")

    async def mark_used(self, segments: tuple[tuple[str, ...], ...], host: str, network: str = "none") -> None:
        """Note that remembered commands let these run unasked."""
        lines = [shlex.join(words) for words in segments]
        rows = [(entry, allow_list.parse(entry)) for entry in self.entries(host, network)]
        used = [
            text
            for text, entry in rows
            if text in lines or (entry and any(entry.matches(words, "/usr/bin") for words in segments))
        ]
        if used:
            now = self._clock.now()
            await self._database.write(
                lambda connection: connection.executemany(
                    "UPDATE approval_rules SET last_used_at = ? WHERE entry = ? AND host = ? AND network = ?",
                    [(now, text, host, network) for text in used],
                )
            )

    def _insert(self, connection: apsw.Connection, pending: Pending, plan: Plan) -> None:
        connection.execute(
            "INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', '', NULL)",
            (
                pending.id, self._life, pending.kind, pending.session, pending.approver, plan.digest(), pending.shown,
                pending.why, json.dumps(_to_remember(plan)), plan.host, plan.network, pending.asked_at,
                pending.expires_at,
            ),
        )  # fmt: skip

    async def _reached(self, pending: Pending) -> bool:
        try:
            return await self._notifier.ask(pending)
        except DeliveryError:
            return False

    async def _answer(self, pending: Pending, future: asyncio.Future[Decision]) -> Decision:
        timer = asyncio.ensure_future(self._clock.sleep(self._ttl))
        first: set[asyncio.Future[Any]] = {timer, future}
        try:
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
        if not future.done() and await self._close(pending, "expired"):
            self._counted(pending.kind, "expired")
            return Decision(False, "Nobody answered within the time.")
        decision = await future  # at once, or when the decision that came in the same moment is stored
        self._counted(pending.kind, decision.answer)
        await self._settle(pending, decision.answer if decision.approved else "denied")
        return decision

    async def _close(self, pending: Pending, state: str) -> bool:
        """End a request without an answer; False when it was decided in the same moment, and so stays decided."""

        def work(connection: apsw.Connection) -> bool:
            connection.execute("UPDATE approvals SET state = ? WHERE id = ? AND state = 'pending'", (state, pending.id))
            return connection.changes() > 0

        closed = await self._database.write(work)
        if closed:
            await self._settle(pending, state)
        return closed

    async def _settle(self, pending: Pending, outcome: str) -> None:
        # What the person sees of it is beside the point: the decision is stored, and old buttons are refused.
        with contextlib.suppress(DeliveryError):
            await self._notifier.settled(pending, outcome)

    def _decide(
        self, connection: apsw.Connection, identity: str, decision: str, by: str, now: float
    ) -> tuple[AccessError | InputError | None, tuple[str, ...]]:
        row = connection.execute(
            "SELECT state, approver, expires_at, life, segments, host, network, kind FROM approvals WHERE id = ?",
            (identity,),
        ).fetchone()
        if row is None:
            return NotFoundError("There is no such request for approval."), ()
        state, approver, expires_at, life, segments, host, network, kind = row
        if by not in (approver, OWNER):
            audit.append(connection, now, "approval_refused", {"id": identity, "by": by, "why": "not the approver"})
            return AccessError("This request is not yours to decide."), ()
        if state == "pending" and life != self._life:
            state = "restarted"
        elif state == "pending" and now >= expires_at:
            state = "expired"
        if state != "pending":
            connection.execute("UPDATE approvals SET state = ? WHERE id = ? AND state = 'pending'", (state, identity))
            return InputError(f"This request {_REFUSED[state]}."), ()
        connection.execute(
            "UPDATE approvals SET state = ?, decided_by = ?, decided_at = ? WHERE id = ?",
            ("denied" if decision == "deny" else "approved", by, now, identity),
        )
        remembered: tuple[str, ...] = ()
        if decision == "always":
            remembered = tuple(shlex.join(words) for words in json.loads(segments) or ())
            for entry in remembered:
                _remember(connection, entry, host, network, by, now)
        audit.append(
            connection,
            now,
            "approval",
            {"id": identity, "kind": kind, "decision": decision, "by": by, "rules": remembered},
        )
        return None, remembered

    def _refused(self, plan: Plan, why: str) -> Decision:
        self._counted(plan.kind, "deny")
        return Decision(False, why)


def _to_remember(plan: Plan) -> list[tuple[str, ...]] | None:
    """The inner argv of every segment that had to be asked about, or None when one may never be remembered."""
    if plan.kind != "exec" or plan.scripts:
        return None
    found: list[tuple[str, ...]] = []
    for words in plan.segments:
        name = allow_list.trusted_name(words[0]) or words[0]
        if name in filters.FILTERS and filters.judge(name, words[1:]).verdict is Strictness.ALLOW:
            continue
        inside = allow_list.always(words)
        if inside is None:
            return None
        found.append(inside)
    return found


def _remember(connection: apsw.Connection, entry: str, host: str, network: str, by: str, now: float) -> str:
    row = connection.execute(
        "SELECT id FROM approval_rules WHERE entry = ? AND host = ? AND network = ?", (entry, host, network)
    ).fetchone()
    if row is not None:
        return str(row[0])
    rule = secrets.token_hex(4)
    connection.execute(
        "INSERT INTO approval_rules VALUES (?, ?, ?, ?, ?, ?, NULL)", (rule, entry, host, network, by, now)
    )
    audit.append(connection, now, "approval_rule", {"rule": rule, "entry": entry, "host": host, "by": by})
    return rule
