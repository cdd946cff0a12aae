"""Every route there is, taken from the running house: nothing sent to it makes a 5xx, and no other page can use it."""

from __future__ import annotations

import asyncio
import functools
import http.client
import inspect
import json
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from litestar.routes import HTTPRoute

from appliance.app import Appliance
from appliance.composition.front import services_of
from appliance.gateway.server import build_app
from appliance.settings import page as settings_page
from appliance.testing.fake_anthropic import FakeAnthropic
from tests.house_settings import house_settings

EXAMPLES = 6  # of each kind (fitting and not) for each route
ENDLESS = {"/api/events"}  # a stream: it answers for as long as somebody listens
SLOW = {"/health", "/api/doctor"}  # dozens of checks each time; schemathesis asks them a few times
NONSENSE: list[dict[str, Any]] = [
    {},
    {"json": {}},
    {"json": {"no_such_field": 1}},
    {"content": b"{", "headers": {"content-type": "application/json"}},
    {"content": b"x", "headers": {"origin": "http://evil.example"}},
    {"params": {"q": " ", "day": "someday", "by": "nobody", "limit": "many", "agent": "nobody", "session": "No!"}},
]
HOSTILE = [
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
]  # fmt: skip


@dataclass
class Served:
    """A whole house on a loop of its own, for tests that ask it hundreds of things."""

    house: Appliance
    url: str
    loop: asyncio.AbstractEventLoop
    provider: FakeAnthropic
    client: httpx2.Client

    @property
    def token(self) -> dict[str, str]:
        """The header that lets in, read anew because a route changes it."""
        return {"authorization": f"Bearer {(self.house.state / 'token').read_text().strip()}"}

    @functools.cached_property
    def routes(self) -> list[tuple[str, str, Any]]:
        """(method, path, handler) of everything that the house answers."""
        app: Any = build_app(services_of(self.house, self.house.first_run))._app
        return [
            (method, "".join(part if isinstance(part, str) else f"{{{part.name}}}" for part in parts(route)), handler)
            for route in app.routes
            if isinstance(route, HTTPRoute)
            for handler in route.route_handlers
            for method in sorted(handler.http_methods)
            if method != "OPTIONS"
        ]


def parts(route: HTTPRoute) -> list[Any]:
    return [one for part in route.path_components for one in ("/", part)] or ["/"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> Served:
        provider = FakeAnthropic()
        await provider.__aenter__()
        config = house_settings(tmp_path_factory.mktemp("house") / "state", provider.url)
        settings_page.keep(config.state, {})
        house = Appliance(config)
        return Served(house, await house.start(), loop, provider, httpx2.Client(timeout=30))

    async def stop(running: Served) -> None:
        running.client.close()
        await running.house.stop()
        await running.provider.__aexit__(None, None, None)

    running = asyncio.run_coroutine_threadsafe(start(), loop).result(30)
    yield running
    asyncio.run_coroutine_threadsafe(stop(running), loop).result(60)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(20)
    loop.close()


def described(served: Served) -> dict[str, Any]:
    """The API as an OpenAPI document: its routes, and for each the bodies that its module takes."""
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {}
    for method, path, handler in served.routes:
        if path in ENDLESS:
            continue
        names = [name.strip("{}") for name in path.split("/") if name.startswith("{")]
        text = {"type": "string"}
        operation: dict[str, Any] = {
            "parameters": [
                *({"name": name, "in": "path", "required": True, "schema": text | {"minLength": 1}} for name in names),
                *({"name": name, "in": "query", "schema": text} for name in ("q", "limit", "day", "by", "session")),
            ],
            "responses": {"default": {"description": "any"}},
        }
        structs = given_by(handler)
        if method in ("POST", "PUT", "PATCH") and structs:
            _, found = msgspec.json.schema_components(structs, ref_template="#/components/schemas/{name}")
            schemas |= found
            bodies = [{"$ref": f"#/components/schemas/{struct.__name__}"} for struct in structs]
            operation["requestBody"] = {"content": {"application/json": {"schema": {"anyOf": bodies}}}}
        paths.setdefault(path, {})[method.lower()] = operation
    return {
        "openapi": "3.1.0", "info": {"title": "appliance", "version": "0"}, "paths": paths,
        "components": {"schemas": schemas},
    }  # fmt: skip


def given_by(handler: Any) -> list[type]:
    """The bodies that the module of a handler knows."""
    module = sys.modules[handler.fn.__module__]
    return [one for name, one in inspect.getmembers(module, inspect.isclass) if name.startswith("Given")]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode))
def test_schemathesis_finds_no_5xx_in_any_route(served: Served, mode: schemathesis.GenerationMode) -> None:
    schema = schemathesis.openapi.from_dict(described(served))
    asked: set[str] = set()

    def ask(case: Any) -> None:
        asked.add(f"{case.method} {case.path}")
        answer = case.call(base_url=served.url, headers=served.token, timeout=30)
        assert answer.status_code < 500, (case.method, case.path, case.body, answer.text)

    quick = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    for found in schema.get_all_operations():
        operation = found.ok()
        if mode in operation.schema.config.generation.modes:
            quick(given(case=operation.as_strategy(generation_mode=mode))(ask))()
    assert len(asked) > 50


@pytest.mark.timeout(600)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), part=st.text(max_size=30), body=st.binary(max_size=60) | st.text(max_size=60))
def test_no_bytes_in_an_address_or_a_body_make_a_5xx(
    served: Served, data: st.DataObject, part: str, body: bytes | str
) -> None:
    paths = sorted({path for _, path, _ in served.routes} - ENDLESS - SLOW)
    path = data.draw(st.sampled_from(paths))
    method = data.draw(st.sampled_from(["GET", "POST", "DELETE", "PUT", "HEAD"]))
    quoted = "".join(f"%{byte:02x}" for byte in part.encode(errors="replace"))
    filled = re.sub(r"\{\w+\}", lambda _: quoted, path)
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    address = f"{served.url}{filled}?session={quoted}&q={quoted}&day={quoted}"
    answer = served.client.request(method, address, content=content, headers=served.token)
    assert answer.status_code < 500, (method, path, answer.text)


def test_a_page_from_another_origin_can_do_nothing_on_any_route_that_changes_something(served: Served) -> None:
    house = served.house
    code = asyncio.run_coroutine_threadsafe(_code(house), served.loop).result(10)
    changing = [(method, path) for method, path, _ in served.routes if method not in ("GET", "HEAD")]
    assert len(changing) > 25
    with httpx2.Client(base_url=served.url, timeout=20) as browser:
        assert browser.post("/api/login", json={"code": code}).status_code == 200
        before = rows(house)
        for method, path in changing:
            if path.startswith("/hooks/"):  # called by platforms, which prove themselves; a login counts for nothing
                continue
            for headers in HOSTILE:
                for body in ({"content-type": "text/plain"}, {"content-type": "application/json"}):
                    answer = browser.request(method, path.replace("{", "").replace("}", ""), headers=headers | body)
                    assert answer.status_code == 403, (method, path, headers)
                    assert "access-control-allow-origin" not in answer.headers
        assert rows(house) == before
        assert browser.get("/api/sessions").status_code == 200  # the login itself is still good


@pytest.mark.parametrize(("wanted", "language"), [("zh-TW", "zh-Hant"), ("zh-CN", "zh-Hans")])
def test_no_route_refuses_a_reader_of_chinese_in_english(served: Served, wanted: str, language: str) -> None:
    refused: dict[str, str] = {}
    with httpx2.Client(base_url=served.url, timeout=30, headers={"accept-language": wanted}) as browser:
        for method, path, _ in served.routes:
            if path in ENDLESS:
                continue
            for given in NONSENSE:
                if path in ("/api/login", "/api/logout", "/api/logins/{login_id}") or not browser.cookies:
                    browser.cookies.clear()
                    code = asyncio.run_coroutine_threadsafe(_code(served.house), served.loop).result(10)
                    assert browser.post("/api/login", json={"code": code}).status_code == 200
                answer = browser.request(method, re.sub(r"\{\w+\}", "nothing", path), **given)
                if answer.status_code >= 400 and "json" in answer.headers.get("content-type", ""):
                    error = answer.json().get("error", {})
                    refused |= {text: f"{method} {path}" for text in (error.get("message"), error.get("fix")) if text}
    assert len(refused) > 40
    assert {text: at for text, at in refused.items() if not re.search("[\u4e00-\u9fff]", text)} == {}
    other = {"zh-Hant": "这说时对请没个", "zh-Hans": "這說時對請沒個"}[language]
    assert [text for text in refused if set(text) & set(other)] == []


def test_the_door_too_refuses_in_the_readers_language_and_programs_in_english(served: Served) -> None:
    odd = [{"host": "elsewhere.example"}, {"origin": "null"}, {"content-length": "9" * 12}]
    for path, headers in [("/api/sessions", {}), *(("/api/login", one) for one in odd)]:
        door = http.client.HTTPConnection(served.url.removeprefix("http://"), timeout=20)
        door.request("POST", path, headers={"accept-language": "zh-Hant", **headers})
        refusal = json.loads(door.getresponse().read())["error"]
        door.close()
        assert re.search("[\u4e00-\u9fff]", refusal["message"]), refusal
        assert not refusal["fix"] or re.search("[\u4e00-\u9fff]", refusal["fix"]), refusal
    program = httpx2.get(f"{served.url}/api/sessions/No!/messages", headers={"accept-language": "zh", **served.token})
    assert program.json()["error"]["message"].isascii()


def test_nothing_but_the_login_and_health_answers_a_stranger(served: Served) -> None:
    known = {
        "/login", "/api/login", "/healthz", "/readyz", "/favicon.ico", "/robots.txt", "/static/{name}", "/hooks/{name}",
    }  # fmt: skip
    answering = set()
    with httpx2.Client(base_url=served.url, timeout=20) as stranger:
        for method, path, _ in served.routes:
            answer = stranger.request(method, path.replace("{", "").replace("}", ""))
            if answer.status_code not in (401, 303):
                answering.add(path)
    assert answering <= known


async def _code(house: Appliance) -> str:
    return house.auth.new_code()


def rows(house: Appliance) -> dict[str, int]:
    """How much stands in each table but the audit, where the login itself is noted a little later."""
    tables = [name for (name,) in house.core.read("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: house.core.read(f"SELECT count(*) FROM {name}")[0][0] for name in tables if name != "audit"}
