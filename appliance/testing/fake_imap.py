"""A strict IMAP server on loopback: it knows what a reader that changes nothing needs, and answers BAD to all else.

`book` lists every command as it came, without the password.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from dataclasses import dataclass, field
from datetime import UTC, datetime

_FETCH = re.compile(r"UID FETCH (\d+) \(INTERNALDATE BODY\.PEEK\[\]<0\.(\d+)>\)")
_SEARCH = re.compile(r"UID SEARCH UNSEEN SINCE (\d{1,2}-[A-Z][a-z]{2}-\d{4})")
_LOGIN = re.compile(r'LOGIN (\S+) "((?:[^"\\]|\\.)*)"')


@dataclass(slots=True)
class Mail:
    """A message as bytes, when it came, and whether it was seen."""

    raw: bytes
    at: datetime
    seen: bool = False


@dataclass(slots=True)
class FakeImap:
    """Given a login and messages by UID, serve them. `tls`: from the first byte, or after STARTTLS with `later`."""

    user: str
    password: str
    mails: dict[int, Mail] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    later: bool = False
    book: list[str] = field(default_factory=list)
    port: int = 0
    _server: asyncio.Server | None = None

    async def start(self) -> int:
        """Listen on a port that the kernel chooses and return it."""
        context = None if self.later else self.tls
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self.port

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(b"* OK ready\r\n")
            state = "new"
            while (line := await reader.readline()) and state != "left":
                tag, _, command = line.decode().rstrip("\r\n").partition(" ")
                self.book.append(_LOGIN.sub(r"LOGIN \1 …", command))
                if command == "STARTTLS" and self.later and self.tls is not None:
                    writer.write(f"{tag} OK begin\r\n".encode())
                    await writer.drain()
                    await writer.start_tls(self.tls)
                    continue
                said, state = self._answer(command, state)
                for piece in said[:-1]:
                    writer.write(piece)
                writer.write(tag.encode() + b" " + said[-1])
                await writer.drain()
        except (ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            pass  # a client that hung up, or did not accept the certificate
        finally:
            writer.close()

    def _answer(self, command: str, state: str) -> tuple[list[bytes], str]:
        if command == "CAPABILITY":
            names = "IMAP4rev1" + (" STARTTLS" if self.later else "")
            return [f"* CAPABILITY {names}\r\n".encode(), b"OK done\r\n"], state
        if command == "LOGOUT":
            return [b"* BYE\r\n", b"OK done\r\n"], "left"
        if found := _LOGIN.fullmatch(command):
            password = re.sub(r"\\(.)", r"\1", found[2])
            if (found[1], password) != (self.user, self.password):
                return [b"NO [AUTHENTICATIONFAILED] wrong name or password\r\n"], state
            return [b"OK logged in\r\n"], "known"
        if state == "known" and command.startswith("EXAMINE "):
            if command != 'EXAMINE "INBOX"':
                return [b"NO no such folder\r\n"], state
            return [f"* {len(self.mails)} EXISTS\r\n".encode(), b"OK [READ-ONLY] done\r\n"], "open"
        if state == "open" and (found := _SEARCH.fullmatch(command)):
            since = datetime.strptime(found[1], "%d-%b-%Y").replace(tzinfo=UTC)
            uids = [str(uid) for uid, mail in self.mails.items() if not mail.seen and mail.at.date() >= since.date()]
            return [f"* SEARCH {' '.join(uids)}\r\n".encode(), b"OK done\r\n"], state
        if state == "open" and (found := _FETCH.fullmatch(command)) and int(found[1]) in self.mails:
            uid, mail = int(found[1]), self.mails[int(found[1])]
            part = mail.raw[: int(found[2])]
            head = (
                f'* 1 FETCH (UID {uid} INTERNALDATE "{mail.at:%d-%b-%Y %H:%M:%S +0000}" BODY[]<0> {{{len(part)}}}\r\n'
            )
            return [head.encode() + part + b")\r\n", b"OK done\r\n"], state
        return [b"BAD not here\r\n"], state
