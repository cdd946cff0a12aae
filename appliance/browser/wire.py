"""What the gateway and the browser's service say to each other: JSON over HTTP, bytes as base64."""

from __future__ import annotations

from typing import Any

import msgspec

ACTIONS = (
    "open snapshot click type press select hover scroll wait back upload dialog tabs tab screenshot pdf close".split()
)
MOST_DOWNLOAD = 50_000_000  # bytes of one file
MOST_BODY = 80_000_000  # bytes of a request: an upload as base64


class Step(msgspec.Struct, omit_defaults=True):
    """One thing to do in a session's window; the caller has judged addresses, texts and files.

    `allowed`: services at home that may be opened. `keep`: return the cookies; `state`: those to begin a window with.
    """

    session: str
    action: str
    url: str = ""
    ref: str = ""
    text: str = ""
    submit: bool = False
    full: bool = False
    name: str = ""
    data: bytes = b""
    allowed: tuple[str, ...] = ()
    keep: bool = False
    state: dict[str, Any] | None = None


class Saved(msgspec.Struct, omit_defaults=True):
    """A download: what the page calls it, its size, and its content unless it is too large."""

    name: str
    size: int
    data: bytes | None = None


class Outcome(msgspec.Struct, omit_defaults=True):
    """What the page shows now. `file` is a picture or PDF that was asked for; `host` is where the page is from."""

    text: str
    ok: bool = True
    host: str = ""
    file: bytes = b""
    media_type: str = ""
    downloads: list[Saved] = []
    state: dict[str, Any] | None = None


class Condition(msgspec.Struct, omit_defaults=True):
    """Whether pages can be opened: `missing` says why not, `weak` why Chromium runs without its own sandbox."""

    missing: str = ""
    weak: str = ""
    program: str = ""
    open: bool = False


class Fault(msgspec.Struct, omit_defaults=True):
    """Why a step could not be done, in words for a model."""

    what: str
    fix: str = ""
