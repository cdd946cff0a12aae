"""The owner's programs are told of events in processes of their own; nothing they do harms the house."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from appliance.automation import hooks
from appliance.automation.hooks import EVENTS, Hooks, find
from appliance.settings.hooks import HooksSettings
from appliance.testing.manual_clock import ManualClock

WRITES = """# events: turn:end
import json, os, sys
event = json.loads(sys.stdin.readline())
with open("seen.jsonl", "a") as file:
    file.write(json.dumps({"event": event, "environment": dict(os.environ)}) + "\\n")
"""


@pytest.fixture(autouse=True)
def fresh_logger(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that an earlier test's configuration has not bound for good, so that what it says can be captured."""
    monkeypatch.setattr(hooks, "log", structlog.get_logger())


def put(folder: Path, name: str, text: str, mode: int = 0o600) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return path


def house(folder: Path, **settings: float | bool) -> Hooks:
    return Hooks(folder, folder.parent, ManualClock(), lambda: HooksSettings.model_validate(settings))


def seen(folder: Path) -> list[dict[str, object]]:
    path = folder / "seen.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


async def test_a_python_hook_gets_the_event_and_none_of_the_houses_keys(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    put(tmp_path, "log.py", WRITES)
    await house(tmp_path).ask("turn:end", {"session": "agent:main:main", "text": "早安 ☀"})
    [got] = seen(tmp_path)
    assert got["event"]["event"] == "turn:end"
    assert got["event"]["version"] == 1
    assert got["event"]["at"].startswith("2027-01-15")
    assert got["event"]["data"] == {"session": "agent:main:main", "text": "早安 ☀"}
    assert "sk-ant-secret" not in str(got)
    assert set(got["environment"]) <= {
        "PATH", "LANG", "LC_CTYPE", "TZ", "HOME", "APPLIANCE_STATE_DIR", "APPLIANCE_HOOK_EVENT"
    }  # fmt: skip


async def test_hooks_run_in_order_and_only_for_the_events_they_name(tmp_path):
    put(tmp_path, "20-second", "#!/bin/sh\n# events: heartbeat, budget:mark\necho second >> order\n", 0o700)
    put(tmp_path, "10-first", "#!/bin/sh\necho first >> order\n", 0o700)
    put(tmp_path, "notes.txt", "not a program")
    hooks = house(tmp_path)
    await hooks.ask("budget:mark", {})
    await hooks.ask("turn:end", {})
    assert (tmp_path / "order").read_text().split() == ["first", "second", "first"]


async def test_a_hook_that_fails_is_logged_with_its_reason_and_the_next_one_runs(tmp_path):
    put(tmp_path, "a.py", "import sys\nsys.exit('no such printer')")
    put(tmp_path, "b", "#!/nowhere/to/be/found\n", 0o700)
    put(tmp_path, "c.py", WRITES)
    with capture_logs() as logs:
        await house(tmp_path).ask("turn:end", {})
    reasons = {entry["hook"]: entry["reason"] for entry in logs if entry["event"] == "a hook failed"}
    assert "ended with 1: no such printer" in reasons["a.py"]
    assert "cannot be started" in reasons["b"]
    assert len(seen(tmp_path)) == 1


async def test_a_hook_that_hangs_is_killed_with_everything_it_started(tmp_path):
    put(tmp_path, "hang", "#!/bin/sh\nsleep 300 &\necho $! > child\nsleep 300\n", 0o700)
    with capture_logs() as logs:
        await house(tmp_path, timeout_seconds=0.5).ask("heartbeat", {})
    assert any("killed" in str(entry.get("reason")) for entry in logs)
    child = int((tmp_path / "child").read_text())
    async with asyncio.timeout(10):
        while Path(f"/proc/{child}/stat").exists():
            if Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                break
            await asyncio.sleep(0.01)


async def test_much_output_and_unread_input_harm_nobody(tmp_path):
    put(tmp_path, "loud", "#!/bin/sh\nhead -c 3000000 /dev/zero >&2\nexit 3\n", 0o700)
    with capture_logs() as logs:
        await house(tmp_path).ask("turn:end", {"text": "x" * 500_000})
    [entry] = [entry for entry in logs if entry["event"] == "a hook failed"]
    assert "ended with 3" in entry["reason"]
    assert len(entry["reason"]) < 3_000


@pytest.mark.parametrize("mode", [0o620, 0o602])
async def test_a_hook_that_others_may_write_is_not_run(tmp_path, mode):
    put(tmp_path, "log.py", WRITES, mode)
    with capture_logs() as logs:
        await house(tmp_path).ask("turn:end", {})
    assert seen(tmp_path) == []
    assert "others may write it" in next(entry["reason"] for entry in logs if entry["event"] == "a hook is not run")


def test_a_misspelt_event_is_named_and_hidden_files_are_no_hooks(tmp_path):
    put(tmp_path, "log.py", "# events: turn:ends")
    put(tmp_path, ".swp.py", "")
    put(tmp_path, "__init__.py", "")
    [hook] = find(tmp_path)
    assert "turn:ends" in hook.unfit
    assert find(tmp_path / "missing") == []


async def test_told_events_run_behind_in_order_and_a_stop_ends_the_running_hook(tmp_path):
    put(tmp_path, "log.py", WRITES.replace("# events: turn:end", "# events: turn:end heartbeat"))
    hooks = house(tmp_path)
    hooks.start()
    hooks.tell("turn:end", {"n": 1})
    hooks.tell("heartbeat", {"n": 2})
    async with asyncio.timeout(20):
        while len(seen(tmp_path)) < 2:
            await asyncio.sleep(0.01)
    put(tmp_path, "log.py", "import time\nopen('begun', 'w').close()\ntime.sleep(300)")
    hooks.tell("turn:end", {"n": 3})
    async with asyncio.timeout(20):
        while not (tmp_path / "begun").exists():
            await asyncio.sleep(0.01)
    await hooks.stop()
    assert [one["event"]["data"]["n"] for one in seen(tmp_path)] == [1, 2]


async def test_too_many_waiting_events_are_dropped_and_said(tmp_path):
    put(tmp_path, "log.py", WRITES)
    hooks = house(tmp_path)  # not started: nothing takes them
    with capture_logs() as logs:
        for number in range(1_001):
            hooks.tell("turn:end", {"n": number})
    assert [entry["event"] for entry in logs] == ["an event is not told to hooks: too many wait"]


async def test_nothing_is_run_when_hooks_are_switched_off(tmp_path):
    put(tmp_path, "log.py", WRITES)
    await house(tmp_path, enabled=False).ask("turn:end", {})
    assert seen(tmp_path) == []


def test_the_events_are_those_of_the_contract():
    page = (Path(__file__).parents[3] / "docs/how-to/hooks.md").read_text(encoding="utf-8")
    for name in EVENTS:
        assert f"`{name}`" in page
