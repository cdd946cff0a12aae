"""Logs: structlog in front, one handler behind, every line through the redactor.

Lines at info and above say what happened, never what was said or by whom: private fields are replaced by a short code
that lets lines be put together and tells nothing.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import sys
import threading
from collections.abc import Iterable, MutableMapping
from types import TracebackType
from typing import Any, TextIO

import structlog

from appliance.observability.redaction import add_secrets, redact
from appliance.settings import LoggingSettings

__all__ = ["configure", "redact"]

PRIVATE_FIELDS = frozenset(
    ("text", "reply", "query", "chat", "chat_id", "user", "user_id", "username", "person", "name", "session", "phone")
)
# These write request addresses (with a bot token inside) or whole bodies at info.
_TALKATIVE = (
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "aiogram",
    "anthropic",
    "docker",
    "urllib3",
    "asyncio",
    "uvicorn",
    "watchfiles",
)
_SALT = secrets.token_bytes(16)  # of this run only, so that codes cannot be looked up


class _RedactingFormatter(structlog.stdlib.ProcessorFormatter):
    """The last thing before a line is written, exceptions included."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def configure(settings: LoggingSettings, *, secret_values: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Set up all logging of the process; may be called again. `secret_values` are never shown in any form."""
    add_secrets(secret_values)
    out = stream or sys.stderr
    console = settings.format == "console" or (settings.format == "auto" and out.isatty())
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        hide_private,
        structlog.processors.TimeStamper(fmt="%H:%M:%S" if console else "iso", utc=not console),
    ]
    handler = logging.StreamHandler(out)
    handler.setFormatter(_RedactingFormatter(foreign_pre_chain=shared, processors=_rendering(console, out.isatty())))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(settings.level.upper())
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda args: _log_uncaught(args.exc_type, args.exc_value, args.exc_traceback)


def _rendering(console: bool, colors: bool) -> list[Any]:
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if console:
        # Plain tracebacks: the pretty ones print local variables, which is where secrets live.
        render: Any = structlog.dev.ConsoleRenderer(
            colors=colors, exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
        )
        return [remove, render]
    return [remove, structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]


def hide_private(_: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Below info everything is shown (to whoever asked for debug); from info on, private fields become codes."""
    level = event.get("level", method)
    if level != "debug":
        for field in PRIVATE_FIELDS & event.keys():
            event[field] = code(event[field])
    return event


def code(value: Any) -> str:
    """A short code for a private value: equal values have equal codes during one run."""
    return "#" + hashlib.blake2b(str(value).encode(errors="replace"), key=_SALT, digest_size=4).hexdigest()


def _log_uncaught(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if error is None or issubclass(kind, KeyboardInterrupt):
        return
    logging.getLogger("appliance").critical("An error nobody expected ended this.", exc_info=(kind, error, trace))
