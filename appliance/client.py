"""How the command line talks to the running gateway: plain HTTP from the standard library, so that it starts at once.

Where: `APPLIANCE_URL` and `APPLIANCE_TOKEN`, else STATE/gateway.json (written by the gateway when it answers) and
STATE/token.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from appliance.errors import AccessError, ApplianceError, InputError, NotFoundError, StateError

GATEWAY_FILE = "gateway.json"
_START = "Start it with: appliance up"


class NotRunningError(StateError):
    """No gateway answers."""


class GatewayClient:
    """Given an address and a token, ask the gateway. Every method raises NotRunningError when nobody answers."""

    def __init__(self, url: str, token: str, *, timeout: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url!r} is not an address such as http://127.0.0.1:8321.", fix="Check APPLIANCE_URL.")
        self.url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._secure = parts.scheme == "https"
        self._place = (parts.hostname, parts.port)

    @classmethod
    def find(cls, state: Path, environ: Mapping[str, str] | None = None, *, timeout: float = 30.0) -> GatewayClient:
        """The gateway of this STATE; `timeout` is seconds for one answer. Raises NotRunningError with the start
        command."""
        env = os.environ if environ is None else environ
        url, token = env.get("APPLIANCE_URL", ""), env.get("APPLIANCE_TOKEN", "")
        if not url:
            try:
                url = str(json.loads((state / GATEWAY_FILE).read_text(encoding="utf-8"))["url"])
            except FileNotFoundError:
                raise NotRunningError(f"No gateway is running on {state}.", fix=_START) from None
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise NotRunningError(f"{state / GATEWAY_FILE} cannot be used: {error}.", fix=_START) from None
        if not token:
            try:
                token = (state / "token").read_text(encoding="utf-8").strip()
            except OSError as error:
                raise StateError(
                    f"The token {state / 'token'} cannot be read: {error.strerror}.",
                    fix="Run this as the gateway's user, or set APPLIANCE_TOKEN.",
                ) from None
        return cls(url, token, timeout=timeout)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Ask and return the decoded answer. Raises InputError, NotFoundError, AccessError, ApplianceError as told."""
        connection, response = self._send(method, path, body, {})
        try:
            raw = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise NotRunningError(f"The gateway stopped answering: {error}.", fix=_START) from None
        finally:
            connection.close()
        if response.status >= 400:
            raise _refusal(response.status, raw)
        return json.loads(raw) if "json" in (response.getheader("content-type") or "") else raw.decode()

    def stream(self, path: str, body: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        """Post and yield (event, data) as they come. Raises ConnectionError when the stream is cut before its end."""
        connection, response = self._send("POST", path, body, {"Accept": "text/event-stream"})
        try:
            if response.status >= 400:
                raise _refusal(response.status, response.read())
            yield from _events(response)
        finally:
            connection.close()

    def _send(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._place[0], self._place[1], timeout=self._timeout)
        raw = None if body is None else json.dumps(body).encode()
        fixed = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, body=raw, headers={**fixed, **headers})
            return connection, connection.getresponse()
        except (ConnectionRefusedError, http.client.RemoteDisconnected):
            connection.close()
            raise NotRunningError(f"No gateway answers at {self.url}.", fix=_START) from None
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise NotRunningError(f"The gateway at {self.url} cannot be reached: {error}.", fix=_START) from None


def _events(response: http.client.HTTPResponse) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    while True:
        try:
            line = response.readline().decode()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ConnectionError(f"the stream was cut: {error}") from None
        if not line:
            raise ConnectionError("the stream ended before the answer")
        if line.startswith("event: "):
            name = line[7:].strip()
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])
            if name in ("done", "error"):
                return


def _refusal(status: int, raw: bytes) -> ApplianceError:
    try:
        error = json.loads(raw)["error"]
        what, fix = str(error["message"]), str(error.get("fix") or "")
    except (ValueError, KeyError, TypeError):
        what, fix = f"The gateway answered {status}.", ""
    match status:
        case 401 | 403 | 429:
            return AccessError(what, fix=fix, status=status)
        case 404:
            return NotFoundError(what, fix=fix)
        case _ if status < 500:
            return InputError(what, fix=fix)
    return ApplianceError(what, fix=fix)
