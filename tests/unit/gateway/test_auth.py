"""Logging in: codes, passwords, tokens, logins that can be ended."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.database import Database
from appliance.errors import AccessError, InputError, NotFoundError
from appliance.gateway import auth as auth_module
from appliance.gateway.auth import Auth, LockedError, Principal
from appliance.testing.manual_clock import ManualClock

HERE = "127.0.0.1"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def auth(tmp_path: Path, clock: ManualClock) -> Iterator[Auth]:
    database = Database(tmp_path / "core.db", {"auth": auth_module.MIGRATIONS})
    database.open()
    made = Auth(tmp_path, database, clock=clock)
    made.prepare()
    yield made
    database.close()


def bearer(token: str) -> bytes:
    return f"Bearer {token}".encode()


def token_of(tmp_path: Path) -> str:
    return (tmp_path / "token").read_text().strip()


def test_the_token_is_made_once_and_is_private(auth: Auth, tmp_path: Path) -> None:
    first = token_of(tmp_path)
    auth.prepare()
    assert token_of(tmp_path) == first
    assert len(first) >= 40
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "metrics_token").stat().st_mode & 0o777 == 0o600


def test_a_token_that_others_can_read_is_made_private_at_start(auth: Auth, tmp_path: Path) -> None:
    (tmp_path / "token").chmod(0o644)
    auth.prepare()
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600


def test_an_emptied_token_file_matches_nothing_and_is_made_anew(auth: Auth, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("\n")
    assert auth.by_bearer(b"Bearer ") is None
    assert auth.by_bearer(b"Bearer") is None
    auth.prepare()
    assert auth.by_bearer(bearer(token_of(tmp_path))) is not None


@pytest.mark.parametrize("wrong", ["x", "", " ", "[]", "x" * 1_000_000, "null", "Bearer"])
def test_a_wrong_token_is_nobody(auth: Auth, wrong: str) -> None:
    assert auth.by_bearer(bearer(wrong)) is None


def test_the_token_needs_its_scheme_and_its_whole_length(auth: Auth, tmp_path: Path) -> None:
    token = token_of(tmp_path)
    assert auth.by_bearer(f"Basic {token}".encode()) is None
    assert auth.by_bearer(bearer(token[:-1])) is None
    assert auth.by_bearer(bearer(token + "x")) is None
    assert auth.by_bearer(f"bearer {token}".encode()) == auth.by_bearer(bearer(token))


def test_a_rotated_token_ends_at_once(auth: Auth, tmp_path: Path) -> None:
    old = token_of(tmp_path)
    principal = auth.by_bearer(bearer(old))
    assert principal is not None
    assert auth.valid(principal)
    auth.rotate_token()
    assert auth.by_bearer(bearer(old)) is None
    assert not auth.valid(principal)
    assert auth.by_bearer(bearer(token_of(tmp_path))) is not None


def test_a_token_changed_by_hand_counts_without_a_restart(auth: Auth, tmp_path: Path) -> None:
    auth.by_bearer(bearer(token_of(tmp_path)))
    (tmp_path / "token").write_text("a-token-written-by-hand\n")
    assert auth.by_bearer(b"Bearer a-token-written-by-hand") is not None


def test_narrow_tokens_can_be_given_by_settings_and_are_then_not_made(tmp_path: Path, clock: ManualClock) -> None:
    database = Database(tmp_path / "core.db", {"auth": auth_module.MIGRATIONS})
    given = Auth(tmp_path, database, clock=clock, metrics_token="m-12345678", alerts_token="a-12345678")
    given.prepare()
    kinds = [given.by_bearer(bearer(token)) for token in ("m-12345678", "a-12345678")]
    assert [who.kind for who in kinds if who is not None] == ["metrics", "alerts"]
    assert not (tmp_path / "metrics_token").exists()
    assert not (tmp_path / "alerts_token").exists()
    assert {"m-12345678", "a-12345678"} <= set(given.secret_values())


def test_the_metrics_token_is_only_for_metrics(auth: Auth, tmp_path: Path) -> None:
    principal = auth.by_bearer(bearer((tmp_path / "metrics_token").read_text().strip()))
    assert principal is not None
    assert principal.kind == "metrics"


async def test_a_code_logs_in_once(auth: Auth) -> None:
    code = auth.new_code()
    secret = await auth.login_with_code(code.lower().replace("-", " "), address=HERE)
    principal = auth.by_cookie(secret)
    assert principal is not None
    assert principal.kind == "login"
    with pytest.raises(AccessError, match="wrong, used or older"):
        await auth.login_with_code(code, address=HERE)


async def test_two_at_once_with_one_code_get_one_login(auth: Auth) -> None:
    code = auth.new_code()
    tries = [auth.login_with_code(code, address=f"10.0.0.{n}") for n in range(4)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(result, str) for result in results) == 1


async def test_a_code_ends_after_ten_minutes(auth: Auth, clock: ManualClock) -> None:
    code = auth.new_code()
    clock.move(601)
    with pytest.raises(AccessError):
        await auth.login_with_code(code, address=HERE)


async def test_a_new_code_replaces_the_one_before(auth: Auth) -> None:
    old = auth.new_code()
    new = auth.new_code()
    with pytest.raises(AccessError):
        await auth.login_with_code(old, address=HERE)
    assert await auth.login_with_code(new, address=HERE)


async def test_five_wrong_codes_lock_even_the_right_one_out_loopback_included(auth: Auth, clock: ManualClock) -> None:
    code = auth.new_code()
    for _ in range(5):
        with pytest.raises(AccessError):
            await auth.login_with_code("AAAA-AAAA", address=HERE)
    with pytest.raises(LockedError) as locked:
        await auth.login_with_code(code, address=HERE)
    assert 0 < locked.value.retry_after <= 900
    assert locked.value.status == 429
    clock.move(901)
    with pytest.raises(AccessError, match="wrong, used or older"):
        await auth.login_with_code(code, address=HERE)  # the attacked code is gone for good
    assert await auth.login_with_code(auth.new_code(), address=HERE)


async def test_a_new_code_made_on_the_machine_ends_the_lock(auth: Auth) -> None:
    for _ in range(5):
        with pytest.raises(AccessError):
            await auth.login_with_password("wrong", address=HERE)
    assert await auth.login_with_code(auth.new_code(), address=HERE)


async def test_a_hundred_guesses_at_once_get_five_checks(auth: Auth, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = await auth.login_with_code(auth.new_code(), address=HERE)
    principal = auth.by_cookie(secret)
    assert principal is not None
    await auth.set_password("correct horse", principal)
    checked = 0
    verify = auth._verify

    async def counted(stored: str, password: str) -> bool:
        nonlocal checked
        checked += 1
        return await verify(stored, password)

    monkeypatch.setattr(auth, "_verify", counted)
    tries = [auth.login_with_password(f"guess {n}", address=HERE) for n in range(100)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert checked == 5
    assert sum(isinstance(result, LockedError) for result in results) == 95


async def test_the_mapped_form_of_an_address_is_the_same_client(auth: Auth) -> None:
    for n in range(5):
        with pytest.raises(AccessError):
            await auth.login_with_code("AAAA-AAAA", address="1.2.3.4" if n % 2 else "::ffff:1.2.3.4")
    for address in ("1.2.3.4", "::ffff:1.2.3.4"):
        with pytest.raises(LockedError):
            await auth.login_with_code("AAAA-AAAA", address=address)


async def test_many_addresses_share_one_overall_limit(auth: Auth) -> None:
    for n in range(25):
        with pytest.raises(AccessError):
            await auth.login_with_code("AAAA-AAAA", address=f"10.0.{n}.1")
    with pytest.raises(LockedError):
        await auth.login_with_code("AAAA-AAAA", address="10.1.1.1")


async def logged_in(auth: Auth, password: str = "correct horse") -> Principal:
    principal = auth.by_cookie(await auth.login_with_code(auth.new_code(), address=HERE))
    assert principal is not None
    if password:
        await auth.set_password(password, principal)
    return principal


async def test_a_password_logs_in_and_is_not_stored(auth: Auth, tmp_path: Path) -> None:
    await logged_in(auth)
    assert auth.has_password
    assert auth.by_cookie(await auth.login_with_password("correct horse", address=HERE))
    with pytest.raises(AccessError, match="wrong"):
        await auth.login_with_password("correct horse ", address=HERE)
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("core.db*"))
    assert b"correct horse" not in stored
    assert b"argon2id" in stored


async def test_without_a_password_none_fits(auth: Auth) -> None:
    for guess in ("x", "None"):
        with pytest.raises(AccessError, match="No password is set"):
            await auth.login_with_password(guess, address=HERE)


@pytest.mark.parametrize("bad", ["", "short", "x" * 1025, "\ud800" * 10])
async def test_a_password_that_cannot_be_one_is_refused(auth: Auth, bad: str) -> None:
    principal = await logged_in(auth, password="")
    with pytest.raises(InputError):
        await auth.set_password(bad, principal)
    assert not auth.has_password


async def test_changing_the_password_needs_the_old_one_and_ends_other_logins(auth: Auth, clock: ManualClock) -> None:
    other = await logged_in(auth)
    mine = auth.by_cookie(await auth.login_with_password("correct horse", address=HERE))
    assert mine is not None
    with pytest.raises(AccessError, match="current password"):
        await auth.set_password("battery staple", mine, current="no", address=HERE)
    await auth.set_password("battery staple", mine, current="correct horse", address=HERE)
    assert auth.valid(mine)
    assert not auth.valid(other)


async def test_a_fresh_code_may_set_a_forgotten_password_an_old_login_may_not(auth: Auth, clock: ManualClock) -> None:
    principal = await logged_in(auth)
    await auth.set_password("battery staple", principal)
    clock.move(601)
    with pytest.raises(AccessError, match="current password"):
        await auth.set_password("third password", principal)


async def test_a_revoked_login_ends_at_once_and_stays_ended(auth: Auth) -> None:
    secret = await auth.login_with_code(auth.new_code(), address=HERE, agent="Test/1")
    principal = auth.by_cookie(secret)
    assert principal is not None
    assert [row["agent"] for row in auth.logins()] == ["Test/1"]
    await auth.revoke(principal.id)
    assert auth.by_cookie(secret) is None
    assert not auth.valid(principal)
    with pytest.raises(NotFoundError):
        await auth.revoke(principal.id)


async def test_a_login_ends_after_thirty_days_without_use(auth: Auth, clock: ManualClock) -> None:
    secret = await auth.login_with_code(auth.new_code(), address=HERE)
    clock.move(29 * 86_400)
    principal = auth.by_cookie(secret)
    assert principal is not None
    await auth.touch(principal)
    clock.move(29 * 86_400)
    assert auth.by_cookie(secret) is not None
    clock.move(2 * 86_400)
    assert auth.by_cookie(secret) is None


@pytest.mark.parametrize("secret", ["", "x", "x" * 43, "x" * 5000, "\x00" * 43])
async def test_a_made_up_cookie_is_nobody(auth: Auth, secret: str) -> None:
    await auth.login_with_code(auth.new_code(), address=HERE)
    assert auth.by_cookie(secret) is None


async def test_a_login_survives_a_restart(auth: Auth, tmp_path: Path, clock: ManualClock) -> None:
    secret = await auth.login_with_code(auth.new_code(), address=HERE)
    database = Database(tmp_path / "core.db", {"auth": auth_module.MIGRATIONS})
    database.open()
    again = Auth(tmp_path, database, clock=clock)
    assert again.by_cookie(secret) == auth.by_cookie(secret)
    database.close()
