"""The compose file as users have it, with fakes for the platforms: a project on a DATA_DIR of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appliance import __version__
from appliance.testing.fake_telegram import TOKEN

ROOT = Path(__file__).parents[2]
CORE = ("gateway", "sandbox-runner", "egress", "web-egress", "prometheus")
UP = (*CORE, "alertmanager", "node-exporter")
PERSON = 4711
SHOP = "shop.example"
VERSION = os.environ.get("VERSION", __version__)  # as scripts/images reads it
Json = dict[str, Any]


def run(*words: str, given: str = "", seconds: float = 60) -> str:
    """Run a program; return what it said. Fails the test with both of its outputs."""
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=seconds, cwd=ROOT)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(words)} exited {done.returncode}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def fetch(url: str, body: Any = None, token: str = "", seconds: float = 60) -> Any:
    """GET, or POST `body` as JSON; return the JSON of the answer."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=seconds) as answer:
        return json.loads(answer.read())


def until(what: str, ask: Callable[[], Any], seconds: float = 60) -> Any:
    """Ask until there is something; fail with what was waited for."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := ask():
            return found
        time.sleep(0.3)
    pytest.fail(f"{what} did not come within {seconds:.0f} s")


class Stack:
    """A project of its own on a DATA_DIR of its own."""

    def __init__(self, data: Path, root: Path = ROOT, version: str = VERSION) -> None:
        """`data` is an empty folder; `root` is where the release was unpacked."""
        self.data = data
        self.files = [
            word for name in ("compose.yaml", "compose.dev.yaml") for word in ("-f", str(root / "compose" / name))
        ]
        self.project = data.name.lower().replace("_", "-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.env = data.with_suffix(".env")
        # Ids that own nothing here: whoever runs the tests, the services must get along with their files.
        lines = [f"DATA_DIR={data}", "PUID=4321", "PGID=4322", "TZ=Asia/Taipei", f"PORT={self.port}"]
        lines += [f"APPLIANCE_VERSION={version}"]
        lines += [f'APPLIANCE_WEB__ALLOWED_HOSTS=["{SHOP}:8000"]']
        lines += ['APPLIANCE_MODELS__CHAIN=["claude-sonnet-5-5"]', f"TELEGRAM_CHAT_ID={PERSON}"]
        self.env.write_text("\n".join(lines) + "\n")
        (data / "secrets").mkdir()
        (data / "secrets" / "anthropic_api_key").write_text("sk-ant-only-for-tests\n")
        (data / "secrets" / "telegram_bot_token").write_text(TOKEN + "\n")
        self.seconds = 0.0
        self.paired = False

    def compose(self, *words: str, given: str = "", seconds: float = 180) -> str:
        project = ("-p", self.project, "--env-file", str(self.env), "--profile", "monitoring", "--profile", "browser")
        return run("docker", "compose", *project, *self.files, *words, given=given, seconds=seconds)

    def up(self, services: tuple[str, ...] = UP) -> None:
        began = time.monotonic()
        self.compose("up", "-d", "--wait", "--wait-timeout", "120", *services)
        self.seconds = time.monotonic() - began

    def remove(self) -> None:
        self.compose("--profile", "local-llm", "down", "-v", "-t", "20")
        shutil.rmtree(self.data, ignore_errors=True)
        self.env.unlink()

    def memory(self) -> dict[str, float] | None:
        """MiB that each service of the core takes; None while the engine has no figure of one."""
        names = [f"{self.project}-{service}-1" for service in CORE]
        rows = run("docker", "stats", "--no-stream", "--format", "{{.Name}} {{.MemUsage}}", *names).splitlines()
        found = {row.split()[0]: row.split()[1] for row in rows}
        whole = all(taken.endswith("MiB") for taken in found.values())  # an engine that is busy answers 0B
        return {name: float(taken.removesuffix("MiB")) for name, taken in found.items()} if whole else None

    def inspect(self, service: str) -> Json:
        found: list[Json] = json.loads(run("docker", "inspect", f"{self.project}-{service}-1"))
        return found[0]

    def inner(self, service: str, port: int) -> str:
        """The address of a service that publishes nothing."""
        networks = self.inspect(service)["NetworkSettings"]["Networks"]
        return f"http://{networks[f'{self.project}_core']['IPAddress']}:{port}"

    @property
    def token(self) -> str:
        return (self.data / "token").read_text().strip()

    def api(self, path: str, body: Any = None, seconds: float = 60) -> Any:
        return fetch(f"http://127.0.0.1:{self.port}{path}", body, self.token, seconds)

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """What Prometheus answers: labels and value of each series."""
        said = self.compose(
            "exec",
            "-T",
            "prometheus",
            "promtool",
            "query",
            "instant",
            "-o",
            "json",
            "http://127.0.0.1:9090",
            expression,
        )
        return [(row["metric"], float(row["value"][1])) for row in json.loads(said)]

    def texts(self) -> list[str]:
        """What the bot said to the person on the fake Telegram."""
        messages = fetch(f"{self.inner('fake-telegram', 8998)}/control/messages/{PERSON}")
        return [message.get("text", "") for message in messages if message["from"]["id"] != PERSON]

    def pair(self) -> None:
        """Make the person the owner, as one does at first: with a code from the machine, sent to the bot."""
        if not self.paired:
            said = self.compose("exec", "-T", "gateway", "appliance", "pair", "--role", "owner", "--json")
            self.say(json.loads(said)["code"])
            until("the welcome", self.texts)
            self.paired = True

    def say(self, text: str) -> None:
        fetch(f"{self.inner('fake-telegram', 8998)}/control/say", {"user": PERSON, "text": text})
