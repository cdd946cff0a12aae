"""A plain connection through the wall, for what does not speak HTTP."""

from __future__ import annotations

import asyncio
import socket
from urllib.parse import urlsplit

from appliance.errors import AddressError
from appliance.network.wall import Wall

_SECONDS = 15.0
_MOST_HEAD = 8_192


async def connect(wall: Wall, host: str, port: int, proxy: str = "") -> socket.socket:
    """A connection to an address that was judged: by the wall here, or by the proxy on the way out.

    Raises AddressError, OSError when nobody answers.
    """
    if proxy:
        return await asyncio.to_thread(_through, proxy, host, port)
    failure: OSError | None = None
    for address in await wall.addresses(host, port):
        try:
            return await asyncio.to_thread(socket.create_connection, (address, port), _SECONDS)
        except OSError as error:
            failure = error
    raise failure or OSError(f"{host} has no address")


def _through(proxy: str, host: str, port: int) -> socket.socket:
    there = urlsplit(proxy)
    made = socket.create_connection((there.hostname or "", there.port or 80), _SECONDS)
    try:
        made.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            piece = made.recv(1)  # not one byte more: what follows belongs to the tunnel
            if not piece or len(head) > _MOST_HEAD:
                raise OSError("the way out broke off")
            head += piece
        line = head.split(b"\r\n")[0].decode("latin-1")
        if line.split(" ")[1:2] != ["200"]:
            raise AddressError(f"{host} is not reached: {line.partition(' ')[2]}")
    except BaseException:
        made.close()
        raise
    return made
