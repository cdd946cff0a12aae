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
