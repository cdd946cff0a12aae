"""Memory in the house: capture after a turn and before a compaction, flushed notes, `/memory`; part of the root."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from appliance.agent.transcript import Record
from appliance.automation.quiet import quiet_of
from appliance.clock import Clock
from appliance.gateway.commands import Ask, Choice, Commands, Said
from appliance.memory.boundaries import no_pushes, no_voice
from appliance.memory.capturing import Capturing, statements_of, statements_of_records
from appliance.memory.house import Memory
from appliance.memory.idle import INFERRED
from appliance.memory.items import OWNER, Item
from appliance.memory.owner import OwnersMemory
from appliance.memory.quarantine import FLUSHED
from appliance.messages import Person, Received, Reply, Role, SessionKey
from appliance.texts import say

_SHOWN = 20


class Remembering:
    """Given memory, keep what people say and answer `/memory`.

    `settled` says whether rows of the inbox are answered and captured. `erased` removes a text from what the rest of
    the house keeps, and returns in how many rows it stood. `context` accounts for what a conversation's next prompt
    holds.
    """

    def __init__(
        self,
        memory: Memory,
        clock: Clock,
        counted: Callable[[str], None],
        settled: Callable[[Sequence[int]], bool],
        erased: Callable[[str], Awaitable[int]],
        context: Callable[[SessionKey, Person], dict[str, Any]],
    ) -> None:
        self._memory = memory
        self._clock = clock
        self._context = context
        self._capturing = Capturing(memory, counted, lambda text: quiet_of(text) is not None)
        self._settled = settled
        self._erased = erased

    def owners(self, agent: str) -> OwnersMemory:
        """An agent's memory as the owner may handle it. Raises NotFoundError."""
        self._memory.items(agent)  # says so when there is no such agent
        return OwnersMemory(self._memory, agent, self._erased)

    async def after_turn(self, received: Sequence[Received], reply: Reply) -> None:
        """Before an answer is committed: what people said by rule, into the day note."""
        await self._capturing.take(statements_of(received))

    async def before_compaction(self, session: SessionKey, records: Sequence[Record]) -> None:
        """The same over what was left out after a turn, in the part of the owner's conversation that leaves the window.

        Over no more: a line that the owner deleted from a day note since stays deleted.
        """
        if session.is_main:
            left_out = [r for r in records if not self._settled(r.get("rows", ()))]
            await self._capturing.take(statements_of_records(left_out, session.agent, session.value))

    async def note(self, session: SessionKey, text: str, tainted: bool) -> None:
        """What a flush found: to the day note, or to quarantine when outside text may have had a hand in it."""
        if tainted:
            now, agent = self._clock.now(), session.agent
            self._memory.quarantine.hold(text, at=now, session=session.value, agent=agent, person=OWNER, origin=FLUSHED)
            return
        await self._memory.note(text, session.agent)

    def add_commands(self, commands: Commands) -> None:
        commands.add("memory", self._command, Role.OWNER, private=True)

    async def _command(self, ask: Ask) -> Said | str:
        owner = self.owners(ask.session.agent)
        match ask.words:
            case ["forget", *words] if words:
                done = await owner.forget(" ".join(words), erase=False)
                gone = "\n".join(f"- {item['text']}" for item in done["forgotten"])
                return Said(
                    say("memory_forgotten", ask.language, items=gone),
                    (Choice(say("memory_undo_label", ask.language), "/memory undo"),),
                )
            case ["undo"]:
                done = await owner.undo()
                back = "\n".join(f"- {item['text']}" for item in done["restored"])
                return say("memory_restored", ask.language, items=back)
            case ["keep" | "drop" as decision, held]:
                done = await owner.decide(held, decision == "keep")
                return say(f"memory_{decision}", ask.language, text=done.get("kept") or done.get("dropped") or "")
            case ["trace"]:
                return self._trace(ask)
            case _:
                return self._overview(ask, owner)

    def _trace(self, ask: Ask) -> str:
        """Which tiers the prompt of this conversation holds, how long each is, and why."""
        account = self._context(ask.session, ask.person)
        lines = [f"- L0: {account['history_tokens']:,} tokens, the newest turns as they were said"]
        lines += [f"- {s['name']}: {s['tokens']:,} tokens, {s['why']}" for s in account["sections"] if s["why"]]
        lines += [
            f"- {one['tier']} {one['what']}: {one['chars']:,} characters, {one['why']}" for one in account["recalled"]
        ]
        return "\n".join([say("memory_trace", ask.language), *lines])

    def _overview(self, ask: Ask, owner: OwnersMemory) -> Said:
        """The newest items, what waits in quarantine, and how to change either."""
        items = self._memory.items(owner.agent).told()[-_SHOWN:]
        lines = [f"- [{item.tag}] {item.text} `{item.id}`{_kept(item, ask.language)}" for item in reversed(items)]
        waiting = owner.waiting()
        if waiting:
            lines.append(say("memory_waiting", ask.language, count=len(waiting)))
            mark = say("memory_inferred_mark", ask.language)
            lines += [
                f"- {held['text']} `{held['id']}`{f' {mark}' if held['origin'] == INFERRED else ''}"
                for held in waiting[:5]
            ]
        choices = [
            Choice(f"{say(f'memory_{verb}_label', ask.language)}: {held['text'][:24]}", f"/memory {verb} {held['id']}")
            for held in waiting[:3]
            for verb in ("keep", "drop")
        ]
        head = say("memory_items" if items else "memory_empty", ask.language)
        return Said("\n".join([head, *lines]), tuple(choices))


def _kept(item: Item, language: str) -> str:
    """How the house itself keeps a boundary, or "" when that is for the model to mind."""
    if item.tag != "B" or item.inferred:
        return ""
    quiet = quiet_of(item.text)
    if quiet is not None:
        return " " + say("memory_kept_quiet", language, hours=quiet.shown(say("weekdays", language).split()))
    if no_pushes(item.text):
        return " " + say("memory_kept_pushes", language)
    return " " + say("memory_kept_voice", language) if no_voice(item.text) else ""
