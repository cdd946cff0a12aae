"""The sections `[mcp.<name>]`: servers that bring further tools (Model Context Protocol)."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import SecretStr, StringConstraints, field_validator, model_validator

from appliance.settings.base import Section, setting

ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


class McpServerSettings(Section):
    """One server: a `command` that is talked to over its standard input and output, or a `url`."""

    about: str = setting("", "What it is for, in a few words; the agent reads them.", "the shopping list")
    command: str = setting("", "Program of a server that talks over standard input and output.", "python3")
    args: list[str] = setting([], "Its arguments.", ["/workspace/notes_server.py"])
    allow_host: bool = setting(False, "Run the command on this machine instead of in the sandbox.", True)
    env: list[str] = setting([], "Names of variables that it gets; only with allow_host.", ["NOTES_TOKEN"])
    network: bool = setting(False, "In the sandbox: reach the domains of exec.allow_domains.", True)
    url: str = setting("", "Address of a server that talks over streamable HTTP.", "http://homeassistant:8123/api/mcp")
    token: SecretStr = setting(SecretStr(""), "Bearer token for it.", "s3cret")
    token_file: str = setting("", "File with that token, read at each connection.", "/run/secrets/notes")
    headers: dict[str, SecretStr] = setting({}, "Further headers for it.", {"x-house": "s3cret"})
    tools: list[str] = setting([], "Only these of its tools; empty: all of them.", ["search", "add"])
    free: list[str] = setting(
        [], "Tools that need no yes in a conversation holding text from outside; `*` is all of them.", ["search"]
    )
    members: bool = setting(False, "Whether members of the household may use it too.", True)
    timeout_seconds: float = setting(60.0, "How long one call may take.", gt=0, le=600)

    @field_validator("about")
    @classmethod
    def _short(cls, value: str) -> str:
        if len(value) > 160:
            raise ValueError(f"has {len(value)} characters; at most 160, since every request carries them")
        return " ".join(value.split())

    @field_validator("env")
    @classmethod
    def _names(cls, value: list[str]) -> list[str]:
        for name in value:
            if _VARIABLE.fullmatch(name) is None:
                raise ValueError("holds what is no name of a variable; write names, never values")
        return value

    @field_validator("url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("must be an address that begins with http:// or https://")
        return value

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("needs either a command or a url")
        if self.env and not self.allow_host:
            raise ValueError("env needs allow_host = true: what runs in the sandbox gets no variables")
        if self.allow_host and self.network:
            raise ValueError("network is for the sandbox; with allow_host the program has this machine's network")
        if self.token.get_secret_value() and self.token_file:
            raise ValueError("token and token_file are both set; keep one of them")
        return self

    @property
    def place(self) -> str:
        """Where it runs: http, host or sandbox."""
        return "http" if self.url else "host" if self.allow_host else "sandbox"


def variables(server: McpServerSettings, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The values of the variables that a server gets: each from NAME, or from the file that NAME_FILE names.

    Raises ValueError, with names only, for one that is not there.
    """
    known = os.environ if environ is None else environ
    found: dict[str, str] = {}
    for name in server.env:
        file = known.get(f"{name}_FILE", "")
        if name in known:
            found[name] = known[name]
        elif file:
            found[name] = _read(file, f"{name}_FILE")
        else:
            raise ValueError(f"the variable {name} is not set (nor {name}_FILE)")
    return found


def bearer(server: McpServerSettings) -> str:
    """The token of a server, or an empty string. Raises ValueError when its file cannot be read."""
    return _read(server.token_file, "token_file") if server.token_file else server.token.get_secret_value()


def secrets_of(servers: Mapping[str, McpServerSettings]) -> list[str]:
    """Every secret that servers get and that can be read now, for the redactor."""
    found: list[str] = []
    for server in servers.values():
        with contextlib.suppress(ValueError):  # what cannot be read is said where it is used
            found.append(bearer(server))
        with contextlib.suppress(ValueError):
            found += variables(server).values()
    return [secret for secret in found if secret]


def _read(path: str, what: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ValueError(f"{what}: {path} cannot be read: {reason}") from None
