"""Where the Docker engine is: a socket of this machine, or another machine behind TLS or ssh.

The words are Docker's own: `unix://PATH`, `tcp://HOST:PORT` with `ca.pem`, `cert.pem` and `key.pem` in one folder, and
`ssh://[USER@]HOST[:PORT][/PATH of the socket there]`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from appliance.errors import SandboxError

SOCKET = "/var/run/docker.sock"
_TLS_PORT = 2376
_SSH_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SSH_PATH = re.compile(r"/[A-Za-z0-9_./-]+")


@dataclass(frozen=True, slots=True)
class Local:
    """A socket on this machine; its engine sees this machine's folders."""

    path: str


@dataclass(frozen=True, slots=True)
class Tls:
    """An engine's TLS port. `certificates` is the folder with ca.pem, cert.pem and key.pem."""

    host: str
    port: int
    certificates: str


@dataclass(frozen=True, slots=True)
class Ssh:
    """An engine's socket on a machine reached by ssh. `destination` is as ssh takes it; `port` 0 is ssh's own."""

    destination: str
    port: int
    path: str


Address = Local | Tls | Ssh


def locate(host: str, certificates: str, environment: Mapping[str, str] | None = None) -> Address:
    """Given the settings (both may be empty), return where the engine is; raise SandboxError for what cannot be one.

    Empty settings mean DOCKER_HOST and DOCKER_CERT_PATH, then the first socket of this machine that is there: the
    system's, or that of a rootless Docker of this user.
    """
    names = os.environ if environment is None else environment
    where = host or names.get("DOCKER_HOST", "")
    if not where:
        return Local(_socket(names))
    if where.startswith("/"):
        return Local(where)
    scheme, _, rest = where.partition("://")
    if scheme == "unix":
        return Local(rest)
    if scheme == "ssh":
        return _ssh(where)
    if scheme in ("tcp", "https"):
        return _tls(where, certificates or names.get("DOCKER_CERT_PATH", ""), names)
    raise SandboxError(
        f"A Docker engine cannot be reached at {where!r}.", fix="Use unix://PATH, tcp://HOST:2376 or ssh://USER@HOST."
    )


def is_remote(host: str) -> bool:
    """Whether the setting, or DOCKER_HOST where it is empty, names an engine of another machine."""
    return (host or os.environ.get("DOCKER_HOST", "")).startswith(("ssh://", "tcp://", "https://"))


def _socket(names: Mapping[str, str]) -> str:
    """The system's socket, or that of a rootless engine where there is only that."""
    home = names.get("HOME", "")
    runtime = names.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    for path in (SOCKET, f"{runtime}/docker.sock", f"{home}/.docker/run/docker.sock"):
        if Path(path).is_socket() and os.access(path, os.W_OK):
            return path
    return SOCKET


def _tls(where: str, certificates: str, names: Mapping[str, str]) -> Tls:
    parts = urlsplit(where)
    try:
        port = parts.port or _TLS_PORT
    except ValueError:
        port = 0
    if not parts.hostname or not port:
        raise SandboxError(f"{where!r} names no machine and port.", fix="Write tcp://HOST:2376.")
    if not certificates:
        folder = Path(names.get("HOME", "/")) / ".docker"
        if not (folder / "key.pem").exists():
            raise SandboxError(
                f"{where} would be used without TLS; whoever reaches such a Docker port owns its machine.",
                fix="Put ca.pem, cert.pem and key.pem into a folder and name it in exec.docker_cert_path.",
            )
        certificates = str(folder)
    return Tls(parts.hostname, port, certificates)


def _ssh(where: str) -> Ssh:
    parts = urlsplit(where)
    host, user = parts.hostname or "", parts.username or ""
    path = parts.path.rstrip("/") or SOCKET
    try:
        port = parts.port or 0
    except ValueError:
        host = ""
    # None of these reaches a shell here, but a word that begins with a dash would be an option of ssh.
    plain = _SSH_NAME.fullmatch(host) and (not user or _SSH_NAME.fullmatch(user)) and _SSH_PATH.fullmatch(path)
    if not plain or parts.password or parts.query or parts.fragment:
        raise SandboxError(
            f"{where!r} is not an address for ssh.", fix="Write ssh://USER@HOST or ssh://USER@HOST:PORT."
        )
    return Ssh(f"{user}@{host}" if user else host, port, path)
