"""The mailbox by IMAP, in plain blocking calls; the channel runs them in a thread of their own."""

from __future__ import annotations

import contextlib
import imaplib
import re
import select
import socket
import ssl
from typing import Any

from appliance.errors import ApplianceError, DeliveryError
from appliance.settings.channels import EmailSettings

_SECONDS = 30.0
_LINE_BYTES = 1024 * 1024
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


class LoginError(ApplianceError):
    """The mail server does not accept user and password."""


class _Reading:
    """imaplib's reading, by a buffer of our own: so it is known whether something has come already."""

    sock: socket.socket
    held = b""

    def read(self, size: int) -> bytes:
        while len(self.held) < size and self._more():
            pass
        found, self.held = self.held[:size], self.held[size:]
        return found

    def readline(self) -> bytes:
        while b"\n" not in self.held and len(self.held) < _LINE_BYTES and self._more():
            pass
        found, mark, rest = self.held.partition(b"\n")
        self.held = rest
        return found + mark

    def come(self) -> bool:
        """Whether something of the server's waits to be read."""
        return bool(self.held) or (isinstance(self.sock, ssl.SSLSocket) and self.sock.pending() > 0)

    def _more(self) -> bool:
        piece = self.sock.recv(65_536)
        self.held += piece
        return bool(piece)


class _Plain(_Reading, imaplib.IMAP4):
    pass


class _Tls(_Reading, imaplib.IMAP4_SSL):
    pass


class Mailbox:
    """Give it the settings. `open` first; every method may raise DeliveryError when the connection is gone."""

    def __init__(self, settings: EmailSettings) -> None:
        self._settings = settings
        self._imap: _Plain | _Tls | None = None

    def open(self) -> tuple[int, int]:
        """Connect and open the folder; return (UIDVALIDITY, the next UID). Raises LoginError or DeliveryError."""
        settings = self._settings
        try:
            if settings.security == "tls":
                tls = ssl.create_default_context()
                self._imap = _Tls(settings.imap_host, settings.imap_port, ssl_context=tls, timeout=_SECONDS)
            else:
                self._imap = _Plain(settings.imap_host, settings.imap_port, timeout=_SECONDS)
                if settings.security == "starttls":
                    self._imap.starttls(ssl.create_default_context())
        except (OSError, imaplib.IMAP4.error) as error:
            raise _unreachable(error) from None
        try:
            self._imap.login(settings.user or settings.address, settings.password.get_secret_value())
        except imaplib.IMAP4.error:
            raise LoginError(
                "The mail server does not accept user and password.",
                fix="Many providers want a password made for this program; set EMAIL_PASSWORD.",
            ) from None
        except OSError as error:
            raise _unreachable(error) from None
        self._call("select", f'"{settings.folder}"')
        return self._number("UIDVALIDITY"), self._number("UIDNEXT")

    def newer(self, last: int) -> list[int]:
        """UIDs above `last`, lowest first."""
        found = self._call("uid", "SEARCH", "UID", f"{last + 1}:*")[0] or b""
        return sorted(uid for uid in map(int, found.split()) if uid > last)  # n:* names the last one whatever n is

    def fetch(self, uid: int, most: int) -> tuple[bytes, bool]:
        """A letter, and whether it is whole: of one over `most` bytes only the headers."""
        size = _SIZE.search(b" ".join(_flat(self._call("uid", "FETCH", str(uid), "(RFC822.SIZE)"))))
        whole = size is None or int(size[1]) <= most
        what = "(BODY.PEEK[])" if whole else "(BODY.PEEK[HEADER])"
        parts = [part for part in self._call("uid", "FETCH", str(uid), what) if isinstance(part, tuple)]
        return (bytes(parts[0][1]) if parts else b""), whole

    def wait(self, seconds: float) -> None:
        """Return when the server tells of something new, or after `seconds`."""
        imap = self._open()
        try:
            if "IDLE" not in imap.capabilities:
                select.select([imap.sock], [], [], seconds)
                imap.noop()
                return
            tag = imap._new_tag()  # imaplib learns IDLE only in Python 3.14
            imap.send(tag + b" IDLE\r\n")
            if not imap.readline().startswith(b"+"):
                raise DeliveryError("The mail server refused to wait.")
            if not imap.come():
                select.select([imap.sock], [], [], seconds)
            imap.send(b"DONE\r\n")
            while not (line := imap.readline()).startswith(tag):
                if not line:
                    raise DeliveryError("The mail server closed the connection.")
        except (OSError, ValueError, imaplib.IMAP4.error) as error:
            raise _unreachable(error) from None

    def cut(self) -> None:
        """End whatever is going on, from another thread."""
        if self._imap is not None:
            with contextlib.suppress(OSError):
                self._imap.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._imap is not None:
            imap, self._imap = self._imap, None
            with contextlib.suppress(OSError, ValueError, imaplib.IMAP4.error):
                imap.shutdown()

    def _open(self) -> _Plain | _Tls:
        if self._imap is None:
            raise DeliveryError("The mailbox is not open.")
        return self._imap

    def _call(self, name: str, *arguments: str) -> list[Any]:
        try:
            answer, data = getattr(self._open(), name)(*arguments)
        except (OSError, ValueError, imaplib.IMAP4.error) as error:
            raise _unreachable(error) from None
        if answer != "OK":
            raise DeliveryError(f"The mail server refused {name}: {data[0]!r}.")
        return list(data)

    def _number(self, name: str) -> int:
        _, data = self._open().response(name)
        return int(data[-1]) if data and data[-1] else 1


def _flat(data: list[Any]) -> list[bytes]:
    return [piece for one in data for piece in (one if isinstance(one, tuple) else (one,)) if isinstance(piece, bytes)]


def _unreachable(error: Exception) -> DeliveryError:
    return DeliveryError(f"The mail server cannot be reached: {type(error).__name__}.")
