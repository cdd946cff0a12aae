"""Which parts of the house work right now. `/readyz`, `/status` and the page read it; parts report to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from appliance.clock import Clock, SystemClock, iso


class State(StrEnum):
    """`off` is a part the settings do not want; it never makes the house unready."""

    STARTING = "starting"
    READY = "ready"
    DEGRADED = "degraded"
    FAILED = "failed"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Part:
    """`since` is Unix seconds of the last change of state; `needed` parts decide about readiness."""

    name: str
    state: State
    detail: str
    since: float
    needed: bool

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "state": self.state.value, "detail": self.detail, "since": iso(self.since)}


class Health:
    """A registry of parts. Report with `set`; read with `parts` and `ready`."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._parts: dict[str, Part] = {}

    def set(self, name: str, state: State, detail: str = "", *, needed: bool | None = None) -> None:
        """Record the state of a part. `needed` sticks from the first report that gives it (default False)."""
        before = self._parts.get(name)
        since = before.since if before is not None and before.state is state else self._clock.now()
        keep = before.needed if before is not None else False
        self._parts[name] = Part(name, state, detail, since, keep if needed is None else needed)

    def get(self, name: str) -> Part | None:
        return self._parts.get(name)

    def parts(self) -> list[Part]:
        return [self._parts[name] for name in sorted(self._parts)]

    @property
    def ready(self) -> bool:
        """True when every needed part works, if not at its best."""
        good = (State.READY, State.DEGRADED, State.OFF)
        return all(part.state in good for part in self._parts.values() if part.needed)
