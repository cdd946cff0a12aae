"""How long work says where it stands, and hears that it should stop."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Literal, Protocol

from appliance.local_models.errors import StoppedError

Phase = Literal["off", "starting", "building", "fetching", "loading", "ready", "failed"]


class Progress(Protocol):
    """Called with what is going on, how far it is (0 to 100, None when unknown) and a sentence for people."""

    def __call__(self, phase: Phase, percent: float | None, detail: str) -> None: ...


def ignore(phase: Phase, percent: float | None, detail: str) -> None:
    """A Progress for callers who do not look."""


class Percent:
    """Hands a long work's steps on to a Progress, once for each whole percent (or 8 MiB where the end is unknown)."""

    def __init__(self, progress: Progress, phase: Phase) -> None:
        self._progress = progress
        self._phase: Phase = phase
        self._last = -1

    def say(self, done: int, total: int, detail: str) -> None:
        """`done` of `total` bytes; a `total` of 0 is unknown."""
        step = 100 * done // total if total else done >> 23
        if step != self._last:
            self._last = step
            self._progress(self._phase, 100.0 * done / total if total else None, detail)


@dataclass(slots=True)
class Stop:
    """A flag that ends long work at its next step."""

    event: threading.Event = field(default_factory=threading.Event)

    def set(self) -> None:
        self.event.set()

    def check(self) -> None:
        """Raise StoppedError once the flag is set."""
        if self.event.is_set():
            raise StoppedError("Stopped before it was done.")
