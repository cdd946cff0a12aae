"""The everyday commands: what they read and change, and how they say it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol

from appliance.agent.compaction import Compacted, Compactor
from appliance.agent.sessions import Sessions
from appliance.errors import InputError
from appliance.gateway.commands import Ask, Choice, Commands, Said
from appliance.lanes.pool import Pool
from appliance.messages import Mode, Person, Role, SessionKey
from appliance.texts import say


class MoneyText(Protocol):
    """Says today's money as Markdown."""

    def spend_text(self, by: str, language: str) -> str: ...
    def budget_text(self, language: str) -> str: ...


class BudgetFace(Protocol):
    async def raise_today(self, usd: Decimal, scope: str = "day") -> None: ...
    async def set_daily(self, usd: Decimal | None) -> None: ...
    async def resume(self) -> None: ...


@dataclass(slots=True)
class Everyday:
    """Given the parts they speak of, add the commands that need no model."""

    sessions: Sessions
    pool: Pool
    budget: BudgetFace
    money: MoneyText
    chain: Callable[[SessionKey], Sequence[str]]
    models: Callable[[], Sequence[str]]
    status: Callable[[str], str]
    context: Callable[[SessionKey, Person], dict[str, Any]]
    doctor: Callable[[str], Awaitable[list[dict[str, Any]]]]
    cooled: Callable[[SessionKey], None]
    audit: Callable[..., None]
    compactor: Compactor

    def add_to(self, commands: Commands) -> None:
        commands.add("new", self.new, Role.GUEST, alias=("reset",))
        commands.add("compact", self.compact, Role.MEMBER)
        commands.add("stop", self.stop, Role.GUEST)
        commands.add("status", self.show_status, Role.MEMBER)
        commands.add("context", self.show_context, Role.OWNER)
        commands.add("spend", self.show_spend, Role.OWNER)
        commands.add("budget", self.show_budget, Role.OWNER)
        commands.add("model", self.choose_model, Role.OWNER)
        commands.add("queue", self.queue, Role.MEMBER)
        commands.add("whoami", self.whoami, Role.GUEST, alias=("start",))
        commands.add("doctor", self.show_doctor, Role.OWNER)

    async def new(self, ask: Ask) -> str:
        async def begin() -> None:
            self.sessions.start_anew(ask.session)
            self.cooled(ask.session)

        await self.pool.alone(ask.session, begin)
        return say("new_session", ask.language)

    async def compact(self, ask: Ask) -> str:
        results: list[Compacted] = []

        async def work() -> None:
            results.append(
                await self.compactor.compact(ask.session, reason="asked", keep_tokens=1_000, focus=ask.argument)
            )

        await self.pool.alone(ask.session, work)
        done = results[0]
        if done.outcome == "nothing":
            return say("nothing_to_compact", ask.language)
        key = "compacted" if done.outcome == "summary" else "compacted_cut"
        return say(key, ask.language, before=done.before, after=done.after)

    async def stop(self, ask: Ask) -> str:
        return say("stopped" if self.pool.stop(ask.session) else "nothing_to_stop", ask.language)

    async def show_status(self, ask: Ask) -> str:
        return self.status(ask.language)

    async def show_context(self, ask: Ask) -> str:
        if ask.words not in ([], ["list"], ["detail"]):
            return say("context_usage", ask.language)
        return context_text(self.context(ask.session, ask.person), ask.language, detail=ask.words == ["detail"])

    async def show_spend(self, ask: Ask) -> str:
        return self.money.spend_text(ask.words[0] if ask.words else "model", ask.language)

    async def show_budget(self, ask: Ask) -> Said:
        done = ""
        match ask.words:
            case []:
                pass
            case ["raise", amount, *scope] if len(scope) < 2:
                usd = _dollars(amount, ask.language)
                await self.budget.raise_today(usd, *scope)
                self.audit("budget_raised", usd=amount, scope=" ".join(scope) or "day", by=ask.person.id)
                done = say("budget_raised", ask.language, usd=usd)
            case ["resume"]:
                await self.budget.resume()
                self.audit("budget_resumed", by=ask.person.id)
                done = say("budget_resumed", ask.language)
            case ["set", "default"]:
                await self.budget.set_daily(None)
                self.audit("budget_set", usd="default", by=ask.person.id)
                done = say("budget_set_default", ask.language)
            case ["set", amount]:
                usd = _dollars(amount, ask.language)
                await self.budget.set_daily(usd)
                self.audit("budget_set", usd=amount, by=ask.person.id)
                done = say("budget_set", ask.language, usd=usd)
            case _:
                raise InputError(say("budget_usage", ask.language))
        text = f"{done}\n{self.money.budget_text(ask.language)}".strip()
        return Said(text, (Choice(say("budget_raise_label", ask.language), "/budget raise 1"),))

    async def choose_model(self, ask: Ask) -> Said:
        names = list(self.models())
        if ask.words:
            wanted = ask.words[0]
            if wanted == "auto":
                wanted = ""
            elif wanted not in names:
                raise InputError(say("model_unknown", ask.language, name=wanted, names=", ".join(names)))
            await self.sessions.choose(ask.session, "model", wanted)
        current = self.chain(ask.session)
        choices = tuple(Choice(name, f"/model {name}") for name in [*names, "auto"])
        return Said(say("model_chain", ask.language, chain=" → ".join(current)), choices)

    async def queue(self, ask: Ask) -> Said:
        if ask.words:
            if ask.words[0] not in list(Mode):
                raise InputError(say("queue_unknown", ask.language, modes=", ".join(Mode)))
            await self.sessions.choose(ask.session, "mode", ask.words[0])
        depth = self.pool.lane(ask.session).depth
        mode = self.sessions.option(ask.session, "mode") or str(Mode.STEER)
        return Said(
            say("queue_state", ask.language, mode=mode, depth=depth), tuple(Choice(m, f"/queue {m}") for m in Mode)
        )

    async def whoami(self, ask: Ask) -> str:
        return say(
            "whoami", ask.language, id=ask.person.id, role=ask.person.role, channel=ask.channel, session=ask.session
        )

    async def show_doctor(self, ask: Ask) -> str:
        marks = {"pass": "✓", "warn": "!", "fail": "✗"}
        rows = await self.doctor(ask.language)
        names = [say(f"check_{row['check']}", ask.language) for row in rows]
        lines = [f"{marks[row['status']]} {name}: {row['detail']}" for name, row in zip(names, rows, strict=True)]
        fixes = [
            f"→ {name}: {row['fix']}"
            for name, row in zip(names, rows, strict=True)
            if row["status"] != "pass" and row["fix"]
        ]
        return "\n".join([*lines, *fixes])


def context_text(account: dict[str, Any], language: str, *, detail: bool) -> str:
    """The account of the next request: a row for each file and section, and one for all skills and all tools.

    With `detail` each skill and tool has a row of its own, and each row its characters and whether it is cached.
    """
    skills = [row for row in account["sections"] if row["name"].startswith("skill")]
    single = [row for row in account["sections"] if row not in skills]
    tools = account["tools"]
    lines = [say("context_total", language, total=account["total_tokens"], window=account["window"])]
    if detail:
        lines += [_context_row(row, language) for row in (*single, *skills)]
        lines += [_context_row({**row, "name": f"`{row['name']}`"}, language) for row in tools]
    else:
        lines += [f"- {row['name']}: {row['tokens']:,}{' ✂' if row['cut'] else ''}" for row in single]
        for name, rows in (("skills", skills), ("tools", tools)):
            if rows:
                count = len(rows) - (name == "skills")  # one row is the list's head
                said = say(f"context_{name}", language, count=count)
                lines.append(f"- {said}: {sum(row['tokens'] for row in rows):,}")
    lines.append(f"- {say('context_history', language)}: {account['history_tokens']:,}")
    return "\n".join(lines)


def _context_row(row: dict[str, Any], language: str) -> str:
    notes = [say("context_chars", language, count=f"{row['chars']:,}")]
    notes += [say("context_cut", language)] if row["cut"] else []
    notes += [say("context_cached" if row["cached"] else "context_uncached", language)]
    return f"- {row['name']}: {row['tokens']:,} ({', '.join(notes)})"


def _dollars(text: str, language: str) -> Decimal:
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise InputError(say("budget_no_amount", language, text=text), fix=say("budget_usage", language))
    return amount
