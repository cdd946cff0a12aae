"""A strict fake of a mail server: one mailbox by IMAP with IDLE, letters out by SMTP, both on loopback, with a book."""

from __future__ import annotations

import asyncio
import base64
import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import formatdate

ADDRESS, PASSWORD, SERVER = "agent@house.example", "fake-mail-password", "mx.house.example"


class FakeMail:
    """`letters` is the mailbox, `sent` what went out. `write` puts a letter of somebody into the mailbox."""

    def __init__(self) -> None:
        self.letters: list[bytes] = []
        self.sent: list[EmailMessage] = []
        self.validity = 7
        self.imap_port = self.smtp_port = 0
        self.refuse: list[int] = []  # SMTP codes for the next letters
        self.drop_after_data = 0
        self.lines: list[str] = []
        self._servers: list[asyncio.Server] = []
        self._news = asyncio.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self._count = 0
        self._untold = False  # something came that no connection was told of

    async def start(self) -> None:
        imap = await asyncio.start_server(self._imap, "127.0.0.1", self.imap_port)
        smtp = await asyncio.start_server(self._smtp, "127.0.0.1", self.smtp_port, limit=64 * 1024 * 1024)
        self._servers = [imap, smtp]
        self.imap_port, self.smtp_port = (server.sockets[0].getsockname()[1] for server in self._servers)

    async def stop(self) -> None:
        """Go away, as a dead network does. `start` comes back on the same ports with all state."""
        for server in self._servers:
            server.close()
        for writer in list(self._open):
            writer.transport.abort()
        await asyncio.gather(*(server.wait_closed() for server in self._servers))
        self._servers = []

    def write(
        self,
        sender: str,
        text: str,
        *,
        subject: str = "Re: talk",
        proved: bool = True,
        identity: str = "",
        **headers: str,
    ) -> str:
        """Somebody writes to the mailbox; `headers` with _ for -. Returns the letter's id."""
        letter = EmailMessage()
        letter["From"] = f"User <{sender}>"
        letter["To"] = ADDRESS
        letter["Subject"] = subject
        letter["Date"] = formatdate()
        self._count += 1
        letter["Message-ID"] = identity or f"<letter-{self._count}@{sender.rpartition('@')[2]}>"
        for name, value in headers.items():
            letter[name.replace("_", "-")] = value
        letter.set_content(text)
        self.deliver(letter, sender if proved else "")
        return str(letter["Message-ID"])

    def deliver(self, letter: EmailMessage, proved: str = "") -> None:
        """Put a letter into the mailbox, with the server's finding about its sender on top."""
        domain = proved.rpartition("@")[2]
        finding = f"dmarc=pass (p=REJECT) header.from={domain}" if proved else "dmarc=fail header.from=unknown"
        head = f"Authentication-Results: {SERVER};\r\n spf=none; {finding}\r\n".encode()
        self.put(head + letter.as_bytes(policy=policy.SMTP))

    def put(self, raw: bytes) -> None:
        """Put a letter into the mailbox as it is."""
        self.letters.append(raw)
        self._untold = True
        self._news.set()

    # --- IMAP ---------------------------------------------------------------------------------------------------------

    async def _imap(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        state = "new"
        try:
            writer.write(b"* OK IMAP4rev1 ready\r\n")
            while line := (await reader.readline()).decode().strip():
                tag, _, rest = line.partition(" ")
                name, _, given = rest.partition(" ")
                self.lines.append(rest if name.upper() != "LOGIN" else "LOGIN")
                if name.upper() == "LOGOUT":
                    writer.write(f"* BYE\r\n{tag} OK\r\n".encode())
                    break
                if name.upper() == "IDLE" and state == "selected":
                    await self._idle(tag, reader, writer)
                    continue
                state, answer = self._answer(tag, name.upper(), given, state)
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    def _answer(self, tag: str, name: str, given: str, state: str) -> tuple[str, bytes]:
        match name, state:
            case "CAPABILITY", _:
                return state, f"* CAPABILITY IMAP4rev1 IDLE\r\n{tag} OK done\r\n".encode()
            case "LOGIN", "new":
                if given.replace('"', "").split() != [ADDRESS, PASSWORD]:
                    return state, f"{tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n".encode()
                return "authenticated", f"{tag} OK logged in\r\n".encode()
            case "SELECT", "authenticated" | "selected":
                told = f"* {len(self.letters)} EXISTS\r\n* OK [UIDVALIDITY {self.validity}]\r\n"
                told += f"* OK [UIDNEXT {len(self.letters) + 1}]\r\n{tag} OK [READ-WRITE] done\r\n"
                return "selected", told.encode()
            case "UID", "selected":
                return state, self._uid(tag, given)
            case "NOOP", _:
                return state, f"* {len(self.letters)} EXISTS\r\n{tag} OK done\r\n".encode()
        return state, f"{tag} BAD not now: {name}\r\n".encode()

    def _uid(self, tag: str, given: str) -> bytes:
        self._untold = False
        searched = re.fullmatch(r"SEARCH UID (\d+):\*", given)
        if searched:
            first = min(int(searched[1]), len(self.letters))  # as RFC 3501 has it, the last one is always named
            uids = " ".join(str(uid) for uid in range(max(first, 1), len(self.letters) + 1))
            return f"* SEARCH {uids}".rstrip().encode() + f"\r\n{tag} OK done\r\n".encode()
        fetched = re.fullmatch(r"FETCH (\d+) \((RFC822\.SIZE|BODY\.PEEK\[\]|BODY\.PEEK\[HEADER\])\)", given)
        if not fetched or not 1 <= int(fetched[1]) <= len(self.letters):
            return f"{tag} BAD cannot parse\r\n".encode()
        uid, raw = int(fetched[1]), self.letters[int(fetched[1]) - 1]
        if fetched[2] == "RFC822.SIZE":
            return f"* {uid} FETCH (UID {uid} RFC822.SIZE {len(raw)})\r\n{tag} OK done\r\n".encode()
        if "HEADER" in fetched[2]:
            raw = raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        what = fetched[2].replace(".PEEK", "")
        return f"* {uid} FETCH (UID {uid} {what} {{{len(raw)}}}\r\n".encode() + raw + f")\r\n{tag} OK done\r\n".encode()

    async def _idle(self, tag: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # What came since the last command is told at once, in the same packet.
        writer.write(b"+ idling\r\n" + (f"* {len(self.letters)} EXISTS\r\n".encode() if self._untold else b""))
        self._untold = False
        done = asyncio.ensure_future(reader.readline())
        while not done.done():
            self._news.clear()
            news = asyncio.ensure_future(self._news.wait())
            await asyncio.wait({done, news}, return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
            if not done.done():
                self._untold = False
                writer.write(f"* {len(self.letters)} EXISTS\r\n".encode())
        if done.result().strip().upper() == b"DONE":
            writer.write(f"{tag} OK idle is over\r\n".encode())

    # --- SMTP ---------------------------------------------------------------------------------------------------------

    async def _smtp(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        known = False
        try:
            writer.write(b"220 fake ESMTP\r\n")
            while line := (await reader.readline()).decode("utf-8", "replace").strip():
                word = line[:4].upper()
                if word == "QUIT":
                    writer.write(b"221 bye\r\n")
                    break
                if word in ("EHLO", "HELO"):
                    writer.write(b"250-fake\r\n250-SIZE 20971520\r\n250 AUTH PLAIN\r\n")
                elif word == "AUTH":
                    known = line.split()[-1] == base64.b64encode(f"\0{ADDRESS}\0{PASSWORD}".encode()).decode()
                    writer.write(b"235 ok\r\n" if known else b"535 5.7.8 bad credentials\r\n")
                elif not known:
                    writer.write(b"530 authenticate first\r\n")
                elif word in ("MAIL", "RCPT", "RSET", "NOOP"):
                    writer.write(
                        f"{self.refuse.pop(0)} no\r\n".encode() if word == "RCPT" and self.refuse else b"250 ok\r\n"
                    )
                elif word == "DATA":
                    writer.write(b"354 go on\r\n")
                    await self._letter(reader, writer)
                else:
                    writer.write(b"500 what?\r\n")
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _letter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raw = (await reader.readuntil(b"\r\n.\r\n"))[:-3].replace(b"\r\n..", b"\r\n.")
        letter = BytesParser(policy=policy.default).parsebytes(raw)
        if any(len(one) > 998 for one in raw.split(b"\r\n")):
            writer.write(b"500 5.5.2 line too long\r\n")
            return
        self.sent.append(letter)
        if self.drop_after_data:
            self.drop_after_data -= 1
            writer.transport.abort()
            return
        writer.write(b"250 taken\r\n")
