"""The supervisor with real child processes: a small stand-in for its own rules, the real service for the last word."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from appliance.errors import NotFoundError
from appliance.local_models import supervisor as module
from appliance.local_models.errors import LocalModelError
from appliance.local_models.supervisor import Supervisor, needed, without_settings
from appliance.settings import LocalModelSettings
from appliance.settings.load import load_settings
from appliance.testing.local_service import cached_wheel, models_folder, required

STAND_IN = Path(__file__).with_name("stand_in_service.py")
Make = Callable[..., Awaitable[Supervisor]]


@pytest.fixture
async def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(module, "IDLE_POLL_SECONDS", 0.05)
    monkeypatch.setattr(module, "BACK_OFF_SECONDS", (0.05,))
    made: list[Supervisor] = []

    async def build(*arguments: str, settings: LocalModelSettings | None = None, **more: bool) -> Supervisor:
        command = [sys.executable, str(STAND_IN), *arguments]
        found = Supervisor(settings or LocalModelSettings(), tmp_path, command=command, **more)
        made.append(found)
        await found.start()
        return found

    yield build
    for one in made:
        await one.stop()


async def test_the_child_is_started_and_its_state_is_known(make: Make) -> None:
    supervisor = await make()
    assert supervisor.base_url() is None
    await supervisor.wait(lambda s: s.chat_ready and s.embedder_ready, 10)
    url = supervisor.base_url()
    assert url is not None
    assert url.startswith("http://127.0.0.1:")
    assert url.endswith("/v1")
    assert supervisor.status()["model"] == "stand-in"
    assert supervisor.status()["token_given"] == supervisor.token != ""


async def test_a_killed_child_comes_back_at_a_new_address(make: Make) -> None:
    supervisor = await make()
    await supervisor.wait(lambda s: s.chat_ready, 10)
    first, old = supervisor.pid, supervisor.base_url()
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await supervisor.wait(lambda s: s.restarts == 1 and s.chat_ready, 10)
    assert supervisor.pid not in (None, first)
    assert supervisor.base_url() != old


async def test_what_a_dying_child_said_is_told(make: Make) -> None:
    supervisor = await make("--die", "no memory left")
    await supervisor.wait(lambda s: s.restarts >= 2, 10)
    assert "no memory left" in supervisor.status()["detail"]
    assert supervisor.base_url() is None
    assert not supervisor.chat_ready


async def test_keys_and_tokens_are_not_handed_to_the_child(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN_FILE", "/run/secrets/token")
    monkeypatch.setenv("APPLIANCE_BUDGET__DAILY_USD", "3")
    supervisor = await make()
    await supervisor.wait(lambda s: s.chat_ready, 10)
    names = set(supervisor.status()["environment"])
    assert "PATH" in names
    assert {n for n in names if n.startswith(("ANTHROPIC", "TELEGRAM", "APPLIANCE"))} == {"APPLIANCE_LOCAL__TOKEN"}


def test_the_environment_without_settings_keeps_the_rest() -> None:
    given = {"PATH": "/bin", "DISCORD_BOT_TOKEN": "x", "APPLIANCE_STATE_DIR": "y", "HTTPS_PROXY": "z"}
    assert without_settings(given) == {"PATH": "/bin", "HTTPS_PROXY": "z"}


async def test_stop_leaves_no_child_even_one_that_will_not_end(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STOP_SECONDS", 0.3)
    supervisor = await make("--deaf")
    await supervisor.wait(lambda s: s.chat_ready, 10)
    pid = supervisor.pid
    assert pid is not None
    await supervisor.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert supervisor.status()["phase"] == "off"


async def test_a_service_elsewhere_is_looked_at_and_never_started(make: Make) -> None:
    elsewhere = await make()
    await elsewhere.wait(lambda s: s.chat_ready, 10)
    root = (elsewhere.base_url() or "").removesuffix("/v1")
    settings = LocalModelSettings(url=root + "/", token=elsewhere.token)
    supervisor = await make("--die", "must never run", settings=settings)
    await supervisor.wait(lambda s: s.chat_ready, 10)
    assert supervisor.base_url() == f"{root}/v1"
    assert supervisor.pid is None
    await elsewhere.stop()
    await supervisor.wait(lambda s: not s.chat_ready, 10)
    assert "does not answer" in supervisor.status()["detail"]
    assert supervisor.base_url() is None


async def test_a_pull_is_followed_to_its_end(make: Make) -> None:
    supervisor = await make()
    await supervisor.wait(lambda s: s.chat_ready, 10)
    seen: list[float | None] = []
    await supervisor.pull("bge-m3", lambda percent, _detail: seen.append(percent))
    assert seen[-1] == 100.0
    assert set(seen) <= {50.0, 100.0}


async def test_a_pull_that_cannot_be_done_says_why(make: Make) -> None:
    supervisor = await make()
    with pytest.raises(LocalModelError, match="not up yet"):
        await supervisor.pull("bge-m3", lambda *_: None)
    await supervisor.wait(lambda s: s.chat_ready, 10)
    with pytest.raises(NotFoundError):
        await supervisor.pull("nothing", lambda *_: None)
    with pytest.raises(LocalModelError, match="no room"):
        await supervisor.pull("full", lambda *_: None)


async def test_nothing_is_started_when_nothing_is_wanted(make: Make) -> None:
    supervisor = await make(chat=False, embedder=False)
    assert supervisor.status()["phase"] == "off"
    assert supervisor.pid is None
    assert supervisor.base_url() is None


async def test_waiting_for_what_never_comes_ends_with_the_reason(make: Make) -> None:
    supervisor = await make("--loading")
    with pytest.raises(LocalModelError, match="half way"):
        await supervisor.wait(lambda s: s.chat_ready, 0.6)


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, (True, True)),
        ({"ANTHROPIC_API_KEY": "k"}, (True, True)),
        ({"ANTHROPIC_API_KEY": "k", "APPLIANCE_MODELS__CHAIN": '["claude-sonnet-5-5"]'}, (False, True)),
        ({"APPLIANCE_LOCAL__EMBEDDER": "off"}, (True, False)),
        ({"APPLIANCE_LOCAL__ENABLED": "false"}, (False, False)),
    ],
)
def test_the_service_is_wanted_only_where_the_settings_name_it(
    environ: dict[str, str], wanted: tuple[bool, bool], tmp_path: Path
) -> None:
    assert needed(load_settings(environ={**environ, "APPLIANCE_STATE_DIR": str(tmp_path)})) == wanted


@pytest.mark.parametrize(("enabled", "wanted"), [("true", True), ("false", False)])
def test_a_transcriber_alone_is_reason_enough_and_brings_no_other_model(
    enabled: str, wanted: bool, tmp_path: Path
) -> None:
    environ = {"APPLIANCE_LOCAL__TRANSCRIBER": "whisper-base", "APPLIANCE_LOCAL__ENABLED": enabled}
    found = Supervisor(load_settings(environ=environ).local, tmp_path, chat=False, embedder=False)
    assert (found.wanted, found.hears, found.embeds) == (wanted, wanted, False)
    asked = found._child_command()
    assert asked[asked.index("--chat") + 1] == asked[asked.index("--embedder") + 1] == "off"
    assert asked[asked.index("--transcriber") + 1] == ("whisper-base" if wanted else "off")


def test_the_supervisor_brings_no_heavy_library_along() -> None:
    code = (
        "import sys; import appliance.local_models.supervisor, appliance.local_models.commands;"
        "print([m for m in ('llama_cpp', 'litestar', 'uvicorn', 'numpy', 'httpx2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_the_service_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent = (
        "import os, subprocess, sys, time;"
        "child = subprocess.Popen([sys.executable, '-m', 'appliance.local_models.service', '--parent',"
        f" str(os.getpid()), '--folder', {str(tmp_path)!r}, '--chat', 'off', '--embedder', 'off'],"
        " stdout=subprocess.PIPE, text=True, start_new_session=True);"
        "child.stdout.readline(); print(child.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and Path(f"/proc/{child}").exists():
        if " Z " in Path(f"/proc/{child}/stat").read_text():
            break
        time.sleep(0.02)
    gone = not Path(f"/proc/{child}").exists() or " Z " in Path(f"/proc/{child}/stat").read_text()
    if not gone:
        os.kill(child, signal.SIGKILL)
    assert gone


@pytest.mark.local
@pytest.mark.timeout(1800)
async def test_a_killed_model_process_answers_again_after_a_moment() -> None:
    import httpx2

    if cached_wheel() is None and not required():
        pytest.skip("llama.cpp is not built on this machine yet")
    settings = LocalModelSettings(model="smollm2-135m-instruct", embedder="off")
    supervisor = Supervisor(settings, models_folder(), embedder=False)
    await supervisor.start()
    try:
        await supervisor.wait(lambda s: s.chat_ready, 1500)
        first = supervisor.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await supervisor.wait(lambda s: s.restarts == 1 and s.chat_ready, 60)
        headers = {"Authorization": f"Bearer {supervisor.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as client:
            body = {"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 8}
            answer = await client.post(f"{supervisor.base_url()}/chat/completions", json=body)
        assert answer.status_code == 200
        assert answer.json()["choices"][0]["message"]["content"]
    finally:
        pid = supervisor.pid
        await supervisor.stop()
        assert pid is not None
    with pytest.raises(ProcessLookupError):
        await asyncio.to_thread(os.kill, pid, 0)
