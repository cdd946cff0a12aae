"""The browser's service: who may ask it, what it is given, and that it comes and goes as it is needed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.browser import chromium
from appliance.browser.client import Child, Elsewhere, Pages
from appliance.browser.wire import Step
from appliance.errors import ToolError
from tests.integration.browser.conftest import World, world

pytestmark = pytest.mark.chromium
COUNTER = "<title>Seen</title><script>document.title = document.cookie || 'nothing';document.cookie = 'k=kept'</script>"


@pytest.fixture
async def child(world: World) -> AsyncIterator[Child]:
    if why := chromium.missing(""):
        pytest.skip(why)
    child = Child(world.wall())
    yield child
    await child.stop()


def allowed(world: World) -> tuple[str, ...]:
    return tuple(f"{host}:{world.port}" for host in sorted(world.hosts))


def family(pid: int) -> list[Path]:
    """A process and all that it started, as folders in /proc."""
    parents: dict[int, int] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
    found, fresh = {pid}, {pid}
    while fresh := {one for one, parent in parents.items() if parent in fresh} - found:
        found |= fresh
    return [Path("/proc", str(one)) for one in sorted(found)]


async def test_a_task_is_done_through_it(child: Child, world: World) -> None:
    pages = Pages(child, allowed(world))
    url = world.page("shop.example/", "<button onclick=\"this.textContent='Bought'\">Buy</button>")
    shown = await pages.act(Step("agent:main:main", "open", url=url))
    assert shown.host == "shop.example"
    ref = shown.text.partition("[ref=")[2].partition("]")[0]
    assert "Bought" in (await pages.act(Step("agent:main:main", "click", ref=ref))).text
    with pytest.raises(ToolError, match="no 'e99' in the newest snapshot"):
        await pages.act(Step("agent:main:main", "click", ref="e99"))
    picture = await pages.act(Step("agent:main:main", "screenshot"))
    assert (picture.file[:4], picture.media_type) == (b"\x89PNG", "image/png")
    assert (await pages.act(Step("agent:main:main", "close"))).text == "Closed."


async def test_none_of_its_processes_knows_the_gateways_secrets(
    child: Child,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-canary-1")
    monkeypatch.setenv("APPLIANCE_BUDGET__DAILY_USD", "canary-2")
    await Pages(child, allowed(world)).act(Step("s", "open", url=world.page("a.example/", "x")))
    assert child.pid is not None
    seen = {path: (path / "environ").read_bytes() for path in family(child.pid)}
    names = {(path / "cmdline").read_bytes().split(b"\0")[0].rpartition(b"/")[2] for path in seen}
    assert any(b"node" in name for name in names), names
    assert any(b"chrom" in name for name in names), names
    assert all(b"canary" not in environment and b"APPLIANCE" not in environment for environment in seen.values())


async def test_only_who_has_the_token_may_use_it(child: Child) -> None:
    place = await child.place()
    transport = httpx2.AsyncHTTPTransport(uds=place.url.removeprefix("unix:"))
    async with httpx2.AsyncClient(transport=transport, base_url="http://x") as client:
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/status")).status_code == 401
        for token in ("x", place.token[:-1], place.token + "x", "é" * 32):
            headers = {"authorization": f"Bearer {token}".encode()}
            for method, path in (("GET", "/status"), ("POST", "/act"), ("GET", "/nothing")):
                assert (await client.request(method, path, headers=headers)).status_code == 401
        client.headers["authorization"] = f"Bearer {place.token}"
        assert (await client.get("/nothing")).status_code == 404
        for body in (b"", b"{", b"[]", b'{"session":1,"action":"open"}', b'{"session":"s","action":"x","data":"%"}'):
            answer = await client.post("/act", content=body)
            assert (answer.status_code, "cannot be read" in answer.json()["what"]) == (400, True), body
    socket = Path(place.url.removeprefix("unix:"))
    assert (socket.stat().st_mode & 0o777, socket.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    with pytest.raises(ToolError, match="token is missing or wrong"):
        await Pages(Elsewhere(place.url, "x" * 32)).act(Step("s", "tabs"))


async def test_a_service_that_is_not_there_is_told_and_looked_for_again(tmp_path: Path, child: Child) -> None:
    away = Pages(Elsewhere(f"unix:{tmp_path}/none", "t" * 32))
    assert "does not answer" in (await away.look()).missing
    assert not away.usable
    place = await child.place()
    there = Pages(Elsewhere(place.url, place.token))
    there.usable = False
    condition = await there.look()
    assert (condition.missing, there.usable) == ("", True)
    assert condition.program == chromium.executable("")


async def test_one_that_was_killed_is_started_again_and_nothing_is_left(child: Child, world: World) -> None:
    pages = Pages(child, allowed(world))
    url = world.page("a.example/", "<h1>Here</h1>")
    await pages.act(Step("s", "open", url=url))
    first = child.pid
    assert first is not None
    processes = family(first)
    os.kill(first, signal.SIGKILL)
    await gone(processes)
    assert "Here" in (await pages.act(Step("s", "open", url=url))).text
    assert child.pid not in (None, first)
    processes = family(child.pid or 0)
    await pages.stop()
    await gone(processes)


async def gone(processes: list[Path]) -> None:
    for _ in range(200):
        if not any(path.exists() and "\nState:\tZ" not in _status(path) for path in processes):
            return
        await asyncio.sleep(0.05)
    raise AssertionError([_status(path) for path in processes if path.exists()])


def _status(path: Path) -> str:
    try:
        return (path / "status").read_text()
    except OSError:
        return "\nState:\tZ"


async def test_a_step_that_is_given_up_frees_the_window(child: Child, world: World) -> None:
    pages = Pages(child, allowed(world))
    await pages.act(Step("s", "open", url=world.page("a.example/", "<h1>Here</h1>")))
    waiting = asyncio.create_task(pages.act(Step("s", "wait", text="what never comes")))
    await asyncio.sleep(0.3)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    async with asyncio.timeout(10):
        assert "Here" in (await pages.act(Step("s", "snapshot"))).text


async def test_cookies_are_kept_where_the_owner_wants_it_and_nowhere_else(child: Child, world: World) -> None:
    url = world.page("a.example/", COUNTER)
    kept: dict[str, dict[str, Any]] = {}
    keeping = Pages(child, allowed(world), load=kept.get, save=kept.__setitem__)
    assert (await keeping.act(Step("s", "open", url=url))).text.startswith("nothing")
    await keeping.act(Step("s", "close"))
    assert (await keeping.act(Step("s", "open", url=url))).text.startswith("k=kept")
    await keeping.act(Step("s", "close"))
    assert (await Pages(child, allowed(world)).act(Step("s", "open", url=url))).text.startswith("nothing")


__all__ = ["world"]
