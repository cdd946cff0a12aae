"""The whole appliance as containers, on a real engine: the compose file as users have it, with fakes for the platforms.

One stack serves every test of this file, in their order; `scripts/images` and a script beside it make the images.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from appliance.local_models.runtime import cached_wheel
from appliance.testing.local_service import SMALL_CHAT, SMALL_EMBEDDER, required
from tests.end_to_end.stack import ROOT, SHOP, UP, VERSION, Json, Stack, fetch, run, until

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]
GATEWAY = f"appliance-gateway:{VERSION}"


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    if shutil.which("docker") is None or subprocess.run(["docker", "info"], capture_output=True).returncode != 0:
        pytest.skip("no Docker engine")
    run("scripts/compose-plugin", seconds=300)
    run("scripts/images", "shell", "egress", "gateway", "runner", "browser", seconds=1000)
    run("tests/end_to_end/stand-in-images", seconds=300)
    stack = Stack(Path(tempfile.mkdtemp(prefix="appliance-e2e-")))
    try:
        stack.up()
        yield stack
    finally:
        for service in ("gateway", "web-egress", "browser"):
            logs = subprocess.run(["docker", "logs", f"{stack.project}-{service}-1"], capture_output=True, text=True)
            print(service, logs.stdout[-6000:], logs.stderr[-2000:])
        stack.remove()


def test_every_profile_and_overlay_renders() -> None:
    run("scripts/compose-plugin", seconds=300)
    main = ["--env-file", "compose/example.env", "-f", "compose/compose.yaml"]
    every = run("docker", "compose", *main, "config", "--profiles").split()
    assert len(every) >= 3
    for profiles in (chosen for count in range(len(every) + 1) for chosen in combinations(every, count)):
        for overlay in ([], *(["-f", str(path)] for path in sorted((ROOT / "compose").glob("compose.*.yaml")))):
            chosen = [word for profile in profiles for word in ("--profile", profile)]
            if any("gpu" in word for word in overlay) and "local-llm" not in profiles:
                continue  # it changes a service of that profile
            done = subprocess.run(
                ["docker", "compose", *main, *overlay, *chosen, "config", "--quiet"],
                capture_output=True, text=True, timeout=60, cwd=ROOT,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (0, ""), (profiles, overlay)


def test_it_comes_up_healthy_within_the_time_that_is_promised(stack: Stack) -> None:
    states = {name: stack.inspect(name)["State"] for name in UP}
    assert {name: state["Health"]["Status"] for name, state in states.items()} == dict.fromkeys(UP, "healthy")
    assert stack.inspect("prepare")["State"]["ExitCode"] == 0
    print(f"up and healthy in {stack.seconds:.1f} s")
    assert stack.seconds < 60  # 20 s on a machine with nothing else to do


def test_the_images_are_as_small_as_promised_and_hold_no_compiler() -> None:
    size = int(run("docker", "image", "inspect", "--format", "{{.Size}}", GATEWAY))
    assert size < 350_000_000
    there = run(
        "docker", "run", "--rm", "--network=none", "--entrypoint=sh", GATEWAY, "-c",
        "test -s /opt/appliance/sbom.cdx.json || echo no list of contents; "
        "for word in gcc cc make cmake docker; do command -v $word || true; done; "
        "python -c 'import importlib.util as u; print([m for m in (\"llama_cpp\", \"playwright\") if u.find_spec(m)])'",
    )  # fmt: skip
    assert there.strip() == "[]"


def test_what_is_in_an_image_can_be_listed() -> None:
    listed = json.loads(run(sys.executable, "scripts/image-contents", GATEWAY))
    found = {part["purl"].split("@")[0]: part for part in listed["components"]}
    assert found["pkg:deb/debian/libc6"]["version"]
    assert found["pkg:pypi/apsw"]["version"]
    assert found["pkg:pypi/discord-py"]["version"]
    assert listed["metadata"]["component"]["bom-ref"].startswith("sha256:")


def test_every_process_is_the_owners_and_its_files_are_too(stack: Stack) -> None:
    for service in ("gateway", "sandbox-runner", "prometheus"):
        rows = run("docker", "top", f"{stack.project}-{service}-1", "-eo", "pid,uid,comm").splitlines()[1:]
        programs = [row.split() for row in rows if row.split()[2] in ("appliance", "python", "python3", "prometheus")]
        assert programs, rows
        assert {user for _, user, _ in programs} == {"4321"}, rows  # the rest are Docker's init and health checks
    for path in (stack.data, stack.data / "token", stack.data / "agents", stack.data / "secrets" / "models_token"):
        status = path.stat()
        assert (status.st_uid, status.st_gid) == (4321, 4322), path
        assert status.st_mode & 0o077 == 0, path


def test_a_message_over_the_api_gets_its_reply_from_claude(stack: Stack) -> None:
    answer = stack.api("/api/messages", {"session": "main", "text": "你好，家裡好嗎？ 🏠", "id": "first"})
    assert "你好，家裡好嗎？ 🏠" in answer["reply"]
    assert answer["model"] == "claude-sonnet-5-5"
    assert answer["cost_usd"] > 0


def test_a_message_over_telegram_gets_its_reply_from_claude(stack: Stack) -> None:
    stack.pair()
    stack.say("what does the fridge need?")
    until("the reply", lambda: [text for text in stack.texts() if "what does the fridge need?" in text])


def test_a_tool_call_runs_in_a_fresh_container_through_the_runner(stack: Stack) -> None:
    fake = stack.inner("fake-anthropic", 8999)
    command = "hostname; id -u; cat /etc/hostname; ls -A / | tr '\\n' ' '; printf '%s' 牛奶 > shopping.txt"
    fetch(f"{fake}/script", [{"tools": [["exec", {"command": command}]]}, {"text": "It is noted."}])
    answer = stack.api("/api/messages", {"session": "main", "text": "note: milk"})
    assert answer["reply"] == "It is noted."
    result = json.dumps(fetch(f"{fake}/book")[-1]["request"]["messages"][-1], ensure_ascii=False)
    assert "tool_result" in result
    assert "sandbox" in result
    assert "4321" in result
    file = stack.data / "agents" / "main" / "files" / "shopping.txt"
    assert file.read_text() == "牛奶"
    assert file.stat().st_uid == 4321


def test_a_command_finds_no_secret_and_no_network(stack: Stack) -> None:
    fake = stack.inner("fake-anthropic", 8999)
    command = f"env; ls {stack.data} /var/run/docker.sock /run/secrets; cat /proc/net/route"
    fetch(f"{fake}/script", [{"tools": [["exec", {"command": command}]]}, {"text": "Looked."}])
    assert stack.api("/api/messages", {"session": "main", "text": "look around"})["reply"] == "Looked."
    result = json.dumps(fetch(f"{fake}/book")[-1]["request"]["messages"][-1])
    assert result.count("No such file or directory") == 3
    assert "sk-ant" not in result
    assert "eth0" not in result


def test_the_cost_shows_in_prometheus_as_the_books_have_it(stack: Stack) -> None:
    spent = float(stack.api("/api/spend")["total"])
    assert spent > 0

    def shown() -> bool:
        rows = stack.query("sum(appliance_llm_cost_usd_total)")
        return bool(rows) and abs(rows[0][1] - spent) < 1e-9

    until(f"{spent} in Prometheus", shown, 120)
    wanted = {"appliance": 1, "prometheus": 1, "alertmanager": 1, "node": 1}
    until("every target", lambda: {labels["job"]: value for labels, value in stack.query("up")} == wanted, 120)


def test_an_alert_arrives_in_telegram(stack: Stack) -> None:
    stack.compose(
        "exec", "-T", "alertmanager", "amtool", "--alertmanager.url=http://127.0.0.1:9093", "alert", "add",
        "ApplianceDiskFilling", "severity=critical", "--annotation=summary=The disk fills.",
        "--annotation=description=It is full at seven.",
    )  # fmt: skip
    until("the alert", lambda: [text for text in stack.texts() if "It is full at seven." in text], 120)


# What runs inside a container and looks around from there.
WAYS = """
import json, os, socket, sys
from concurrent.futures import ThreadPoolExecutor
def can(host, port):
    try:
        socket.create_connection((host, port), 3).close()
        return True
    except OSError:
        return False
def proxy(way, target):
    with socket.create_connection(way, 5) as s:
        s.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
        return int(s.recv(100).split()[1])
def known(name):
    try:
        return bool(socket.getaddrinfo(name, 80))
    except OSError:
        return False
sockets = [p for p in ("/var/run/docker.sock", "/run/docker.sock") if os.path.exists(p)]
"""
PROBE = """
way = ("egress", 3128)
far = sys.argv[1]
gateway = open("/proc/net/route").read().split("\\n")[1:]
routes = [socket.inet_ntoa(bytes.fromhex(r.split()[2])[::-1]) for r in gateway if r and r.split()[1] == "00000000"]
print(json.dumps({
    "sockets": sockets,
    "host_engine": [can(a, p) for a in routes for p in (2375, 2376)],
    "routes": len(routes),
    "direct": can(far, 80),
    "looked_up": known("example.org"),
    "services": [known(n) for n in ("egress", "prometheus")],
    "unlisted": proxy(way, f"{far}:443"),
    "inner": proxy(way, "prometheus:443"),
    "plain_port": proxy(way, "api.anthropic.com:80"),
    "listed": proxy(way, "api.anthropic.com:443"),
}))
"""


def far_address() -> str:
    """The address of a machine out there that this one can certainly reach: the mirror of its packages."""
    said = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    host = said.split("//")[1].split("/")[0].split(":")[0]
    return socket.gethostbyname(host)


def test_the_gateway_reaches_neither_the_docker_api_nor_more_of_the_internet_than_is_listed(stack: Stack) -> None:
    far = far_address()
    control = f"exec 3<>/dev/tcp/{far}/80"
    run("docker", "exec", f"{stack.project}-egress-1", "timeout", "5", "bash", "-c", control)
    said = stack.compose("exec", "-T", "gateway", "python", "-", far, given=WAYS + PROBE)
    found = json.loads(said)
    assert found.pop("listed") in (200, 503)  # let through; 503 is a network without that name
    assert found == {
        "sockets": [], "host_engine": [False, False], "routes": 1, "direct": False, "looked_up": False,
        "services": [True, True], "unlisted": 403, "inner": 403, "plain_port": 403,
    }  # fmt: skip


@pytest.fixture(scope="module")
def shop(stack: Stack) -> Iterator[str]:
    """A page beside the ways out. Its address is private: it stands for a service at home, listed by one name."""
    folder = stack.data.with_name(stack.data.name + "-shop")
    folder.mkdir()
    (folder / "index.html").write_text(
        "<title>Shop</title><p>Lamps: 3 left</p><button onclick=\"this.textContent='Bought'\">Buy</button>"
    )
    run(
        "docker", "run", "-d", "--rm", "--name", f"{stack.project}-shop", "--network", f"{stack.project}_outside",
        "--network-alias", SHOP, "--network-alias", "unlisted.example", "-v", f"{folder}:/srv:ro", "-w", "/srv",
        "--entrypoint", "python", GATEWAY, "-m", "http.server", "8000",
    )  # fmt: skip
    address = json.loads(run("docker", "inspect", f"{stack.project}-shop"))[0]["NetworkSettings"]["Networks"]
    ip = next(iter(address.values()))["IPAddress"]
    until("the shop", lambda: _answers(ip, 8000))
    yield f"http://{SHOP}:8000/"
    run("docker", "rm", "-f", f"{stack.project}-shop")
    shutil.rmtree(folder)


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), 2).close()
    except OSError:
        return False
    return True


def asked(stack: Stack, text: str, *tools: tuple[str, Json]) -> list[str]:
    """Have the model use tools, one a call; return the results as it was sent them."""
    fake = stack.inner("fake-anthropic", 8999)
    fetch(f"{fake}/script", [*({"tools": [list(tool)]} for tool in tools), {"text": "Done."}])
    assert stack.api("/api/messages", {"session": "web-try", "text": text}, 120)["reply"] == "Done."
    book = fetch(f"{fake}/book")[-len(tools) :]
    return [json.dumps(entry["request"]["messages"][-1], ensure_ascii=False) for entry in book]


def test_pages_are_read_by_a_way_out_that_judges_each_address(stack: Stack, shop: str) -> None:
    inner, metadata, page, unlisted = asked(
        stack,
        f"read {shop} and http://unlisted.example:8000/",
        ("fetch", {"url": "http://gateway:8321/"}),
        ("fetch", {"url": "http://169.254.169.254/latest"}),
        ("fetch", {"url": shop}),
        ("fetch", {"url": "http://unlisted.example:8000/"}),
    )
    assert "Lamps: 3 left" in page
    assert "leads to" in unlisted
    assert "inside this machine or network" in unlisted
    assert "a name inside this machine or network" in inner
    assert "an address inside this machine or network" in metadata


BROWSER_PROBE = """
way = ("web-egress", 3129)
inner = ["gateway:8321", "169.254.169.254:80", "[::1]:8321", "127.0.0.1:3129"]
far, *private = sys.argv[1:]
reached = ThreadPoolExecutor(32).map(lambda p: can(*p.rsplit(":", 1)), private)
print(json.dumps({
    "sockets": sockets,
    "private": [p for p, there in zip(private, reached) if there],
    "direct": can(far, 80),
    "names": [n for n in ("gateway", "prometheus", "egress", "sandbox-runner", "example.org") if known(n)],
    "refused": [proxy(way, t) for t in [*private, *inner]],
    "public": proxy(way, "1.1.1.1:80") in (200, 502),
    "environment": sorted(n for n in os.environ if "TOKEN" in n or "KEY" in n or n.startswith("APPLIANCE")),
}))
"""


def test_the_browser_reaches_the_web_and_neither_the_gateway_nor_docker_nor_anything_at_home(stack: Stack) -> None:
    stack.compose("up", "-d", "--wait", "--wait-timeout", "90", "browser")
    networks = stack.inspect("gateway")["NetworkSettings"]["Networks"].values()
    private = [f"{network['IPAddress']}:8321" for network in networks]
    routers = [network["Gateway"] for network in networks if network["Gateway"]]
    routers += [network["Gateway"] for network in stack.inspect("web-egress")["NetworkSettings"]["Networks"].values()]
    private += [f"{router}:{port}" for router in routers if router for port in (2375, 2376, 8321)]
    private += [stack.inner("prometheus", 9090).removeprefix("http://"), "192.168.1.1:80", "10.0.0.1:80"]
    said = run(
        "docker", "exec", "-i", f"{stack.project}-browser-1", "python3", "-", far_address(), *private,
        given=WAYS + BROWSER_PROBE,
    )  # fmt: skip
    found = json.loads(said)
    assert set(found.pop("refused")) == {403}
    assert found == {
        "sockets": [], "private": [], "direct": False, "names": [], "public": True, "environment": [],
    }  # fmt: skip
    assert set(stack.inspect("browser")["NetworkSettings"]["Networks"]) == {f"{stack.project}_browser"}


def test_a_task_is_done_in_the_browsers_container_and_chromium_keeps_its_own_sandbox(stack: Stack, shop: str) -> None:
    def there() -> bool:
        found = json.loads(stack.compose("exec", "-T", "gateway", "appliance", "doctor", "--json"))
        row: Json = next(row for row in found if row["check"] == "browser")
        return row["status"] == "pass" and "keeps its own sandbox" in row["detail"]

    until("the browser in the doctor", there, 60)
    until("the gateway's look", lambda: "browser" in json.dumps(stack.api("/api/context")["tools"]), 60)
    opened, _, unlisted = asked(
        stack,
        f"buy a lamp at {shop}, then open http://unlisted.example:8000/",
        ("browser", {"action": "open", "url": shop}),
        ("browser", {"action": "click", "ref": "e3"}),
        ("browser", {"action": "open", "url": "http://unlisted.example:8000/"}),
    )
    assert "[ref=e3]" in opened, opened
    bought = json.dumps(stack.api("/api/sessions/web-try/messages"))
    assert "Bought" in bought
    assert "Lamps" not in unlisted
    spaces = run(
        "docker", "exec", f"{stack.project}-browser-1", "sh", "-c",
        "for p in /proc/[0-9]*; do grep -qs type=rendere[r] $p/cmdline && readlink $p/ns/user $p/ns/net; done;"
        " readlink /proc/1/ns/user /proc/1/ns/net",
    ).split()  # fmt: skip
    assert len(spaces) > 3, spaces
    assert not set(spaces[:-2]) & set(spaces[-2:]), "a renderer shares a namespace with the service"


def test_the_doctor_finds_nothing_that_fails(stack: Stack) -> None:
    found = json.loads(stack.compose("exec", "-T", "gateway", "appliance", "doctor", "--json"))
    assert len(found) > 8
    assert [row for row in found if row["status"] == "fail"] == []


def test_the_core_takes_less_memory_than_promised(stack: Stack) -> None:
    taken = until("figures of every service", stack.memory, 60)
    print(taken)
    assert len(taken) == 5
    assert sum(taken.values()) < 477  # 500 MB


def test_the_page_is_published_on_this_machine_alone(stack: Stack) -> None:
    published = stack.inspect("gateway")["NetworkSettings"]["Ports"]["8321/tcp"]
    assert {row["HostIp"] for row in published} == {"127.0.0.1"}
    for service in UP[1:]:
        assert not any(stack.inspect(service)["NetworkSettings"]["Ports"].values()), service


KILL = """
import os
for pid in filter(str.isdigit, os.listdir("/proc")):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        if b"appliance\\0up" in file.read() and int(pid) > 1:
            os.kill(int(pid), 9)
"""


def test_a_gateway_that_is_killed_comes_back_with_what_was_said(stack: Stack) -> None:
    before = stack.api("/api/sessions/main/messages")["messages"]
    stack.compose("exec", "-T", "gateway", "python", "-", given=KILL)
    until("the restart", lambda: stack.inspect("gateway")["RestartCount"] == 1, 30)
    until("health", lambda: stack.inspect("gateway")["State"]["Health"]["Status"] == "healthy", 60)
    assert stack.api("/api/sessions/main/messages")["messages"] == before


def test_down_and_up_lose_nothing(stack: Stack) -> None:
    def held() -> tuple[Any, Any, str]:
        messages = stack.api("/api/sessions/main/messages")["messages"]
        return messages, stack.api("/api/spend")["total"], stack.token

    before = held()
    assert len(before[0]) >= 4
    began = time.monotonic()
    stack.compose("stop", "-t", "45")
    stopped = time.monotonic() - began
    states = {name: stack.inspect(name)["State"] for name in UP}
    print({name: (state["ExitCode"], state["FinishedAt"][14:23]) for name, state in states.items()})
    assert {states[name]["ExitCode"] for name in ("gateway", "sandbox-runner", "prometheus")} == {0}, "killed"
    assert stopped < 45
    stack.compose("down")
    owner = (stack.data / "runner" / "id").read_text().strip()
    left = run("docker", "ps", "-aq", "--filter", f"label=appliance.composition.owner={owner}")
    assert left == "", "commands' containers outlived the runner"
    stack.up()
    assert held() == before
    again = stack.api("/api/messages", {"session": "main", "text": "你好，家裡好嗎？ 🏠", "id": "first"})
    assert again["reply"] == next(m["text"] for m in before[0] if m["role"] == "assistant"), "answered twice"
    print(f"down in {stopped:.1f} s, up in {stack.seconds:.1f} s")
    until("the series of before", lambda: stack.query("count(max_over_time(up{job='appliance'}[10m]))"), 30)


@pytest.mark.local
def test_a_message_gets_its_reply_from_the_local_model_and_only_the_pull_may_download(stack: Stack) -> None:
    if cached_wheel() is None:
        if not required():
            pytest.skip("llama.cpp is not built on this machine yet")
        run(sys.executable, "-m", "appliance.testing.local_service", seconds=1500)
    run("scripts/images", "models", seconds=300)
    lines = [f"LOCAL_MODEL={SMALL_CHAT}", f"LOCAL_EMBEDDER={SMALL_EMBEDDER}", 'APPLIANCE_MODELS__CHAIN=["local"]']
    with stack.env.open("a") as env:
        env.write("\n".join(lines) + "\n")
    stack.compose(
        "--profile", "local-llm", "up", "-d", "--wait", "--wait-timeout", "240", "models", "gateway", seconds=300
    )
    assert stack.inspect("models-pull")["State"]["ExitCode"] == 0
    assert set(stack.inspect("models")["NetworkSettings"]["Networks"]) == {f"{stack.project}_core"}

    def ready() -> bool:
        rows = {row["model"]: row["state"] for row in stack.api("/api/status")["models"]}
        return rows.get("local") == "ready"

    until("the local model", ready, 120)
    answer = stack.api("/api/messages", {"session": "local-try", "text": "Say hello."})
    assert answer["model"] != "claude-sonnet-5-5"
    assert answer["reply"].strip()
    assert answer["cost_usd"] == 0
    stack.pair()
    known, asked = len(stack.texts()), len(fetch(f"{stack.inner('fake-anthropic', 8999)}/book"))
    stack.say("Say hello again.")
    until("the reply", lambda: [text for text in stack.texts()[known:] if len(text) > 3], 90)
    assert len(fetch(f"{stack.inner('fake-anthropic', 8999)}/book")) == asked
