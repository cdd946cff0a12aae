"""A name server on loopback for which every name is 127.0.0.1, and that answers as badly as name servers do.

It stands at port 53, so it needs root, as giving one process a resolv.conf of its own does (`asking`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
from collections import Counter
from pathlib import Path

from appliance.tasks import end

LATE_SECONDS = 20.0
_ANSWER, _SERVFAIL = 0x8180, 0x8182
_HEAD, _ADDRESS_OF_4, _HERE = 12, 1, b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01"


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
        name = _name(data)
        self.asked[name] += 1
        match self.mode if name.endswith(self.spoilt) else "":
            case "silent":
                return
            case "late":
                task = asyncio.create_task(self._later(data, sender))
                self._late.add(task)
                task.add_done_callback(self._late.discard)
            case mode:
                self._send(_reply(data, failed=mode == "fails"), sender)

    async def _later(self, data: bytes, sender: tuple[str, int]) -> None:
        await asyncio.sleep(self._late_seconds)
        self._send(_reply(data, failed=False), sender)

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


def _name(query: bytes) -> str:
    labels, at = [], _HEAD
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("ascii"))
        at += 1 + query[at]
    return ".".join(labels).lower()


def _reply(query: bytes, *, failed: bool) -> bytes:
    end_of_name = query.index(0, _HEAD) + 1
    question = query[_HEAD : end_of_name + 4]
    found = not failed and int.from_bytes(query[end_of_name : end_of_name + 2], "big") == _ADDRESS_OF_4
    flags = _SERVFAIL if failed else _ANSWER
    counts = (1).to_bytes(2, "big") + int(found).to_bytes(2, "big") + bytes(4)
    return query[:2] + flags.to_bytes(2, "big") + counts + question + (_HERE if found else b"")
