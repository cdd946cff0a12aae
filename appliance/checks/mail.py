"""Unread mail by IMAP: who wrote what about. The folder is opened read-only and nothing is marked as seen."""

from __future__ import annotations

import asyncio
import contextlib
import email
import email.policy
import imaplib
import re
import socket
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any

from appliance.checks.plain import from_html, short
from appliance.errors import ToolError

_SECONDS = 20.0
_WHOLE_SECONDS = 60.0
_MOST = 20
_MOST_BYTES = 8_192  # of one message: headers and the beginning of its text
_SIZE = re.compile(rb"UID (\d+)")
Connect = Callable[[str, int], Awaitable[socket.socket]]


@dataclass(frozen=True, slots=True)
class Account:
    """Where mail is; `encryption` is tls, starttls or none."""

    host: str
    port: int
    user: str
    password: str
    folder: str = "INBOX"
    encryption: str = "tls"


class _Imap(imaplib.IMAP4):
    """imaplib over a connection that was made, and judged, before."""

    def __init__(self, made: socket.socket, host: str) -> None:
        self._made = made
        super().__init__(host, timeout=_SECONDS)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        return self._made


async def unread(account: Account, since: datetime, connect: Connect, trust: ssl.SSLContext | None = None) -> list[str]:
    """Unread messages that came since an instant, newest first, one line each.

    `connect` makes a connection to host and port; `trust` replaces the system's certificates. Raises ToolError.
    """
    made = await connect(account.host, account.port)
    made.settimeout(_SECONDS)
    try:
        async with asyncio.timeout(_WHOLE_SECONDS):
            return await asyncio.to_thread(_read, account, since, made, trust or ssl.create_default_context())
    except ssl.SSLError as error:
        raise ToolError(f"The mail server's certificate or encryption is not accepted: {error.reason}.") from error
    except imaplib.IMAP4.error as error:
        raise ToolError(f"The mail server refused: {short(str(error), 200)}") from error
    except (OSError, TimeoutError) as error:
        raise ToolError(f"The mail server does not answer: {error or 'time is up'}.") from error
    finally:
        made.close()


def _read(account: Account, since: datetime, made: socket.socket, trust: ssl.SSLContext) -> list[str]:
    if account.encryption == "tls":
        made = trust.wrap_socket(made, server_hostname=account.host)
    imap = _Imap(made, account.host)
    try:
        if account.encryption == "starttls":
            imap.starttls(trust)
        imap.login(account.user, account.password)
        _done(imap.select(_quoted(account.folder), readonly=True))
        day = since.astimezone(UTC).strftime("%d-%b-%Y")  # a day is all that IMAP's SINCE knows
        found = _done(imap.uid("SEARCH", "UNSEEN", "SINCE", day))
        numbers = found[0].split()[-_MOST * 2 :] if found and found[0] else []
        lines = [line for number in reversed(numbers) if (line := _one(imap, number, since))]
        return lines[:_MOST]
    finally:
        with contextlib.suppress(imaplib.IMAP4.error, OSError):  # the connection is closed in any case
            imap.logout()


def _one(imap: imaplib.IMAP4, number: bytes, since: datetime) -> str:
    answer = _done(imap.uid("FETCH", number.decode("ascii"), f"(INTERNALDATE BODY.PEEK[]<0.{_MOST_BYTES}>)"))
    for part in answer:
        if isinstance(part, tuple):
            came = imaplib.Internaldate2tuple(part[0])
            at = datetime(*came[:6]).astimezone(UTC) if came else None  # local, as imaplib returns it
            if at is not None and at < since:
                return ""
            message = email.message_from_bytes(part[1], policy=email.policy.default)
            return _line(message, at)
    return ""


def _line(message: EmailMessage, at: datetime | None) -> str:
    body = message.get_body(("plain", "html"))
    text = ""
    if body is not None:
        try:
            text = str(body.get_content())
        except (LookupError, ValueError):  # a charset that does not exist, or bytes that are not what they say
            text = ""
        if body.get_content_type() == "text/html":
            text = from_html(text)
    files = [short(part.get_filename() or "unnamed", 60) for part in message.iter_attachments()]
    when = f"{at:%Y-%m-%d %H:%MZ} " if at else ""
    line = f"{when}from {_header(message, 'from')}: {_header(message, 'subject') or '(no subject)'}"
    if text.strip():
        line += f" - {short(text, 300)}"
    return line + (f" [files: {', '.join(files)}]" if files else "")


def _header(message: EmailMessage, name: str) -> str:
    try:
        return short(str(message.get(name, "")), 200)
    except (ValueError, IndexError):  # headers that the library cannot parse
        return "(unreadable)"


def _quoted(folder: str) -> str:
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _done(answer: tuple[str, list[Any]]) -> list[Any]:
    """The data of an answer that is OK. Raises imaplib's error otherwise."""
    kind, data = answer
    if kind != "OK":
        raise imaplib.IMAP4.error(f"{kind} {data[0]!r}" if data else kind)
    return data
