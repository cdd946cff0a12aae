"""Every error of the house, drawn once.

ApplianceError                  what happened, why, and what to do about it
├── SettingsError               the configuration cannot be used; lists every problem at once
├── StateError                  STATE cannot be used: locked, not writable, newer schema, damaged
├── InputError                  a request that can never succeed as it stands (HTTP 400)
│   ├── NotFoundError           no such session, job, approval, file (HTTP 404)
│   └── TooLargeError           over a documented limit (HTTP 413)
├── AccessError                 this person may not do this (HTTP 401 or 403)
├── BudgetError                 money stands in the way
│   ├── BudgetExceededError     the limit would be passed; carries what to tell the user
│   └── UnpricedModelError      no price is known, so the call is refused
├── ModelError                  a model did not answer; `kind` says how to react
├── AddressError                an address is not opened: it leads inside, hides itself, or nobody gave it
├── ToolError                   a tool could not do its work; its text goes back to the model
├── SandboxError                a command could not be run (never: the command failed)
└── DeliveryError               a platform did not take a message; `permanent` ends the attempts
"""

from __future__ import annotations

from enum import StrEnum


class ApplianceError(Exception):
    """Given what happened (with why) and optionally a fix, carry both to whoever reports it."""

    def __init__(self, what: str, *, fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.what} {self.fix}".strip() if self.fix else self.what


class SettingsError(ApplianceError):
    """Given every problem found (each with its path), say them all in one message."""

    def __init__(self, problems: list[str], *, fix: str = "") -> None:
        super().__init__("The settings cannot be used:\n" + "\n".join(f"  - {p}" for p in problems), fix=fix)
        self.problems = problems


class StateError(ApplianceError):
    """STATE cannot be used as it is."""


class InputError(ApplianceError):
    """The request itself is wrong; trying again unchanged cannot help."""


class NotFoundError(InputError):
    """What was asked for does not exist."""


class NoAgentError(NotFoundError):
    """No agent of this id is declared in the settings."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"There is no agent {agent[:80]!r}.", fix="`appliance agents` lists them.")


class TooLargeError(InputError):
    """Over a documented limit."""


class AccessError(ApplianceError):
    """The person or client may not do this. `status` is 401 (who are you) or 403 (not you)."""

    def __init__(self, what: str, *, fix: str = "", status: int = 403) -> None:
        super().__init__(what, fix=fix)
        self.status = status


class BudgetError(ApplianceError):
    """Money stands in the way of a call."""


class BudgetExceededError(BudgetError):
    """A limit would be passed. `scope` names it; `resets_at` is Unix seconds of the next period.

    `ask`: the owner chose to be asked, so whoever shows this offers a button that raises today's limit.
    """

    def __init__(self, what: str, *, scope: str, resets_at: float, fix: str = "", ask: bool = False) -> None:
        super().__init__(what, fix=fix)
        self.scope = scope
        self.resets_at = resets_at
        self.ask = ask


class UnpricedModelError(BudgetError):
    """The price of a model is unknown, and unknown is never zero."""


class ModelFault(StrEnum):
    """What kind of trouble a model had, and so what to do next."""

    RATE_LIMIT = "rate_limit"  # wait as told, cool this model down
    OVERLOADED = "overloaded"  # 529, 5xx: cool down, try the next in the chain
    NETWORK = "network"  # no connection, cut stream: as overloaded
    AUTH = "auth"  # wrong key: stop using this model, tell the owner once
    NOT_FOUND = "not_found"  # no such model: next in the chain, cool only this one down
    FORMAT = "format"  # our request was refused as malformed: repair, cool nothing down
    TOO_LONG = "too_long"  # over the context window: compaction, or the next that fits
    UNUSABLE = "unusable"  # billed, but the answer cannot be used
    UNAVAILABLE = "unavailable"  # not ready (local model loading, in cooldown, not installed)


class ModelError(ApplianceError):
    """A model call failed. `retry_after` is seconds as the provider told, or None.

    `partial` is a models.base.Finished with what arrived before a cut, so that it can be charged; None when nothing
    was accepted by the provider, so nothing can have been billed.
    """

    def __init__(
        self,
        what: str,
        *,
        kind: ModelFault,
        retry_after: float | None = None,
        partial: object | None = None,
        fix: str = "",
    ) -> None:
        super().__init__(what, fix=fix)
        self.kind = kind
        self.retry_after = retry_after
        self.partial = partial


class AddressError(ApplianceError):
    """An address on the web is not opened; nothing was sent to it."""


class ToolError(ApplianceError):
    """The text is for the model to read."""


class SandboxError(ApplianceError):
    """A command could not be run at all."""


class DeliveryError(ApplianceError):
    """A platform refused or lost a message. `ambiguous`: it may have arrived."""

    def __init__(
        self,
        what: str,
        *,
        permanent: bool = False,
        ambiguous: bool = False,
        retry_after: float | None = None,
        fix: str = "",
    ) -> None:
        super().__init__(what, fix=fix)
        self.permanent = permanent
        self.ambiguous = ambiguous
        self.retry_after = retry_after
