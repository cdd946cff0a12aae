"""Where a turn ends by itself: steps, wall time, the same failure again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import msgspec

from appliance.clock import Clock


@dataclass(slots=True)
class Limits:
    """Counters of one turn; they live outside the history, so a compaction does not reset them.

    max_steps: model calls. wall_seconds: from the turn's start. same_failure: identical failing calls.
    """

    clock: Clock
    max_steps: int = 20
    wall_seconds: float = 1800.0
    same_failure: int = 3
    steps: int = 0
    started: float = field(default=-1.0)
    _failures: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.started < 0:
            self.started = self.clock.monotonic()

    def next_step(self) -> str:
        """Count a model call; return why the turn must end instead, or an empty string."""
        if self.steps >= self.max_steps:
            return "steps"
        if self.clock.monotonic() - self.started > self.wall_seconds:
            return "time"
        self.steps += 1
        return ""

    def failed(self, name: str, arguments: dict[str, Any]) -> bool:
        """Count a failing call; True when this one has failed too often."""
        digest = hashlib.sha256(name.encode() + b"\0" + msgspec.json.encode(arguments, order="sorted")).hexdigest()
        self._failures[digest] = self._failures.get(digest, 0) + 1
        return self._failures[digest] >= self.same_failure
