"""Who may use the page and the API.

Programs send the bearer token of STATE/token. A person logs in once with a code shown on the machine, sets a password,
and comes back with that; each browser is a row that can be revoked. Secrets are looked up on every request, so a
rotated token and a revoked login end at once, and compared in constant time. Nobody is trusted for where they are.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from appliance.clock import Clock, SystemClock, iso
from appliance.database import Database, Migration
from appliance.errors import AccessError, InputError, NotFoundError, StateError
from appliance.gateway.throttle import Throttle
from appliance.storage import atomic_write

COOKIE = "appliance_login"
CODE_SECONDS = 600.0
IDLE_SECONDS = 30 * 86_400.0  # a login ends after this long without use
LIFE_SECONDS = 365 * 86_400.0
PASSWORD_MIN, PASSWORD_MAX = 8, 1024  # characters
_SEEN_STEP = 3600.0  # last use is written down at most this often
_CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # nothing that looks like something else

MIGRATIONS: list[Migration] = [
    (
        "logins",
        """
        CREATE TABLE web_password(
            id INTEGER PRIMARY KEY CHECK (id = 1), hash TEXT NOT NULL, set_at REAL NOT NULL
        ) STRICT;
        CREATE TABLE web_logins(
            id TEXT PRIMARY KEY, secret_hash BLOB NOT NULL UNIQUE, created REAL NOT NULL, seen REAL NOT NULL,
            method TEXT NOT NULL, agent TEXT NOT NULL, address TEXT NOT NULL
        ) STRICT;
        """,
    )
]

AuditHook = Callable[..., Any]


class LockedError(AccessError):
    """Too many wrong guesses; `retry_after` is in seconds."""

    def __init__(self, retry_after: float) -> None:
        minutes = max(1, round(retry_after / 60))
        super().__init__(
            f"Too many wrong tries; wait {minutes} min.",
            fix="Or run `appliance login` on the machine for a new code, which also ends the wait.",
            status=429,
        )
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is asking. `id` names the very token or login, so that a stream can ask whether it still counts."""

    kind: Literal["token", "login", "metrics", "alerts"]
    id: str


@dataclass(slots=True)
class _Code:
    text: str
    expires: float


class SecretFile:
    """A token in a 0600 file, made at first use, read again whenever the file changes; or the one that is `given`."""

    def __init__(self, path: Path, given: str = "") -> None:
        self._path = path
        self._given = given.encode()
        self._stamp: tuple[int, int, int] | None = None
        self._value = b""

    def prepare(self) -> None:
        """Make the file when it is missing or empty; take rights away from others. Raises OSError."""
        if self._given:
            return
        if not self._path.is_file() or not self._path.read_text(encoding="utf-8").strip():
            self.rotate()
        if self._path.stat().st_mode & 0o077:
            self._path.chmod(0o600)

    def rotate(self) -> None:
        atomic_write(self._path, secrets.token_urlsafe(32) + "\n", mode=0o600)
        self._stamp = None

    def value(self) -> bytes:
        """The secret as it stands on disk now; empty (matches nothing) when it cannot be read."""
        if self._given:
            return self._given
        try:
            stat = os.stat(self._path)  # noqa: PTH116 - on the path of every request
            stamp = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
            if stamp != self._stamp:
                self._value = self._path.read_bytes().strip()
                self._stamp = stamp
        except OSError:
            self._stamp, self._value = None, b""
        return self._value


def same(given: bytes, wanted: bytes) -> bool:
    """Constant-time equality; an empty secret equals nothing."""
    return bool(wanted) and hmac.compare_digest(given, wanted)


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()


class Auth:
    """Give it STATE, the open core database and a clock; call `prepare` once before the first request."""

    def __init__(
        self,
        state: Path,
        database: Database,
        *,
        clock: Clock | None = None,
        metrics_token: str = "",
        alerts_token: str = "",
        audit: AuditHook | None = None,
    ) -> None:
        self._database = database
        self._clock = clock or SystemClock()
        self._token = SecretFile(state / "token")
        self._metrics = SecretFile(state / "metrics_token", metrics_token)
        self._alerts = SecretFile(state / "alerts_token", alerts_token)
        self._audit = audit
        self._code: _Code | None = None
        self._hashing = asyncio.Semaphore(1)  # argon2 takes 19 MiB a time
        self.throttle = Throttle(self._clock)

    def prepare(self) -> None:
        """Make the token files. Raises StateError when STATE does not take them."""
        try:
            for secret in (self._token, self._metrics, self._alerts):
                secret.prepare()
        except OSError as error:
            raise StateError(f"The token file cannot be written: {error}.", fix="Check the owner of STATE.") from error

    def secret_values(self) -> list[str]:
        """What no log may ever show."""
        values = [secret.value() for secret in (self._token, self._metrics, self._alerts)]
        return [value.decode(errors="replace") for value in values if value]

    # Recognising a request

    def by_bearer(self, authorization: bytes) -> Principal | None:
        """Given an Authorization header, return whose it is, or None."""
        scheme, _, given = authorization.partition(b" ")
        given = given.strip()
        if scheme.lower() != b"bearer" or not given:
            return None
        token = self._token.value()
        if same(given, token):
            return Principal("token", _digest(token).hex())
        if same(given, self._metrics.value()):
            return Principal("metrics", "")
        if same(given, self._alerts.value()):
            return Principal("alerts", "")
        return None

    def by_cookie(self, secret: str) -> Principal | None:
        """Given the login cookie, return whose it is, or None."""
        if not 20 <= len(secret) <= 200:
            return None
        rows = self._database.read(
            "SELECT id, created, seen FROM web_logins WHERE secret_hash = ?", (_digest(secret.encode()),)
        )
        if not rows or self._over(rows[0][1], rows[0][2]):
            return None
        return Principal("login", rows[0][0])

    def valid(self, principal: Principal) -> bool:
        """Whether it still counts; long streams ask again every second or two."""
        if principal.kind == "token":
            return same(principal.id.encode(), _digest(self._token.value()).hex().encode())
        if principal.kind != "login":
            return False  # the narrow tokens open no streams
        rows = self._database.read("SELECT created, seen FROM web_logins WHERE id = ?", (principal.id,))
        return bool(rows) and not self._over(rows[0][0], rows[0][1])

    async def touch(self, principal: Principal) -> None:
        """Write down that a login is in use, at most once an hour."""
        if principal.kind != "login":
            return
        now = self._clock.now()
        rows = self._database.read("SELECT seen FROM web_logins WHERE id = ?", (principal.id,))
        if rows and now - rows[0][0] >= _SEEN_STEP:
            await self._database.write(
                lambda c: c.execute("UPDATE web_logins SET seen = ? WHERE id = ?", (now, principal.id)).fetchall()
            )

    def _over(self, created: float, seen: float) -> bool:
        now = self._clock.now()
        return now - seen > IDLE_SECONDS or now - created > LIFE_SECONDS

    # Logging in

    def new_code(self) -> str:
        """Make the one-time code (10 minutes, one use, replaces the one before) and end every lock."""
        letters = "".join(secrets.choice(_CODE_LETTERS) for _ in range(8))
        self._code = _Code(letters, self._clock.monotonic() + CODE_SECONDS)
        self.throttle.lift()
        self._note("login.code")
        return f"{letters[:4]}-{letters[4:]}"

    @property
    def has_password(self) -> bool:
        return bool(self._database.read("SELECT 1 FROM web_password"))

    async def login_with_code(self, code: str, *, address: str, agent: str = "") -> str:
        """Given the code, return the cookie's secret. Raises AccessError, LockedError after five wrong ones."""
        self._take(address)
        wanted = self._code
        given = "".join(c for c in code[:64].upper() if c not in "- \t").encode()
        if wanted is None or self._clock.monotonic() > wanted.expires or not same(given, wanted.text.encode()):
            if wanted is not None and self.throttle.locked(address):
                self._code = None
            self._note("login.failed", method="code", address=address)
            raise AccessError(
                "This code is wrong, used or older than 10 minutes.",
                fix="Run `appliance login` on the machine for a new one.",
                status=401,
            )
        self._code = None  # before anything can wait: single use
        self.throttle.right(address)
        return await self._open("code", address, agent)

    async def login_with_password(self, password: str, *, address: str, agent: str = "") -> str:
        """Given the password, return the cookie's secret. Raises AccessError, LockedError after five wrong ones."""
        self._take(address)
        rows = self._database.read("SELECT hash FROM web_password")
        stored = rows[0][0] if rows else ""
        if not stored or not await self._verify(stored, password):
            self._note("login.failed", method="password", address=address)
            raise AccessError(
                "The password is wrong." if stored else "No password is set yet.",
                fix="Run `appliance login` on the machine for a one-time code.",
                status=401,
            )
        self.throttle.right(address)
        return await self._open("password", address, agent)

    async def set_password(self, new: str, principal: Principal, *, current: str = "", address: str = "") -> None:
        """Set or change the password; other logins end. A change needs the current password, unless this login was
        made with a code within ten minutes or the caller holds the token. Raises InputError, AccessError."""
        if not PASSWORD_MIN <= len(new) <= PASSWORD_MAX:
            raise InputError(f"A password has {PASSWORD_MIN} to {PASSWORD_MAX} characters.")
        rows = self._database.read("SELECT hash FROM web_password")
        if rows and not self._fresh(principal):
            self._take(address)
            if not await self._verify(rows[0][0], current):
                raise AccessError("The current password is wrong.")
            self.throttle.right(address)
        digest = await self._hash(new)
        now = self._clock.now()
        keep = principal.id if principal.kind == "login" else ""

        def work(connection: Any) -> None:
            connection.execute("INSERT OR REPLACE INTO web_password VALUES (1, ?, ?)", (digest, now))
            connection.execute("DELETE FROM web_logins WHERE id <> ?", (keep,))

        await self._database.write(work)
        self._note("password.set", address=address)

    def logins(self) -> list[dict[str, Any]]:
        """Every browser that is logged in, newest use first."""
        rows = self._database.read(
            "SELECT id, created, seen, method, agent, address FROM web_logins ORDER BY seen DESC"
        )
        return [
            {"id": r[0], "created": iso(r[1]), "seen": iso(r[2]), "method": r[3], "agent": r[4], "address": r[5]}
            for r in rows
        ]

    async def revoke(self, login: str) -> None:
        """End one login. Raises NotFoundError."""
        gone = await self._database.write(
            lambda c: c.execute("DELETE FROM web_logins WHERE id = ? RETURNING id", (login,)).fetchall()
        )
        if not gone:
            raise NotFoundError("There is no such login.")
        self._note("login.revoked", login=login)

    def rotate_token(self) -> None:
        """Make a new bearer token; the old one ends at once, with every stream that was opened by it."""
        self._token.rotate()
        self._note("token.rotated")

    def _take(self, address: str) -> None:
        wait = self.throttle.take(address)
        if wait:
            self._note("login.locked", address=address)
            raise LockedError(wait)

    def _fresh(self, principal: Principal) -> bool:
        if principal.kind == "token":
            return True
        rows = self._database.read("SELECT method, created FROM web_logins WHERE id = ?", (principal.id,))
        return bool(rows) and rows[0][0] == "code" and self._clock.now() - rows[0][1] <= CODE_SECONDS

    async def _open(self, method: str, address: str, agent: str) -> str:
        secret, name, now = secrets.token_urlsafe(32), secrets.token_hex(6), self._clock.now()
        row = (name, _digest(secret.encode()), now, now, method, agent[:200], address[:64])

        def work(connection: Any) -> None:
            connection.execute(
                "DELETE FROM web_logins WHERE seen < ? OR created < ?", (now - IDLE_SECONDS, now - LIFE_SECONDS)
            )
            connection.execute("INSERT INTO web_logins VALUES (?, ?, ?, ?, ?, ?, ?)", row)

        await self._database.write(work)
        self._note("login.ok", method=method, login=name, address=address)
        return secret

    async def _verify(self, stored: str, password: str) -> bool:
        from argon2.exceptions import Argon2Error, InvalidHashError

        if len(password) > PASSWORD_MAX:
            return False
        async with self._hashing:
            try:
                return await asyncio.to_thread(_hasher().verify, stored, password)
            except (Argon2Error, InvalidHashError, UnicodeEncodeError):
                return False

    async def _hash(self, password: str) -> str:
        async with self._hashing:
            try:
                return await asyncio.to_thread(_hasher().hash, password)
            except UnicodeEncodeError:
                raise InputError("The password holds characters that are not text.") from None

    def _note(self, kind: str, **fields: Any) -> None:
        if self._audit is not None:
            self._audit(kind, **fields)


def _hasher() -> Any:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
