"""Paid first: every model call is reserved at its worst case before it is made, and settled after.

What holds: spent plus reserved never passes a limit; a reservation is never smaller than what the call can cost; each
of reserve and settle is one transaction, so no kill leaves half of one; what a dead process left open is charged as
reserved. What does not: a provider that bills more than the tokens it was sent is charged as it says, and reported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import apsw

from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.database import Database
from appliance.errors import BudgetError, BudgetExceededError, InputError, UnpricedModelError
from appliance.messages import Usage
from appliance.settings.budget import BudgetSettings
from appliance.spending import adjust, budget_day, charging, ledger, limits, marks, recovery, tokens
from appliance.spending.budget_day import BudgetDay
from appliance.spending.calls import BudgetEvent, CallSpec, Reservation, notice_of_mark, raise_command
from appliance.spending.ledger import Call, Charge, Query, query_of
from appliance.spending.limits import Balance, Verdict, Worst
from appliance.spending.money import picodollars, show
from appliance.spending.prices import FREE, ModelPrice, Prices, flat
from appliance.tasks import first

__all__ = ["Budget", "BudgetEvent", "CallSpec", "Reservation"]
_TIGHT_SHARE = 4
# id of the reservation or 0, its row, the decision, the day, news for the owner
Attempt = tuple[int, Call, Verdict, BudgetDay, list[BudgetEvent]]


class Budget:
    """Given where the books are, the prices, the settings as they are now, the owner's zone and a clock, decide about
    money. `on_event` is called on the event loop after the commit and must not raise."""

    def __init__(
        self,
        database: Database,
        prices: Prices,
        settings: Callable[[], BudgetSettings],
        zone: Callable[[], ZoneInfo],
        clock: Clock,
        on_event: Callable[[BudgetEvent], None] | None = None,
    ) -> None:
        self._database = database
        self._prices = prices
        self._settings = settings
        self._zone = zone
        self._clock = clock
        self._on_event = on_event
        self._waiting: set[asyncio.Event] = set()
        self._background: set[asyncio.Future[None]] = set()
        self._open: dict[int, float] = {}  # reservations of this process, and since when by the monotonic clock
        self._orphans: list[int] = []
        self._damage = ""

    # -- before a call

    async def reserve(self, call: CallSpec) -> Reservation:
        """Hold the worst case of a call. Waits, at most `budget.wait_seconds`, while only open reservations stand in
        the way; makes the output limit smaller, not under 512, when little is left.

        Raises BudgetExceededError, UnpricedModelError, or BudgetError when the books are damaged.
        """
        self._refuse_closed(call)
        price = await self._price(call)
        worst = self._worst(call, price)
        until = self._clock.monotonic() + self._settings().wait_seconds
        waited = False
        while True:
            freed = asyncio.Event()
            self._waiting.add(freed)
            try:
                may_wait = self._clock.monotonic() < until
                granted, verdict, day = await self._try(call, price, worst, may_wait=may_wait, waited=waited)
                if granted is not None:
                    return granted
                if verdict.action == "refuse":
                    raise self._exceeded(verdict, day)
                waited = True
                await self._wait_for(freed, until)
            finally:
                self._waiting.discard(freed)

    def tight(self, call: CallSpec) -> bool:
        """True when the bound of this call is a large part of what is left, so that an exact count is worth asking."""
        price = self._prices.known(call.model, call.provider)
        if call.local or call.input_tokens is not None or price is None:
            return False
        worst = self._worst(call, price)
        spec = self._row(call, self._today().name)
        left = [b.free for b in self._balances(self._database.read, spec)]
        return bool(left) and worst.amount(call.max_tokens) * _TIGHT_SHARE > min(left)

    async def narrow(self, reservation: Reservation, usage: Usage) -> None:
        """The provider accepted the call and said what its prompt came to: hold only that and the output limit, so
        that others need not wait for a guess. Does nothing while server tools may still add to the prompt."""
        if reservation.spec.local or reservation.spec.server_tools or usage.estimated or usage.prompt <= 0:
            return
        known = Usage(usage.input, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h, reservation.max_tokens)
        amount = reservation.price.cost(known, reservation.spec.modes)
        if amount >= reservation.amount:
            return
        reservation.amount = await self._database.write(
            lambda connection: ledger.narrow_reservation(connection, reservation.id, amount)
        )
        self._wake()

    # -- after a call

    async def settle(
        self, reservation: Reservation, usage: Usage, *, model: str | None = None, outcome: str = "ok"
    ) -> int:
        """Charge what the call came to and return it in picodollars; a second settle returns the first one's charge.

        `model` is who really answered, `outcome` a short word for the metrics. A call without usage is charged as
        reserved and marked as a bound; an estimate without a prompt gets a likely one. Never 0 for a paid model.
        """
        answering = await self._answering(reservation, model)
        charge = self._charge(reservation, usage, answering, outcome)
        row = reservation.call if model is None else replace(reservation.call, model=model)

        def work(connection: apsw.Connection) -> tuple[int, list[BudgetEvent]]:
            done = ledger.charged(query_of(connection), reservation.id)
            if done is not None:
                return done, []
            ledger.close_reservation(connection, reservation.id)
            ledger.enter(connection, reservation.id, row, charge, reservation.amount)
            if charge.figure == "provider":
                tokens.learn(connection, reservation.spec.model, reservation.spec.size, usage.prompt)
            return charge.cost, self._events(connection, row, charge.cost, reservation.amount)

        crash_point("budget.before_settle")
        cost, events = await self._database.write(work)
        self._open.pop(reservation.id, None)
        crash_point("budget.settled")
        self._wake()
        self._tell(events)
        return cost

    async def release(self, reservation: Reservation, *, outcome: str = "error") -> None:
        """The provider never accepted the call, so nothing was billed: give back what was held."""
        await self._unreserve(reservation.id, reservation.call, outcome)

    async def close(self) -> None:
        """Wait for what is still being given back; call it before the database is closed."""
        while self._background:
            await asyncio.gather(*self._background)

    def recover(self) -> int:
        """At start, before any call: check today's totals, charge what a dead process left open as it was reserved,
        and return how many calls that were. Damage found here refuses paid calls until `repair`."""
        self._orphans = [row[0] for row in self._database.read("SELECT id FROM reservations")]
        self._damage = "; ".join(ledger.check(self._database.read, self._today().name))
        if self._damage or not self._orphans:
            return 0
        orphans, self._orphans = self._orphans, []
        return self._database.write_now(lambda connection: recovery.charge_orphans(connection, orphans))

    async def repair(self) -> int:
        """Count today's totals again from the rows, charge what `recover` then could not, and return how many calls
        that were. Raises BudgetError when a row itself is damaged: that is never guessed at."""
        day = self._today().name
        bad = await self._database.write(lambda connection: recovery.count_again(connection, day))
        if bad:
            raise ledger.damaged("; ".join(bad))
        self._damage = "; ".join(ledger.check(self._database.read, day))
        orphans, self._orphans = self._orphans, []
        return await self._database.write(lambda connection: recovery.charge_orphans(connection, orphans))

    async def expire(self, seconds: float = 3600.0) -> int:
        """For housekeeping: charge reservations that have been open for longer than any call can take, because whoever
        held them has forgotten them; return how many."""
        now = self._clock.monotonic()
        old = [identity for identity, began in self._open.items() if now - began >= seconds]
        for identity in old:
            del self._open[identity]
        count = await self._database.write(lambda connection: recovery.charge_orphans(connection, old)) if old else 0
        self._wake()
        return count

    @property
    def damage(self) -> str:
        """What is wrong with the books, or an empty text."""
        return self._damage

    # -- what the owner sees and sets

    def status(self) -> list[dict[str, Any]]:
        """How every limit stands, in the form of `appliance budget --json`; the day's first, also without a limit."""
        day = self._today()
        read, settings = self._database.read, self._settings()
        return limits.status(read, settings, day)

    def standing(self) -> Balance | None:
        """How the day's limit stands, in picodollars; None without one."""
        return limits.balance(self._database.read, self._settings(), self._today().name, "day", "")

    @property
    def day(self) -> BudgetDay:
        """The day that calls are charged to now."""
        return self._today()

    async def raise_today(self, usd: Decimal, scope: str = "day") -> None:
        """Raise a limit for the rest of this day. `scope`: day, or such as purpose:heartbeat, as `status` writes it.

        Raises InputError for an amount that is none, or a scope without a limit.
        """
        amount = picodollars(usd)
        name, _, key = scope.partition(":")
        day = self._today()
        if amount == 0 or limits.base_limit(self._database.read, self._settings(), name, key) is None:
            why = "0 raises nothing" if amount == 0 else f"{scope} has no limit that could be raised"
            raise InputError(f"The limit stays as it is: {why}.", fix="`appliance budget` lists the limits.")

        await self._database.write(
            lambda connection: adjust.raise_limit(connection, self._settings(), day.name, name, key, amount)
        )
        self._wake()

    async def set_daily(self, usd: Decimal | None) -> None:
        """Keep another daily limit than the setting, from now on; None goes back to the setting. It also lapses when
        the setting is changed. Raises InputError for an amount that is none."""
        if usd is not None:
            picodollars(usd)
        day = self._today()

        await self._database.write(lambda connection: adjust.set_daily(connection, self._settings(), day.name, usd))
        self._wake()

    @property
    def paused(self) -> str:
        """Why paid models are paused, or an empty text."""
        rows = self._database.read("SELECT value FROM spending_state WHERE key = 'paused'")
        return str(rows[0][0]) if rows else ""

    async def pause(self, why: str) -> None:
        """Call no paid model until `resume`, across restarts; what is under way goes on."""
        await self._database.write(lambda connection: adjust.pause(connection, why))

    async def resume(self) -> None:
        """Let paid models go on."""
        await self._database.write(lambda connection: adjust.pause(connection, ""))

    def mark(self, name: str, percent: int) -> str | None:
        """The key of the notice of a mark, when it is set now; `name` is a scope as `status` writes it."""
        scope, _, key = name.partition(":")
        day = self._today()
        stands = limits.balance(self._database.read, self._settings(), day.name, scope, key)
        if stands is None or not marks.is_set(self._database.read, day.name, stands, percent):
            return None
        return notice_of_mark(name, percent, day.name, stands.limit)

    # -- inside

    def _today(self) -> BudgetDay:
        return budget_day.current(self._database.read, self._clock.now(), self._zone())

    async def _price(self, call: CallSpec) -> ModelPrice:
        if call.local:
            return FREE
        try:
            return await self._prices.find(call.model, call.provider)
        except UnpricedModelError:
            rate = self._settings().unpriced_usd_per_mtok
            await self._database.write(
                lambda connection: ledger.count(connection, "unpriced", "", "refused" if rate is None else "flat")
            )
            if rate is None:
                raise
            return flat(rate)

    async def _answering(self, reservation: Reservation, model: str | None) -> ModelPrice:
        """The price of who really answered; of who was asked when the other one's is unknown."""
        if reservation.spec.local or model is None or model == reservation.spec.model:
            return reservation.price
        try:
            return await self._prices.find(model, reservation.spec.provider)
        except UnpricedModelError:
            return reservation.price

    @staticmethod
    def _worst(call: CallSpec, price: ModelPrice) -> Worst:
        return Worst(
            price=price,
            prompt=call.size.bound,
            written=call.cache_write,
            long_lived=call.long_cache,
            modes=call.modes,
            tools=price.tools(call.server_tools),
        )

    def _row(self, call: CallSpec, day: str) -> Call:
        return Call(
            day=day, at=self._clock.now(), model=call.model, provider=call.provider, local=call.local,
            purpose=str(call.purpose), session=call.session, agent=call.agent, channel=call.channel, turn=call.turn,
        )  # fmt: skip

    def _balances(self, query: Query, row: Call) -> list[Balance]:
        return limits.balances(query, self._settings(), row.day, row.scopes())

    async def _try(
        self, call: CallSpec, price: ModelPrice, worst: Worst, *, may_wait: bool, waited: bool
    ) -> tuple[Reservation | None, Verdict, BudgetDay]:
        """One transaction: read the limits, decide, and write the reservation when the answer is yes."""
        if waited and may_wait:  # woken: look before taking the writer's time
            today = self._today()
            glance = limits.decide(
                self._balances(self._database.read, self._row(call, today.name)), worst, call.max_tokens
            )
            if glance.action == "wait":
                return None, glance, today
        now, zone = self._clock.now(), self._zone()

        def work(connection: apsw.Connection) -> Attempt:
            query = query_of(connection)
            day = budget_day.current(query, now, zone)
            row = self._row(call, day.name)
            verdict = limits.decide(
                [] if call.local else self._balances(query, row), worst, call.max_tokens, may_wait=may_wait
            )
            budget_day.remember(connection, day)
            identity, events = 0, []
            if verdict.action == "allow":
                identity = ledger.open_reservation(connection, row, verdict.amount)
            if verdict.by is not None and (verdict.shrunk or verdict.action == "refuse"):
                events = marks.reached(connection, day, verdict.by, 100)
            if verdict.action != "wait" and not call.local:
                action = "shrunk" if verdict.shrunk else "allowed" if verdict.action == "allow" else "refused"
                ledger.count(connection, "decision", verdict.by.scope if verdict.by else "day", action)
            return identity, row, verdict, day, events

        crash_point("budget.before_reserve")
        identity, row, verdict, day, events = await self._kept(work)
        crash_point("budget.reserved")
        self._tell(events)
        if verdict.action != "allow":
            return None, verdict, day
        self._open[identity] = self._clock.monotonic()
        reservation = Reservation(
            id=identity, max_tokens=verdict.output, amount=verdict.amount, day=day.name, call=row, spec=call,
            price=price, started=self._clock.monotonic(),
        )  # fmt: skip
        return reservation, verdict, day

    async def _kept(self, work: Callable[[apsw.Connection], Attempt]) -> Attempt:
        """Write; when the caller is cancelled meanwhile, give back what is granted after all, for nobody would."""
        writing = asyncio.ensure_future(self._database.write(work))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            giving_back = asyncio.ensure_future(self._give_back(writing))
            self._background.add(giving_back)
            giving_back.add_done_callback(self._background.discard)
            raise

    async def _give_back(self, writing: asyncio.Future[Attempt]) -> None:
        try:
            identity, row, _, _, events = await writing
        except (BudgetError, apsw.Error):  # nothing was granted, and who asked has gone
            return
        self._tell(events)
        if identity:
            await self._unreserve(identity, row, "cancelled")

    async def _unreserve(self, identity: int, row: Call, outcome: str) -> None:
        def work(connection: apsw.Connection) -> None:
            if ledger.close_reservation(connection, identity):
                ledger.count_request(connection, row, outcome, Usage(), 0)

        await self._database.write(work)
        self._open.pop(identity, None)
        self._wake()

    async def _wait_for(self, freed: asyncio.Event, until: float) -> None:
        """Until money comes free or the time is over."""
        left = max(0.0, until - self._clock.monotonic())
        await first(freed.wait(), self._clock.sleep(left))

    def _charge(self, reservation: Reservation, usage: Usage, price: ModelPrice, outcome: str) -> Charge:
        seconds = max(0.0, self._clock.monotonic() - reservation.started)
        spec = reservation.spec
        if spec.local:
            return charging.local(usage, picodollars(self._settings().electricity_usd_per_hour), outcome, seconds)
        likely = lambda: tokens.likely(self._database.read, spec.model, spec.size)  # noqa: E731 - asked for rarely
        return charging.paid(spec, usage, price, reservation.amount, likely, outcome, seconds)

    def _events(self, connection: apsw.Connection, row: Call, cost: int, reserved: int) -> list[BudgetEvent]:
        """Marks that this charge passed, and a bill over its reservation."""
        query = query_of(connection)
        day = budget_day.current(query, self._clock.now(), self._zone())
        events = []
        if cost > reserved and not row.local:
            events.append(BudgetEvent("overrun", "model", row.model, row.day, 0, cost, reserved, day.resets_at))
        stands = limits.balance(query, self._settings(), row.day, "day", "")
        if cost and stands is not None and row.day == day.name:
            events += marks.passed(connection, day, stands)
        return events

    def _exceeded(self, verdict: Verdict, day: BudgetDay) -> BudgetExceededError:
        by = verdict.by
        if by is None:
            raise BudgetError("A call was refused without a limit.")
        what = "today's limit" if by.scope == "day" else f"today's limit of {by.scope} {by.key}"
        opens = budget_day.local_time(day.resets_at, self._zone())
        held = f", {show(by.reserved)} held by calls under way" if by.reserved else ""
        return BudgetExceededError(
            f"This call could pass {what}: {show(by.spent)} of {show(by.limit)} is spent{held}.",
            scope=by.name,
            resets_at=day.resets_at,
            fix=f"It opens again at {opens}; `{raise_command(by.name)}` raises it for today.",
        )

    def _refuse_closed(self, call: CallSpec) -> None:
        """Nothing is paid while the books are damaged or paid models are paused."""
        if call.local:
            return
        if self._damage:
            raise ledger.damaged(self._damage)
        if self.paused:
            raise BudgetExceededError(
                f"Paid models are paused: {self.paused}",
                scope="paused",
                resets_at=self._today().resets_at,
                fix="`/budget resume` lets them go on.",
            )

    def _wake(self) -> None:
        for freed in self._waiting:
            freed.set()

    def _tell(self, events: list[BudgetEvent]) -> None:
        if self._on_event is not None:
            for event in events:
                self._on_event(event)
