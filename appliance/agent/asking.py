"""From a turn's messages to a model call: the prompt that fits who will answer, and the way back.

The model that would be asked first decides the prompt's profile. When only a model with a smaller window is left (the
budget is spent, the provider is down), the prompt is built again for that window rather than given up.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from appliance.agent.compaction import Compactor, Reason
from appliance.agent.guard import Guard, guess
from appliance.agent.history import messages_of
from appliance.agent.loop import Said, Text, Told
from appliance.agent.prompt import SMALL_WINDOW, Profile, PromptBuilder, profile_of, tool_characters
from appliance.agent.pruning import Pruner
from appliance.agent.turn import Asking
from appliance.agent.window import Window, fit, message_tokens, tokens
from appliance.clock import Clock
from appliance.errors import ModelFault
from appliance.messages import Block, Message, Person, Purpose, SessionKey
from appliance.models.base import Answer, Model, ModelRequest, Notice, Restarted, TextDelta, ToolSpec
from appliance.models.resolver import ChainError, Resolver
from appliance.observability.redaction import hide, stream_mask
from appliance.settings import Settings
from appliance.texts import say
from appliance.tools.registry import Registry

SMALL_OUTPUT = 1_024
MOST_OVERFLOWS = 3
MOST_HELD = 500  # messages of a conversation that only small windows answer: more of them are kept on disk alone
_SMALL_TOOLS = ("exec", "read", "write", "memory_search", "remember")
_MAY_WAIT = {ModelFault.UNAVAILABLE, ModelFault.NETWORK}


class Prompts(Protocol):
    """Gives the prompt builder of an agent."""

    def __call__(self, agent: str) -> PromptBuilder: ...


_SKILL_ROWS = "skill"  # the account has a row for each skill, the metrics one for all


def _hidden(content: tuple[Block, ...]) -> tuple[Block, ...]:
    """Blocks without the house's own secrets; a thinking block is signed, so one that holds a secret goes whole."""
    result = []
    for block in content:
        hidden = hide(block)
        if hidden == block or block["type"] not in ("thinking", "redacted_thinking"):
            result.append(hidden)
    return tuple(result)


@dataclass(slots=True)
class Brain:
    """Given the resolver and what prompts are made of, answer turns.

    `chain`: the models of a session in order. `coming`: what a local model is busy with, when it is on its way and
    worth waiting for; None when nothing is coming.
    """

    resolver: Resolver
    prompts: Prompts
    tools: Registry
    settings: Callable[[], Settings]
    clock: Clock
    chain: Callable[[SessionKey], Sequence[str]]
    compactor: Compactor
    pruner: Pruner
    coming: Callable[[str], str | None]
    counted: Callable[[Sequence[tuple[str, int]]], None] = lambda sections: None
    guard: Guard = field(default_factory=Guard)

    async def ask(self, asking: Asking, messages: list[Message]) -> AsyncIterator[Text | Told | Said]:
        """One model answer. Raises what Resolver.stream raises once nothing is left to try."""
        chain = list(self.chain(asking.session))
        model = self.resolver.preferred(chain, asking.turn)
        window = model.window if model else self.settings().models.working_window
        profile = self._profile(asking, window)
        said_news = ""
        overflows = 0
        view = self.pruner.apply(asking.session, messages)
        reason = await self._too_full(asking, view, window, model)
        if reason is not None:
            for told in await self._compact(asking, messages, window, reason):
                yield told
            view = self.pruner.apply(asking.session, messages)
        while True:
            request = self.request(asking, view, window, profile)
            try:
                async for event in self._stream(request, chain, asking):
                    yield event
                return
            except ChainError as error:
                too_long = [t.model for t in error.tried if t.kind == ModelFault.TOO_LONG]
                smaller = error.window if error.window is not None and error.window < window else None
                if smaller is not None and chain[0] not in too_long:
                    # The first model cannot answer for another reason: build for what is left.
                    window, profile, chain = smaller, self._profile(asking, smaller), too_long
                    continue
                if smaller is not None and overflows < MOST_OVERFLOWS:
                    # The provider counts more than we do: believe it, and come back with less.
                    overflows += 1
                    window = smaller
                    for told in await self._compact(asking, messages, window, "overflow"):
                        yield told
                    view = self.pruner.apply(asking.session, messages)
                    continue
                news = (
                    self.coming(asking.language)
                    if all(t.kind == "budget" or t.kind in _MAY_WAIT for t in error.tried)
                    else None
                )
                if news is None:
                    raise
            if news != said_news:
                said_news = news
                yield Told(news, passing=True)
            await self.clock.sleep(1.0)

    @staticmethod
    def _profile(asking: Asking, window: int) -> Profile:
        """The prompt that fits: the heartbeat's is always small, whoever answers it."""
        return "small" if asking.purpose is Purpose.HEARTBEAT else profile_of(window)

    async def _too_full(
        self, asking: Asking, messages: list[Message], window_size: int, model: Model | None
    ) -> Reason | None:
        """Why the door of compaction opens for this request, or None."""
        window = Window.of(window_size, self.settings().models.working_window)
        if window.size < SMALL_WINDOW:
            # A small window takes the newest that fits; a summary would not fit beside it.
            return "length" if len(messages) > MOST_HELD else None
        profile = self._profile(asking, window_size)
        prompt = self.prompts(asking.agent).build(asking.session, profile, window=window.size)
        tools = self.tools_for(asking.session, asking.person, profile)

        async def exact() -> int | None:
            return await model.count(self.request(asking, messages, window_size, profile)) if model else None

        guessed = guess(prompt.parts, tools, messages)
        over = await self.guard.over(window.compaction_line, model.name if model else "", guessed, exact)
        return "threshold" if over else None

    def window(self, session: SessionKey, turn: str = "") -> Window:
        """The working window of the model that would answer a session now."""
        model = self.resolver.preferred(list(self.chain(session)), turn)
        working = self.settings().models.working_window
        return Window.of(model.window if model else working, working)

    async def _compact(
        self, asking: Asking, messages: list[Message], window_size: int, reason: Reason
    ) -> tuple[Told, ...]:
        """Compact the session and put what is left of it into `messages`; return what the user is told."""
        window = Window.of(window_size, self.settings().models.working_window)
        share = window.size if reason == "length" else window.size // 5
        keep = min(share, message_tokens(messages) // 2)
        done = await self.compactor.compact(asking.session, reason=reason, keep_tokens=keep, turn=asking.turn)
        if done.outcome == "nothing":
            return ()
        messages[:] = messages_of(self.compactor.sessions.transcript(asking.session).window())
        if reason == "length":
            return ()  # what went was in no request any more
        key = "compacted" if done.outcome == "summary" else "compacted_cut"
        text = say(key, asking.language, before=done.before, after=done.after)
        return (Told(text, passing=done.outcome == "summary"),)

    async def _stream(
        self, request: ModelRequest, chain: Sequence[str], asking: Asking
    ) -> AsyncIterator[Text | Told | Said]:
        restart = False
        mask = stream_mask()
        stream = self.resolver.stream(request, chain=chain)
        try:
            async for event in stream:
                match event:
                    case TextDelta(text=text):
                        shown = mask.feed(text)
                        if shown or restart:
                            yield Text(shown, restart=restart)
                            restart = False
                    case Restarted():
                        restart, mask = True, stream_mask()
                    case Notice():
                        yield Told(event.text(asking.language))
                    case Answer(finished=finished, cost=cost, model=name, local=local):
                        if not finished.usage.estimated:
                            guessed = guess(request.system, request.tools, request.messages)
                            self.guard.learn(name, guessed, finished.usage.prompt)
                        if rest := mask.rest():
                            yield Text(rest, restart=restart)
                        content = _hidden(finished.content)
                        yield Said(content, name, finished.usage, cost, finished.stop, local=local)
                    case _:
                        pass
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await close()

    def request(self, asking: Asking, messages: list[Message], window_size: int, profile: Profile) -> ModelRequest:
        """The request for a model with this window: prompt profile, tools, and as much history as fits."""
        settings = self.settings()
        window = Window.of(window_size, settings.models.working_window)
        tools = self.tools_for(asking.session, asking.person, profile)
        prompt = self.prompts(asking.agent).build(
            asking.session, profile, window=window.size, skills=_has_skills(tools)
        )
        output = min(settings.models.max_output_tokens, SMALL_OUTPUT if profile == "small" else 1_000_000)
        used = sum(tool_characters(t) for t in tools) // 4
        self.counted(
            [
                *((s.name, s.tokens) for s in prompt.sections if not s.name.startswith(_SKILL_ROWS)),
                ("skills", sum(s.tokens for s in prompt.sections if s.name.startswith(_SKILL_ROWS))),
                ("tools", used),
                ("conversation", message_tokens(messages)),
            ]
        )
        fixed = sum(tokens(part.text) for part in prompt.parts) + sum(tool_characters(t) // 3 for t in tools)
        allowance = max(256, window.size - max(window.reserve, min(output, window.size // 3)) - fixed)
        if message_tokens(messages) > allowance:
            messages, _ = fit(messages, allowance)
        return ModelRequest(
            system=prompt.parts,
            messages=tuple(messages),
            tools=tools,
            max_tokens=output,
            purpose=asking.purpose,
            session=asking.session,
            agent=asking.agent,
            channel=asking.channel,
            turn=asking.turn,
        )

    def tools_for(self, session: SessionKey, person: Person, profile: Profile) -> tuple[ToolSpec, ...]:
        specs = self.tools.specs(session, person)
        if profile == "small" and not session.value.startswith("heartbeat:"):  # it has few, and its own
            return tuple(s for s in specs if s.name in _SMALL_TOOLS)
        return specs

    def account(self, session: SessionKey, person: Person, history: Sequence[Message]) -> dict[str, Any]:
        """What the next request of a session would hold: the design's `context --json` form."""
        purpose = Purpose.HEARTBEAT if session.value.startswith("heartbeat:") else Purpose.CHAT
        asking = Asking(session, person, session.agent, "web", "", "en", purpose)
        model: Model | None = self.resolver.preferred(list(self.chain(session)))
        window = model.window if model else self.settings().models.working_window
        profile = self._profile(asking, window)
        request = self.request(asking, list(history), window, profile)
        prompt = self.prompts(session.agent).build(
            session,
            profile,
            window=Window.of(window, self.settings().models.working_window).size,
            skills=_has_skills(request.tools),
        )
        tools = [
            {"name": t.name, "chars": tool_characters(t), "tokens": (tool_characters(t) + 3) // 4, "cut": False,
             "cached": True}
            for t in request.tools
        ]  # fmt: skip
        sections = [
            {"name": s.name, "chars": s.chars, "tokens": s.tokens, "cut": s.cut, "cached": s.cached, "why": s.why}
            for s in prompt.sections
        ]
        used = message_tokens(request.messages)
        total = (
            sum(s.tokens for s in prompt.sections) + sum((tool_characters(t) + 3) // 4 for t in request.tools) + used
        )
        return {
            "total_tokens": total,
            "sections": sections,
            "tools": tools,
            "history_tokens": used,
            "model": model.name if model else "",
            "window": window,
            "profile": profile,
        }


def _has_skills(tools: Sequence[ToolSpec]) -> bool:
    """Whether skills can be read with these tools."""
    return any(tool.name == "skill" for tool in tools)
