"""What a new user waits for, step by step, with the commands of docs/quick-start.md.

    python tests/benchmarks/first_run.py bare [--runs 3]       a fresh Debian container with python3 and nothing else
    python tests/benchmarks/first_run.py compose [--runs 3]    this machine's engine, every image built from nothing
    python tests/benchmarks/first_run.py bare --local          until the local model has answered: llama.cpp is compiled

Each run begins at the release's archive, as made of what is committed. The platforms are the fakes; packages come from
their registries. Prints the seconds of each step, the median of the runs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.end_to_end.stack import CORE, ROOT, Stack, run, until

BASE = "debian:trixie-slim"
READY = "import urllib.request as u; u.urlopen('http://127.0.0.1:8321/readyz', timeout=2)"
CLAUDE = "import socket; socket.create_connection(('127.0.0.1', 8999), 2)"
TAG = "first-run"
IMAGES = ("shell", "shell-media", "egress", "gateway", "runner")


class Steps:
    """Seconds of each step, over the runs."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds.setdefault(name, []).append(time.monotonic() - began)
        print(f"{name}: {self.seconds[name][-1]:.1f} s", flush=True)

    def report(self) -> str:
        return "\n".join(f"{statistics.median(times):8.1f} s  {name}" for name, times in self.seconds.items())


def archive(folder: Path) -> Path:
    """What `scripts/release` makes, without its lists of images."""
    made = folder / "appliance.tar.gz"
    run("git", "archive", "--prefix=appliance/", "--output", str(made), "HEAD")
    return made


class Machine:
    """A bare Debian in a container, with python3."""

    def __init__(self, folder: Path) -> None:
        self.name = f"appliance-first-run-{os.getpid()}"
        run("docker", "run", "-d", "--name", self.name, "--label", "appliance.first-run=yes", BASE, "sleep", "7200")
        self.does("apt-get -q update && apt-get install -qy --no-install-recommends python3", seconds=300)
        run("docker", "cp", str(archive(folder)), f"{self.name}:/root/")

    def does(self, command: str, seconds: float = 60) -> str:
        return run("docker", "exec", "-w", "/root", self.name, "bash", "-c", command, seconds=seconds)

    def begins(self, command: str) -> None:
        run("docker", "exec", "-d", "-w", "/root/appliance", self.name, "bash", "-c", command)

    def can(self, code: str) -> bool:
        """Whether these lines of Python end well there."""
        asked = ["docker", "exec", self.name, "python3", "-c", code]
        return subprocess.run(asked, capture_output=True, timeout=60).returncode == 0

    def remove(self) -> None:
        run("docker", "rm", "-f", "-v", self.name)


def bare(steps: Steps, folder: Path, local: bool) -> None:
    """From the archive to the first answer on a machine without Docker; with `local` the local model gives it."""
    claude = "export ANTHROPIC_API_KEY=sk-ant-none ANTHROPIC_BASE_URL=http://127.0.0.1:8999; "
    start = f"{'' if local else claude}scripts/run >/root/run.log 2>&1"
    machine = Machine(folder)
    try:
        with steps("unpack the release"):
            machine.does("tar -xzf appliance.tar.gz")
        with steps("`scripts/run` until the page answers"):
            machine.begins(start)
            until("the page", lambda: machine.can(READY), 900)
        if local:
            with steps("until the local model is ready"):
                asked = "appliance/.venv/bin/appliance status --json"
                until("the local model", lambda: "ready" in local_state(machine.does(asked)), 3600)
        else:
            machine.begins(".venv/bin/python -m appliance.testing.fake_anthropic --port 8999")
            until("the fake Claude", lambda: machine.can(CLAUDE), 60)
        with steps("first answer in a terminal"):
            answer = machine.does("appliance/.venv/bin/appliance chat 'Are you there?'", seconds=300)
        assert answer.strip(), "no answer"
        machine.does("pid=$(cat .local/state/appliance/lock); kill $pid; while kill -0 $pid; do sleep 0.1; done 2>&1")
        with steps("`scripts/run` again"):
            machine.begins(start)
            until("the page", lambda: machine.can(READY), 120)
    finally:
        machine.remove()


def local_state(status: str) -> str:
    """The state of the local model in what the command line says of the house."""
    return next((part["state"] for part in json.loads(status)["parts"] if part["name"] == "local model"), "")


def compose(steps: Steps, folder: Path) -> None:
    """From the archive to the first answer over Telegram, with every image built from nothing."""
    base = (
        f"appliance-first-run-base:{os.getpid()}-{time.monotonic_ns()}"  # a base of its own: nothing of it is built yet
    )
    run("tests/end_to_end/stand-in-images", seconds=600)
    made = archive(folder)
    with steps("unpack the release"):
        run("tar", "-xzf", str(made), "-C", str(folder))
    root = folder / "appliance"
    stack = Stack(Path(tempfile.mkdtemp(prefix="appliance-first-")), root, TAG)
    try:
        with steps("`scripts/images`"):
            environ = {**os.environ, "BASE_IMAGE": base, "VERSION": TAG}
            subprocess.run([root / "scripts" / "images"], env=environ, check=True, timeout=3600)
        with steps("`docker compose up -d --wait`"):
            stack.up(CORE)
        with steps("pair the phone, first answer over Telegram"):
            stack.pair()
            stack.say("Are you there?")
            until("the reply", lambda: [text for text in stack.texts() if "Are you there?" in text])
        stack.compose("down")
        with steps("`up` again after `down`"):
            stack.up(CORE)
        time.sleep(60)
        taken = until("figures of memory", stack.memory)
        print(
            f"idle: {sum(taken.values()):.0f} MiB", {name.split(stack.project)[-1]: mib for name, mib in taken.items()}
        )
        for name in IMAGES:
            size = int(run("docker", "image", "inspect", "--format", "{{.Size}}", f"appliance-{name}:{TAG}"))
            print(f"appliance-{name}: {size / 1e6:.0f} MB")
    finally:
        stack.remove()
        made_here = [f"appliance-{name}:{TAG}" for name in (*IMAGES, "python")]
        subprocess.run(["docker", "image", "rm", *made_here, base], capture_output=True, timeout=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=("bare", "compose"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--local", action="store_true")
    options = parser.parse_args()
    steps = Steps()
    way: Callable[[Path], None] = {
        "bare": lambda folder: bare(steps, folder, options.local),
        "compose": lambda folder: compose(steps, folder),
    }[options.way]
    for _ in range(options.runs):
        folder = Path(tempfile.mkdtemp(prefix="appliance-release-"))
        try:
            way(folder)
        finally:
            shutil.rmtree(folder)
    load = os.getloadavg()[0]
    print(f"\nmedian of {options.runs} on {os.cpu_count()} processors, load {load:.1f} at the end, {ROOT.name}:")
    print(steps.report())


if __name__ == "__main__":
    main()
