"""What the doctor's checks are made of: whom they examine, and what they find."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from appliance.client import GatewayClient
from appliance.errors import ApplianceError
from appliance.settings import Settings

Status = Literal["pass", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check saw; `fix` is what to do about a warning or a failure."""

    check: str
    status: Status
    detail: str
    fix: str = ""

    def as_json(self) -> dict[str, str]:
        return {"check": self.check, "status": self.status, "detail": self.detail, "fix": self.fix}


@dataclass(slots=True)
class Patient:
    """What is examined. `online` allows calls to other machines; `inside` means the gateway examines itself.

    `notes["status"]` is what the gateway says of itself, where it examines itself.
    """

    settings: Settings
    online: bool = False
    inside: bool = False
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> Path:
        return self.settings.state

    def status(self) -> dict[str, Any] | None:
        """What the running gateway says of itself (`/api/status`), or None while none runs."""
        if self.inside:
            found: dict[str, Any] | None = self.notes.get("status")
            return found
        with contextlib.suppress(ApplianceError):
            answer = GatewayClient.find(self.state).call("GET", "/api/status")
            return answer if isinstance(answer, dict) else None
        return None


Outcome = tuple[Status, str] | tuple[Status, str, str]
Check = Callable[[Patient], Outcome | None]  # (status, detail[, fix]), or None when it does not apply
