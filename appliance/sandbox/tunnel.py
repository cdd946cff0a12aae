"""An engine on another machine, made a socket on this one, so that everything else speaks to sockets only.

Over TLS each connection is carried by this process, with both sides' certificates checked. Over ssh one ssh process
forwards the socket; it asks nobody for a password and takes no unknown host.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import ssl
import subprocess
from pathlib import Path

from appliance.errors import SandboxError
from appliance.sandbox.address import Ssh, Tls
from appliance.tasks import end, first

_PIECE = 256 * 1024
_CONNECT_SECONDS = 15.0
_PREFIX = "engine-"  # of the socket's name; the process's id follows


class Tunnel:
    """Give it the far engine and a folder for the socket; `open` before each use, `close` at the end."""

    def __init__(self, address: Tls | Ssh, folder: Path) -> None:
        self._address = address
        self._folder = folder
        self.path = folder / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(3)}"
        self._opening = asyncio.Lock()
        self._server: asyncio.Server | None = None
        self._ssh: asyncio.subprocess.Process | None = None
        self._carriers: set[asyncio.Task[None]] = set()
        self._trouble = ""

    @property
    def trouble(self) -> str:
        """Why the last connection over TLS failed, for a better word than "refused"."""
        return self._trouble

    async def open(self) -> None:
        """Have the socket there; raises SandboxError."""
        async with self._opening:
            if isinstance(self._address, Ssh):
                await self._open_ssh(self._address)
            elif self._server is None:
                await self._open_tls(self._address)

    # -- TLS ---------------------------------------------------------------------------------------------------------

    async def _open_tls(self, address: Tls) -> None:
        context = _context(address)
        self._prepare()

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is not None:
                self._carriers.add(task)
                task.add_done_callback(self._carriers.discard)
            await self._carry(address, context, reader, writer)

        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(carry, str(self.path), limit=_PIECE)
        finally:
            os.umask(before)

    async def _carry(
        self, address: Tls, context: ssl.SSLContext, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                far_reader, far_writer = await asyncio.open_connection(
                    address.host, address.port, ssl=context, limit=_PIECE
                )
        except (OSError, TimeoutError) as error:
            self._trouble = _tls_trouble(address, error)
            writer.close()
            return
        self._trouble = ""
        try:
            # TLS has no half-closed state, so the end of either side is the end of both.
            await first(_copy(reader, far_writer), _copy(far_reader, writer))
        finally:
            writer.close()
            # Not closed politely: an engine that does not answer the goodbye would hold this up for half a minute.
            far_writer.transport.abort()

    # -- ssh ---------------------------------------------------------------------------------------------------------

    async def _open_ssh(self, address: Ssh) -> None:
        if self._ssh is not None and self._ssh.returncode is None and self.path.is_socket():
            return
        await self._end_ssh()
        self._prepare()
        port = ["-p", str(address.port)] if address.port else []
        options = ("BatchMode=yes", "ExitOnForwardFailure=yes", "ServerAliveInterval=15", "ServerAliveCountMax=2",
                   f"ConnectTimeout={_CONNECT_SECONDS:.0f}", "StreamLocalBindMask=0177", "ClearAllForwardings=no",
                   "ControlMaster=no", "ControlPath=none", "ForwardAgent=no", "ForwardX11=no")  # fmt: skip
        # `cat` ends with its standard input, so that nothing goes on when this process is killed.
        words = ["ssh", "-T", *port, *(part for option in options for part in ("-o", option)),
                 "-L", f"{self.path}:{address.path}", "--", address.destination, "cat"]  # fmt: skip
        try:
            self._ssh = await asyncio.create_subprocess_exec(
                *words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        except FileNotFoundError:
            raise SandboxError("There is no ssh on this machine.", fix="Install openssh-client.") from None
        deadline = asyncio.get_running_loop().time() + _CONNECT_SECONDS + 2
        while not self.path.is_socket():
            if self._ssh.returncode is not None or asyncio.get_running_loop().time() > deadline:
                why = await self._end_ssh()
                raise SandboxError(
                    f"The machine {address.destination} cannot be reached by ssh: {why or 'it did not answer'}.",
                    fix=f"Try: ssh {' '.join([*port, address.destination])} true",
                )
            await asyncio.sleep(0.02)

    async def _end_ssh(self) -> str:
        """End the ssh process and return the last thing it said."""
        process, self._ssh = self._ssh, None
        if process is None:
            return ""
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        _, said = await process.communicate()
        lines = said.decode(errors="replace").strip().splitlines()
        return lines[-1].rstrip(".")[:300] if lines else ""

    def _prepare(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in self._folder.glob(f"{_PREFIX}*"):
            pid = left.name.removeprefix(_PREFIX).partition("-")[0]
            if left == self.path or not Path(f"/proc/{pid}").exists():
                left.unlink(missing_ok=True)

    async def close(self) -> None:
        """Let go of the far engine and take the socket away."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await end(self._carriers)
        await self._end_ssh()
        self.path.unlink(missing_ok=True)


def _context(address: Tls) -> ssl.SSLContext:
    folder = Path(address.certificates)
    try:
        context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
        context.load_cert_chain(str(folder / "cert.pem"), str(folder / "key.pem"))
    except (OSError, ssl.SSLError) as error:
        raise SandboxError(
            f"The certificates in {folder} cannot be used: {error.strerror or error}.",
            fix="It needs ca.pem, cert.pem and key.pem, readable by this user.",
        ) from None
    return context


def _tls_trouble(address: Tls, error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The certificate of {address.host} is not one that ca.pem vouches for ({error.verify_message})."
    return f"The Docker engine at {address.host}:{address.port} does not answer over TLS ({error or 'no answer'})."


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):  # the other side went away, which ends this way too
        while data := await reader.read(_PIECE):
            writer.write(data)
            await writer.drain()
