"""Logging in and out, the password, the list of logins, a new token."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, delete, get, post
from litestar.datastructures import Cookie

from appliance.errors import AccessError, InputError
from appliance.gateway.api.http import AnyRequest, address_of, decode, principal_of, read_body, reply
from appliance.gateway.auth import COOKIE, LIFE_SECONDS
from appliance.gateway.services import Services

_BODY_LIMIT = 8 * 1024
_BODY_SECONDS = 10.0  # anybody may send this one


class GivenLogin(msgspec.Struct, forbid_unknown_fields=True):
    """Either the one-time code or the password."""

    code: str = ""
    password: str = ""


class GivenPassword(msgspec.Struct, forbid_unknown_fields=True):
    password: str
    current: str = ""


def routes(services: Services) -> list[Any]:
    """The handlers of this module."""
    return [*_login_routes(services), *_management_routes(services)]


def _login_routes(services: Services) -> list[Any]:
    auth = services.auth

    @post("/api/login", status_code=200)
    async def login(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT, _BODY_SECONDS), GivenLogin)
        if bool(given.code) == bool(given.password):
            raise InputError("Send either code or password.")
        address, agent = address_of(request), request.headers.get("user-agent", "")
        if given.code:
            secret = await auth.login_with_code(given.code, address=address, agent=agent)
        else:
            secret = await auth.login_with_password(given.password, address=address, agent=agent)
        answer = reply({"ok": True, "has_password": auth.has_password})
        answer.set_cookie(_cookie(secret, secure=request.headers.get("origin", "").startswith("https://")))
        return answer

    @post("/api/logout", status_code=200)
    async def logout(request: AnyRequest) -> Response[Any]:
        principal = principal_of(request)
        if principal.kind == "login":
            await auth.revoke(principal.id)
        answer = reply({"ok": True})
        answer.set_cookie(_cookie("", secure=False, seconds=0))
        return answer

    return [login, logout]


def _management_routes(services: Services) -> list[Any]:
    auth = services.auth

    @post("/api/password", status_code=200)
    async def password(request: AnyRequest) -> Response[Any]:
        given = decode(await read_body(request, _BODY_LIMIT, _BODY_SECONDS), GivenPassword)
        await auth.set_password(
            given.password, principal_of(request), current=given.current, address=address_of(request)
        )
        return reply({"ok": True})

    @get("/api/logins")
    async def logins(request: AnyRequest) -> Response[Any]:
        mine = principal_of(request).id
        return reply({"logins": [{**row, "this": row["id"] == mine} for row in auth.logins()]})

    @delete("/api/logins/{login_id:str}", status_code=200)
    async def revoke(login_id: str) -> Response[Any]:
        await auth.revoke(login_id)
        return reply({"ok": True})

    @post("/api/login-code", status_code=201)
    async def code(request: AnyRequest) -> Response[Any]:
        _token_only(request)
        return reply({"code": auth.new_code(), "minutes": 10}, 201)

    @post("/api/token/rotate", status_code=200)
    async def rotate(request: AnyRequest) -> Response[Any]:
        _token_only(request)
        auth.rotate_token()
        return reply({"ok": True})

    return [password, logins, revoke, code, rotate]


def _token_only(request: AnyRequest) -> None:
    if principal_of(request).kind != "token":
        raise AccessError("Only the token of STATE/token may do this.", fix="Run `appliance login` on the machine.")


def _cookie(secret: str, *, secure: bool, seconds: int = int(LIFE_SECONDS)) -> Cookie:
    return Cookie(COOKIE, value=secret, path="/", httponly=True, samesite="strict", secure=secure, max_age=seconds)
