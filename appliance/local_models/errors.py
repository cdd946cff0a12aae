"""What can go wrong in this room, each with what to do about it."""

from __future__ import annotations

from appliance.errors import ApplianceError, InputError


class LocalModelError(ApplianceError):
    """The local model cannot be had or run on this machine as things are."""


class FetchError(LocalModelError):
    """A model file could not be fetched: no network, no space, a wrong checksum. `retry`: trying again may help."""

    def __init__(self, what: str, *, fix: str = "", retry: bool = False) -> None:
        super().__init__(what, fix=fix)
        self.retry = retry


class StoppedError(LocalModelError):
    """The work was stopped on purpose."""


class ContextLengthError(InputError):
    """The prompt does not fit into the model's window. Both in tokens."""

    def __init__(self, prompt: int, window: int) -> None:
        super().__init__(
            f"The prompt has {prompt} tokens and the model's window is {window}.",
            fix="Shorten the conversation, or use a model with a larger window.",
        )
        self.prompt = prompt
        self.window = window
