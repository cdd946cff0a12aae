"""The only way to a model: choose, pay first, call, settle; wait, retry or fall back by the class of the fault.

For each model of the chain: is it resting, does the request fit its window, is there money; then one paid call
(paid_call.py). Nothing that was accepted by a provider goes unpaid: not a cut or cancelled stream, not an answer that
cannot be used, not a stream without usage.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal

from appliance.clock import Clock
from appliance.errors import BudgetError, BudgetExceededError, ModelError, ModelFault, UnpricedModelError
from appliance.models import estimate
from appliance.models.base import (
    Answer,
    Model,
    ModelRequest,
    Notice,
    ResolvedEvent,
    Restarted,
    TextDelta,
    asks_with_picture,
)
from appliance.models.cooldown import Cooldowns
from appliance.models.paid_call import CallRecord, PaidCalls, Purse, Watcher
from appliance.spending.calls import Reservation

__all__ = ["AtLimit", "CallRecord", "ChainError", "Purse", "Resolver", "Tried", "Watcher"]

_MIN_OUTPUT = 512
_SHORT_WAIT = 30.0  # seconds a user is kept waiting because a provider said so
_BACKOFF = (1.0, 2.0, 4.0)
_REMEMBERED = 512
_SHORTEN = "/new begins a new conversation, /compact shortens this one; attach long texts as files."
_CONFIGURE = "Give it a key (ANTHROPIC_API_KEY_FILE), or switch the local model on (local.enabled)."
AtLimit = Literal["local", "stop", "ask"]


@dataclass(frozen=True, slots=True)
class Tried:
    """A model that did not answer, and why. `kind` is a ModelFault, "budget" or "unpriced"."""

    model: str
    kind: str
    why: str


class ChainError(ModelError):
    """No model of the chain answered; `tried` says why for each.

    `kind` is the first model's trouble. `window`, when not None, is the largest window (tokens) of a model that was
    ready and only too small for this request, or less than what a provider refused as too long: with a prompt built
    for it there would be an answer.
    """

    def __init__(self, tried: Sequence[Tried], *, window: int | None, retry_after: float | None, fix: str) -> None:
        self.tried = tuple(tried)
        self.window = window
        what = f"No model could answer. {self.reasons()}"
        super().__init__(what, kind=_first_kind(tried), retry_after=retry_after, fix=fix)

    def reasons(self, shown: Callable[[str], str] = str) -> str:
        """Each model and why it did not answer, as `shown` shows a reason."""
        told = [shown(t.why) if t.why.startswith(t.model) else f"{t.model}: {shown(t.why)}" for t in self.tried]
        return " ".join(told) or shown("The chain names none.")


@dataclass(slots=True)
class _Turn:
    """What one turn remembers: who answers it after a fallback, and what was said already."""

    model: str = ""
    said: bool = False
    said_blind: bool = False


@dataclass(slots=True)
class _Run:
    """One call through the chain."""

    request: ModelRequest
    first: str
    turn: _Turn
    tried: list[Tried] = field(default_factory=list)
    errors: list[ModelError] = field(default_factory=list)
    small: int | None = None
    small_model: str = ""
    broke: BudgetExceededError | None = None
    unpaid: BudgetError | None = None
    shown: bool = False

    def too_small(self, model: str, window: int) -> None:
        """Note a model that would answer a prompt built for `window`."""
        if self.small is None or window > self.small:
            self.small, self.small_model = window, model


class Resolver:
    """Given how to find a model by name, the budget, the clock, and settings that may change while running."""

    def __init__(
        self,
        find: Callable[[str], Model | None],
        purse: Purse,
        clock: Clock,
        *,
        chain: Callable[[], Sequence[str]],
        at_limit: Callable[[], AtLimit],
        watcher: Watcher | None = None,
    ) -> None:
        self._find = find
        self._calls = PaidCalls(purse, clock, watcher)
        self._clock = clock
        self._chain = chain
        self._at_limit = at_limit
        self._watcher = watcher
        self._cooldowns = Cooldowns(clock)
        self._turns: OrderedDict[tuple[str, ...], _Turn] = OrderedDict()
        self._refused_keys: set[str] = set()
        self._limits_said: OrderedDict[tuple[str, float], None] = OrderedDict()
        self._owed: OrderedDict[str, list[Notice]] = OrderedDict()

    def preferred(self, chain: Sequence[str] | None = None, turn: str = "") -> Model | None:
        """The model that would be asked first now: its window is the one to build a prompt for."""
        names = tuple(chain or self._chain())
        known = self._turns.get((turn, *names)) if turn else None
        models = [model for model in map(self._find, _rotated(names, known.model if known else "")) if model]
        ready = [model for model in models if self._cooldowns.resting(model.name) is None]
        return next(iter(ready or models), None)

    def change_key(self) -> None:
        """There is another key: no model rests for what the old one did, and a refusal is said again."""
        self._cooldowns = Cooldowns(self._clock)
        self._refused_keys.clear()

    def status(self) -> list[dict[str, Any]]:
        """For each model of the chain: {"model", "state": ready | resting | unknown, "reason", "seconds"}."""
        rows = []
        for name in self._chain():
            rest = self._cooldowns.resting(name)
            state = "unknown" if self._find(name) is None else "resting" if rest else "ready"
            seconds = round(self._cooldowns.seconds_left(rest)) if rest else 0
            rows.append({"model": name, "state": state, "reason": rest.kind.value if rest else "", "seconds": seconds})
        return rows

    async def stream(
        self, request: ModelRequest, *, chain: Sequence[str] | None = None
    ) -> AsyncGenerator[ResolvedEvent, None]:
        """Ask the chain (default: models.chain) and yield, in order:

        Notice*     what to tell the user once, before the text it explains: "fallback" (another model answers this
                    turn), "budget" (the limit is reached, a local model answers), "auth" (a key was refused), "blind"
                    (a picture was sent and this model sees none).
        Started     a provider accepted the call; again after each restart. Carries the input side's usage.
        TextDelta*  the answer as it arrives.
        Restarted   drop all text since this call began: that attempt broke, the next TextDelta begins anew.
        Answer      exactly once, at the end: the whole answer, its cost in picodollars, and who gave it.

        Raises BudgetExceededError (no money and no local model; `ask` is True when the owner wants a button),
        UnpricedModelError, ModelError FORMAT (repair the history and ask once more), or ChainError when no model
        answered (kind TOO_LONG: compact, or build for its `window`). `request.turn` ties the calls of a turn together:
        after a fallback the whole turn stays with the model that answered, and that is said once. A reader that stops
        early must close this (`aclose`) or be cancelled; either way what had arrived is charged.
        """
        names = tuple(chain or self._chain())
        run = _Run(request, names[0] if names else "", self._turn(request.turn, names))
        ordered = _rotated(names, run.turn.model)
        resting = [name for name in ordered if self._cooldowns.resting(name)]
        awake = [name for name in ordered if name not in resting]
        # Before giving up on the user, models that only rest are asked after all.
        for position, name in enumerate([*awake, *resting]):
            if position >= len(awake) and not await self._wait_to_probe(run, name):
                continue
            async with aclosing(self._candidate(run, name, alone=position >= len(awake) - 1)) as events:
                async for event in events:
                    if isinstance(event, Answer):
                        self._succeeded(run, name)
                    yield event
                    if isinstance(event, Answer):
                        return
        if run.small_model and run.request.turn:
            # Whoever asks again with a smaller prompt names only the small model; why it answers is said then.
            _remember(self._owed, run.request.turn, self._explain(run, run.small_model))
        raise _failure(run)

    async def close(self) -> None:
        """Wait for what still has to be given back or settled."""
        await self._calls.close()

    async def _candidate(self, run: _Run, name: str, *, alone: bool) -> AsyncGenerator[ResolvedEvent, None]:
        """One model: as many attempts as its faults deserve. Ends with Answer, or without when the next should try."""
        model = self._find(name)
        if model is None:
            run.tried.append(Tried(name, ModelFault.NOT_FOUND, "it is not configured."))
            return
        if run.broke is not None and not model.local:
            return
        limit = await self._fit(run, model)
        if limit is None:
            return
        attempts = 0
        while True:
            held = await self._pay(run, model, limit)
            if held is None:
                return
            attempts += 1
            try:
                async with aclosing(self._calls.make(run.request, model, held)) as events:
                    async for event in events:
                        for notice in self._notices(run, model):
                            yield notice
                        run.shown = run.shown or isinstance(event, TextDelta)
                        yield event
                return
            except ModelError as error:
                failure = error
            wait = self._react(run, model, failure, attempts, alone)
            for note in self._broken(run, name, failure):
                yield note
            if wait is None:
                return
            await self._clock.sleep(wait)

    def _broken(self, run: _Run, name: str, failure: ModelError) -> list[Restarted | Notice]:
        """What the reader must know of an attempt that broke."""
        notes: list[Restarted | Notice] = []
        if run.shown:
            run.shown = False
            notes.append(Restarted(failure.kind.value))
        if failure.kind is ModelFault.AUTH and name not in self._refused_keys:
            self._refused_keys.add(name)
            notes.append(Notice("auth", "model_refused_key", {"from_model": name}))
        return notes

    async def _fit(self, run: _Run, model: Model) -> int | None:
        """The output limit that leaves room for the prompt; None when the prompt does not fit at all."""
        least = min(_MIN_OUTPUT, run.request.max_tokens, model.window // 8)
        prompt = estimate.request_tokens(run.request)
        if model.window < prompt + least < model.window * 2:
            # The estimate leans high. A close call is counted; who cannot count is asked, and says itself if it is not.
            prompt = await model.count(run.request) or prompt * 3 // 4
        if prompt + least > model.window:
            why = f"the conversation (about {prompt:,} tokens) does not fit its window of {model.window:,}."
            run.tried.append(Tried(model.name, ModelFault.TOO_LONG, why))
            run.too_small(model.name, model.window)
            return None
        return max(least, min(run.request.max_tokens, model.max_output, model.window - prompt))

    async def _pay(self, run: _Run, model: Model, limit: int) -> Reservation | None:
        """Reserve the worst case. None: money stands in the way, so the next (free) model should try."""
        try:
            return await self._calls.reserve(run.request, model, limit)
        except BudgetExceededError as error:
            at_limit = self._at_limit()
            if at_limit != "local":
                error.ask = at_limit == "ask"
                raise
            run.broke = error
            run.tried.append(Tried(model.name, "budget", error.what))
        except BudgetError as error:
            run.unpaid = error
            kind = "unpriced" if isinstance(error, UnpricedModelError) else "budget"
            run.tried.append(Tried(model.name, kind, error.what))
        return None

    def _react(self, run: _Run, model: Model, error: ModelError, attempts: int, alone: bool) -> float | None:
        """Seconds to wait before the same model is asked again, or None for the next one. Raises what none can mend."""
        if error.kind is ModelFault.FORMAT:
            raise error
        told = error.retry_after
        tries = {
            ModelFault.RATE_LIMIT: 3 if told is not None or alone else 1,
            ModelFault.OVERLOADED: 4 if alone else 2,
            ModelFault.NETWORK: 4 if alone else 2,
            ModelFault.UNUSABLE: 2,
        }.get(error.kind, 1)
        wait = told if told is not None else _BACKOFF[min(attempts, len(_BACKOFF)) - 1]
        if attempts < tries and wait <= _SHORT_WAIT:
            return wait
        if error.kind is ModelFault.TOO_LONG:
            run.too_small(model.name, min(model.window, estimate.request_tokens(run.request)) * 4 // 5)
        self._cooldowns.failed(model.name, error.kind, told)
        run.tried.append(Tried(model.name, error.kind, error.what))
        run.errors.append(error)
        return None

    async def _wait_to_probe(self, run: _Run, name: str) -> bool:
        """Whether a resting model may be asked after all; waits when the provider named a time and it is short."""
        rest = self._cooldowns.resting(name)
        model = self._find(name)
        if rest is None or model is None or (run.broke is not None and not model.local):
            return rest is None
        left = self._cooldowns.seconds_left(rest)
        if rest.kind in (ModelFault.AUTH, ModelFault.NOT_FOUND) or (rest.told and left > _SHORT_WAIT):
            run.tried.append(Tried(name, rest.kind, f"it rests for {left:.0f} s more ({rest.kind.value})."))
            return False
        if rest.told:
            await self._clock.sleep(left)
        return True

    def _notices(self, run: _Run, model: Model) -> list[Notice]:
        """What to say, once, now that this model really answers."""
        return [*self._owed.pop(run.request.turn, []), *self._explain(run, model.name), *_unseen(run, model)]

    def _explain(self, run: _Run, answering: str) -> list[Notice]:
        """Why another model answers than the first of the chain; nothing when that was said already."""
        if answering == run.first or run.turn.said:
            return []
        run.turn.said = True
        reason = self._reason(run)
        if self._watcher is not None:
            self._watcher.model_fell_back(run.first, answering, reason)
        if reason == ModelFault.AUTH:
            return []  # was said when it happened
        if run.broke is not None:
            key = (run.request.session.value, run.broke.resets_at)
            if key in self._limits_said:
                return []
            _remember(self._limits_said, key, None)
            return [Notice("budget", "budget_local", {"to_model": answering})]
        values = {"from_model": run.first, "to_model": answering, "reason_key": f"reason_{reason}"}
        return [Notice("fallback", "model_fallback", values)]

    def _reason(self, run: _Run) -> str:
        """Why the first model does not answer: what happened now, or what it rests for."""
        for tried in run.tried:
            if tried.model == run.first:
                return str(tried.kind)
        rest = self._cooldowns.resting(run.first)
        return rest.kind.value if rest else ModelFault.UNAVAILABLE.value

    def _succeeded(self, run: _Run, name: str) -> None:
        self._cooldowns.succeeded(name)
        self._refused_keys.discard(name)
        run.turn.model = name if name != run.first else ""

    def _turn(self, turn: str, names: tuple[str, ...]) -> _Turn:
        if not turn:
            return _Turn()
        key = (turn, *names)
        return self._turns.get(key) or _remember(self._turns, key, _Turn())


def _unseen(run: _Run, model: Model) -> list[Notice]:
    """That a picture was sent which this model does not see; nothing when that was said already."""
    if model.vision or run.turn.said_blind or not asks_with_picture(run.request):
        return []
    run.turn.said_blind = True
    return [Notice("blind", "model_blind", {"to_model": model.name})]


def _remember(store: OrderedDict[Any, Any], key: Any, value: Any) -> Any:
    """Keep the newest few: memory of turns and days must not grow."""
    store[key] = value
    if len(store) > _REMEMBERED:
        store.popitem(last=False)
    return value


def _rotated(names: tuple[str, ...], first: str) -> tuple[str, ...]:
    """`first` before the others, which keep their order."""
    return (first, *(name for name in names if name != first)) if first in names else names


def _first_kind(tried: Sequence[Tried]) -> ModelFault:
    kinds = [ModelFault(t.kind) for t in tried if t.kind in set(ModelFault)]
    real = [kind for kind in kinds if kind is not ModelFault.TOO_LONG]
    return (real or kinds or [ModelFault.UNAVAILABLE])[0]


def _failure(run: _Run) -> Exception:
    """The error that says most: money when only money was missing, the single fault when there was one model."""
    if run.broke is not None and run.small is None and not run.errors:
        return run.broke
    if run.unpaid is not None and len(run.tried) == 1:
        return run.unpaid
    waits = [error.retry_after for error in run.errors if error.retry_after is not None]
    kinds = {one.kind for one in run.tried}
    otherwise = "Try again in a moment."
    if kinds == {ModelFault.TOO_LONG}:
        otherwise = _SHORTEN
    elif kinds == {ModelFault.UNAVAILABLE} and all("not configured" in one.why for one in run.tried):
        otherwise = _CONFIGURE
    fix = next((error.fix for error in run.errors if error.fix), otherwise)
    if run.broke is not None:
        fix = run.broke.fix or "/budget raises today's limit."
    failure = ChainError(run.tried, window=run.small, retry_after=min(waits, default=None), fix=fix)
    failure.__cause__ = run.broke or (run.errors[0] if run.errors else None)
    return failure
