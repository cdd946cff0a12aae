"""A name server on loopback for which every name is 127.0.0.1, and that answers as badly as name servers do.

It stands at port 53, so it needs root, as giving one process a resolv.conf of its own does (`asking`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
import struct
import subprocess
from collections import Counter
from pathlib import Path

from appliance.tasks import end

LATE_SECONDS = 20.0
ADDRESS, SERVFAIL, UNKNOWN = 1, 2, 3  # a kind of record, two codes
_HEAD, _ANSWER = 12, 0x8180
_RECORD = b"\xc0\x0c" + struct.pack(">HHIH", ADDRESS, 1, 0, 4)


def usable() -> bool:
    """Whether this process may stand at port 53 and give another a resolv.conf of its own."""
    return os.getuid() == 0 and subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0


class NameServer(asyncio.DatagramProtocol):
    """`mode` is "" (answers), "fails" (SERVFAIL), "silent" or "late" (after `late_seconds`), for the names that end
    with one of `spoilt`; `asked` counts the questions by name."""

    def __init__(self, late_seconds: float = LATE_SECONDS) -> None:
        self.mode = ""
        self.spoilt: tuple[str, ...] = ()
        self.asked: Counter[str] = Counter()
        self.address = ""
        self._late_seconds = late_seconds
        self._transport: asyncio.DatagramTransport | None = None
        self._late: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> NameServer:
        loop = asyncio.get_running_loop()
        self.address = f"127.53.{random.randrange(256)}.{random.randrange(1, 255)}"
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self, (self.address, 53))
        return self

    async def __aexit__(self, *_: object) -> None:
        await end(self._late)
        if self._transport is not None:
            self._transport.close()

    def become(self, mode: str, *names: str) -> None:
        """Answer in this way from now on for these names."""
        self.mode, self.spoilt = mode, names

    def datagram_received(self, data: bytes, sender: tuple[str, int]) -> None:
        name, _ = question(data)
        self.asked[name] += 1
        match self.mode if name.endswith(self.spoilt) else "":
            case "silent":
                return
            case "late":
                task = asyncio.create_task(self._later(data, sender))
                self._late.add(task)
                task.add_done_callback(self._late.discard)
            case mode:
                self._send(answer(data, code=SERVFAIL) if mode == "fails" else _here(data), sender)

    async def _later(self, data: bytes, sender: tuple[str, int]) -> None:
        await asyncio.sleep(self._late_seconds)
        self._send(_here(data), sender)

    def _send(self, data: bytes, sender: tuple[str, int]) -> None:
        if self._transport is not None:
            with contextlib.suppress(OSError):
                self._transport.sendto(data, sender)

    def asking(self, folder: Path) -> tuple[str, ...]:
        """Words before a command that has it ask here for names: a mount of its own over /etc/resolv.conf.

        It waits for one answer, longer than a late one takes.
        """
        conf = folder / "resolv.conf"
        conf.write_text(f"nameserver {self.address}\noptions timeout:{round(self._late_seconds) + 10} attempts:1\n")
        return ("unshare", "-m", "sh", "-c", f'mount --bind {conf} /etc/resolv.conf && exec "$@"', "sh")


def _here(query: bytes) -> bytes:
    return answer(query, *(["127.0.0.1"] if question(query)[1] == ADDRESS else []))


def question(query: bytes) -> tuple[str, int]:
    """The name that is asked for, and the kind of record."""
    labels, at = [], _HEAD
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("ascii"))
        at += 1 + query[at]
    return ".".join(labels).lower(), int.from_bytes(query[at + 1 : at + 3], "big")


def answer(query: bytes, *addresses: str, code: int = 0) -> bytes:
    """The answer to a query: addresses of version 4 that hold for no second, or none, or an error's code."""
    asked = query[_HEAD : query.index(0, _HEAD) + 5]
    head = query[:2] + struct.pack(">HHHHH", _ANSWER | code, 1, len(addresses), 0, 0)
    return head + asked + b"".join(_RECORD + socket.inet_aton(address) for address in addresses)
