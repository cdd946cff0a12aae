"""Which models rest, and for how long: per model, longer each time, over with the first success."""

from __future__ import annotations

from dataclasses import dataclass

from appliance.clock import Clock
from appliance.errors import ModelFault

STEPS = (30.0, 60.0, 300.0)
_NOT_FOUND_SECONDS = STEPS[-1]
# A refused key is asked again now and then, so that a repaired account needs no restart; asking costs nothing.
_AUTH_SECONDS = 600.0
_RESTING = {ModelFault.RATE_LIMIT, ModelFault.OVERLOADED, ModelFault.NETWORK, ModelFault.NOT_FOUND, ModelFault.AUTH}


@dataclass(slots=True)
class Rest:
    """Until when (monotonic seconds) a model rests, why, and whether the provider itself named the time."""

    until: float
    kind: ModelFault
    told: bool
    failures: int


class Cooldowns:
    """A failure of one model never touches another."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rests: dict[str, Rest] = {}

    def failed(self, name: str, kind: ModelFault, retry_after: float | None) -> None:
        """Note a failure. Faults of our own making (format, length) and single bad answers rest nothing."""
        if kind not in _RESTING:
            return
        before = self._rests.get(name)
        failures = before.failures + 1 if before else 1
        seconds = STEPS[min(failures, len(STEPS)) - 1]
        if kind is ModelFault.AUTH:
            seconds = _AUTH_SECONDS
        elif kind is ModelFault.NOT_FOUND:
            seconds = _NOT_FOUND_SECONDS
        told = retry_after is not None and retry_after > 0
        seconds = max(seconds, retry_after or 0.0)
        self._rests[name] = Rest(self._clock.monotonic() + seconds, kind, told, failures)

    def succeeded(self, name: str) -> None:
        self._rests.pop(name, None)

    def resting(self, name: str) -> Rest | None:
        """The rest that is not over yet, or None when the model may be asked."""
        rest = self._rests.get(name)
        return rest if rest is not None and rest.until > self._clock.monotonic() else None

    def seconds_left(self, rest: Rest) -> float:
        return max(0.0, rest.until - self._clock.monotonic())
