"""Secrets never leave: one redactor for every sink (logs, audit, what is said and stored, tool results).

It knows the actual secret values, in plain, URL-encoded, JSON-escaped and base64 form, and the shapes of common keys.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "[redacted]"
_SHORTEST = 6  # a shorter secret would blank out half of every text
_SHAPES = re.compile(
    r"""
      (?P<keep>\b(?:authorization|x-api-key|api[_-]?key|access[_-]?token|bot[_-]?token|password|passwd|secret|token)
          ["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+|bot\s+)?)(?P<value>[^\s"'&,;<>\[\]{}]{6,})
    | \bsk-[A-Za-z0-9_-]{16,}                                  # Anthropic, OpenAI and look-alikes
    | \b\d{6,12}:[A-Za-z0-9_-]{30,}                            # Telegram bot token, also inside /bot…/ addresses
    | (?<=/bot)\d{6,12}:[A-Za-z0-9_-]{30,}
    | \b[MNO][A-Za-z\d_-]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}   # Discord
    | \b(?:ghp|gho|ghs|ghu|github_pat|glpat|xoxb|xoxp|xapp)[_-][A-Za-z0-9_-]{16,}
    | \bAKIA[0-9A-Z]{16}\b
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}     # JWT
    | \bBearer\s+[A-Za-z0-9._~+/=-]{12,}
    | (?<=://)[^\s/:@]+:[^\s/@]+(?=@)                          # user:password in an address
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


class Redactor:
    """Feed it the secrets once with `add`; `redact` any text before it goes anywhere."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._forms: set[str] = set()
        self._beginnings: set[str] = set()
        self._longest = 0
        self._known: re.Pattern[str] | None = None
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Remember secret values; empty and very short ones are left out."""
        with self._lock:
            for secret in secrets:
                if len(secret) >= _SHORTEST:
                    self._forms |= _forms(secret)
            if self._forms:
                longest_first = sorted(self._forms, key=len, reverse=True)
                self._beginnings = {form[:end] for form in self._forms for end in range(1, len(form))}
                self._longest = len(longest_first[0]) - 1
                self._known = re.compile("|".join(re.escape(form) for form in longest_first))

    def redact(self, text: str) -> str:
        """Return the text with every known secret and every secret-looking piece masked."""
        return _SHAPES.sub(_mask, self.hide(text))

    def hide(self, value: Any) -> Any:
        """Return a text, or a tree of lists and dicts, with every known secret masked and all else as it was."""
        match value:
            case str():
                return value if self._known is None else self._known.sub(MASK, value)
            case dict():
                return {self.hide(key): self.hide(inner) for key, inner in value.items()}
            case list() | tuple():
                return type(value)(self.hide(inner) for inner in value)
            case _:
                return value

    def begins_in(self, text: str) -> int:
        """How many characters at the end of `text` may be the beginning of a known secret."""
        for count in range(min(self._longest, len(text)), 0, -1):
            if text[-count:] in self._beginnings:
                return count
        return 0


class StreamMask:
    """Hide known secrets in a text that comes in pieces; what may be the beginning of one is held back."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def feed(self, piece: str) -> str:
        """Given the next piece, return what may be shown of all so far and was not yet."""
        text = self._redactor.hide(self._held + piece)
        count = self._redactor.begins_in(text)
        self._held = text[len(text) - count :]
        return str(text[: len(text) - count])

    def rest(self) -> str:
        """The end of the text was reached: what was held back."""
        rest, self._held = self._held, ""
        return rest


def _mask(match: re.Match[str]) -> str:
    keep = match.group("keep")
    if keep is None:
        return MASK
    return keep + MASK


def _forms(secret: str) -> set[str]:
    """Every way a secret may be written in a log."""
    forms = {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1]}
    raw = secret.encode()
    for shift in range(3):  # a secret inside a longer base64 text starts at one of three places
        padded = b"\0" * shift + raw
        text = base64.b64encode(padded).decode().rstrip("=")
        first = (0, 2, 3)[shift]
        last = len(text) if len(padded) % 3 == 0 else len(text) - 1
        core = text[first:last]
        if len(core) >= _SHORTEST:
            forms |= {core, core.replace("+", "-").replace("/", "_")}
    return forms


_default = Redactor()


def add_secrets(secrets: Iterable[str]) -> None:
    """Teach the house's redactor further secret values."""
    _default.add(secrets)


def redact(text: str) -> str:
    """Mask secrets in a text, by the house's redactor."""
    return _default.redact(text)


def hide(value: Any) -> Any:
    """Mask only the house's own secrets, in a text or a tree of lists and dicts."""
    return _default.hide(value)


def stream_mask() -> StreamMask:
    """A mask for one text that comes in pieces, by the house's redactor."""
    return StreamMask(_default)
