"""The command line as a person meets it: real processes, clear errors, nothing lost."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess


def run(*arguments: str, state: Path, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """Run `appliance ARGUMENTS` in a clean environment."""
    env = {"PATH": os.environ["PATH"], "HOME": str(state.parent), "APPLIANCE_STATE_DIR": str(state), **environ}
    env.setdefault("APPLIANCE_LOCAL__ENABLED", "false")
    return subprocess.run(
        [sys.executable, "-m", "appliance", *arguments],
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
async def gateway(state: Path) -> AsyncIterator[GatewayProcess]:
    async with FakeAnthropic() as provider:
        process = GatewayProcess(
            state, "-m", "appliance", "up", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url
        )
        state.mkdir()
        try:
            await process.start()
            yield process
        finally:
            await process.close()


async def appliance(state: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(run, *arguments, state=state, **environ)


async def test_a_person_talks_sees_costs_and_what_was_said(gateway: GatewayProcess, state: Path) -> None:
    said = await appliance(state, "chat", "hello 你好 🙂")
    assert said.returncode == 0
    assert "You said" in said.stdout
    spend = json.loads((await appliance(state, "spend", "--json")).stdout)
    assert spend["currency"] == "USD"
    assert spend["total"] > 0
    assert spend["rows"][0]["key"] == "claude-sonnet-5-5"
    budget = json.loads((await appliance(state, "budget", "--json")).stdout)
    assert {"scope", "period", "limit", "spent", "reserved", "remaining", "resets_at"} <= set(budget[0])
    context = json.loads((await appliance(state, "context", "--json")).stdout)
    assert {"total_tokens", "sections", "tools", "history_tokens"} <= set(context)
    assert {"name", "chars", "tokens", "cut"} <= set(context["sections"][0])
    assert "hello 你好 🙂" in (await appliance(state, "sessions", "show", "main")).stdout
    export = (await appliance(state, "sessions", "export", "main")).stdout.splitlines()
    assert json.loads(export[0])["type"] == "session"
    assert (await appliance(state, "audit", "verify")).returncode == 0


async def test_the_audit_log_leaves_as_a_file_that_shows_what_was_done_to_it(
    gateway: GatewayProcess, state: Path, tmp_path: Path
) -> None:
    await appliance(state, "chat", "hello")
    exported = (await appliance(state, "audit", "export")).stdout
    file = tmp_path / "audit.jsonl"
    file.write_text(exported)
    whole = await appliance(state, "audit", "verify", "--file", str(file))
    assert (whole.returncode, "unchanged, head" in whole.stdout) == (0, True)
    file.write_text("".join(exported.splitlines(keepends=True)[1:]))
    cut = await appliance(state, "audit", "verify", "--file", str(file))
    assert (cut.returncode, "rows 1 to 1 are missing" in cut.stdout) == (1, True)
    file.write_text("no export")
    wrong = await appliance(state, "audit", "verify", "--file", str(file))
    assert (wrong.returncode, "appliance audit export" in wrong.stderr) == (1, True)


async def test_a_new_login_code_can_be_had(gateway: GatewayProcess, state: Path) -> None:
    made = json.loads((await appliance(state, "login", "--json")).stdout)
    response = await gateway.client.post(
        f"{gateway.url}/api/login", json={"code": made["code"]}, headers={"authorization": "", "origin": gateway.url}
    )
    assert response.status_code == 200


async def test_the_same_questions_are_answered_while_no_gateway_runs(gateway: GatewayProcess, state: Path) -> None:
    await appliance(state, "chat", "hello")
    assert await gateway.stop() == 0
    for command in (("spend", "--json"), ("budget", "--json"), ("context", "--json"), ("sessions", "list", "--json")):
        done = await appliance(state, *command)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)
    raised = await appliance(state, "budget", "raise", "1")
    assert raised.returncode == 0
    rows = json.loads((await appliance(state, "budget", "--json")).stdout)
    assert rows[0]["limit"] == 3.0


async def test_a_second_gateway_on_the_same_state_is_refused(gateway: GatewayProcess, state: Path) -> None:
    done = await appliance(state, "up", APPLIANCE_SERVER__PORT="0")
    assert done.returncode == 1
    assert f"process {gateway.pid}" in done.stderr


def test_a_taken_port_is_named_with_the_way_out(state: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run("up", "--port", port, state=state)
    assert done.returncode == 1
    assert f"Port {port}" in done.stderr
    assert "--port" in done.stderr


def test_every_bad_setting_is_named_at_once(state: Path) -> None:
    done = run("config", "check", state=state, APPLIANCE_BUDGET__DALY_USD="1", APPLIANCE_SERVER__PORT="abc")
    assert done.returncode == 1
    assert "budget.daly_usd" in done.stderr
    assert "did you mean budget.daily_usd" in done.stderr
    assert "server.port" in done.stderr


def test_an_unreadable_secret_and_both_forms_are_named(state: Path, tmp_path: Path) -> None:
    done = run(
        "up", state=state, ANTHROPIC_API_KEY_FILE="/nowhere/key", TELEGRAM_BOT_TOKEN="1:a", TELEGRAM_BOT_TOKEN_FILE="/x"
    )
    assert done.returncode == 1
    assert "/nowhere/key" in done.stderr
    assert "TELEGRAM_BOT_TOKEN and TELEGRAM_BOT_TOKEN_FILE are both set" in done.stderr


def test_a_state_that_is_no_folder_is_named(state: Path) -> None:
    state.write_text("a file")
    done = run("up", state=state)
    assert done.returncode == 1
    assert "not a folder" in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can drop to another user")
def test_a_state_that_is_not_writable_is_named_with_the_chown_line(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o755)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    script = (
        f"import os\nfrom pathlib import Path\nfrom appliance.storage import prepare_state\n"
        f"from appliance.errors import StateError\nos.setgid(65534); os.setuid(65534)\n"
        f"try:\n    prepare_state(Path({str(state)!r}))\nexcept StateError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    assert f"chown -R 65534:65534 {state}" in done.stdout


async def test_a_newer_schema_is_refused_with_the_way_back(gateway: GatewayProcess, state: Path) -> None:
    await gateway.stop()
    connection = apsw.Connection(str(state / "core.db"))
    connection.execute("UPDATE schema_versions SET version = 99 WHERE room = 'inbox'")
    connection.close()
    done = await appliance(state, "up", APPLIANCE_SERVER__PORT="0")
    assert done.returncode == 1
    assert "newer release" in done.stderr
    assert "backup" in done.stderr


async def test_a_damaged_transcript_does_not_stop_the_start_and_the_next_message_is_kept(
    gateway: GatewayProcess, state: Path
) -> None:
    await appliance(state, "chat", "first")
    await gateway.kill()
    transcript = next((state / "agents/main/sessions").glob("*.jsonl"))
    transcript.write_bytes(transcript.read_bytes()[:-20] + b'{"text":"caf\xc3')
    await gateway.start()
    assert "You said" in (await appliance(state, "chat", "second")).stdout
    texts = [row["text"] for row in await gateway.messages()]
    assert "first" in texts
    assert "second" in texts


async def test_bad_requests_get_clear_answers_and_no_server_error(gateway: GatewayProcess) -> None:
    async def post(body: Any) -> tuple[int, str]:
        response = await gateway.client.post(f"{gateway.url}/api/messages", json=body)
        return response.status_code, response.text

    assert (await post({"session": "main", "text": ""}))[0] == 400
    assert (await post({"session": "../etc", "text": "x"}))[0] == 400
    assert (await post({"session": "x" * 65, "text": "x"}))[0] == 400
    assert (await post({"session": "main"}))[0] == 400
    assert (await post(["not", "an", "object"]))[0] == 400
    status, text = await post({"session": "main", "text": "x" * 65_537})
    assert status in (400, 413)
    assert "64" in text
    assert (await post({"session": "main", "text": "x" * 65_000}))[0] == 200
    unknown = await gateway.client.get(f"{gateway.url}/api/sessions/nobody/messages")
    assert unknown.status_code == 404
    nobody = await gateway.client.get(f"{gateway.url}/api/sessions", headers={"authorization": "Bearer wrong"})
    assert nobody.status_code == 401


async def test_a_5_mb_attachment_is_taken_and_its_place_told_to_the_model(gateway: GatewayProcess, state: Path) -> None:
    upload = await gateway.client.post(
        f"{gateway.url}/api/attachments", files={"file": ("report.bin", b"x" * 5_000_000, "application/octet-stream")}
    )
    assert upload.status_code == 201, upload.text
    reply = await gateway.post("what is this?", attachments=[upload.json()["id"]])
    assert "report.bin" in reply["reply"]


async def test_a_conversation_is_compacted_and_the_agents_are_listed(gateway: GatewayProcess, state: Path) -> None:
    await appliance(state, "chat", "first")
    done = await appliance(state, "sessions", "compact", "main", "the pump")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    [agent] = json.loads((await appliance(state, "agents", "--json")).stdout)
    told = {key: agent[key] for key in ("id", "workspace", "sessions", "channels", "limit")}
    workspace = str(state / "agents" / "main")
    assert told == {"id": "main", "workspace": workspace, "sessions": 1, "channels": [], "limit": None}
    assert agent["spent"] > 0
    assert "main" in (await appliance(state, "agents")).stdout


async def test_the_doctor_asks_the_gateway_which_knows_its_own_keys(gateway: GatewayProcess, state: Path) -> None:
    done = await appliance(state, "doctor", "--json")
    findings = {row["check"]: row for row in json.loads(done.stdout)}
    assert findings["config"]["status"] == "pass"
    assert "There is an Anthropic key" in findings["key"]["detail"]  # this terminal has none


async def test_pairing_without_a_channel_says_where_to_begin(gateway: GatewayProcess, state: Path) -> None:
    done = await appliance(state, "pair")
    assert done.returncode == 1
    assert "telegram.md" in done.stderr


async def test_after_a_kill_memory_is_read_from_the_files(gateway: GatewayProcess, state: Path) -> None:
    await appliance(state, "chat", "My daughter is allergic to peanuts.")
    await gateway.kill()
    assert "peanuts" in (await appliance(state, "memory", "history")).stdout
    assert "peanuts" in (await appliance(state, "memory", "search", "peanuts")).stdout


def test_chat_without_a_gateway_says_how_to_start_one(state: Path) -> None:
    done = run("chat", "hello", state=state)
    assert done.returncode == 1
    assert "appliance up" in done.stderr


def test_wrong_usage_exits_with_2(state: Path) -> None:
    assert run("frobnicate", state=state).returncode == 2
    assert run("spend", "--nonsense", state=state).returncode == 2


def test_policy_check_reads_lines_and_answers_each(state: Path) -> None:
    lines = '{"id": 1, "command": "jq ."}\n{"id": 2, "command": "rm -rf / || echo x"}\nrubbish\n'
    done = run("policy", "check", "--jsonl", state=state, stdin=lines)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["id"], row["verdict"]) for row in rows] == [(1, "allow"), (2, "deny"), (None, "deny")]
    assert all(row["why"] for row in rows[1:])


def test_the_example_settings_can_be_read_back(state: Path, tmp_path: Path) -> None:
    example = run("config", "example", state=state).stdout
    path = tmp_path / "appliance.toml"
    path.write_text(example)
    assert run("--config", str(path), "config", "check", state=state).returncode == 0
