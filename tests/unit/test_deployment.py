"""What machines are set up with: the Swarm stack, the Ansible roles, the release."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance import __version__

ROOT = Path(__file__).parents[2]
ROLES = sorted(path.name for path in (ROOT / "ansible" / "roles").iterdir())
MAIN: dict[str, Any] = yaml.safe_load((ROOT / "compose" / "compose.yaml").read_text())
STACK: dict[str, Any] = yaml.safe_load((ROOT / "compose" / "stack.yaml").read_text())
each = pytest.mark.parametrize("name", sorted(MAIN["services"]))


def run(*words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, **more)


def load(*parts: str) -> Any:
    return yaml.safe_load(ROOT.joinpath("ansible", *parts).read_text())


# Swarm --------------------------------------------------------------------------------------------------------------


def test_the_stack_is_what_the_compose_file_makes() -> None:
    done = run(sys.executable, ROOT / "scripts" / "swarm-stack", "--check")
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.docker  # in CI the docker program is there, and new enough
def test_docker_itself_takes_the_stack() -> None:
    if shutil.which("docker") is None or run("docker", "stack", "config", "--help").returncode != 0:
        pytest.skip("this docker program knows no `stack config`")
    environ = {"DATA_DIR": "/srv/appliance", "LOCAL_LLM": "1", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = run("docker", "stack", "config", "-c", ROOT / "compose" / "stack.yaml", env=environ)
    assert done.returncode == 0, done.stderr
    shown = yaml.safe_load(done.stdout)
    assert shown["services"]["models"]["deploy"]["replicas"] == 1
    assert shown["services"]["grafana"]["deploy"]["replicas"] == 0
    assert "without" not in done.stderr
    for service in shown["services"].values():
        assert not set(service) & {"depends_on", "restart", "security_opt", "network_mode", "privileged", "shm_size"}


@each
def test_what_swarm_can_hold_is_held_there_too(name: str) -> None:
    ours, theirs = MAIN["services"][name], STACK["services"][name]
    for key in ("image", "user", "read_only", "cap_drop", "cap_add", "healthcheck", "logging"):
        assert theirs.get(key) == ours.get(key), key
    told = {**ours.get("environment", {})}
    if "BIND_ADDRESS" in told:
        told["BIND_ADDRESS"] = "0.0.0.0"  # Swarm knows no narrower one, and `doctor` is told
    assert theirs.get("environment", {}) == told
    limits = theirs["deploy"]["resources"]["limits"]
    assert (limits["memory"], limits["pids"]) == (ours["mem_limit"], ours["pids_limit"])
    assert theirs["deploy"]["mode"] == "replicated"  # the engine of Debian 12 refuses a stack with a job
    again = theirs["deploy"]["restart_policy"]["condition"]
    assert again == ("on-failure" if ours.get("restart") == "no" else "any")
    assert ("replicas" in theirs["deploy"]) is bool(ours.get("profiles"))
    for volume in theirs.get("volumes", []):
        if isinstance(volume, dict):
            assert volume["tmpfs"]["size"] >= 1024**2
    if ours.get("network_mode") == "none":
        (alone,) = theirs["networks"]
        assert STACK["networks"][alone]["internal"] is True
        assert [n for n, s in STACK["services"].items() if alone in s.get("networks", [])] == [name]
    else:
        assert theirs["networks"] == ours["networks"]


def test_networks_that_lead_nowhere_lead_nowhere_in_swarm() -> None:
    for name, network in MAIN["networks"].items():
        assert STACK["networks"][name].get("internal", False) is bool((network or {}).get("internal"))


# Ansible ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_every_variable_of_a_role_is_described_with_its_default(role: str) -> None:
    options = load("roles", role, "meta", "argument_specs.yml")["argument_specs"]["main"]["options"]
    defaults = load("roles", role, "defaults", "main.yml")
    for name, value in defaults.items():
        assert name.startswith(f"{role}_")
        assert options[name]["default"] == value, name
    for name, option in options.items():
        assert option["description"].strip(), name
        assert ("default" in option) is (name in defaults), name
        assert not (option.get("required") and "default" in option), name
    used = "".join(path.read_text() for path in (ROOT / "ansible" / "roles" / role).rglob("*") if path.is_file())
    for name in options:
        assert len(re.findall(rf"\b{name}\b", used)) > 1 + (name in defaults), f"{name} is described and not used"


def test_only_modules_that_come_with_ansible_are_used() -> None:
    found = set()
    for path in (ROOT / "ansible").rglob("*.yml"):
        found |= set(re.findall(r"^\s+(\w+\.\w+\.\w+):", path.read_text(), re.M))
    assert len(found) > 10
    assert {name.rpartition(".")[0] for name in found} == {"ansible.builtin"}


def test_the_example_inventory_gives_what_the_roles_need_and_nothing_they_do_not_know() -> None:
    given = set(load("inventory", "example.yml")["appliance"]["vars"])
    known: dict[str, Any] = {}
    for role in ROLES:
        known |= load("roles", role, "meta", "argument_specs.yml")["argument_specs"]["main"]["options"]
    assert given <= set(known)
    assert {name for name, option in known.items() if option.get("required")} <= given
    assert load("inventory", "example.yml")["appliance"]["vars"]["appliance_version"] == __version__


def test_the_site_runs_every_role_with_a_tag_of_its_own() -> None:
    roles = load("site.yml")[0]["roles"]
    assert sorted(role["role"] for role in roles) == ROLES
    assert all(role["tags"] == [role["role"]] for role in roles)


# release ------------------------------------------------------------------------------------------------------------


def test_a_release_is_the_same_bytes_from_the_same_commit(tmp_path: Path) -> None:
    sums = []
    for number in ("one", "two"):
        clone = tmp_path / number / "repository"
        assert run("git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", clone).returncode == 0
        done = run(clone / "scripts" / "release")
        assert done.returncode == 0, done.stderr
        archive = clone / "dist" / f"appliance-{__version__}.tar.gz"
        sums.append(hashlib.sha256(archive.read_bytes()).hexdigest())
        assert sums[-1] in (clone / "dist" / "SHA256SUMS").read_text()
    assert sums[0] == sums[1]
    with tarfile.open(archive) as opened:
        names = set(opened.getnames())
    top = f"appliance-{__version__}"
    assert {f"{top}/compose/compose.yaml", f"{top}/grafana", f"{top}/scripts/images", f"{top}/uv.lock"} <= names
    assert all(name.startswith(top) for name in names)


# virtual machine ----------------------------------------------------------------------------------------------------

MAKE_VM = ROOT / "ansible" / "vm" / "make-vm"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.pub"
    path.write_text("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample me@home\n")
    return path


def made(key: Path, *words: str) -> str:
    done = run(MAKE_VM, "--print", *words, "--key", key, "--image", "debian.qcow2", "--disk", "60")
    assert done.returncode == 0, done.stderr
    for shared in ("virtiofs", "9p", "--filesystem", "password "):
        assert shared not in done.stdout, "a folder of the host, or a password"
    return done.stdout


def test_a_machine_on_libvirt_gets_the_key_and_no_password(key: Path) -> None:
    cloud, _, commands = made(key).partition("---\n")
    assert cloud.startswith("#cloud-config\n")
    data = yaml.safe_load(cloud)
    assert data["ssh_pwauth"] is False
    assert data["users"] == [{"name": "root", "lock_passwd": True, "ssh_authorized_keys": [key.read_text().strip()]}]
    assert commands.startswith("virt-install ")
    assert "size=60" in commands


def test_a_machine_on_proxmox_gets_the_key_and_no_password(key: Path) -> None:
    commands = made(key, "--proxmox").splitlines()
    assert [line.split()[:2] for line in commands] == [["qm", word] for word in ("create", "set", "resize", "start")]
    assert f"--sshkeys {key}" in commands[1]
    assert commands[2].split()[-1] == "60G"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--key", "/nothing.pub"], "no public key"),
        (["--name", "My VM"], "may hold"),
        (["--disk", "many"], "not a number"),
        (["--colour", "blue"], "unknown option"),
        (["--name"], "wants a value"),
    ],
)
def test_a_wrong_option_is_named_and_nothing_is_made(key: Path, words: list[str], said: str) -> None:
    done = run(MAKE_VM, "--key", key, "--image", "/nothing.qcow2", *words)
    assert done.returncode in (1, 2)
    assert said in done.stderr
